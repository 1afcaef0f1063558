"""Writes the pages of the API reference from the registry, the declared measures and the public names of modules.

A new method, measure or public name appears by itself. The pages are in docs/api, which git ignores.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import mlreduce
from mlreduce import registry
from mlreduce.metrics import MEASURES

API = Path(__file__).parents[1] / "api"

TITLES = {
    "projection": "Projections of the feature space",
    "embedding": "Embeddings of the training instances",
    "propagation": "Label propagation",
    "labelspace": "Label-space reduction",
    "selection": "Feature selection",
    "predictors": "Predictors",
}
# Packages whose modules have public names.
DEEP = ("mlreduce.preprocessing", "mlreduce.spectral")
# Further modules with public names.
PUBLIC = ("mlreduce.evaluation.comparison",)
# Modules with names for other modules alone.
INTERNAL = tuple(
    f"mlreduce.{name}" for name in ("commandline", "configuration", "escaping", "files", "folders", "guards")
)


def public_modules() -> Iterator[tuple[str, list[str]]]:
    """Yield modules with their public names, from ``__all__``; top-level names and methods have pages elsewhere."""
    for info in sorted(pkgutil.walk_packages(mlreduce.__path__, "mlreduce."), key=lambda info: info.name):
        parent = info.name.rpartition(".")[0]
        deep = parent == "mlreduce" or info.name.startswith(tuple(f"{package}." for package in DEEP))
        deep = deep or info.name in PUBLIC
        if not deep or ".__" in info.name or "._" in info.name or info.name in INTERNAL:
            continue
        module = importlib.import_module(info.name)
        exported = sorted(set(getattr(module, "__all__", [])) - set(mlreduce.__all__))
        # A name is documented where it is shortest: not again in the module that defines it.
        above = set(getattr(importlib.import_module(parent), "__all__", [])) if parent != "mlreduce" else set()
        aliases = {name for name in exported if hasattr(getattr(module, name), "__origin__")}  # of types
        names = [name for name in exported if name not in above | aliases]
        if names:
            yield info.name, names


def methods(family: str) -> dict[str, type]:
    """Return the package's methods of a family by their registry names."""
    classes = {name: registry.method_class(name) for name in registry.method_names(family)}
    return {name: cls for name, cls in classes.items() if cls.__module__.startswith("mlreduce.")}


def summary(value: Any) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())


def heading(title: str, under: str = "=") -> str:
    """Return a title of a page."""
    return f"{title}\n{under * len(title)}\n"


def toctree(names: Iterable[str]) -> str:
    """Return the directive that writes a page for each name, without a table."""
    listed = "\n".join(f"   {name}" for name in names)
    return f".. autosummary::\n   :toctree: generated\n\n{listed}\n"


