"""The header, which is the same on every page of results and of the documentation.

Addresses are relative to a folder that holds both: the built documentation, with the pages of results in ``site``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Any

#: Folder of the pages of results.
SITE = "site/"

#: What the header leads to, in this order.
ENTRIES = {
    "Results": "site/index.html",
    "Methods": "site/methods/index.html",
    "Data sets": "site/datasets/index.html",
    "Compare": "site/compare.html",
    "Which method?": "docs/which-method.html",
    "Docs": "docs/index.html",
    "API": "docs/api/index.html",
    "Benchmark": "docs/benchmark.html",
    "Leaderboard": "docs/leaderboard.html",
    "Cite": "site/index.html#cite",
}

#: The search over both.
SEARCH = "search.html"


def header(page: str, above: Sequence[str] = (), *, documented: bool = True) -> dict[str, Any]:
    """Return what the template of the header shows on a page.

    Parameters
    ----------
    page : str
        Address of the page, such as ``site/methods/mvmd.html``.
    above : sequence of str, default=()
        Addresses of the parent pages, the nearest first.
    documented : bool, default=True
        Whether the site is part of the documentation; otherwise the header has only the entries of the results.

    Returns
    -------
    dict
        ``home`` and ``search`` (addresses relative to the page), and ``entries``, each with ``text``, ``href`` and
        ``current``: ``page``, ``true`` for the nearest entry above the page, or empty.

    Examples
    --------
    >>> shown = header("site/methods/mvmd.html", ["site/methods/index.html"], documented=False)
    >>> [(entry["href"], entry["current"]) for entry in shown["entries"][:2]]
    [('../index.html', ''), ('index.html', 'true')]
    """
    shown = {text: address for text, address in ENTRIES.items() if documented or address.startswith(SITE)}
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
    return {"home": relative(ENTRIES["Results"]), "search": relative(search), "entries": entries}
