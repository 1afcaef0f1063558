"""What modules of these packages declare, read from their source: looking up a name imports nothing.

Each reader returns None where the source alone does not tell; the module is imported then.
"""

from __future__ import annotations

import ast
import re
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from mlreduce.exceptions import ConfigurationError, broken_module

__all__ = ["declared_names", "declared_values", "defines", "docstrings_of", "file_of", "parameters_of"]

# Where the packages are.
_ROOT = Path(__file__).parents[1]

# Base classes of other packages that have no parameters.
_WITHOUT_PARAMETERS = re.compile(r"\w*Mixin|BaseEstimator|ABC|Generic|Protocol|object")


@cache
def file_of(module: str) -> Path | None:
    """Return the file of a module of these packages, which is not imported; None where there is none."""
    base = _ROOT.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


@cache
def _tree(module: str) -> ast.Module | None:
    """Return the parsed source of a module; None where it has none."""
    path = file_of(module)
    if path is None:
        return None
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise ConfigurationError(broken_module(error, path)) from error


def _imported_from(tree: ast.Module, name: str) -> tuple[str, str] | None:
    """Return module and name there of what a module imports under a name; None where it does not import it."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return node.module, alias.name
    return None


def docstrings_of(module: str, class_name: str) -> list[str]:
    """Return the docstrings of a class and of its bases in the same module as written; "" where one has none.

    Parameters
    ----------
    module, class_name : str
        As of `parameters_of`.
    """
    classes = {node.name: node for node in getattr(_tree(module), "body", []) if isinstance(node, ast.ClassDef)}
    names = [class_name]
    for name in names:  # which grow
        names += [base.id for base in classes[name].bases if isinstance(base, ast.Name) and base.id in classes]
    return [ast.get_docstring(classes[name]) or "" for name in names]


def parameters_of(module: str, class_name: str) -> list[str] | None:
    """Return the names of a class's parameters, those of its own or inherited ``__init__``, sorted.

    Parameters
    ----------
    module, class_name : str
        Of this package, such as ``"mlreduce.labelspace.plst"`` and ``"PLST"``.
    """
    outline = _outline(module, class_name)
    return None if outline is None else getattr(outline, "parameters", [])


def defines(module: str, class_name: str, method: str) -> bool:
    """Return whether a class, or a base of it in these packages, has a method; False where the source does not tell.

    Parameters
    ----------
    module, class_name : str
        As of `parameters_of`.
    method : str
    """
    return method in getattr(_outline(module, class_name), "methods", ())


@cache
def _outline(module: str, name: str) -> type | None:
    """Return a class with the bases of another one, in Python's order of resolution, its parameters and methods."""
    tree = _tree(module)
    if tree is None:
        return None
    node = next((own for own in tree.body if isinstance(own, ast.ClassDef) and own.name == name), None)
    if node is None:
        place = _imported_from(tree, name)
        return _outline(*place) if place is not None and place[0].startswith("mlreduce") else None
    bases: list[type] = []
    for base in node.bases:
        base = base.value if isinstance(base, ast.Subscript) else base
        written = ast.unparse(base).rpartition(".")[2]
        if not _WITHOUT_PARAMETERS.fullmatch(written):
            outline = _outline(module, base.id) if isinstance(base, ast.Name) else None
            if outline is None:
                return None
            bases.append(outline)
        elif isinstance(base, ast.Name) and (outline := _outline(module, base.id)) is not None:
            bases.append(outline)
    functions = {own.name: own for own in node.body if isinstance(own, ast.FunctionDef)}
    methods = frozenset(functions).union(*(getattr(base, "methods", ()) for base in bases))
    made = functions.get("__init__")
    if made is None:
        return type(name, tuple(bases), {"methods": methods})
    given = [own.arg for own in [*made.args.args, *made.args.kwonlyargs]][1:]
    told = made.args.vararg is None and made.args.kwarg is None  # others are put together when the class is made
    return type(name, tuple(bases), {"methods": methods, "parameters": sorted(given) if told else None})


def declared_names(package: str, decorator: str) -> dict[str, str]:
    """Map the names that the modules of a package declare by a decorator, ``@table("sizes", ...)``, to the modules.

    Parameters
    ----------
    package, decorator : str

    Raises
    ------
    ConfigurationError
        If two modules declare the same name.
    """
    pattern = re.compile(rf'^@{decorator}\(\s*"([^"]+)"', re.MULTILINE)
    homes: dict[str, str] = {}
    for path in sorted(_ROOT.joinpath(*package.split(".")).glob("[!_]*.py")):
        for name in pattern.findall(path.read_text(encoding="utf-8")):
            module = f"{package}.{path.stem}"
            if homes.setdefault(name, module) != module:
                raise ConfigurationError(f"the {decorator} {name!r} is already declared by {homes[name]}")
    return homes


@cache
def declared_values(module: str, decorator: str, name: str, keys: tuple[str, ...]) -> dict[str, Any] | None:
    """Return what a declaration says under some keys that are plain values; those that are not given are left out.

    The values may use what the module assigns before, and what it imports from modules that have been imported.

    Parameters
    ----------
    module, decorator, name : str
        As of `declared_names`.
    keys : tuple of str
    """
    known: dict[str, Any] = {}
    tree = _tree(module)
    for node in tree.body if tree else []:
        if isinstance(node, ast.ImportFrom) and node.module in sys.modules:
            known |= {own.asname or own.name: getattr(sys.modules[node.module], own.name, None) for own in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            with suppress(Exception):  # what is no plain value
                known |= {own.id: _value(node.value, known) for own in targets if isinstance(own, ast.Name)}
        elif isinstance(node, ast.FunctionDef):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == decorator and _is(call.args, name):
                    try:
                        return {str(own.arg): _value(own.value, known) for own in call.keywords if own.arg in keys}
                    except Exception:  # noqa: BLE001 - as above
                        return None
    return None


def _is(arguments: list[ast.expr], name: str) -> bool:
    return bool(arguments) and isinstance(arguments[0], ast.Constant) and arguments[0].value == name


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    """Return the value of an expression of this package that calls nothing."""
    if any(isinstance(own, ast.Call) for own in ast.walk(node)):
        raise ValueError("a call is no plain value")
    code = compile(ast.Expression(node), "<declaration>", "eval")
    return eval(code, {"__builtins__": {}}, known)  # noqa: S307 - code of this package, as if it were imported
