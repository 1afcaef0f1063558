"""The header, which is the same on every page of results and of the documentation.

Addresses are relative to a folder that holds both: the built documentation, with the pages of results in ``site``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Any

#: Folder of the pages of results.
SITE = "site/"

#: What the header leads to, in this order, where the pages of results are a part of the documentation.
ENTRIES = {
    "Get started": "docs/getting-started.html",
    "Learn": "docs/user-guide.html",
    "Methods": "site/methods/index.html",
    "Benchmark": "docs/benchmark.html",
    "Papers": "site/index.html",
    "API": "docs/api/index.html",
}

#: What it leads to on pages of results alone.
OF_RESULTS = {
    "Results": "site/index.html",
    "Methods": "site/methods/index.html",
    "Data sets": "site/datasets/index.html",
    "Compare": "site/compare.html",
}

#: The first page of both.
HOME = "docs/index.html"

#: The search over both.
SEARCH = "search.html"


def header(page: str, above: Sequence[str] = (), *, documented: bool = True) -> dict[str, Any]:
    """Return what the template of the header shows on a page, with addresses relative to it.

    ``above`` are the addresses of the parent pages, the nearest first. Entries are `ENTRIES` where the site is part of
    the documentation, otherwise `OF_RESULTS`; ``current`` is ``page``, ``true`` for the nearest entry above, or empty.

    Examples
    --------
    >>> shown = header("site/methods/mvmd.html", ["site/methods/index.html"], documented=False)
    >>> [(entry["href"], entry["current"]) for entry in shown["entries"][:2]]
    [('../index.html', ''), ('index.html', 'true')]
    """
    shown = ENTRIES if documented else OF_RESULTS
    here = next((address for address in (page, *above) if address in shown.values()), None)

    def relative(address: str) -> str:
        return posixpath.relpath(address, posixpath.dirname(page) or ".")

    entries = [
        {
            "text": text,
            "href": relative(address),
            "current": ("page" if address == page else "true") * (address == here),
        }
        for text, address in shown.items()
    ]
    search = SEARCH if documented else SITE + SEARCH
    home = HOME if documented else OF_RESULTS["Results"]
    return {"home": relative(home), "search": relative(search), "entries": entries}
