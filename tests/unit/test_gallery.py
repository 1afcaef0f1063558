"""The examples of the gallery as plain scripts, as a reader runs them after a download."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
EXAMPLES = sorted((PROJECT / "examples").glob("plot_*.py"))


def test_there_are_enough_examples():
    assert len(EXAMPLES) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_alone_and_draws(path, tmp_path):
    # The last line asks for what would be shown: an example that draws nothing is none.
    script = f"{path.read_text(encoding='utf-8')}\nimport matplotlib.pyplot\nassert matplotlib.pyplot.get_fignums()\n"
    copy = tmp_path / path.name
    copy.write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src"), "PYTHONWARNINGS": "error", "MPLBACKEND": "agg"}
    finished = subprocess.run(
        [sys.executable, copy], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
