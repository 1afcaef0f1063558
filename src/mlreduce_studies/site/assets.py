"""Scripts and styles of the pages: ours, and those in the wheels of vl-convert and itables."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from mlreduce.evaluation.page import style
from mlreduce.exceptions import MLReduceError, from_extra
from mlreduce.files import write_text

with from_extra("workflow", "sites"):
    import vl_convert

# The last statement of itables' bundle, an ES module: browsers load no module from the file system.
_EXPORT = "export{"

# What the bundle of Vega defines for our scripts.
_DEFINED = "window.vegaEmbed = vegaEmbed;"


def own_file(name: str) -> str:
    """Return a script or style of ours."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


@cache  # to bundle them takes one and a half seconds
def chart_script() -> str:
    """Return Vega, Vega-Lite and vega-embed as a script, which defines ``vegaEmbed``; its constants stay inside."""
    return f"(() => {{\n{vl_convert.javascript_bundle(_DEFINED)}\n}})();\n"


def _bundle(name: str) -> str:
    return (files("itables") / "html" / name).read_text(encoding="utf-8")


def table_script() -> str:
    """Return DataTables as a script, which defines ``DataTable``; MLReduceError if the bundle ends otherwise."""
    text, _, tail = _bundle("dt_bundle.js").rpartition(_EXPORT)
    names = dict(part.split(" as ")[::-1] for part in tail.partition("}")[0].split(","))
    if "default" not in names:
        raise MLReduceError("itables exports its table component by another name; install the version in the lock")
    return f"(() => {{\n{text}\nwindow.DataTable = {names['default']};\n}})();\n"


def write_assets(folder: Path) -> None:
    """Write all scripts and styles into a folder: ours in the folder ``static`` of this package, and the bundles."""
    texts = {file.name: own_file(file.name) for file in (files(__package__) / "static").iterdir()}
    texts["site.css"] = style() + texts["site.css"]
    texts |= {"vega.js": chart_script(), "datatables.js": table_script(), "datatables.css": _bundle("dt_bundle.css")}
    for name, text in texts.items():
        write_text(folder / name, text)
