"""The figures in results/reference are those that the tables beside them give."""

from __future__ import annotations

from pathlib import Path

import pytest
import update_figures

from mlreduce_studies.figures import save
from mlreduce_studies.runs import open_run

PROJECT = Path(__file__).parents[2]
STUDIES = [path.parent.name for path in sorted((PROJECT / "results" / "reference").glob("*/manifest.json"))]
QUICK = ("cssp-2013", "plst-2010")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in STUDIES]
)
def test_figures_are_those_of_the_tables(name, reference, tmp_path):
    (study,) = (study for study in open_run(reference, PROJECT).studies if study.name == name)
    drawn = dict(update_figures.figures(study))
    assert drawn
    for file, figure in drawn.items():
        save(figure, [tmp_path / "f.svg", tmp_path / "f.json"])
        for suffix in (".svg", ".json"):
            kept = (study.folder / f"{file}{suffix}").read_bytes()
            assert (tmp_path / f"f{suffix}").read_bytes() == kept, f"run: python docs/update_figures.py {name}"
