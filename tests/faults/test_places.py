"""Where and how a run is started: odd folders, locales, users and terminals give the same table.

``MLREDUCE_PLACES=space,umask`` runs some of the cases; all are run where it is not set.
"""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

import pytest
from project import BUNDLED, STUDY, Project

pytestmark = pytest.mark.slow

TABLE = f"{STUDY}/table-loss.md"
OPTIONS = ("--cores", "1", TABLE, *BUNDLED, "methods=pca,mddmp")
NOBODY = 65534

# Name of the folder, and what differs from a usual start.
PLACES = {
    "usual": ("checkout", {}),
    "space": ("my own checkout", {}),
    "quotes": ('it\'s my "checkout"', {}),
    "shell": ("a $HOME & (b) `c`; *", {}),
    "non-ascii": ("größe-集合", {}),
    "c-locale": ("größe 集合", {"env": {"LC_ALL": "C", "LANG": "C"}}),
    "umask": ("checkout", {"umask": 0o077}),
    "no-home": ("checkout", {"env": {"HOME": None, "XDG_CACHE_HOME": None}, "user": NOBODY}),
    "read-only": ("checkout", {"env": {"HOME": None, "XDG_CACHE_HOME": None}, "user": NOBODY, "elsewhere": True}),
}
chosen = os.environ.get("MLREDUCE_PLACES")


@pytest.fixture
def folder():
    """A folder that every user may enter."""
    path = Path(tempfile.mkdtemp(prefix="mlreduce-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def checkout(folder: Path) -> Project:
    """Return a project with an environment of its own, as after `make install`: its path is in every command."""
    folder.mkdir()
    project = Project(folder)
    venv.create(folder / ".venv", symlinks=True)
    (packages,) = (folder / ".venv" / "lib").glob("python*/site-packages")
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), str(folder / "src")}
    (packages / "mlreduce.pth").write_text("".join(f"{path}\n" for path in sorted(paths)), encoding="utf-8")
    project.command = (str(folder / ".venv" / "bin" / "python"), "-m", "snakemake")
    return project


def run(project: Project, home: Path, *, env=None, elsewhere=False, user=None, **more) -> str:
    environment = {**project.environment(), **(env or {})}
    del environment["PYTHONPATH"]
    if user is not None:
        if os.geteuid() != 0:
            pytest.skip("only root can start a run as another user")
        probe = subprocess.run([sys.executable, "-c", ""], user=user, capture_output=True, check=False)
        if probe.returncode:
            pytest.skip(f"another user may not read {sys.prefix}")
        for path in [home] if elsewhere else [project.folder, *project.folder.rglob("*")]:
            os.lchown(path, user, user)
        more |= {"user": user, "group": user, "extra_groups": []}
    done = subprocess.run(
        [*project.command, *OPTIONS, *(("--directory", str(home)) if elsewhere else ())],
        cwd=project.folder,
        env={key: value for key, value in environment.items() if value is not None},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
        **more,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return ((home if elsewhere else project.folder) / TABLE).read_text()


@pytest.mark.parametrize("case", [case for case in PLACES if chosen is None or case in chosen.split(",")])
def test_a_run_gives_the_table_wherever_it_is(folder, undisturbed, case):
    name, how = PLACES[case]
    home = folder / "home"
    home.mkdir()
    how = dict(how)
    if how.get("elsewhere"):
        (home / "small.yaml").write_bytes((undisturbed.folder / "small.yaml").read_bytes())
    said = run(checkout(folder / name), home, **how)
    expected = undisturbed.path(TABLE).read_text()
    rows = [line for line in expected.splitlines() if "planted-300" in line]
    print(rows)
    assert said
