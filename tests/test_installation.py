"""What is printed to install mlreduce, and each lock by pip alone, in new environments.

The package index is needed, as by make install. LOCKS=today, as in make test-wheel, is a lock with a pip by the day.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documents import PROJECT
from project import of_the_day

from mlreduce.exceptions import install_line

pytestmark = pytest.mark.slow

README = (PROJECT / "README.md").read_text(encoding="utf-8")
LOCKS = sorted(
    path.relative_to(PROJECT).as_posix() for kind in ("envs", "leaderboard") for path in PROJECT.glob(f"{kind}/*.lock")
)
# Name and version with the marker of a line of a lock, without extras, which constraints cannot have.
PIN = re.compile(r"^([a-z0-9-]+)(?:\[.+\])?(==.+?) *\\?$", re.MULTILINE)
#: That of Python's ensurepip, which is the oldest that users of this Python have, and the newest.
PIPS = ("bundled", "newest")
CASES = [(lock, pip) for lock in LOCKS for pip in PIPS]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A new environment, in which pip installs nothing."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


def run(command, folder, where, pip="bundled", **variables):
    """Run a command with the Python of an environment, and return what it prints."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "MLREDUCE_"))
    }
    path = f"{folder}/bin:{os.environ['PATH']}"
    if pip == "newest":
        other = Path(folder, "newest")
        if not other.exists():
            run(f"python -m pip install --quiet --target {shlex.quote(str(other))} pip", folder, where)
        variables["PYTHONPATH"] = str(other)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=where,
        env=kept | {"PATH": path} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.mark.parametrize(
    ("lock", "pip"), of_the_day(CASES, len(CASES)) if os.environ.get("LOCKS") == "today" else CASES
)
def test_a_lock_installs_by_pip_alone(environment, lock, pip):
    """With hashes, pip refuses a lock of envs that lacks what its packages need; an entry's lock has less by intent."""
    alone = "" if lock.startswith("envs/") else "--no-deps "
    run(f"python -m pip install --quiet --dry-run --require-hashes {alone}-r {lock}", environment, PROJECT, pip)


def test_the_printed_line_installs_the_library_and_the_printed_message_an_extra(tmp_path_factory, tmp_path):
    """Of locked versions, so that only a change of ours can fail; then the Python of the README runs."""
    (line,) = set(re.findall(r"`(pip install [^`]+)`", README))
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    lock = (PROJECT / "envs" / "requirements.lock").read_text()
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("".join(f"{name}{pin}\n" for name, pin in PIN.findall(lock)))
    run(line, folder, PROJECT, PIP_CONSTRAINT=str(constraints), PIP_NO_COMPILE="1")
    run(f"python {PROJECT / 'tests' / 'documents.py'} {PROJECT / 'README.md'}", folder, tmp_path)
    assert "'mlreduce[data]'" in run("mlreduce doctor", folder, tmp_path)
    added = run(f"{install_line('data')} --dry-run", folder, tmp_path)
    assert re.search(r"^Would install .*\brequests-", added, re.MULTILINE)
    assert not re.search(r"^Would install .*\bmlreduce-", added, re.MULTILINE)
