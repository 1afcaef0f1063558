"""What made a result: the library's own code as a digest, and versions, commit and machine as a manifest."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mlreduce.files import file_sha256

__all__ = ["environment", "source_digest"]

_PACKAGE = Path(__file__).parent
_VERSIONS = ("mlreduce", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "matplotlib", "snakemake")


def _module_file(module: str) -> Path | None:
    base = _PACKAGE.parent.joinpath(*module.split("."))
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@cache
def _parsed(path: Path) -> tuple[str, frozenset[str]]:
    """Return a file's code without comments and docstrings, and the modules of this package that it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    # What a package loads when a name is asked for (its __getattr__) is a matter of whoever asks, by importing it.
    tree.body = [node for node in tree.body if getattr(node, "name", None) != "__getattr__"]
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = [*node.body[1:], ast.Pass()]
    own = {name for name in imported if name.split(".")[0] == _PACKAGE.name and _module_file(name)}
    # A module runs after the packages that hold it.
    parents = {".".join(name.split(".")[:i]) for name in own for i in range(1, name.count(".") + 1)}
    return ast.dump(tree), frozenset(own | parents)


@cache
def source_digest(*sources: str | Path) -> str:
    """Return a digest of the code that scripts or modules depend on within this package.

    The files themselves and every module that they import, directly or not, count; comments, docstrings and layout do
    not. A workflow passes it as a parameter of a rule, so that results never outlive the code that made them.

    Parameters
    ----------
    *sources : str or path
        Paths of scripts, or names of modules of this package such as ``"mlreduce.labelspace.plst"``.
    """
    pending = [_module_file(str(source)) or Path(source) for source in sources]
    codes: dict[str, str] = {}
    while pending:
        path = pending.pop()
        if str(path) in codes:
            continue
        codes[str(path)], imported = _parsed(path)
        pending += [file for module in imported if (file := _module_file(module))]
    digest = hashlib.sha256()
    for name, code in sorted((Path(path).name, code) for path, code in codes.items()):
        digest.update(f"{name}\n{code}\n".encode())
    return digest.hexdigest()[:16]


def _git(folder: Path, *words: str) -> str | None:
    try:
        run = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout.strip()


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def environment(folder: str | Path, inputs: Iterable[str | Path] = ()) -> dict[str, Any]:
    """Describe what a result is made with: commit, versions, machine, checksums of its inputs."""
    versions: dict[str, str | None] = {}
    for package in _VERSIONS:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    changes = _git(Path(folder), "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": _git(Path(folder), "rev-parse", "HEAD"),
        "uncommitted_changes": None if changes is None else bool(changes),
        "python": sys.version.split()[0],
        "versions": versions,
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
        "inputs": {Path(path).name: file_sha256(path) for path in sorted(map(str, inputs))},
    }
