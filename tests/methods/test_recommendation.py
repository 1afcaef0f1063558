"""Recommendations: what is said to fit can be fitted, other methods are refused with a reason, evidence is current."""

from __future__ import annotations

import importlib.util
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from quick import KINDS, quick

import mlreduce
from mlreduce import registry
from mlreduce.complexity import Complexity, Sizes
from mlreduce.datasets import MultiLabelData
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.labelspace import CodedClassifier
from mlreduce.methods import calibration, evidence, recommendation
from mlreduce.methods.evidence import Traits, estimated
from mlreduce.methods.shapes import shape_of

PROJECT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("update_evidence", PROJECT / "docs" / "update_evidence.py")
update_evidence = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(update_evidence)
growth = update_evidence.growth

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 12))
Y = (X[:, :5] + RNG.standard_normal((60, 5)) > 0.3).astype(int)
PARTLY = Y.astype(float)
PARTLY[40:] = np.nan
CELLS = Y.astype(float)
CELLS[::4, 2] = np.nan
DATA = {
    "several labels": (X, Y),
    "sparse": (sp.csr_array(np.where(X > 0.5, X, 0.0)), Y),
    "few instances": (X[:8], Y[:8]),
    "one label": (X, Y[:, :1]),
    "one label per instance": (X, np.eye(5, dtype=int)[RNG.integers(5, size=60)]),
    "classes": (X, np.array(list("abc"))[RNG.integers(3, size=60)]),
    "unlabelled instances": (X, PARTLY),
    "unknown cells": (X, CELLS),
    "no labels": (X, None),
}
# Not sp.random, which permutes all positions: 14 GB. Positions that occur twice are added up.
_POSITIONS = np.random.default_rng(0).integers((30_000, 60_000), size=(900_000, 2)).T
WIDE_TEXT = sp.csr_array((np.ones(900_000), tuple(_POSITIONS)), shape=(30_000, 60_000))


@pytest.fixture(autouse=True)
def ample_memory(monkeypatch):
    monkeypatch.setattr(recommendation, "machine_memory", lambda: 64e9)


