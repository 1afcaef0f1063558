"""Peers that cannot run in the environment of this library: toolboxes for Octave, and packages for an older Python.

Peers that are not installed are left out:

- ``octave-cli`` on the path; the folders of the toolboxes in MLREDUCE_MLC_TOOLBOX and MLREDUCE_MLC_LSDR;
- a Python in MLREDUCE_OLD_PYTHON (3.9) with ``numpy==1.21.6 scipy==1.7.3 scikit-learn==0.24.2 lpproj==0.1
  metric-learn==0.6.2 scikit-multilearn==0.2.0``: with scikit-learn of today these raise TypeError.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from mlreduce.programs import Program, run_program

# A fit is repeated until all have taken so many seconds, at most so often; longer than the limit it is given up.
SECONDS, MOST, LIMIT = 1.0, 25, 120.0


def run(
    command: Callable[[Path], list[str]],
    script: str,
    suffix: str,
    data: Mapping[str, Any],
    results: Iterable[str],
    limit: float = LIMIT,
) -> dict[str, Any]:
    """Run a script on one thread in a folder with input.mat, and return what it writes to output.mat.

    Raises
    ------
    ProgramError
        With what the other side says if it fails.
    TimeLimitError
        If it takes longer than the limit, in seconds.
    """
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"run{suffix}")
        path.write_text(script)
        words = ["env", "-u", "PYTHONPATH", *(f"{name}=1" for name in threads), *command(Path(path.name))]
        program = Program(command=shlex.join(words), files=[str(path)], seconds=limit)
        return run_program(program, data, dict.fromkeys(results, True))


@dataclass(frozen=True)
class Elsewhere:
    """Code that is timed by another interpreter.

    Parameters
    ----------
    name : str
        Of the peer.
    call : str
        Uses X, dense, and Y.
    folder : str
        Variable with the folder or interpreter.
    before : str
        Code that is not timed.
    """

    name: str
    call: str
    folder: str
    before: str = ""

    script: ClassVar[str]
    suffix: ClassVar[str]

    def found(self) -> bool:
        """Whether it can be run here."""
        return Path(os.environ.get(self.folder) or "/nowhere").exists()

    @property
    def version(self) -> str:
        """What runs it, and a digest of its code."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """What is called, and by what: measured again where it changes."""
        return f"{self.version}: {self.before}{' ' if self.before else ''}{self.call}"

    def command(self, script: Path) -> list[str]:
        """Return the command that runs a script."""
        raise NotImplementedError

    def seconds(self, X: Any, Y: np.ndarray) -> float:
        """Return the median processor seconds of the call on one thread.

        Raises
        ------
        ProgramError, TimeLimitError
            If it fails or takes longer than the limit.
        """
        values = {"most": MOST, "seconds": SECONDS, "call": self.call, "before": self.before}
        values |= {"place": os.environ.get(self.folder)}
        data = {"X": X.toarray() if sp.issparse(X) else X, "Y": Y.astype(float)}
        return float(run(self.command, self.script.format(**values), self.suffix, data, ["time"])["time"].item())


class Octave(Elsewhere):
    """Octave's processor time."""

    suffix = ".m"
    script = """1;
function [model, time] = nothing_train(X, Y, method)
  model = {{}}; time = {{}};
end
warning off all
addpath(genpath('{place}'));
load input.mat
{before}
times = [];
while numel(times) < {most} && sum(times) < {seconds}
  start = cputime;
  {call}
  times(end+1) = cputime - start;
end
time = median(times); save('-v6', 'output.mat', 'time')
"""

    def found(self) -> bool:
        """Whether Octave and the toolbox are there."""
        return bool(shutil.which("octave-cli")) and super().found()

    def command(self, script: Path) -> list[str]:
        """Return the command that runs a script."""
        return ["octave-cli", "--quiet", "--no-init-file", str(script)]

    @property
    def version(self) -> str:
        """Octave's version, and a digest of the toolbox."""
        return _octave_and(os.environ[self.folder])

    @classmethod
    def method(cls, name: str, n_components: int) -> Octave:
        """Return a reduction of the MLC toolbox with its default parameters, and no classifier behind it."""
        before = (
            f"method.name = {{'{name}', 'nothing'}}; p = Set{name}Parameter(); p.dim = {n_components}; "
            "method.param = {p, struct()};"
        )
        call = f"[model, time] = {name}_train(X, Y, method);"
        return cls("MLC_toolbox", call, "MLREDUCE_MLC_TOOLBOX", before)


class OldPython(Elsewhere):
    """Processor time of a Python whose packages are older."""

    suffix = ".py"
    script = """
import time, warnings
import numpy as np, scipy.io
warnings.simplefilter("ignore")
data = scipy.io.loadmat('input.mat')
X, Y = data["X"], data["Y"].astype(int)
{before}
times = []
while len(times) < {most} and sum(times) < {seconds}:
    start = time.process_time()
    {call}
    times.append(time.process_time() - start)
scipy.io.savemat('output.mat', {{"time": np.median(times)}})
"""

    def command(self, script: Path) -> list[str]:
        """Return the command that runs a script."""
        return [os.environ[self.folder], str(script)]

    @property
    def version(self) -> str:
        """The versions of Python and of the package."""
        return _python_and(os.environ[self.folder], self.name)

    @classmethod
    def package(cls, name: str, before: str, call: str) -> OldPython:
        """Return a call of a package."""
        return cls(name, call, "MLREDUCE_OLD_PYTHON", before)


@cache
def _octave_and(folder: str) -> str:
    said = subprocess.run(["octave-cli", "--version"], capture_output=True, text=True, check=True).stdout
    digest = hashlib.sha256()
    for path in sorted(Path(folder).rglob("*.m")):
        digest.update(path.read_bytes())
    return f"{said.splitlines()[0]}, {digest.hexdigest()[:8]}"


@cache
def _python_and(python: str, package: str) -> str:
    code = f"import sys, importlib.metadata as m; print(sys.version.split()[0], m.version({package!r}))"
    return "Python {}, {}".format(*subprocess.check_output([python, "-c", code], text=True).split())
