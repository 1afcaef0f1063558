"""Write the stubs of the packages whose classes are imported when first asked for: types and completion see them all.

    python envs/write_stubs.py

After a class was added, moved or renamed; tests/test_stubs.py says when.
"""

from __future__ import annotations

import ast
from pathlib import Path

import mlreduce
from mlreduce import registry

PACKAGE = Path(registry.__file__).parent
#: Of names that are imported on demand beside the methods: their modules.
ON_DEMAND = {
    "": {**mlreduce.ON_DEMAND, **dict.fromkeys(mlreduce.PACKAGES, "mlreduce")},
    "labelspace": {"CodedClassifier": mlreduce.ON_DEMAND["CodedClassifier"]},
    "methods": {
        "Description": "mlreduce.methods.description",
        "Facts": "mlreduce.methods.facts",
        "MethodList": "mlreduce.methods.table",
        "Recommendation": "mlreduce.methods.recommendation",
    },
}


def stub(family: str) -> str:
    """Return the stub of a family's package, or of the whole one for ""."""
    tree = ast.parse((PACKAGE / family / "__init__.py").read_text(encoding="utf-8"))
    names = dict(ON_DEMAND.get(family, {}))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mlreduce."):
            names |= {alias.name: node.module for alias in node.names}
    names |= registry.class_names(family or None)
    lines = [f"from {module} import {name} as {name}" for name, module in sorted(names.items())]
    head = "# Written by envs/write_stubs.py.\n\n"
    if not family:
        head += "from mlreduce import registry as registry\n"
    tail = "" if family else "\n__version__: str\nON_DEMAND: dict[str, str]\nPACKAGES: tuple[str, ...]\n"
    return head + "\n".join(lines) + "\n" + tail


def stubs() -> dict[Path, str]:
    """Return the stubs by their paths."""
    return {PACKAGE / family / "__init__.pyi": stub(family) for family in ("", "methods", *registry.FAMILIES)}


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
