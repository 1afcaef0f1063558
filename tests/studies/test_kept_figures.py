"""The figures in results/reference are those that the tables beside them give."""

from __future__ import annotations

from pathlib import Path

import pytest
import update_verdicts

from mlreduce_studies.figures import save

STUDIES = [
    path.parent.name for path in sorted((Path(__file__).parents[2] / "results" / "reference").glob("*/manifest.json"))
]
QUICK = ("cssp-2013", "plst-2010")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in STUDIES]
)
def test_figures_are_those_of_the_tables(name, reference, tmp_path):
    drawn = dict(update_verdicts.figures(reference / name))
    assert drawn
    for file, figure in drawn.items():
        save(figure, [tmp_path / "f.svg", tmp_path / "f.json"])
        for suffix in (".svg", ".json"):
            kept = (reference / name / f"{file}{suffix}").read_bytes()
            assert (tmp_path / f"f{suffix}").read_bytes() == kept, (
                f"run: python docs/update_verdicts.py --figures {name}"
            )
