"""Where and how a run is started: odd folders, locales and users give the same table.

``PLACES=space,umask`` runs some of the cases, ``PLACES=today`` one by the day; all are run where it is not set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from project import BUNDLED, PROJECT, STUDY, Project, of_the_day, shared

pytestmark = pytest.mark.slow

TABLE = f"{STUDY}/table-loss.md"
OPTIONS = ("--cores", "1", TABLE, *BUNDLED)
# Without a home, and for root without its rights: it may then do what the modes of files allow.
HOMELESS = {"HOME": "/nonexistent", "XDG_CACHE_HOME": None}
PLAIN_USER = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()

# Name of the folder, and what differs from a usual start.
PLACES = {
    "space": ("my own checkout", {}),
    "quotes": ('it\'s my "checkout"', {}),
    "shell": ("a $HOME & (b) `c`; *", {}),
    "non-ascii": ("größe-集合", {}),
    "c-locale": ("größe 集合", {"env": {"LC_ALL": "C", "LANG": "C"}}),
    "umask": ("checkout", {"umask": 0o077}),
    "no-home": ("checkout", {"env": HOMELESS}),
    "read-only": ("checkout", {"env": HOMELESS, "read_only": True}),
}


def chosen(wanted: str) -> list[str]:
    """Names of the cases, from names with commas between them, `all` or `today`."""
    names = list(PLACES)
    if wanted == "today":
        return of_the_day(names, len(names))
    some = names if wanted == "all" else wanted.split(",")
    if unknown := set(some) - set(names):
        raise pytest.UsageError(f"PLACES has unknown {', '.join(sorted(unknown))}; known are {', '.join(names)}")
    return some


def checkout(folder: Path) -> Project:
    """Return a project with an environment of its own, as after `make install`: its path is in every command."""
    folder.mkdir()
    project = Project(folder)
    venv.create(folder / ".venv", symlinks=True)
    (packages,) = (folder / ".venv" / "lib").glob("python*/site-packages")
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), "../../../../src"}
    (packages / "mlreduce.pth").write_text("".join(f"{path}\n" for path in sorted(paths)))
    project.command = (str(folder / ".venv" / "bin" / "python"), "-m", "snakemake")
    return project


def run(project: Project, home: Path, *, env=None, read_only=False, umask=-1) -> str:
    environment = {**project.environment(), **(env or {})}
    del environment["PYTHONPATH"]
    for path in [project.folder, *project.folder.rglob("*")] if read_only else []:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o555)
    done = subprocess.run(
        [*PLAIN_USER, *project.command, *OPTIONS, *(("--directory", str(home)) if read_only else ())],
        cwd=project.folder,
        env={key: value for key, value in environment.items() if value is not None},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
        umask=umask,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return ((home if read_only else project.folder) / TABLE).read_text()


@pytest.fixture(scope="session")
def plain(tmp_path_factory):
    """The same run in a folder and by a user of the usual kind."""
    return shared(tmp_path_factory, "plain", OPTIONS)


@pytest.mark.parametrize("case", chosen(os.environ.get("PLACES", "all")))
def test_a_run_gives_the_table_wherever_it_is(tmp_path, plain, case):
    name, how = PLACES[case]
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(PROJECT / "tests" / "small.yaml", home)
    assert run(checkout(tmp_path / name), home, **how) == plain.path(TABLE).read_text()
