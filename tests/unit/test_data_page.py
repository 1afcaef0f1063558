"""The page on data names every format."""

from __future__ import annotations

from pathlib import Path

from mlreduce.datasets.reading import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")


def test_every_format_is_named():
    for kind, suffixes in FORMATS.items():
        assert f"\n| `{kind}` |" in PAGE
        assert kind in ("xmc", "npz") or all(f"`{suffix}`" in PAGE or suffix == ".pq" for suffix in suffixes)
