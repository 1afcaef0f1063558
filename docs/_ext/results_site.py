"""The pages of the committed results as a part of the documentation: one header, one search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment.adapters.toctree import TocTree

from mlreduce_studies.runs import open_run
from mlreduce_studies.site.navigation import SITE, header
from mlreduce_studies.site.search import write_index
from mlreduce_studies.site.writing import write_site

PROJECT = Path(__file__).parents[2]
#: Documents that introduce a part of the results: the header marks its entry.
PARTS = {"docs/papers": "site/index", "docs/methods/README": "site/methods/index"}
RESULTS = PROJECT / "results" / "reference"


def without_own_search(app: Sphinx) -> None:
    """Leave out Sphinx's index: it knows no page of the results, and is loaded by every page."""
    app.builder.search = False


def add_header(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Give the template of a page its header, with the nearest entry above the page marked."""
    # The table of a document is a page below it.
    document = f"docs/{pagename.split('/')[1]}" if pagename.startswith("_tables/") else pagename
    above = TocTree(app.env).get_toctree_ancestors(document)
    if pagename != app.config.root_doc and (pagename in app.env.all_docs or document != pagename):
        above = [PARTS.get(name, name) for name in (document, *above, "docs/user-guide")]
    context["header"] = header(f"{pagename}.html", [f"{name}.html" for name in above])


def write_results(app: Sphinx, exception: Exception | None) -> None:
    """Write the site of the results into the built documentation, and the index of both."""
    if exception is None and app.builder.name == "html":
        write_site(open_run(RESULTS, PROJECT), app.outdir / SITE, documented=True)
        write_index(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the hooks."""
    app.connect("builder-inited", without_own_search)
    app.connect("html-page-context", add_header)
    app.connect("build-finished", write_results)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
