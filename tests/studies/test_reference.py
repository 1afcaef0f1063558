"""Which committed cells are looked at, when a recomputed one is taken for the same, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.gathering.job_tables import write_table
from mlreduce_studies.gathering.summary import SUMMARY_COLUMNS
from mlreduce_studies.provenance import verify
from mlreduce_studies.provenance.manifest import file_faults
from mlreduce_studies.provenance.reference import Curve, compare_cells, draw_curves, read_reference

PROJECT = Path(__file__).parents[2]


def summary(curves=40, sizes=5, dataset="planted"):
    """A summary of curves of which each has its own number of cells, 1 to ``sizes``."""
    rows = [
        ("p", dataset, f"m{curve:02d}", "linear", "hamming-loss", 20 * size, 0.0, size, 0.5, 0.1, 0.2, 4)
        for curve in range(curves)
        for size in range(1, 2 + curve % sizes)
    ]
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 1.0])
def test_curves_are_drawn_until_they_hold_the_share_of_the_cells(share):
    summaries = {"one": summary(), "two": summary(7)}
    drawn = draw_curves(summaries, share, seed=3)
    assert len(set(drawn)) == len(drawn)
    for study, whole in summaries.items():
        own = [curve.method for curve in drawn if curve.study == study]
        cells = whole["method"].value_counts()[own]
        assert cells.sum() >= share * len(whole) > cells.sum() - cells.max()
    assert draw_curves(summaries, share, seed=3) == drawn
    assert share == 1 or draw_curves(summaries, share, seed=4) != drawn


def test_curves_are_in_random_order_whatever_their_size():
    orders = [draw_curves({"one": summary(10)}, 1, seed) for seed in range(200)]
    firsts = pd.Series([order[0].method for order in orders]).value_counts()
    assert len(firsts) == 10
    assert firsts.between(6, 40).all()  # 20 is the mean; each bound is more than three deviations off
    small = np.mean([1 + int(order[0].method[1:]) % 5 for order in orders])
    assert abs(small - 3) < 0.4


def test_only_the_data_sets_that_are_asked_for_are_drawn():
    both = pd.concat([summary(10), summary(10, dataset="digits")])
    assert {curve.dataset for curve in draw_curves({"one": both}, 1, 0, ["digits"])} == {"digits"}
    assert draw_curves({"one": both}, 1, 0, ["emotions"]) == []


def cells():
    rows = [
        ("hamming-loss", 20, 0.0, 2.0, 0.25, 0.01, 0.02, 4),
        ("hamming-loss", 0, 0.999, 3.5, 0.2, 0.01, 0.02, 4),
        ("hamming-loss", 0, 0.0, 2.0, 0.3, 0.01, 0.02, 4),
        ("hamming-loss", 0, 0.0, 3.0, np.nan, 0.01, 0.02, 4),
        ("encoding-error", 100, 0.0, 9.0, 3e-29, 1e-29, 2e-29, 4),
    ]
    table = pd.DataFrame(rows, columns=["measure", "size_percent", "energy", "size", "mean", "se", "sd", "splits"])
    table[["protocol", "dataset", "method", "predictor"]] = "x"
    return table[list(SUMMARY_COLUMNS)]


def test_the_same_cells_are_equal_in_any_order():
    equal, differing = compare_cells(cells(), cells().iloc[::-1], 1e-6)
    assert (equal, len(differing)) == (5, 0)


def test_what_is_within_the_tolerance_is_near_and_rounding_errors_are_nothing():
    other = cells()
    other.loc[0, "mean"] *= 1 + 1e-7
    other.loc[4, "mean"] *= 1.5
    equal, differing = compare_cells(cells(), other, 1e-6)
    assert (equal, len(differing)) == (3, 0)
    assert len(compare_cells(cells(), other, 1e-8)[1]) == 1


@pytest.mark.parametrize("column", ["size", "mean", "se", "sd", "splits"])
def test_each_number_of_a_cell_counts(column):
    other = cells().astype({"splits": float})
    other.loc[1, column] *= 1 + 1e-5
    equal, differing = compare_cells(cells(), other, 1e-6)
    assert equal == 4
    assert differing[["measure", "energy", "number"]].to_numpy().tolist() == [["hamming-loss", 0.999, column]]


def test_a_cell_that_only_one_side_has_differs():
    for old, new in ((cells(), cells().drop(index=2)), (cells().drop(index=2), cells())):
        equal, differing = compare_cells(old, new, 1e-6)
        assert equal == 4
        assert set(differing["own_size"]) == {2.0}
    undefined = cells()
    undefined.loc[0, "mean"] = np.nan
    assert len(compare_cells(cells(), undefined, 1e-6)[1]) == 1


# A study whose results are made up: nothing is computed.
STUDY = {
    "title": "selectors",
    "protocols": {"folds": {"folds": 2}},
    "methods": {"own": {"spec": {}, "random": {"method": "random-features", "draws": 2}}, "new": {"mlfs": {}}},
    "predictors": {"br-knn": {}},
    "sizes": [20, 100],
    "measures": ["micro-f1"],
    "tables": {},
    "figures": {},
    "scales": {scale: {"datasets": ["tiny"], "splits": 2} for scale in ("demo", "paper")},
}
SPEC = Curve("selectors", "folds", "tiny", "spec", "br-knn")


@pytest.fixture
def project(tmp_path):
    (tmp_path / "comparisons" / "selectors").mkdir(parents=True)
    (tmp_path / "comparisons" / "selectors" / "study.yaml").write_text(yaml.safe_dump(STUDY))
    tiny = {"reader": "planted", "parameters": {"n_samples": 30, "n_features": 8, "n_labels": 6, "n_latent": 3}}
    (tmp_path / "my.yaml").write_text(yaml.safe_dump({"datasets": {"tiny": tiny}}))
    results = tmp_path / "results" / "reference" / "selectors"
    results.mkdir(parents=True)
    rows = [
        ("folds", "tiny", method, "br-knn", "micro-f1", 20, 0.0, 2.0, 0.5, 0.1, 0.1 * 2**0.5, 2)
        for method in ("mlfs", "random", "random-0", "spec")
    ]
    pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS)).to_csv(results / "summary.csv.gz", float_format="%.8g")
    made = {"scale": "demo", "splits": 2, "datasets": ["tiny"], "seed": 5}
    (results / "manifest.json").write_text(json.dumps(made))
    jobs = [("fit", "folds", "tiny", "own", None, 60), ("predict", "folds", "tiny", "own", "br-knn", 30)]
    jobs += [("time", None, "tiny", "own", None, 1000)]
    columns = ["rule", "protocol", "dataset", "group", "predictor", "seconds"]
    pd.DataFrame(jobs, columns=columns).to_csv(results / "jobs.csv", index=False)
    return tmp_path


def reference_of(project):
    file = project / "comparisons" / "selectors" / "study.yaml"
    return read_reference(project / "results" / "reference" / "selectors", file, read_catalogue(project / "my.yaml"))


def run(project, *options):
    places = ("--project", str(project), "--reference", str(project / "results" / "reference"))
    return verify.main(["cells", *places, "--catalogue", str(project / "my.yaml"), *options])


@pytest.mark.parametrize(("method", "seconds"), [("spec", 30), ("random", 60), ("random-0", 30), ("mlfs", 90)])
def test_seconds_are_a_method_s_share_of_its_group(project, method, seconds):
    assert reference_of(project).seconds_of(SPEC._replace(method=method)) == seconds


@pytest.mark.parametrize(("minutes", "methods"), [(0.1, ["spec"]), (2, ["spec", "random-0"]), (9, None)])
def test_curves_that_may_take_too_long_are_left_out(project, minutes, methods):
    curves = [SPEC._replace(method=method) for method in ("mlfs", "spec", "random", "random-0")]
    chosen = verify._affordable(curves, {"selectors": reference_of(project)}, 60 * minutes)
    assert chosen == [curve for curve in curves if methods is None or curve.method in methods]


def scores(splits, value=0.4, method="spec"):
    columns = {"study": "selectors", "protocol": "folds", "dataset": "tiny", "method": method, "parameters": "{}"}
    columns |= {"predictor": "br-knn", "measure": "micro-f1", "size_percent": 20, "energy": 0.0, "size": 2}
    return pd.DataFrame([columns | {"split": split, "value": value + 0.2 * split} for split in splits])


FAILED = pd.DataFrame(
    [("selectors", "folds", "tiny", "own", "spec", "br-knn", 1, "fit", "ValueError", "no neighbours", "line 1")],
    columns=list(FAILURE_COLUMNS),
)


@pytest.mark.parametrize(
    ("parts", "failures", "ended", "word"),
    [
        ([[0], [1]], None, True, "equal"),
        ([[0, 1]], None, False, "equal"),
        ([[0]], None, False, "not finished"),
        ([[0]], None, True, "failed"),
        ([], None, False, "not finished"),
        ([[0]], FAILED, True, "failed"),
    ],
)
def test_a_curve_is_compared_once_all_its_splits_are_there(tmp_path, project, parts, failures, ended, word):
    folder = tmp_path / "run" / "results" / "verify-demo-5" / "selectors" / "scores" / "tiny" / "folds.own" / "br-knn"
    folder.mkdir(parents=True)
    for number, splits in enumerate(parts):
        write_table(folder / f"{number}.parquet", scores(splits), failures)
    outcome = verify._compared(SPEC, reference_of(project), tmp_path / "run", 1e-6, ended)
    assert outcome.word == word
    assert (outcome.sentence == "no neighbours") == (failures is not None)
    if parts:  # one that was being written when it was killed
        (folder / "0.parquet").write_bytes((folder / "0.parquet").read_bytes()[:-9])
        assert verify._compared(SPEC, reference_of(project), tmp_path / "run", 1e-6, False).word == "not finished"


def test_data_that_cannot_be_had_are_skipped_by_name(project, capsys):
    tiny = {"reader": "arff", "data": [{"name": "t.arff"}], "labels": {"last": 2}}
    (project / "my.yaml").write_text(yaml.safe_dump({"datasets": {"tiny": tiny}}))
    assert run(project, "--share", "1", "--mirror", str(project / "nowhere")) == 1  # nothing is verified
    said = capsys.readouterr().out
    assert "skipped      selectors folds tiny spec br-knn: " in said
    assert "nowhere/tiny/t.arff: no such file" in said
    assert "4 curves were skipped, since their data are not available" in said
    assert "Nothing was recomputed, so nothing is verified." in said


@pytest.mark.parametrize("option", [("--mirror", "files"), ()])
def test_a_relative_mirror_is_that_of_the_caller(project, monkeypatch, option):
    monkeypatch.chdir(project)
    monkeypatch.setenv("MLREDUCE_MIRROR", "others" if option else "files")
    (project / "files" / "tiny").mkdir(parents=True)
    tiny = {"reader": "arff", "data": [{"name": "t.arff"}], "labels": {"last": 2}}
    (project / "my.yaml").write_text(yaml.safe_dump({"datasets": {"tiny": tiny}}))
    (project / "files" / "tiny" / "t.arff").touch()
    asked = []
    monkeypatch.setattr(verify, "run_workflow", lambda configuration, *_, **__: asked.append(configuration))
    run(project, "--share", "1", *option)
    assert asked[0]["mirror"] == str(project.resolve() / "files")


def test_a_curve_that_the_study_no_longer_has_fails(project, capsys, monkeypatch):
    path = project / "comparisons" / "selectors" / "study.yaml"
    path.write_text(path.read_text().replace("spec: {}", "gmba: {}"))
    monkeypatch.setattr(verify, "run_workflow", lambda *_, **__: True)
    assert run(project, "--share", "1") == 1
    said = capsys.readouterr().out
    assert "failed       selectors folds tiny spec br-knn: " in said
    assert "the study file does not ask for this" in said
    assert "4 curves could not be recomputed" in said


def test_wrong_options_end_in_one_sentence(project, capsys):
    assert run(project, "--studies", "selector") == 1
    assert "unknown study 'selector'; did you mean 'selectors'" in capsys.readouterr().err
    assert run(project, "--datasets", "emotions") == 1
    assert "no results of these studies and data sets to verify" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(project, "--share", "2")
    assert "a share is above 0 and at most 1; got 2" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(project, "--minutes", "0")
    assert "minutes are above 0; got 0" in capsys.readouterr().err


def test_studies_of_each_seed_are_computed_with_theirs(project, monkeypatch):
    asked = {}

    def workflow(configuration, *_, **__):
        asked[configuration["name"]] = (configuration["seed"], configuration["studies"])
        return True

    monkeypatch.setattr(verify, "run_workflow", workflow)
    studies, results = project / "comparisons", project / "results" / "reference"
    shutil.copytree(studies / "selectors", studies / "other")
    shutil.copytree(results / "selectors", results / "other")
    manifest = results / "other" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"seed": 5', '"seed": 6'))
    run(project)
    assert asked == {"verify-demo-5": (5, ["selectors"]), "verify-demo-6": (6, ["other"])}


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("summary.csv.gz", None, "neither summary.csv nor summary.csv.gz"),
        ("summary.csv.gz", b"\x1f\x8b\x08half", "not the results of a study"),
        ("manifest.json", b"{}", "not the results of a study"),
        ("manifest.json", b"{", "not the results of a study"),
    ],
)
def test_a_folder_that_holds_no_results_is_refused(project, name, content, sentence):
    path = project / "results" / "reference" / "selectors" / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=sentence):
        reference_of(project)


@pytest.mark.parametrize(
    "study", sorted(path.parent.name for path in (PROJECT / "results" / "reference").glob("*/manifest.json"))
)
def test_the_committed_files_are_those_of_their_manifest(study):
    folder = PROJECT / "results" / "reference" / study
    number, faults = file_faults(folder, some=True)
    assert not faults
    assert number == sum(1 for _ in folder.iterdir()) - 1  # all but the manifest


def test_a_configuration_of_somebody_else_stays_where_a_verification_is_kept(tmp_path):
    (tmp_path / "config.yaml").write_text("mine")
    with pytest.raises(ConfigurationError, match=r"config\.yaml: not a file of an earlier output"):
        verify.run_workflow({}, tmp_path, [], tmp_path)
    assert (tmp_path / "config.yaml").read_text() == "mine"


def test_two_runs_are_compared_cell_by_cell(tmp_path, capsys):
    for run in ("first", "second"):
        (tmp_path / run / "one").mkdir(parents=True)
        summary(7).to_csv(tmp_path / run / "one" / "summary.csv.gz")
    folders = [str(tmp_path / run) for run in ("first", "second")]
    assert verify.main(["runs", *folders]) == 0
    assert capsys.readouterr().out == f"one: {len(summary(7))} cells are equal to the last digit, 0 differ\n"
    other = summary(7)
    other.loc[3, "mean"] += 0.01
    other.drop(index=5).to_csv(tmp_path / "second" / "one" / "summary.csv.gz")
    (tmp_path / "second" / "two").mkdir()
    summary(7).to_csv(tmp_path / "second" / "two" / "summary.csv.gz")
    assert verify.main(["runs", *folders]) == 1
    shown = capsys.readouterr().out
    assert f"only in {folders[1]}: two\n" in shown
    assert f"one: {len(summary(7)) - 2} cells are equal to the last digit, 2 differ\n" in shown
    assert "0.51" in shown
    assert verify.main(["runs", folders[0], str(tmp_path)]) == 1
    assert "no study is finished in both" in capsys.readouterr().err
