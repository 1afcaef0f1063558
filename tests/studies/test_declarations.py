"""A measure, table or figure is one file: what it declares is all that study files need."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import yaml

import mlreduce
from mlreduce import registry
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import ConfigurationError
from mlreduce.metrics import Outcome, find_measure, measure_label
from mlreduce_studies.figures import figure_kinds, make_figure
from mlreduce_studies.options import FIGURES, TABLES, source_of
from mlreduce_studies.study import load_study
from mlreduce_studies.tables import make_table, table_kinds

FILES = {
    "metrics": (
        registry.MEASURES,
        """
from mlreduce.metrics.measures import measure

@measure("label-count", label="labels per instance", higher_is_better=False)
def label_count(outcome):
    return float(outcome.predicted.sum() / len(outcome.predicted))
""",
    ),
    "reporting.tables": (
        TABLES,
        """
from mlreduce_studies.options import MEASURE
from mlreduce_studies.tables.kinds import table

def parts(tidy, spec):
    rows = [[row["method"], str(row["mean"])] for row in tidy.to_dict("records")]
    yield "all", "all", ["method", spec["heading"]], rows

@table("plain", source="summary.csv", layout=parts, note="As it is.",
       required={"measure": MEASURE}, optional={"heading": {"type": "string"}})
def plain_table(summary, spec):
    return summary[summary["measure"] == spec["measure"]]
""",
    ),
    "reporting.figures": (
        FIGURES,
        """
from mlreduce_studies.figures.kinds import figure
from mlreduce.plot.layout import panels
from mlreduce_studies.options import METHOD

@figure("pairs", source="times.csv", required={"pairs": {"type": "array", "items": {"prefixItems": [METHOD, METHOD]}}})
def pairs(times, spec):
    return panels([" ".join(pair) for pair in spec["pairs"]], spec["caption"])[0]
""",
    ),
}


@pytest.fixture
def one_file_each(tmp_path, monkeypatch):
    """Put a file into each package, as if it were there before anything is looked up."""
    for name, (declarations, text) in FILES.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "own_file.py").write_text(text)
        package, known = importlib.import_module(declarations.package), dict(declarations)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
        for attribute, value in (("_declared", known), ("_modules", {}), ("_complete", False)):
            monkeypatch.setattr(declarations, attribute, value)
    importlib.invalidate_caches()
    yield
    for declarations, _ in FILES.values():
        sys.modules.pop(f"{declarations.package}.own_file", None)


@pytest.fixture
def study(tmp_path, one_file_each):
    def load(**changes):
        tables = {"table1": {"kind": "plain", "caption": "c", "methods": ["plst"], "measure": "label-count"}}
        figures = {"figure1": {"kind": "pairs", "caption": "c", "methods": ["plst"], "pairs": [["plst", "cplst"]]}}
        tables["table1"] |= changes.pop("table", {})
        figures["figure1"] |= changes.pop("figure", {})
        scale = {"datasets": ["planted"], "splits": 3}
        content = {
            **{"title": "Own", "protocols": {"half": {"train": 0.5}}, "scales": {"demo": scale, "paper": scale}},
            **{"methods": {"all": {"plst": {}, "cplst": {}}}, "predictors": {"linear": {}}, "sizes": [50]},
            **{"measures": ["label-count"], "tables": tables, "figures": figures},
        }
        (tmp_path / "own.yaml").write_text(yaml.safe_dump(content))
        (tmp_path / "data.yaml").write_text("datasets: {planted: {reader: planted}}")
        return load_study(tmp_path / "own.yaml", "demo", read_catalogue(tmp_path / "data.yaml"))

    return load


def test_an_own_table_figure_and_measure_in_a_study(study):
    loaded = study(table={"heading": "mean"})
    assert "plain" in table_kinds()
    assert "pairs" in figure_kinds()
    table, figure = loaded.tables["table1"], loaded.figures["figure1"]
    assert (source_of(TABLES, table), source_of(FIGURES, figure)) == ("summary", "times")
    summary = pd.DataFrame({"method": ["plst", "cplst"], "measure": ["label-count", "x"], "mean": [0.5, 0.75]})
    _, markdown, _ = make_table(summary, table, "t")
    assert markdown.startswith("# c\n\nAs it is.\n\n## all\n\n| method | mean |\n")
    assert "| plst | 0.5 |" in markdown
    drawn = make_figure(pd.DataFrame({"seconds": []}), figure, "half")
    assert drawn.axes[0].get_title() == "plst cplst"
    plt.close(drawn)
    labels = pd.DataFrame([[1, 1], [0, 1]]).to_numpy()
    assert find_measure("label-count")(Outcome(labels, labels)) == 1.5
    assert measure_label("label-count") == "labels per instance"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": {"hading": "x"}}, "own.yaml: tables.table1: unknown key 'hading'; did you mean 'heading'"),
        ({"table": {"heading": 3}}, "own.yaml: tables.table1.heading: expected string, got 3"),
        (
            {"table": {"measure": "label-counts"}},
            "table1.measure: unknown measure .* did you mean 'label-count'",
        ),
        ({"table": {"kind": "plane"}}, "tables.table1.kind: unknown value 'plane'; did you mean 'plain'"),
        (
            {"figure": {"pairs": [["plst", "cplts"]]}},
            "figure1.pairs: unknown method 'cplts'; did you mean 'cplst'",
        ),
    ],
)
def test_options_are_checked_by_the_declaration(study, changes, message):
    with pytest.raises(ConfigurationError, match=message):
        study(**changes)


@pytest.mark.slow
def test_results_depend_on_the_code_of_declarations(tmp_path):
    """A digest of code that looks measures up covers the files that declare them; one of tables is another's matter."""
    for name in ("mlreduce", "mlreduce_studies"):
        source = Path(mlreduce.__file__).parents[1] / name
        shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from mlreduce_studies.provenance.digest import source_digest as digest; "
        "names = 'mlreduce.evaluation.label_space', 'mlreduce_studies.gathering.summary', 'mlreduce_studies.tables'; "
        "print(*map(digest, names))"
    )

    def digests():
        run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        return run.stdout.split()

    before = digests()
    (tmp_path / "mlreduce_studies" / "tables" / "own.py").write_text("VALUE = 1")
    after = digests()
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False]
    with (tmp_path / "mlreduce" / "metrics" / "ranking.py").open("a") as file:
        file.write("VALUE = 1")
    assert digests()[0] != after[0]
