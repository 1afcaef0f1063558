"""Docstrings of all public names are complete by numpydoc's checks."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

import mlreduce
from mlreduce import registry

pytest.importorskip("numpydoc", reason="numpydoc comes with the extra dev")
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import ERROR_MSGS, validate

#: Modules whose ``__all__`` is for users of the library, beside the package itself and the families of methods.
MODULES = (
    *(
        "evaluation.comparison",
        "evaluation.compare",
        "datasets",
        "embedding",
        "exceptions",
        "labelspace",
        "metrics",
        "model_selection",
        "onnx",
        "persistence",
        "pipeline",
        "plot",
        "predictors",
    ),
    *("complexity", "methods"),
    *("preprocessing", "preprocessing.discretisation", "preprocessing.relation", "preprocessing.scaling"),
    *("projection", "propagation", "selection", "spectral"),
)
#: Checks of numpydoc that are off, and why.
OFF = {
    "ES01": "many a first line says all there is to say",
    "SA01": "related names stand in the sentences, in backquotes",
    "RT02": "results have the names of the formulas: Z, R, X",
}
#: Checks of names in ``__all__`` alone: the example of a class uses its methods, and a method may refer to another one.
OF_NAMES = {"EX01", "PR04"}


def public_names() -> dict[str, Any]:
    """Return the classes and functions that are public, by their paths."""
    found = {}
    for module in [mlreduce, *(importlib.import_module(f"mlreduce.{name}") for name in MODULES)]:
        family = module.__name__.rpartition(".")[2]
        names = registry.class_names(family) if family in registry.FAMILIES else {}
        for one in (getattr(module, name) for name in [*module.__all__, *names]):
            if inspect.isclass(one) or inspect.isfunction(one):
                found[f"{one.__module__}.{one.__qualname__}"] = one
    return found


def public_methods(names: dict[str, Any]) -> dict[str, Any]:
    """Return the methods and properties that public classes define themselves."""
    return {
        f"{path}.{name}": one
        for path, cls in names.items()
        if inspect.isclass(cls)
        for name, one in vars(cls).items()
        if not name.startswith("_")
        and (inspect.isfunction(one) or isinstance(one, (classmethod, property, staticmethod)))
    }


def documented_fields(one: Any) -> set[str]:
    """Return the attributes that a class documents."""
    entries = NumpyDocString(inspect.getdoc(one) or "")["Attributes"]
    return {name.strip() for entry in entries for name in entry.name.split(",")}


def faults_of(path: str, one: Any, checks: set[str]) -> Iterator[str]:
    """Yield what numpydoc finds, except that a class documents its fields as attributes.

    Fields of dataclasses and named tuples are parameters too; a base may describe a parameter of the methods on it.
    """
    fields = documented_fields(one) if inspect.isclass(one) else set()
    annotated = set(vars(one).get("__annotations__", ())) if inspect.isclass(one) else set()
    for code, message in validate(path)["errors"]:
        named = set(re.findall(r"'(\w+)'", message))
        if code in checks and not (named and (code, True) in {("PR01", named <= fields), ("PR02", named <= annotated)}):
            yield f"{path}: {code} {message}"


def raises(one: Any) -> bool:
    """Whether the body of a function or property raises an error, other than that of an abstract method."""
    function = one.fget if isinstance(one, property) else getattr(one, "__func__", one)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = [ast.dump(node.exc) for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    return any("NotImplementedError" not in error for error in raised)


def test_checks_that_are_off_exist():
    assert OFF.keys() | OF_NAMES <= ERROR_MSGS.keys()


def test_docstrings_are_complete():
    names = public_names()
    methods = public_methods(names)
    assert len(names) > len(registry.method_names())
    checks = ERROR_MSGS.keys() - OFF.keys()
    faults = [fault for path, one in names.items() for fault in faults_of(path, one, checks)]
    faults += [fault for path, one in methods.items() for fault in faults_of(path, one, checks - OF_NAMES)]
    assert not faults, "\n".join(faults)


def test_types_of_entries_are_no_references():
    """Outside backquotes docutils takes a word that ends in an underscore for a reference."""
    entries = [
        (path, entry.type)
        for path, one in public_names().items()
        for title in ("Parameters", "Attributes", "Returns")
        for entry in NumpyDocString(inspect.getdoc(one) or "")[title]
        if re.search(r"[A-Za-z]_(?!\w)", re.sub(r"`[^`]+`", "", entry.type))
    ]
    assert not entries


def test_entries_describe_what_they_name():
    """`help` of a class shows its parameters and attributes without those of another class."""
    classes = {path: one for path, one in public_names().items() if inspect.isclass(one)}
    entries = [
        (path, entry.name)
        for path, cls in classes.items()
        for title in ("Parameters", "Attributes")
        for entry in NumpyDocString(inspect.getdoc(cls) or "")[title]
        if any(line.startswith("As of `") for line in entry.desc)
    ]
    assert not entries


def test_errors_that_a_function_raises_are_documented():
    names = public_names()
    functions = {path: one for path, one in names.items() if inspect.isfunction(one)} | public_methods(names)
    silent = [
        path
        for path, one in functions.items()
        if raises(one) and not NumpyDocString(inspect.getdoc(one) or "")["Raises"]
    ]
    assert not silent, silent


def test_methods_have_a_reference_or_are_controls():
    without = [
        name
        for name in registry.method_names()
        if not NumpyDocString(text := inspect.getdoc(registry.method_class(name)) or "")["References"]
        and ": a control " not in text.partition("\n")[0]
    ]
    assert not without, f"without a section References, and not called a control in their first line: {without}"