def fit(name, features, labels):
    method = registry.make(name, **quick(name))
    if registry.kind_of(name) == "labelspace":
        method = CodedClassifier(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer directions than are asked for, say
        method.fit(features, labels)


#: All methods are fitted to these, to others one of each kind.
FITTED = ("several labels", "unlabelled instances")


@pytest.mark.parametrize(
    ("case", "names"),
    [(case, None if case in FITTED else KINDS) for case in DATA]
    + [pytest.param(case, None, marks=pytest.mark.slow) for case in DATA if case not in FITTED],
)
@pytest.mark.rotating
def test_what_fits_can_be_fitted_and_nothing_else(case, names):
    features, labels = DATA[case]
    table = mlreduce.recommend(features, labels).table
    assert sorted(table.index) == registry.method_names()
    for name, row in table.iterrows():
        if row["fits"]:
            if names is None or name in names:
                fit(name, features, labels)
        elif not row["reason"].startswith(("codes several labels", "predicts labels where")):  # possible, to no end
            with pytest.raises((DataError, TypeError, ValueError)):
                fit(name, features, labels)


def test_wide_text_leaves_out_what_needs_dense_matrices():
    labels = (RNG.random((30_000, 20)) < 0.1).astype(np.int8)
    found = mlreduce.recommend(WIDE_TEXT, labels)
    fits = found.table["fits"]
    assert fits[["pca", "mvmd", "mddmp", "pls", "cca", "plst", "cplst", "ridge", "ml-knn"]].all()
    for name in ("lda-copy", "mlda", "mlsi", "morp"):
        assert not fits[name]
        assert "needs dense matrices, for 24000 instances or features at most" in found.table.loc[name, "reason"]
    for name in ("qpfs", "gmba"):
        assert not fits[name]
        assert found.table.loc[name, "reason"] == "needs more memory than this machine has (64 GB)"
    assert found.table.loc["pls", "seconds"] < found.table.loc["pca", "seconds"] < found.table.loc["dne", "seconds"]


def test_a_budget_leaves_out_the_slow():
    table = mlreduce.recommend(X, Y, time_budget=0.01).table
    slow = table["seconds"] > 0.01
    assert slow.any()
    assert not table.loc[slow, "fits"].any()
    assert (
        table.loc[slow & table["reason"].str.startswith("takes more"), "reason"] == "takes more than 0.01 seconds"
    ).all()


def test_seconds_are_those_of_this_machine(monkeypatch):
    seconds = []
    for factor in (1.0, 3.0):
        monkeypatch.setattr(recommendation, "machine_factor", lambda factor=factor: factor)
        seconds.append(mlreduce.recommend(X, Y).table["seconds"])
    np.testing.assert_allclose(seconds[1], 3 * seconds[0])
    table = mlreduce.recommend(X, Y).table
    most = table["seconds_most"] / table["seconds"]
    assert most[["pca", "lrlsf", "rakel"]].round(9).tolist() == [4, 30, 4]  # iterations
    assert set(most.dropna().round(9)) == {4, 30}
    began = time.process_time()
    factor = calibration.machine_factor.__wrapped__()
    assert time.process_time() - began < 3
    assert 0.05 < factor < 50
    monkeypatch.setattr(calibration, "REFERENCE", {name: 2 * own for name, own in calibration.REFERENCE.items()})
    assert calibration.machine_factor.__wrapped__() < 0.9 * factor


def test_order_and_page():
    found = mlreduce.recommend(X, Y)
    for _, own in found.table.groupby("family"):
        fits = own["fits"].to_numpy()
        assert (np.sort(fits)[::-1] == fits).all()
        assert own.loc[own["fits"], "near"].dropna().is_monotonic_decreasing
        assert own.loc[fits, "near"].isna().is_monotonic_increasing
    page = str(found)
    assert page.startswith(
        f"{found.table['fits'].sum()} of {len(found.table)} methods fit 60 instances, 12 features, 5 labels"
    )
    assert page.count("takes one label per instance") == 1
    assert page.endswith(recommendation.CAUTION)
    assert found._repr_html_().count("<tr") == len(found.table) + len(found.unreduced) + 2


def test_evidence_of_partly_labelled_studies_is_for_partly_known_labels():
    whole, partly = (mlreduce.recommend(X, labels, goal="projection").table for labels in (Y, PARTLY))
    assert whole.loc["ssmope", "comparison"].startswith(evidence.BENCHMARK)
    assert partly.loc["ssmope", "comparison"].startswith("mope-mesd-2012")
    assert partly.loc["ssmope", "near"] > 0.5
    assert np.isnan(partly.loc["mvmd", "near"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"goal": "selecton"}, ConfigurationError, "unknown goal 'selecton'; did you mean 'selection'"),
        ({"time_budget": 0}, DataError, "time_budget must be a number of seconds above 0, or None; got 0"),
        ({"time_budget": "fast"}, DataError, "time_budget must be a number of seconds above 0, or None; got 'fast'"),
        ({"X": X[0]}, DataError, r"X must have the shape \(n_samples, n_features\), neither of them 0; got \(12,\)"),
        ({"X": np.full((60, 2), "a")}, DataError, "X must be a table of numbers; encode text and categories first"),
        ({"X": np.full((60, 2), np.nan)}, DataError, "X contains NaN in column 0, row 0"),
        ({"y": Y[:9]}, DataError, "9"),
        ({"y": Y[:9, 0]}, DataError, "y has 9 rows and X has 60; there must be one per instance"),
        ({"y": Y + 2}, DataError, "must be"),
        ({"y": X[:, 0]}, DataError, "y holds -.*; labels are 0 and 1, and classes integers or strings"),
        ({"y": [{"a", "b"}, {"b"}] * 30}, DataError, "MultiLabelBinarizer"),
        ({"y": [["a", "b"], ["b"]] * 30}, DataError, "MultiLabelBinarizer"),
    ],
)
def test_bad_input(arguments, error, message):
    with pytest.raises(error, match=message):
        mlreduce.recommend(**{"X": X, "y": Y, **arguments})


@pytest.mark.slow
@pytest.mark.promise
def test_written_evidence_is_current(reference):
    for path, text in update_evidence.tables().items():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/update_evidence.py"


def test_order_is_that_of_the_comparison_controls_in_their_place():
    table = mlreduce.recommend(X, Y).table
    for family in ("projection", "labelspace", "predictors"):
        own = table[table["family"] == family]
        compared = [one.method for one in evidence.foremost(family) if own["fits"].get(one.method)]
        assert list(own.index[: len(compared)]) == compared
    assert table.loc["br", "reason"].startswith("a control, to compare with; rank ")
    assert table.loc["all-features", "near"] == table.loc[table["family"] == "selection", "near"].max()


