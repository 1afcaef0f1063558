"""The benchmark beside other packages: a table that is completed, a page and a figure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "peers.py"


@pytest.mark.slow
def test_the_benchmark_completes_its_table(tmp_path):
    output, page = tmp_path / "found" / "peers.csv", tmp_path / "found.md"
    page.write_text("<!-- peers: begin -->\n<!-- peers: end -->\n", encoding="utf-8")

    def run(methods):
        command = [sys.executable, str(SCRIPT), "--datasets", "digits", "--methods", methods, "--output", str(output)]
        subprocess.run(command, check=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}, capture_output=True)
        return pd.read_csv(output)

    first = run("plst")
    both = run("plst,ridge")
    assert both.iloc[: len(first)].equals(first.astype(both.dtypes))
    row = both[(both["method"] == "ridge") & (both["peer"] == "scikit-learn")].iloc[0]
    assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"], rel=0.02)
    assert row["to_limit"] == pytest.approx(row["ours"] / row["limit"], rel=0.02)
    assert "Against peers that compute the same" in page.read_text(encoding="utf-8")
    assert (tmp_path / "found" / "peers.png").stat().st_size > 5000
