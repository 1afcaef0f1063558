"""Digests of the library's code, and a description of checkout, packages and machine."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.exceptions import ConfigurationError, broken_module
from mlreduce.files import file_sha256
from mlreduce_studies import options

# The packages whose code decides results, and where they are.
_PACKAGES = ("mlreduce", "mlreduce_studies")
_ROOT = Path(__file__).parents[2]

#: Files and folders of a project that decide its results.
CODE = ("Snakefile", "workflow", "src", "config", "papers", "comparisons", "envs")

_LOCKED = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:\[.+\])?==([^ ;\\]+)", re.MULTILINE)


# Where names stand that look up what other modules declare, such as MEASURES.
_LOOKED_UP = {module.__name__: module for module in (registry, options)}


@cache
def file_of(module: str) -> Path | None:
    """Return the file of a module of these packages, which is not imported; None where there is none."""
    base = _ROOT.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def _declaring(module: str, name: str) -> set[str]:
    """Return the modules that declare what a name of a module looks up."""
    declarations = getattr(_LOOKED_UP.get(module), name, None)
    if not isinstance(declarations, registry.Declarations):
        return set()
    folder = Path(str(file_of(declarations.package))).parent
    return {f"{declarations.package}.{path.stem}" for path in folder.glob("[!_]*.py")}


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in _PACKAGES


@cache
def _parsed(path: Path) -> tuple[str, frozenset[str]]:
    """Return a digest of a file's code and the modules of these packages that it imports.

    The code is without comments and docstrings, and without the names of these packages' modules: what a file is called
    changes no result.
    """
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise ConfigurationError(broken_module(error, path)) from error
    # What a package loads lazily (by its __getattr__) counts for the modules that import these names.
    tree.body = [node for node in tree.body if getattr(node, "name", None) != "__getattr__"]
    words: list[str] = []
    imported: set[str] = set()
    _write(tree, words, imported)
    ours = {name for name in imported if _is_ours(name) and file_of(name)}
    # A module runs after the packages that hold it.
    parents = {".".join(name.split(".")[:i]) for name in ours for i in range(1, name.count(".") + 1)}
    return hashlib.sha256("\0".join(words).encode()).hexdigest(), frozenset(ours | parents)


def _write(node: ast.AST, words: list[str], imported: set[str]) -> None:
    """Write code as words, and note what it imports: of hundreds of files in each plan, for which ast.dump is slow."""
    if isinstance(node, ast.Import):
        imported |= {alias.name for alias in node.names}
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        imported |= {name for alias in node.names for name in _declaring(node.module, alias.name)}
        node.module = _PACKAGES[0] if _is_ours(node.module) else node.module
    elif isinstance(node, ast.alias):
        node.name = _PACKAGES[0] if _is_ours(node.name) else node.name
    elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = [*node.body[1:], ast.Pass()]
    words.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            _write(value, words, imported)
        elif isinstance(value, list):
            words.append("[")
            for one in value:
                if isinstance(one, ast.AST):
                    _write(one, words, imported)
                else:  # of keys of a dictionary that is unpacked
                    words.append(repr(one))
            words.append("]")
        else:
            words.append(repr(value))


@cache
def source_digest(*sources: str | Path) -> str:
    """Return a digest of the code that scripts or modules depend on within this package.

    The files themselves and every module that they import, directly or not, count; comments, docstrings, layout and
    names of files do not. A workflow passes it as a parameter of a rule, so that results never outlive the code that
    made them. Sources are paths of scripts, or names of modules of this package such as ``"mlreduce.labelspace.plst"``.
    """
    pending = [file_of(str(source)) or Path(source) for source in sources]
    codes: dict[str, str] = {}
    while pending:
        path = pending.pop()
        if str(path) in codes:
            continue
        codes[str(path)], imported = _parsed(path)
        pending += [file for module in imported if (file := file_of(module))]
    return hashlib.sha256("\n".join(sorted(codes.values())).encode()).hexdigest()[:16]


def _git(folder: Path, *words: str) -> bytes | None:
    """Return what a git command says of a folder; None where there is no git, or it is no checkout."""
    try:
        run = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout


def code_digest(project: str | Path) -> str:
    """Return a digest of the files of a project that run, committed or not, by their names and bytes."""
    digest = hashlib.sha256()
    for path in code_files(project):
        digest.update(f"{path}\0{file_sha256(Path(project) / path)}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def code_files(project: str | Path) -> list[str]:
    """List the files of a project that run, below it, sorted; not what Python leaves there, or hidden files."""
    found = []
    for name in CODE:
        top = Path(project) / name
        if top.is_file():
            found.append(name)
        for folder, folders, files in os.walk(top):
            folders[:] = [folder for folder in folders if not folder.startswith((".", "__pycache__"))]
            places = [Path(folder, file).relative_to(project).as_posix() for file in files if not file.startswith(".")]
            found += [place for place in places if not place.endswith(".pyc")]
    return sorted(found)


def source_state(project: str | Path) -> dict[str, Any]:
    """Describe a project's code: its commit, and whether the files are that commit's.

    The project is the top folder of a checkout; a folder further down, as in somebody else's checkout, is none. Returns
    ``state`` ("clean", "changed" or "not a git checkout"), ``commit`` or None, ``code_sha256`` from `code_digest`, and,
    where something was changed, ``difference_sha256``: a digest of the difference from the commit, with new files that
    could run.
    """
    project = Path(project).resolve()
    top, commit = _git(project, "rev-parse", "--show-toplevel"), _git(project, "rev-parse", "HEAD")
    if top is None or commit is None or Path(os.fsdecode(top).rstrip("\n")).resolve() != project:
        return {"state": "not a git checkout", "commit": None, "code_sha256": code_digest(project)}
    # Not what a user's configuration of git makes of a difference, which would be another digest.
    plain = ("--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index")
    difference = _git(project, "-c", "core.quotePath=true", "diff", *plain, "HEAD") or b""
    listed = _git(project, "ls-files", "-z", "--others", "--exclude-standard", "--", *CODE) or b""
    added = sorted(os.fsdecode(name) for name in listed.split(b"\0") if name)
    named = {"commit": commit.decode().strip(), "code_sha256": code_digest(project)}
    if not difference and not added:
        return {"state": "clean", **named}
    digest = hashlib.sha256(difference)
    for name in added:
        digest.update(f"{name}\0{file_sha256(project / name)}\n".encode(errors="surrogateescape"))
    return {"state": "changed", **named, "difference_sha256": digest.hexdigest()}


def _packages(lock: Path) -> dict[str, Any]:
    """Return the versions of those packages of a lock that are installed, and which are not the locked ones."""
    locked = dict(_LOCKED.findall(lock.read_text(encoding="utf-8"))) if lock.is_file() else {}
    installed = {}
    for name in ("mlreduce", *sorted(locked)):
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    others = {
        name: {"locked": locked[name], "used": value}
        for name, value in installed.items()
        if locked.get(name, value) != value
    }
    return {"packages": installed, "not_as_locked": others}


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _kernels() -> list[str]:
    """Return NumPy's and SciPy's BLAS with the processor whose kernels each uses: they decide the last bits."""
    import scipy.linalg  # noqa: F401, loads both
    from threadpoolctl import threadpool_info

    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return sorted(
        {
            f"{library['internal_api']} {library['version']} {library.get('architecture', '')}".rstrip()
            for library in libraries
        }
    )


def environment(project: str | Path) -> dict[str, Any]:
    """Describe what a result is made with: the checkout, Python, the locked packages, the machine."""
    from mlreduce.validation import machine_memory  # slow to import, and not needed for a digest

    memory = machine_memory()
    return {
        "source": source_state(project),
        "python": sys.version.split()[0],
        **_packages(Path(project) / "envs" / "requirements.lock"),
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory_gb": None if memory is None else round(memory / 1e9, 1),
            "blas": _kernels(),
        },
    }