def test_every_list_has_what_reduces_nothing_and_the_predictor():
    found = mlreduce.recommend(X, Y)
    lists = {text.split()[0]: text for text in str(found).split("\n\n")}
    for family, whole in {"projection": "all-features", "selection": "all-features", "labelspace": "br"}.items():
        head, _, *rows = lists[family].splitlines()
        assert head.endswith("average-precision with ridge")
        names = [row.split()[0] for row in rows]
        assert whole in names
        near = [float(row.split()[4]) for row in rows]
        assert near == sorted(near, reverse=True)
    (one,) = evidence.foremost("projection")[:1]
    assert found.unreduced.loc["all-features", ["near", "family"]].tolist() == [one.near, "projection"]
    # Defaults are what `make` gives, and in these families no number is of tuned parameters.
    families = found.table["family"].isin(["projection", "selection", "labelspace"])
    assert not found.table.loc[families, "searched"].any()
    searched = found.table["searched"] & found.table["fits"]
    assert found.table.loc[searched, "reason"].str.contains("its parameters tuned").all()
    assert "all-features" not in mlreduce.recommend(X, Y, goal="labelspace").unreduced.index


def test_what_was_not_compared_says_where_it_was():
    table = mlreduce.recommend(X, Y).table
    assert table.loc["sleec", "reason"].startswith("not in the comparison of its family; rank ")
    assert np.isnan(table.loc["sleec", "near"])
    assert table.loc["kernel-ridge", "reason"].startswith(
        "a predictor in cplst-2012; predictors are not compared there"
    )


def test_nearest_sets_are_named_and_far_ones_said():
    found = mlreduce.recommend(X, Y, goal="projection")
    assert found.nearest["factor"].min() > recommendation.FAR
    assert "none of them is within a factor of 3 in instances, features and labels" in str(found)
    flags = found.nearest.iloc[0]
    assert f"{flags['dataset']} has {flags['instances'] / 60:.2g} times as many " in str(found)
    (study,) = found.nearest["study"].unique()
    for own in evidence.nearest_sets(study, Traits(600, 70, 6)):
        ratios = [max(a / b, b / a) for a, b in zip(own[1:4], (600, 70, 6), strict=True)]
        assert own.factor == pytest.approx(max(ratios))
    like = RNG.standard_normal((500, 70)), RNG.integers(0, 2, (500, 6))
    said = str(mlreduce.recommend(*like, goal="projection"))
    assert f"nearest data sets of {study}: emotions (593 x 72, 6 labels), chd49" in said
    assert "within a factor" not in said
    assert said.count(evidence.foremost("projection")[0].comparison) == 1  # not with each method


def test_many_labels_are_for_label_trees():
    X, Y = np.ones((50, 4)), np.eye(50, 400)
    assert f"{recommendation.MANY + 100} labels are many: label-tree" in str(mlreduce.recommend(X, Y))
    assert "label-tree is made" not in str(mlreduce.recommend(X, Y[:, :50]))
    study = evidence.foremost("selection")[0].study
    few, many = (evidence.nearest_sets(study, Traits(5000, 1000, labels))[:3] for labels in (6, 300))
    assert max(own.labels for own in few) < min(own.labels for own in many)  # which count as instances and features do


def test_studies_with_the_same_nearest_sets_are_one_line():
    found = mlreduce.recommend(X, Y)
    names = [(*own["dataset"],) for _, own in found.nearest.groupby("study", sort=False)]
    lines = [line for line in str(found).splitlines() if line.startswith("nearest data sets of ")]
    assert len(lines) == len(set(names))
    for study in found.nearest["study"]:
        assert sum(study in line for line in lines) == 1


def test_likeness_counts_sizes_and_zeros_and_labels_only_where_there_are_any():
    one = Traits(500, 70, 6, 0.5)
    assert evidence.weights([one, one], one) == [0.5, 0.5]
    for other in (Traits(5000, 70, 6, 0.5), Traits(500, 7, 6, 0.5), Traits(500, 70, 60, 0.5), Traits(500, 70, 6, 0.01)):
        near, far = evidence.weights([one, other], one)
        assert near > 0.9 > far
    assert evidence.weights([one, Traits(500, 70, 60, 0.5)], Traits(500, 70, 0, 0.5)) == [0.5, 0.5]
    # Where nothing is alike, all count the same.
    assert evidence.weights([one, Traits(700, 90, 9)], Traits(10**6, 10**6, 10**4))[0] == pytest.approx(0.5, abs=1e-3)


