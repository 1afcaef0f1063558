"""Which committed cells are looked at, and when a recomputed one is taken for the same."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import ConfigurationError
from mlreduce.experiments.recomputation import Curve, DataSource, curve_scores
from mlreduce.experiments.study import load_study
from mlreduce.provenance import verify
from mlreduce.provenance.manifest import file_faults
from mlreduce.reporting.reference import compare_cells, draw_curves, read_reference, recomputed_cells
from mlreduce.reporting.summary import SUMMARY_COLUMNS, write_csv

PROJECT = Path(__file__).parents[2]
KEYS = list(SUMMARY_COLUMNS[:7])


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


# A project of studies at their demo size on one small data set, whose reference results are computed here.
STUDIES = {
    "labels": {
        "protocols": {"nine": {"train": 0.9}},
        "methods": {"codes": {"plst": {}, "cplst": {}, "cs": {}}, "kernels": {"plst": {}}},
        "predictors": {"linear": {}, "kernel-ridge": {}},
        "groups": {
            "kernels": {
                "predictors": ["kernel-ridge"],
                "choose": {"folds": 2, "log2_gamma": {"default": [-9, -8]}, "log2_alpha": {"default": [-1, 0]}},
            }
        },
        "measures": ["hamming-loss", "encoding-error"],
    },
    "features": {
        "protocols": {"parts": {"parts": "test"}},
        "methods": {"paper": {"pca": {}, "rcca": {"search": {"ridge": [0.1, 10]}}, "random-projection": {}}},
        "search": {"candidates": 2, "share": 0.5, "keep": 1, "folds": 2, "measure": "f1"},
        "dimensions": {"parts": {"default": 3}},
        "predictors": {"ridge": {}},
        "energies": [0.9],
        "measures": ["f1"],
    },
    "selectors": {
        "protocols": {"folds": {"folds": 3}},
        "scaling": "standard",
        "methods": {"own": {"spec": {}, "random": {"method": "random-features", "draws": 2}}},
        "predictors": {"br-knn": {}},
        "measures": ["micro-f1"],
    },
}
STUDIES["features"]["measures"] = ["instance-f1"]
STUDIES["features"]["search"]["measure"] = "instance-f1"
CURVES = 4 + 3 + 4


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "config" / "studies").mkdir(parents=True)
    tiny = {"reader": "planted", "parameters": {"n_samples": 90, "n_features": 8, "n_labels": 6, "n_latent": 3}}
    (folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"tiny": tiny}}))
    catalogue = read_catalogue(folder / "my.yaml")
    source = DataSource(catalogue["tiny"].read([]))
    for name, content in STUDIES.items():
        scale = {"datasets": ["tiny"], "splits": 3}
        whole = {**content, "title": name, "scales": {"demo": scale, "paper": scale}, "sizes": [20, 100]}
        path = folder / "config" / "studies" / f"{name}.yaml"
        path.write_text(yaml.safe_dump({**whole, "tables": {}, "figures": {}}))
        study = load_study(path, "demo", catalogue)
        results = folder / "results" / "reference" / name
        results.mkdir(parents=True)
        rows = []
        for group in study.groups.values():
            # Draws stand in the reference by themselves too.
            labels = [*group.methods, *(mean for mean, draws in study.averages.items() if draws[0] in group.methods)]
            for label in labels:
                curve = Curve(name, next(iter(study.protocols)), "tiny", label, group.predictors[0])
                rows.append(recomputed_cells(pd.concat(curve_scores(study, curve, source, 5)), curve, study))
        write_csv(pd.concat(rows).sort_values(KEYS), results / "summary.csv")
        (results / "summary.csv.gz").write_bytes(gzip.compress((results / "summary.csv").read_bytes()))
        (results / "summary.csv").unlink()
        made = {"scale": "demo", "splits": 3, "datasets": ["tiny"], "seed": 5}
        (results / "manifest.json").write_text(json.dumps(made))
    return folder


@pytest.fixture
def project(small, tmp_path):
    return shutil.copytree(small, tmp_path / "copy")


def run(project, *options):
    places = ("--project", str(project), "--reference", str(project / "results" / "reference"))
    return verify.main(["cells", *places, "--catalogue", str(project / "my.yaml"), *options])


def tamper(project, study, change):
    path = project / "results" / "reference" / study / "summary.csv.gz"
    change(pd.read_csv(path)).to_csv(path, index=False)


def test_all_cells_of_all_kinds_of_studies_come_back(project, capsys):
    assert run(project, "--share", "1") == 0
    said = capsys.readouterr().out
    whole = sum(len(pd.read_csv(path)) for path in project.glob("results/reference/*/summary.csv.gz"))
    assert f"{whole} cells on {CURVES} of {CURVES} curves recomputed" in said
    assert f"{whole} equal to the last digit, 0 within 1e-06, 0 differ" in said
    for curve in (
        "labels nine tiny cs linear",
        "labels nine tiny plst kernel-ridge",
        "features parts tiny random-projection ridge",
        "selectors folds tiny random br-knn",
    ):
        assert f"equal     {curve}: " in said


@pytest.mark.parametrize(
    ("study", "method", "column"), [("labels", "cs", "mean"), ("features", "rcca", "sd"), ("selectors", "random", "se")]
)
def test_a_number_that_was_changed_is_found_and_named(project, capsys, study, method, column):
    def change(table):
        place = table.index[table["method"] == method][1]
        table.loc[place, column] *= 1.0001
        return table

    tamper(project, study, change)
    assert run(project, "--share", "1", "--studies", study) == 1
    said = capsys.readouterr().out
    assert "1 differ" in said
    line = said.splitlines()[-1].split()
    assert {study, method, column} <= set(line)
    assert float(line[-2]) == pytest.approx(1.0001 * float(line[-1]), rel=1e-6)


def test_another_number_of_splits_is_found(project, capsys):
    tamper(project, "labels", lambda table: table.assign(splits=4))
    assert run(project, "--share", "0.01", "--studies", "labels") == 1
    assert "0 equal to the last digit" in capsys.readouterr().out


def test_a_cell_that_was_left_out_is_found(project, capsys):
    tamper(project, "labels", lambda table: table.iloc[1:])
    assert run(project, "--share", "1", "--studies", "labels") == 1
    assert "1 differ" in capsys.readouterr().out


@pytest.mark.parametrize("study", STUDIES)
def test_another_seed_does_not_come_back(project, study):
    path = project / "results" / "reference" / study / "manifest.json"
    path.write_text(path.read_text().replace('"seed": 5', '"seed": 6'))
    assert run(project, "--share", "1", "--studies", study) == 1


def test_the_sample_is_that_of_the_seed_which_is_printed(project, capsys):
    assert run(project, "--share", "0.2", "--seed", "11") == 0
    first = capsys.readouterr().out
    assert first.startswith("seed 11: ")
    run(project, "--share", "0.2", "--seed", "11")
    drawn = [line.split(":")[0] for line in first.splitlines() if line.startswith("equal")]
    assert drawn == [line.split(":")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("equal")]
    assert 3 <= len(drawn) < 10
    run(project, "--share", "0.01")
    assert capsys.readouterr().out.startswith("seed ")


def as_compiled_code_does(seconds):
    """Wait; whatever interrupts it comes out as another error, as from the middle of a loop that Numba compiled."""
    try:
        time.sleep(seconds)
    except BaseException as error:
        raise SystemError("CPUDispatcher returned a result with an exception set") from error


@pytest.mark.parametrize("wait", [time.sleep, as_compiled_code_does])
def test_when_the_time_is_up_what_was_not_reached_is_said(project, capsys, monkeypatch, wait):
    computed, begun, done = verify.curve_scores, [], []

    def slowly(study, curve, source, seed):
        begun.append(curve)
        if len(begun) == 1 or done:
            wait(60)
        yield from computed(study, curve, source, seed)
        done.append(curve)

    monkeypatch.setattr(verify, "curve_scores", slowly)
    start = time.monotonic()
    assert run(project, "--share", "1", "--minutes", "0.03") == 0
    assert time.monotonic() - start < 30
    said = capsys.readouterr().out
    assert f"on 1 of {CURVES} curves recomputed" in said
    assert f"cut off   {begun[0]}: it takes longer than 0.6 s" in said
    assert f"equal     {done[0]}: " in said
    assert f"{len(begun) - 1} curves were cut off by the time, and say nothing" in said
    assert f"{CURVES - len(begun)} curves were not begun" in said
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_an_error_before_the_time_is_up_is_no_end_of_the_time(project, monkeypatch):
    def broken(*_):
        raise SystemError("bad call")

    monkeypatch.setattr(verify, "curve_scores", broken)
    with pytest.raises(SystemError, match="bad call"):
        run(project, "--share", "1", "--minutes", "1")
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_data_that_cannot_be_had_are_skipped_by_name(project, capsys):
    tiny = {"reader": "arff", "data": [{"name": "t.arff"}], "labels": {"last": 2}}
    (project / "other.yaml").write_text(yaml.safe_dump({"datasets": {"tiny": tiny}}))
    options = ("--catalogue", str(project / "other.yaml"), "--mirror", str(project / "nowhere"))
    assert run(project, "--share", "1", *options) == 1  # nothing is verified
    said = capsys.readouterr().out
    assert "skipped   labels nine tiny plst linear: " in said
    assert "nowhere/tiny/t.arff: no such file" in said
    assert f"{CURVES} curves were skipped, since their data cannot be had" in said
    assert "Nothing was recomputed, and nothing is verified." in said


def test_a_curve_that_the_study_no_longer_has_fails(project, capsys):
    path = project / "config" / "studies" / "selectors.yaml"
    path.write_text(path.read_text().replace("spec: {}", "mlfs: {}"))
    assert run(project, "--share", "1", "--studies", "selectors") == 1
    said = capsys.readouterr().out
    assert "failed    selectors folds tiny spec br-knn: " in said
    assert "the study file does not ask for this" in said
    assert "1 curves could not be recomputed" in said


def test_wrong_options_end_in_one_sentence(project, capsys):
    assert run(project, "--studies", "label") == 1
    assert "unknown study 'label'; did you mean 'labels'" in capsys.readouterr().err
    assert run(project, "--datasets", "emotions") == 1
    assert "there are no results to verify, of these studies and data sets" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(project, "--share", "2")
    assert "a share is above 0 and at most 1; got 2" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(project, "--minutes", "0")
    assert "minutes are above 0; got 0" in capsys.readouterr().err


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
    folder = project / "results" / "reference" / "labels"
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=sentence):
        read_reference(folder, project / "config" / "studies" / "labels.yaml", read_catalogue(project / "my.yaml"))


@pytest.mark.parametrize("study", sorted(path.stem for path in (PROJECT / "config" / "studies").glob("*.yaml")))
def test_the_committed_files_are_those_of_their_manifest(study):
    folder = PROJECT / "results" / "reference" / study
    number, faults = file_faults(folder, some=True)
    assert not faults
    assert number == sum(1 for _ in folder.iterdir()) - 1  # all but the manifest
