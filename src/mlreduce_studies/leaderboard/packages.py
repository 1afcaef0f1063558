"""Packages of entries, pinned with hashes and installed as wheels into a folder outside the locked environment."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path

from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.leaderboard.entry import Entry

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[\w,.-]+\])?==([\w.!+-]+)", re.MULTILINE | re.ASCII)
# A pin with its marker and hashes. Quoted words have no space: pip takes what begins with "-" for an option there too.
_PINNED = re.compile(
    _PIN.pattern + r"""(\s*;([\w\s.<>=!()~,]|'[^'\s\\]*'|"[^"\s\\]*")+)?(\s+--hash=sha256:[0-9a-f]+)*\s*""", re.ASCII
)
_LOCKED = Path("envs", "requirements.lock")


def _plain(name: str) -> str:
    """Return the normalised form of a name, by which package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, str]:
    """Return the packages of a lock file with their versions.

    Examples
    --------
    >>> from mlreduce_studies.leaderboard.packages import pins
    >>> pins("umap-learn==0.5.12 --hash=sha256:00")
    {'umap-learn': '0.5.12'}
    """
    return {_plain(name): version for name, version in _PIN.findall(text)}


def _pinned_lines(path: Path) -> list[str]:
    """Return the lines of a lock file, continued ones joined, without comments; refuse what is more than a pin."""
    written = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    lines = [line.strip() for line in re.sub(r"\\\n", " ", "\n".join(written)).splitlines() if line.strip()]
    for line in lines:
        if not _PINNED.fullmatch(line):
            raise ConfigurationError(
                f"{path}: not a pinned package with hashes: {line[:80]!r}; the only option of a lock is --hash"
            )
    return lines


def missing_packages(packages: Mapping[str, str]) -> dict[str, str]:
    """Return the packages that this process does not have in the requested version, with the versions that it has."""
    there: dict[str, str] = {}
    for distribution in distributions():
        there.setdefault(
            _plain(distribution.metadata["Name"]), distribution.version
        )  # the first on the path is imported
    here = {name: there.get(_plain(name), "none") for name in packages}
    return {name: version for name, version in here.items() if version != packages[name]}


def folder_of_packages(entry: Entry, project: str | Path, folder: str | Path) -> Path | None:
    """Install what an entry pins beyond the locked environment; return the folder, or None where nothing is missing.

    Only wheels are installed, checked by their hashes, since installing a wheel runs none of its code. The project has
    ``envs/requirements.lock``; in the folder entries have separate folders, by what their lock says. Raises
    ConfigurationError if a package is in no lock file, has another version than in the entry or the project, or cannot
    be installed, or if the lock file has more than pins with hashes.
    """
    lines = _pinned_lines(entry.lock) if entry.lock.is_file() else []
    missing = missing_packages(entry.packages)
    if not missing:
        return None
    name, here = next(iter(missing.items()))
    wanted = f"{entry.path}: packages: {name} {entry.packages[name]} is wanted, and here is {here}"
    project_pins = pins(Path(project, _LOCKED).read_text(encoding="utf-8"))
    if _plain(name) in project_pins:
        raise ConfigurationError(
            f"{wanted}; the project locks {project_pins[_plain(name)]}, which an entry cannot change"
        )
    if not entry.lock.is_file():
        raise ConfigurationError(
            f"{wanted}. Write {entry.lock} by: python -m mlreduce_studies.enter {entry.name} --lock"
        )
    locked = pins("\n".join(lines))
    for name in missing:
        if locked.get(_plain(name)) != entry.packages[name]:
            raise ConfigurationError(
                f"{entry.lock}: {name} {entry.packages[name]} is required, it has {locked.get(_plain(name), 'none')}; "
                f"write it again by: python -m mlreduce_studies.enter {entry.name} --lock"
            )
    both = sorted(locked.keys() & project_pins)
    if both:
        raise ConfigurationError(f"{entry.lock}: {both[0]} is locked by the project; leave it out")
    target = Path(folder, f"{entry.name}-{entry.digest[:12]}")
    if not target.is_dir():
        _install(entry, lines, target)
    return target


def _install(entry: Entry, lines: Sequence[str], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
        checked = Path(temporary, "checked.lock")  # not the entry's file, which pip may read in another encoding
        checked.write_text("\n".join(lines), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
        command += ["--only-binary", ":all:", "--require-hashes", "--target", f"{temporary}/new", "-r", str(checked)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
            raise ConfigurationError(f"{entry.lock}: cannot be installed: {reason}")
        shutil.move(f"{temporary}/new", target)


def write_lock(entry: Entry, project: str | Path) -> dict[str, str]:
    """Write the lock file of an entry by uv: what its packages need beyond the locked environment; return its pins.

    Raises ConfigurationError if the packages are not compatible with those of the project.
    """
    locked = Path(project, _LOCKED)
    command = [str(Path(sys.executable).with_name("uv")), "pip", "compile", "-", "--constraint", str(locked)]
    command += ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate", "--no-header"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--only-binary", ":all:", "--quiet"]
    requirements = "".join(f"{name}=={version}\n" for name, version in entry.packages.items())
    done = subprocess.run(command, input=requirements, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigurationError(f"{entry.path}: packages: {' '.join(done.stderr.split())}")
    known = pins(locked.read_text(encoding="utf-8"))
    blocks = re.split(r"^(?=[A-Za-z0-9])", done.stdout, flags=re.MULTILINE)
    further = [block for block in blocks if pins(block) and not pins(block).keys() <= known.keys()]
    entry.lock.write_text(
        f"# By: python -m mlreduce_studies.enter {entry.name} --lock\n{''.join(further)}", encoding="utf-8"
    )
    return pins("".join(further))