def test_advice_goes_by_data_sets_alike_where_that_is_kept(monkeypatch):
    methods = [one.method for one in evidence.foremost("projection")]
    last = [one.method for one in evidence.foremost("projection") if one.family == "projection"][-1]
    like = {"emotions": last, "enron": methods[1]}
    planted = tuple(
        one._replace(
            weighted=True,
            by_set=tuple(
                evidence.OnSet(name, *((1.0, 1.0) if best == one.method else (0.0, 9.0))) for name, best in like.items()
            ),
        )
        for one in evidence.foremost("projection")
    )
    traits = {"emotions": Traits(593, 72, 6, 1.0), "enron": Traits(1702, 1001, 53, 0.084)}
    sets = {planted[0].study: traits}
    monkeypatch.setattr(evidence, "_foremost", lambda family, wanted: planted)
    monkeypatch.setattr(evidence, "_sets", lambda: sets)
    monkeypatch.setattr(evidence, "_groups", lambda: {planted[0].study: {name: name for name in traits}})
    try:
        evidence._weighted.cache_clear()
        emotions, enron = (evidence.foremost("projection", like=own) for own in traits.values())
        assert (emotions[0].method, enron[0].method) == (last, methods[1])
        assert 0.9 < emotions[0].near < 1
        assert all(one.low <= one.near <= one.high for one in (*emotions, *enron))
        assert [one.method for one in evidence.foremost("projection")] == methods
        table = mlreduce.recommend(
            RNG.standard_normal((593, 72)), RNG.integers(0, 2, (593, 6)), goal="projection"
        ).table
        assert table.index[0] == last
    finally:
        evidence._weighted.cache_clear()


def test_missing_values_are_taken_where_they_are_to_be_filled():
    holes = np.where(RNG.random(X.shape) < 0.1, np.nan, np.abs(X))
    table = mlreduce.recommend(holes, Y, impute="mean").table
    assert table.loc["chi2", "fits"]
    names = [list(map(str, range(own.shape[1]))) for own in (X, Y)]
    data = MultiLabelData(holes, Y, *names, "mine", impute="median")
    pd.testing.assert_frame_equal(mlreduce.recommend(data).table, table)
    with pytest.raises(DataError, match="X contains NaN"):
        mlreduce.recommend(holes, Y)
    with pytest.raises(DataError, match="unknown imputation 'men'.*did you mean 'mean'"):
        mlreduce.recommend(holes, Y, impute="men")


def test_declared_costs_agree_with_measured_fits():
    """Seconds by the declared operations, with the constants in the package, are near those of docs/scale/fits.csv."""
    fits = pd.read_csv(growth.FITS).dropna()
    rows = []
    for one in fits.itertuples():
        found = estimated(one.method, growth.stored_sizes(one), growth.is_sparse(one))
        ratio = max(found.seconds, 1e-3) / max(one.seconds, 1e-3)
        rows.append((one.method, ratio, 1e9 * found.gigabytes, 1e9 * one.gigabytes))
    table = pd.DataFrame(rows, columns=["method", "ratio", "said", "bytes"])
    far = table.assign(far=(table["ratio"] < 1 / 4) | (table["ratio"] > 4)).groupby("method")["far"].sum()
    # MDS and SLVM switch their algorithm with the shape; GMBA depends on how often label sets recur (docs/scale.md),
    # other selectors on how many features are compared before the best is known.
    others = ["mds", "slvm", "gmba", "cmim", "d2f", "jmi", "mrdm", "mfs-mcdm", "label-powerset", "spec"]
    assert far[far > 1].index.difference(others).empty, far[far > 1]
    assert (table["said"] > 0.25 * table["bytes"] - 5e7).all()


def test_factors_of_terms_are_found_from_fits():
    """Terms that fits show get their factor; one that they do not show keeps the rate of all."""
    amounts = np.exp(np.random.default_rng(0).uniform(np.log(1e6), np.log(1e10), size=(24, 3)))
    amounts[:, 2] *= 1e-9
    given = np.full(24, 0.01)
    seconds = given + 0.002 + 1e-9 * (amounts @ [1.0, 16.0, 1.0])
    rate, least = growth.fit_line(amounts.sum(axis=1), seconds - given)
    rate, factors = growth.term_factors(amounts, given, seconds, rate, least)
    assert factors[1] / factors[0] == 16.0
    assert rate * factors[0] == pytest.approx(1e-9, rel=0.5)
    assert factors[2] == 1.0


