"""Imports between the packages point in one direction, and inside `projection` from methods to helpers."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import mlreduce

ROOT = Path(mlreduce.__file__).parent
STUDIES = ROOT.parent / "mlreduce_studies"
BASE = {"complexity", "exceptions", "validation"}
FILES = {"configuration", "escaping", "files", "folders", "guards"}
#: What each package may import. `registry` imports methods when a name is looked up.
ALLOWED = {
    "__main__": {"commandline"},
    "__init__": {"exceptions"},
    "complexity": set(),
    "exceptions": set(),
    "validation": {"complexity", "exceptions"},
    "registry": {"exceptions"},
    "guards": {"exceptions"},
    "files": {"exceptions", "guards"},
    "folders": {"exceptions", "files"},
    "configuration": {"exceptions", "guards"},
    "escaping": set(),
    "datasets": BASE | FILES,
    "linalg": BASE | {"files"},  # least_squares reads arrays of held-out splits
    "preprocessing": BASE | {"linalg"},
    "metrics": BASE | {"linalg", "registry"},
    "spectral": BASE | {"linalg", "registry"},
    "projection": BASE | {"linalg", "registry", "spectral"},
    "embedding": BASE | {"linalg", "registry", "spectral"},
    "propagation": BASE | {"linalg", "registry", "spectral"},
    "model_selection": BASE | {"linalg"},
    "persistence": set(),
    "testing": BASE,
    "pipeline": set(),
    "onnx": BASE | {"labelspace", "linalg", "predictors", "projection"},
    "predictors": BASE | {"linalg", "metrics", "registry"},
    "labelspace": BASE | {"linalg", "registry", "predictors", "spectral"},
    "selection": BASE | {"linalg", "registry", "preprocessing", "spectral"},
    "programs": BASE | {"files", "labelspace", "linalg", "projection", "selection", "spectral"},
    "stats": BASE,
    "plot": BASE | {"escaping", "metrics", "registry", "stats"},
    "evaluation": {
        *(*BASE, *FILES),
        *("datasets", "labelspace", "linalg", "metrics", "plot", "predictors", "preprocessing", "projection"),
        *("model_selection", "programs", "propagation", "registry", "selection", "spectral", "stats"),
    },
    "methods": BASE | {"datasets", "linalg", "registry", "stats"},
    "auto": {
        *(*BASE, "evaluation", "labelspace", "linalg", "methods", "metrics", "model_selection", "pipeline", "plot"),
        *("predictors", "registry", "stats"),
    },
    # linalg and predictors: `doctor --compile` compiles loops
    "commandline": BASE | FILES | {"auto", "datasets", "evaluation", "linalg", "methods", "predictors", "registry"},
}


#: Modules beside the packages: what everything builds on, and the two ways into the library.
LOOSE = {
    "__init__",
    "__main__",
    "complexity",
    "exceptions",
    "model_selection",
    "onnx",
    "persistence",
    "pipeline",
    "registry",
    "testing",
    *FILES,
}


@cache
def imports_of(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports of a file, inside functions and for annotations too."""
    every = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in every if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_modules(path: Path) -> set[str]:
    """Return the modules of mlreduce that a file imports."""
    modules = set()
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif node.module == "mlreduce":
            modules |= {f"mlreduce.{alias.name}" for alias in node.names}
        elif node.module and not node.level:
            modules.add(node.module)
    return {module for module in modules if module.startswith(("mlreduce.", "mlreduce_studies."))}


def test_the_library_imports_nothing_of_the_studies():
    paths = [path for path in ROOT.rglob("*.py") if any("mlreduce_studies" in name for name in imported_modules(path))]
    assert paths == []
    assert any("mlreduce_studies.study" in imported_modules(path) for path in STUDIES.rglob("*.py"))


def test_all_else_is_in_packages():
    assert {path.stem for path in ROOT.glob("*.py")} == LOOSE


def test_imports_between_packages():
    found: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        package = path.relative_to(ROOT).parts[0].removesuffix(".py")
        found.setdefault(package, set()).update(module.split(".")[1] for module in imported_modules(path))
    wrong = {package: used - ALLOWED.get(package, set()) - {package} for package, used in found.items()}
    assert {package: sorted(used) for package, used in wrong.items() if used} == {}


def test_allowed_imports_have_no_cycle():
    remaining = dict(ALLOWED)
    while remaining:
        free = [package for package, used in remaining.items() if not used & remaining.keys()]
        assert free, remaining
        for package in free:
            del remaining[package]


def test_imports_inside_projection():
    methods = {path.stem for path in (ROOT / "projection").glob("*.py") if "\n@register(" in path.read_text("utf-8")}
    graph = {
        path.stem: {
            module.rpartition(".")[2] for module in imported_modules(path) if module.startswith("mlreduce.projection.")
        }
        for path in (ROOT / "projection").glob("[!_]*.py")
    }
    for helper in graph.keys() - methods:
        assert not graph[helper] & methods, helper
    while graph:
        free = [module for module, used in graph.items() if not used & graph.keys()]
        assert free, graph
        for module in free:
            del graph[module]


def import_graph() -> dict[str, set[str]]:
    """Return what each module imports."""
    names = {}
    for path in ROOT.parent.glob("mlreduce*/**/*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph: dict[str, set[str]] = {name: set() for name in names}
    for name, path in names.items():
        for node in imports_of(path):
            if isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names} & names.keys()
            elif node.module in names:
                members = {f"{node.module}.{alias.name}" for alias in node.names}
                graph[name] |= {member if member in names else node.module for member in members}
    return graph


def test_imports_have_no_cycle():
    graph = import_graph()
    free = None
    while free != set():
        imported = set().union(*graph.values())
        free = {module for module, used in graph.items() if not used & graph.keys() or module not in imported}
        graph = {module: used for module, used in graph.items() if module not in free}
    # Modules between the imported and the importing ones remain. The readers' cycle is being removed.
    assert {module for module in graph if not module.startswith("mlreduce.datasets")} == set()