def table(header: list[str], rows: Iterable[list[str]], widths: str) -> str:
    """Return a table."""
    lines = [f".. list-table::\n   :header-rows: 1\n   :widths: {widths}\n"]
    for row in [header, *rows]:
        lines += [f"   {'*' if column == 0 else ' '} - {cell}" for column, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def family_page(family: str, bases: list[str]) -> str:
    """Return the page of a family: a line for each method, and the base classes."""
    classes = methods(family)
    rows = [[f"``{name}``", f":py:class:`~mlreduce.{cls.__name__}`", summary(cls)] for name, cls in classes.items()]
    parts = [
        heading(TITLES[family]),
        f"``mlreduce.make(name, ...)`` makes one by its name, ``mlreduce.list_methods({family!r})`` lists them.\n",
        table(["name", "class", "what it does"], rows, "18 22 60"),
        hidden(f"mlreduce.{cls.__name__}" for cls in classes.values()),
    ]
    if bases:
        parts += [heading("Base classes and helpers", "-"), toctree(f"mlreduce.{family}.{name}" for name in bases)]
    return "\n".join(parts)


def hidden(names: Iterable[str]) -> str:
    """Return a directive that writes pages and shows nothing: the table above it has them."""
    indented = re.sub("^", "   ", toctree(names), flags=re.MULTILINE)
    return f".. container:: in-table-above\n\n{indented}"


def measures_page() -> str:
    """Return the page of the measures: by name, and the functions that take them."""
    rows, functions = [], []
    for name, entry in sorted(MEASURES.items()):
        path = f"{entry.formula.__module__}.{entry.formula.__name__}"
        functions.append(path)
        better = "larger" if entry.higher_is_better else "smaller"
        rows.append([f"``{name}``", f":py:func:`~{path}`", better, entry.needs, summary(entry.formula)])
    return "\n".join(
        [
            heading("Measures"),
            "``mlreduce.metrics.evaluate(name, y_true, y_pred)`` computes one, ``mlreduce.metrics.get_scorer(name)`` "
            "makes a scorer of scikit-learn of it.\n",
            toctree(f"mlreduce.metrics.{name}" for name in importlib.import_module("mlreduce.metrics").__all__),
            heading("Measures by name", "-"),
            "What a measure needs: predicted labels, scores that order them, or codes of label-space reduction.\n",
            table(["name", "function", "better", "needs", "what it is"], rows, "20 20 8 8 44"),
            hidden(functions),
        ]
    )


def pages() -> dict[str, str]:
    """Return all pages by their names."""
    texts = {"mlreduce": heading("Top level") + "\n" + toctree(f"mlreduce.{name}" for name in top_level())}
    public = dict(public_modules())
    for family in registry.FAMILIES:
        texts[family] = family_page(family, public.pop(f"mlreduce.{family}", []))
    texts["metrics"] = measures_page()
    public.pop("mlreduce.metrics")
    for module, names in public.items():
        text = f"{heading(module)}\n{summary(importlib.import_module(module))}\n"
        texts[module.removeprefix("mlreduce.")] = f"{text}\n{toctree(f'{module}.{name}' for name in names)}"
    listed = "\n".join(f"   {name}" for name in texts)
    counts = table(
        ["family", "methods"], [[f":doc:`{family}`", str(len(methods(family)))] for family in TITLES], "70 30"
    )
    texts["index"] = (
        f"{heading('API reference')}\n{INTRODUCTION}\n{counts}\n.. toctree::\n   :maxdepth: 1\n\n{listed}\n"
    )
    return texts


INTRODUCTION = """\
Every public name. Methods have a registry name and a class: ``mlreduce.make("mvmd", n_components=3)`` and
``mlreduce.MVMD(n_components=3)`` are the same. All are estimators of scikit-learn.
"""


def top_level() -> list[str]:
    """Return the functions and classes of the package itself, without the methods."""
    others = set(mlreduce.__all__) - set(registry.class_names())
    return sorted(name for name in others if callable(getattr(mlreduce, name)))


def write_pages(app: Sphinx, config: object) -> None:
    """Write the pages that changed, and remove those that are no more."""
    API.mkdir(exist_ok=True)
    made = {f"{name}.rst": text for name, text in pages().items()}
    listed = {
        f"{name}.rst" for text in made.values() for name in re.findall(r"^ +(mlreduce\.\S+)$", text, re.MULTILINE)
    }
    for old in [*API.glob("*.rst"), *API.glob("generated/*.rst")]:
        if old.name not in made.keys() | listed:
            old.unlink()
    for name, text in made.items():
        path = API / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def skip_of_others(app: Sphinx, what: str, name: str, value: Any, skip: bool, options: object) -> bool | None:
    """Leave out members that are not of the package: get_params, set_output and the like of every estimator."""
    function = inspect.unwrap(getattr(value, "fget", value))
    ours = (getattr(function, "__module__", None) or "mlreduce").startswith("mlreduce")
    return None if ours and not name.startswith("_") else True


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the hooks; pages are written before Sphinx looks for sources."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("config-inited", write_pages)
    app.connect("autodoc-skip-member", skip_of_others)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