def test_a_method_without_measurements_is_estimated_by_its_family(monkeypatch):
    sizes = Sizes(n=1000, d=200, q=5, s=200_000, k=10)
    known = estimated("pca", sizes, False)
    monkeypatch.setattr(
        evidence, "_costs", lambda: {"lsi": dict.fromkeys(evidence.CONSTANTS, 0.0) | {"seconds_rate": 1e-9}}
    )
    found = estimated("pca", sizes, False)
    assert known.measured
    assert not found.measured
    assert found.seconds == pytest.approx(1e-9 * registry.method_class("pca").complexity.operations(sizes))


def test_complexities_are_sums_of_products():
    sizes = Sizes(n=10, d=4, q=3, s=20, k=2)
    complexity = Complexity("2 n d + m^3", "n d", iterated="100 s k", iterates_on="sparse")
    assert (complexity.operations(sizes), complexity.numbers(sizes), complexity.iterations(sizes)) == (144, 40, 4000)
    assert str(complexity) == "O(n d + m^3)"
    assert complexity.makes_dense
    assert not Complexity("n", "n d^2").makes_dense
    assert Complexity("n", "n").iterations(sizes) == 0
    for wrong in ("n*d", "x", "n^1", "", "n  d"):
        with pytest.raises(ValueError, match="is no number, symbol or power of a symbol"):
            Complexity(wrong, "n")


def test_where_rounds_depend_on_the_data_it_is_said():
    """On 180 x 3000 normal numbers SFUS takes 149 rounds, 25 times as long as on the counts that were measured."""
    rng = np.random.default_rng(0)
    table = mlreduce.recommend(rng.standard_normal((30, 50)), rng.integers(0, 2, (30, 3)), goal="selection").table
    said = table["reason"].str.contains("iterations depend on the data")
    assert {"mssl", "sfus", "csfs", "mifs"} <= set(table.index[said])
    assert not said[["mlfs", "cmim", "spec", "random-features"]].any()


@pytest.mark.parametrize("measure", [None, "average-precision", "micro-f1"])
@pytest.mark.parametrize("predictor", [None, "ridge", "ml-knn"])
@pytest.mark.rotating
def test_a_predictor_and_a_measure_choose_the_comparison(predictor, measure):
    found = mlreduce.recommend(X, Y, predictor=predictor, measure=measure)
    like = shape_of(X, Y).traits  # by which data sets count where that is better advice
    for family in ("projection", "selection", "labelspace"):
        (one, *others) = evidence.foremost(family, evidence.Wanted(predictor, measure), like)
        neighbours = "k-nn" if family == "labelspace" else "ml-knn"
        assert one.predictor == ("ridge" if predictor in (None, "ridge") else neighbours)
        assert one.measure.partition("@")[0] == (measure or "average-precision")
        assert not one.tuned
        shown = found._with_unreduced(found.table[found.table["family"] == family])
        compared = [own.method for own in (one, *others) if shown["fits"].get(own.method)]
        assert [name for name in shown.index if name in compared] == compared
        whole = "br" if family == "labelspace" else "all-features"
        assert whole in shown.index[shown["fits"]]
        assert f"ranked by {one.comparison}" in str(found)


def test_tuned_methods_are_those_of_a_comparison_of_tuned_methods(monkeypatch):
    defaults = evidence.foremost("projection")
    tuned = tuple(own._replace(tuned=True, searched=own.method == "mvmd", near=own.near / 2) for own in defaults)
    rankings = tuple(own for own in evidence._rankings() if not own.tuned)
    monkeypatch.setattr(evidence, "_rankings", lambda: (*tuned, *rankings))
    evidence._foremost.cache_clear()
    try:
        assert evidence.foremost("projection", evidence.Wanted(tuned=True)) == tuned
        assert evidence.foremost("projection") == defaults
        table = mlreduce.recommend(X, Y, goal="projection", tuned=True).table
        assert "its parameters tuned" in table.loc["mvmd", "reason"]
        assert table.loc["mvmd", "near"] == defaults[[own.method for own in defaults].index("mvmd")].near / 2
        assert table["searched"].sum() == 1
        # Where there is no comparison of tuned methods, it is that of the defaults.
        assert evidence.foremost("selection", evidence.Wanted(tuned=True)) == evidence.foremost("selection")
    finally:
        evidence._foremost.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictor": "rigde"}, "unknown predictor 'rigde'.*did you mean 'ridge'"),
        ({"predictor": "svm"}, "unknown predictor 'svm'"),
        ({"measure": "micro-f2"}, "unknown measure 'micro-f2'.*did you mean 'micro-f1'"),
    ],
)
def test_what_was_not_compared_is_refused(arguments, message):
    with pytest.raises(ConfigurationError, match=message):
        mlreduce.recommend(X, Y, **arguments)
