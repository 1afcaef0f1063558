"""What benchmarks/programs.py compares: the programs of the methods' authors, each with our fit of the same parameters.

A module has ``CASES``, one `Case` for each comparison; the name of the module is the method's, with ``_`` for ``-``.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import elsewhere
import numpy as np

#: For programs that take informations, in bits, from a package: those of discrete columns, and a stand-in for it.
ENTROPIES = """
from types import SimpleNamespace

def entropy(*columns):
    codes = 0
    for column in columns:
        codes = codes * 64 + np.ravel(column).astype(np.int64)
    shares = np.unique(codes, return_counts=True)[1] / len(codes)
    return -(shares * np.log2(shares)).sum()

def mutual(x, y):
    return entropy(x) + entropy(y) - entropy(x, y)

def conditional(x, y, z):
    return entropy(x, z) + entropy(y, z) - entropy(x, y, z) - entropy(z)

def stand_in(package, module, **functions):
    sys.modules[package] = SimpleNamespace(**{module: SimpleNamespace(**functions)})
    sys.modules[f"{package}.{module}"] = getattr(sys.modules[package], module)
"""

#: For programs that take distances by the cosine from a toolbox of MATLAB.
COSINE_DISTANCES = """
function D = pdist2(A, B, metric)  % cosine distances of rows
    D = 1 - (A * B') ./ (sqrt(sum(A .^ 2, 2)) * sqrt(sum(B .^ 2, 2))');
end
"""


@dataclass(frozen=True)
class Program:
    """A public program, and the code that calls it.

    Parameters
    ----------
    repository : str
        "owner/name" on GitHub.
    code : str
        Run with the arrays of the case as variables; what it leaves in variables of the case's results is compared.
    folder : str
        Folder of the repository that goes on the path; in Octave with all below it.
    functions : str
        Code that comes first, such as functions that the program calls and does not have; in Octave they go before
        those of files.
    """

    repository: str
    code: str
    folder: str = ""
    functions: str = ""

    script: ClassVar[str]
    suffix: ClassVar[str]
    limit: ClassVar[float] = 1800.0

    def command(self, script: Path) -> list[str]:
        """Return the command that runs a script."""
        raise NotImplementedError

    def run(self, clone: Path, data: Mapping[str, Any], results: tuple[str, ...]) -> dict[str, np.ndarray]:
        """Return the results by name, without axes of length one.

        Raises
        ------
        ProgramError, TimeLimitError
            With what the program says if it fails.
        """
        values = {"place": str(clone / self.folder), "code": self.code, "functions": self.functions}
        values["results"] = ", ".join(map(repr, results))
        script = self.script
        for name, value in values.items():
            script = script.replace(f"<{name}>", value)
        found = elsewhere.run(self.command, script, self.suffix, data, results, self.limit)
        return {name: np.squeeze(found[name]) for name in results}


class Octave(Program):
    """A program in MATLAB's language."""

    suffix = ".m"
    script = """1;
<functions>
warning off all
load input.mat
addpath(genpath('<place>'));
<code>
save('-v6', 'output.mat', <results>);
"""

    def command(self, script: Path) -> list[str]:
        """Return the command that runs a script."""
        return ["octave-cli", "--quiet", "--no-init-file", str(script)]


class Python(Program):
    """A program in Python, run by the Python that runs this."""

    suffix = ".py"
    script = """import sys, warnings
import numpy as np, scipy.io
warnings.simplefilter("ignore")
<functions>
sys.path.insert(0, '<place>')
globals().update({name: value for name, value in scipy.io.loadmat("input.mat").items() if name[0] != "_"})
<code>
scipy.io.savemat("output.mat", {name: globals()[name] for name in [<results>]})
"""

    def command(self, script: Path) -> list[str]:
        """Return the command that runs a script."""
        return [sys.executable, "-B", str(script)]  # compiled files of another commit may be as old and as long


def as_given(X: np.ndarray, Y: np.ndarray) -> dict[str, np.ndarray]:
    """Return features and labels by their names."""
    return {"X": X, "Y": Y}


@dataclass(frozen=True)
class Case:
    """A comparison with a program.

    Parameters
    ----------
    method : str
    program : Program
    ours : callable
        The arrays that the program gets, by name -> our results.
    results : tuple of str
        Names of what is compared: "objective" is a number; "ranking" are columns from 0, the best first; any other is
        an array, such as "scores".
    setting : str
        Parameters of both, and what is said to tell cases apart.
    note : str
        What had to be worked around, and faults of the program.
    data : callable
        Dense features and labels in {0, 1}, as numbers -> the arrays by name.
    datasets : tuple of str
    """

    method: str
    program: Program
    ours: Callable[[Mapping[str, np.ndarray]], Mapping[str, Any]]
    results: tuple[str, ...] = ("scores",)
    setting: str = ""
    note: str = ""
    data: Callable[[np.ndarray, np.ndarray], Mapping[str, np.ndarray]] = as_given
    datasets: tuple[str, ...] = ("emotions", "yeast")


def all_cases() -> dict[str, tuple[Case, ...]]:
    """Return the cases by the names of their modules."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"{__name__}.{name}").CASES for name in names}
