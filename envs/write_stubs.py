"""Write the stubs of the packages whose classes are imported when first asked for: types and completion see them all.

They are not committed: every installation or build writes them (envs/build_hook.py), and `make types` before it checks.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mlreduce"
sys.path.insert(0, str(PACKAGE.parent))

import mlreduce  # noqa: E402
from mlreduce import registry  # noqa: E402

#: Folders of these packages within the package; "" is the whole.
PACKAGES = ("", "methods", "plot", *registry.FAMILIES)


def stub(folder: str) -> str:
    """Return the stub of a package within the package, or of the whole one for ""."""
    names = dict.fromkeys(("registry", *mlreduce.PACKAGES), "mlreduce") if not folder else {}
    for node in ast.parse((PACKAGE / folder / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mlreduce."):
            names |= {alias.name: node.module for alias in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ON_DEMAND":
            names |= ast.literal_eval(node.value)
    if folder in ("", *registry.FAMILIES):
        names |= registry.class_names(folder or None)
    lines = [f"from {module} import {name} as {name}" for name, module in sorted(names.items())]
    lines += [] if folder else ["__version__: str", "ON_DEMAND: dict[str, str]", "PACKAGES: tuple[str, ...]"]
    return "\n".join(["# Written by envs/write_stubs.py.", *lines, ""])


def write(package: Path = PACKAGE) -> None:
    """Write the stubs into a copy of the package, or into the package itself."""
    for folder in PACKAGES:
        (package / folder / "__init__.pyi").write_text(stub(folder), encoding="utf-8")


if __name__ == "__main__":
    write()
