"""The results of runs as a site: static pages that open from the file system, without a network."""

from __future__ import annotations

from mlreduce_studies.site.writing import write_page, write_site

__all__ = ["write_page", "write_site"]
