"""Names of files of pages, from names that users choose."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["page_names"]


def page_names(names: Iterable[str]) -> dict[str, str]:
    """Map names to names of files: letters, digits and hyphens alone, and no two the same.

    Examples
    --------
    >>> page_names(["br-knn", "BR kNN", "../x"])
    {'br-knn': 'br-knn', 'BR kNN': 'br-knn-2', '../x': 'x'}
    """
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "unnamed"
        own, number = plain, 1
        while own in found.values():
            number += 1
            own = f"{plain}-{number}"
        found[name] = own
    return found
