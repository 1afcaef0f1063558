"""What the protocol of a run beside the committed one says, from made-up tables, and what is refused."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path

import pandas as pd
import pytest

from mlreduce.complexity import Sizes
from mlreduce.methods.evidence import complexities
from mlreduce_studies.provenance import replicate
from mlreduce_studies.provenance.replicate import Run, agreement, as_markdown, as_text, protocol

REFERENCE = Path(__file__).parents[2] / "results" / "reference"
MANIFEST = {
    "study": "made-up",
    "seed": 2012,
    "splits": 2,
    "datasets": ["tiny"],
    "methods": {"plst": {}, "half-0": {"method": "plst"}, "half-1": {"method": "plst"}},
    "outputs": {"scores.parquet": "a", "claims.csv": "b", "gone.svg": "c"},
    "run": {
        "source": {"state": "clean", "commit": "0123456789abcdef"},
        "python": "3.11.7",
        "packages": {"numpy": "2.4.6"},
        "machine": {"system": "Linux", "processor": "Old", "cores": 2},
        "started": "2026-11-25T10:00:00+00:00",
        "ended": "2026-11-25T11:30:00+00:00",
        "cost": {"total": {"jobs": 3, "cpu_seconds": 1800.0, "peak_mb": 1234.0}},
    },
}


def scores(*values, protocol="folds", splits=2):
    """Values of cells, one cell per size, the same on every split up to a thousandth."""
    rows = [
        (
            protocol,
            "tiny",
            "plst",
            "linear",
            10 * (cell + 1),
            0.0,
            cell + 1.0,
            split,
            "hamming-loss",
            value + split / 1000,
        )
        for cell, value in enumerate(values)
        for split in range(splits)
    ]
    names = [
        "protocol",
        "dataset",
        "method",
        "predictor",
        "size_percent",
        "energy",
        "size",
        "split",
        "measure",
        "value",
    ]
    return pd.DataFrame(rows, columns=names)


def tables(*values, verdicts=("confirmed", "refuted"), printed=("reproduced", "near"), seconds=2.0):
    audit = pd.DataFrame({"table": "table1", "protocol": "folds", "dataset": "tiny", "method": "plst"}, index=[0, 1])
    return {
        "scores": scores(*values),
        "claims": pd.DataFrame({"id": ["first", "second"], "verdict": verdicts}),
        "audit": audit.assign(size_percent=[10, 20], verdict=printed),
        "times": pd.DataFrame({"dataset": "tiny", "method": ["plst", "half"], "split": 0, "seconds": [1.0, seconds]}),
        "datasets": pd.DataFrame({"dataset": ["tiny"], "instances": 100, "features": 10, "labels": 4, "zeros": 0.0}),
    }


def test_cells_are_counted_by_how_near_they_are():
    committed = scores(0.5, 0.5, 0.5, 0.5, 0.5)
    here = scores(0.5, 0.5 + 1e-10, 0.5 + 1e-7, 0.501, 0.6)
    (row,) = agreement(committed, here).to_dict("records")
    near = [row[name] for name in ("cells", "equal", "within 1e-9", "within 1e-6", "within 1 %", "within errors")]
    assert near == [5, 1, 2, 3, 4, 4]
    assert row["farthest"] == "hamming-loss of plst with linear on tiny at 50 %"
    assert row["relative"] == pytest.approx(0.1 / 0.6005)


def test_means_are_over_the_splits_that_both_runs_have():
    (row,) = agreement(scores(0.5, splits=10), scores(0.5, splits=3)).to_dict("records")
    assert (row["cells"], row["equal"], row["only committed"], row["relative"]) == (1, 1, 0, 0.0)


def test_cells_of_one_run_alone_are_counted_by_protocol():
    committed = pd.concat([scores(0.5, 0.4), scores(0.3, protocol="old")])
    found = agreement(committed, scores(0.5)).set_index("protocol")
    assert found.loc["folds", ["cells", "only committed", "only here"]].tolist() == [1, 1, 0]
    assert found.loc["old", ["cells", "only committed", "only here"]].tolist() == [0, 1, 0]


def test_protocol_of_an_equal_run_and_of_another():
    committed = Run(MANIFEST, tables(0.5, 0.4))
    equal = as_text(protocol(committed, committed))
    assert "Of 2 cells: 2 equal, 2 within 1e-9, 2 within 1e-6, 2 within 1 % of the committed value." in equal
    assert "Of 2 verdicts on claims 2 are the same." in equal
    assert "Of 3 files that hold no times 3 are equal in every byte." in equal
    assert not re.search("Farthest|Other verdicts|Another seed|Another splits", equal)

    manifest = deepcopy(MANIFEST) | {"seed": 7, "outputs": {"scores.parquet": "x", "claims.csv": "b"}}
    manifest["run"]["machine"] |= {"processor": "New", "memory_gb": 16.0, "blas": ["openblas 0.3 Haswell"]}
    here = Run(
        manifest, tables(0.5, 0.2, verdicts=["confirmed", "undecided"], printed=["reproduced", "near"], seconds=6.0)
    )
    parts = protocol(committed, here)
    text = as_text(parts)
    assert "Of 2 cells: 1 equal, 1 within 1e-9, 1 within 1e-6, 1 within 1 % of the committed value." in text
    assert "Another seed than in the committed run (7, not 2012): verdicts can differ." in text
    assert "Other verdicts on claims: second: refuted, here undecided." in text
    assert "Farthest, folds: hamming-loss of plst with linear on tiny at 20 %, by 0.5." in text
    lines = {tuple(re.split("  +", line)) for line in text.splitlines()}
    assert ("folds", "2", *["50.0 %"] * 5) in lines
    assert {("claims", "2", "1", "1"), ("printed cells", "2", "2", "0")} <= lines
    assert {("processor", "Old", "New"), ("memory", "not recorded", "16 GB"), ("hours, wall", "1.50", "1.50")} <= lines
    (times,) = [line for line in lines if line[0] == "tiny"]
    assert times[1] == "2"
    assert times[3:] == ("3", "7", "2.00 (1.00 to 3.00)")
    sizes = Sizes(n=100, d=10, q=4, s=1000, k=4)
    assert times[2] == f"{2 * sum(part.operations(sizes) for part in complexities('plst')):.2g}"
    markdown = as_markdown(parts)
    assert markdown.startswith("# Replicate of made-up\n")
    assert markdown.count("\n## ") == 4
    assert all(sentence in markdown for part in parts for sentence in part.sentences)
    assert "| processor | Old | New |" in markdown


@pytest.mark.parametrize("path", sorted(REFERENCE.glob("*/times.csv")), ids=lambda path: path.parent.name)
def test_operations_of_every_timed_method_are_known(path):
    known = {name: pd.read_csv(path.with_name(f"{name}.csv")) for name in ("times", "datasets")}
    run = Run(json.loads(path.with_name("manifest.json").read_text()), known)
    part = replicate._times(run, run)
    assert [row[0] for row in part.rows] == sorted(known["times"]["dataset"].unique())
    assert all(float(row[2]) > 1e5 and row[5] == "1.00 (1.00 to 1.00)" for row in part.rows)


def test_shares_are_rounded_down_so_that_100_is_all():
    assert replicate._share(9999, 10000) == "99.9 %"
    assert replicate._share(10000, 10000) == "100.0 %"


@pytest.fixture
def reference(tmp_path):
    for name, seconds in (("cssp-2013", 9.0), ("plst-2010", 4.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(
            json.dumps({"run": {"cost": {"total": {"cpu_seconds": seconds}}}})
        )
    return tmp_path


def test_the_quickest_paper_is_the_default(reference, monkeypatch):
    monkeypatch.setattr(replicate, "read_manifest", lambda folder: json.loads((folder / "manifest.json").read_text()))
    assert replicate._quickest(reference, ["cssp-2013", "plst-2010"]) == "plst-2010"


def test_what_cannot_be_run_is_refused_in_a_sentence(reference, tmp_path, capsys):
    places = ["--reference", str(reference), "--to", str(tmp_path / "to")]
    assert replicate.main(["cssp-2014", *places]) == 1
    assert "cssp-2013" in capsys.readouterr().err
    assert replicate.main(["--reference", str(tmp_path / "none")]) == 1
    assert "there are no results of papers to compare with" in capsys.readouterr().err
    for option in ("--splits", "--seed"):
        with pytest.raises(SystemExit):
            replicate.main(["cssp-2013", *places, option, "none"])
        assert "expected an integer above 0; got 'none'" in capsys.readouterr().err
