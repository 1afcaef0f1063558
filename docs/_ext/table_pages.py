"""Pages of the tables: a link of a document to a CSV file of docs leads to a page with it, sorted and filtered there.

The script is that of the pages of results. Tables of more rows than `LARGEST` stay files to download.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

LARGEST = 3000
_PAGE = """<h1>{name}</h1>
<p>{rows:,} rows. <a href="{root}_downloads/{download}" download>Download the CSV file</a>. Described in {back}.</p>
<div class="wide" role="region" tabindex="0" aria-label="{name}">{table}</div>
<link rel="stylesheet" href="{root}site/assets/datatables.css">
<script src="{root}site/assets/site.js" data-root="{root}site/" defer></script>
<script src="{root}site/assets/datatables.js" defer></script>
<script src="{root}site/assets/tables.js" defer></script>
"""


@cache
def table_of(path: Path) -> pd.DataFrame | None:
    """Return the table of a file of docs that has a page; words such as None are no missing values."""
    if path.suffix != ".csv" or Path(__file__).parents[1] not in path.parents:
        return None
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    return table if len(table) <= LARGEST else None


def name_of(file: Path) -> str:
    """Return the name of the page of a file; folders that begin with ``_`` are not searched."""
    return f"_tables/{file.relative_to('docs').with_suffix('').as_posix()}"


def point_to_pages(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace links to files by links to their pages."""
    for node in list(doctree.findall(addnodes.download_reference)):
        file, path = app.env.relfn2path(node["reftarget"], docname)
        if app.builder.format == "html" and table_of(Path(path)) is not None:
            address = app.builder.get_relative_uri(docname, name_of(Path(file)))
            node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=address))


def write_tables(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the page of each file, with the documents that link to it."""
    for file, (documents, download) in sorted(app.env.dlfiles.items()):
        table = table_of(Path(app.srcdir, file))
        if table is not None:
            page = name_of(file)
            root = "../" * page.count("/")
            titles = {document: escape(app.env.titles[document].astext()) for document in sorted(documents)}
            of = titles.get(f"docs/{file.parent.name}", next(iter(titles.values())))
            name = f"{of}: {escape(file.stem.replace('-', ' '))}"
            back = ", ".join(f'<a href="{root}{document}.html">{title}</a>' for document, title in titles.items())
            drawn = table.to_html(
                index=False, border=0, na_rep="", float_format="{:.6g}".format, classes="data table", table_id="rows"
            )
            body = _PAGE.format(name=name, rows=len(table), root=root, download=download, back=back, table=drawn)
            yield page, {"title": name, "body": body}, "page.html"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the hooks."""
    app.connect("doctree-resolved", point_to_pages)
    app.connect("html-collect-pages", write_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
