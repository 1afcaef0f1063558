"""Tables and statistics of a comparison, against the studies' procedure and independent computations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import mlreduce
from mlreduce.evaluation.comparison import Comparison
from mlreduce.exceptions import DataError, ProjectionWarning
from mlreduce.stats.posterior import posterior

MARGIN, CV = 0.02, 5


@pytest.fixture
def found(rng):
    """Four methods on ten splits: "same" equals "base", "less" is exactly the margin below it."""
    base = rng.uniform(0.5, 0.7, 10)
    values = {"base": base, "same": base, "less": base - MARGIN, "other": base + rng.normal(0.03, 0.02, 10)}
    rows = [
        (method, "{}", predictor, size, size, split, measure, value + bonus)
        for method, own in values.items()
        for predictor in ("ridge", "ml-knn")
        for size, bonus in ((10, 0.0), (50, 0.1))
        for split, value in enumerate(own)
        for measure in ("micro-f1", "hamming-loss")
        if (method, size) != ("less", 10)
    ]
    columns = ["method", "parameters", "predictor", "size_percent", "size", "split", "measure", "value"]
    settings = {
        "data": {"name": "made"}, "methods": {method: {} for method in values},
        "predictors": {"ridge": {}, "ml-knn": {}},
        "measures": ["micro-f1", "hamming-loss"], "sizes": [10, 50], "cv": CV, "test_share": 1 / CV, "splitter": "",
        "margin": MARGIN,
    }  # fmt: skip
    fits = pd.DataFrame([(method, split, 0.5) for method in values for split in range(10)])
    return Comparison(
        pd.DataFrame(rows, columns=columns),
        pd.DataFrame(),
        fits.set_axis(["method", "split", "seconds"], axis=1),
        settings,
    )


def test_values_are_of_the_largest_size_and_of_what_has_one(found):
    table = found.values(size=10)
    assert list(table.columns) == ["base", "same", "less", "other"]
    np.testing.assert_allclose(table["less"] - table["base"], 0.1 - MARGIN)
    pd.testing.assert_frame_equal(found.values(), found.values("micro-f1", "ridge", 50))
    for wrong, said in (
        (("micro-f2",), "did you mean 'micro-f1'"),
        ((None, "rigde"), "'ridge'"),
        ((None, None, 9), "size"),
    ):
        with pytest.raises(DataError, match=said):
            found.values(*wrong)


@pytest.mark.parametrize(("measure", "sign"), [("micro-f1", 1), ("hamming-loss", -1)])
def test_pairs_by_the_t_distribution(found, measure, sign):
    """Corani and Benavoli (2015): Student's t around the mean, its variance corrected by the share of a fold."""
    pairs, values = found.pairs(measure).set_index(["method", "than"]), found.values(measure)
    assert len(pairs) == 12
    for (method, than), row in pairs.iterrows():
        differences = sign * (values[method] - values[than]).to_numpy()
        assert row["mean_difference"] == pytest.approx(differences.mean())
        assert row["wins"] == np.sum(differences > MARGIN)
        assert row["losses"] == np.sum(differences < -MARGIN)
        assert row["wins"] + row["ties"] + row["losses"] == 10
        own = posterior(differences, 1 / CV)
        assert (row["low"], row["high"]) == own.interval()
        assert row["similar"] == own.within(-MARGIN, MARGIN)
        if np.ptp(differences) > 1e-9:
            correlation = 1 / CV
            variance = (1 / 10 + correlation / (1 - correlation)) * differences.var(ddof=1)
            law = stats.t(9, differences.mean(), np.sqrt(variance))
            expected = law.sf(MARGIN), law.cdf(MARGIN) - law.cdf(-MARGIN), law.cdf(-MARGIN)
            assert row[["better", "similar", "worse"]].tolist() == pytest.approx(expected)
            assert (row["low"], row["high"]) == pytest.approx(law.interval(0.95))
    assert pairs.loc[("base", "same"), ["better", "similar", "worse"]].tolist() == [0, 1, 0]
    mirrored = pairs.swaplevel().loc[pairs.index]
    np.testing.assert_allclose(pairs["better"], mirrored["worse"], atol=1e-12)


def test_a_certain_difference_on_the_margin_is_within(found):
    found.scores["value"] = found.scores["value"].mask(found.scores["method"] == "base", 0.5)
    found.scores["value"] = found.scores["value"].mask(found.scores["method"] == "less", 0.5 - MARGIN)
    row = found.pairs().set_index(["method", "than"]).loc[("base", "less")]
    assert row[["better", "similar", "worse"]].sum() == 1


@pytest.mark.parametrize(("measure", "sign"), [("micro-f1", 1), ("hamming-loss", -1)])
def test_statistics(found, measure, sign):
    table, values = found.statistics(measure), sign * found.values(measure)
    ranks = np.vstack([stats.rankdata(-row.round(12)) for row in values.to_numpy()])
    expected = pd.Series(ranks.mean(axis=0), values.columns)
    pd.testing.assert_series_equal(table["rank"], expected.loc[table.index], check_names=False)
    near = (values.max(axis=1).to_numpy()[:, None] - values <= MARGIN + 1e-12).mean()
    pd.testing.assert_series_equal(table["near"], near[table.index], check_names=False)
    assert table["near"].is_monotonic_decreasing
    best = pd.Series((ranks == ranks.min(axis=1, keepdims=True)).sum(axis=0), values.columns)
    pd.testing.assert_series_equal(table["first"], best.loc[table.index], check_names=False)
    assert table.loc["base", "rank"] == table.loc["same", "rank"]
    pairs = found.pairs(measure)
    for method, row in table.iterrows():
        own = pairs[pairs["method"] == method]
        assert (row["beats"], row["beaten_by"]) == ((own["better"] >= 0.95).sum(), (own["worse"] >= 0.95).sum())
    assert table["beats"].sum() > 0
    np.testing.assert_allclose(table["deviation"], found.values(measure).std()[table.index])


def test_table_and_text(found):
    table = found.table()
    assert list(table.columns) == ["micro-f1", "hamming-loss", "seconds"]
    assert table["micro-f1"].is_monotonic_decreasing
    np.testing.assert_allclose(table["micro-f1"], found.values().mean()[table.index])
    text = repr(found)
    assert text.startswith("Comparison on 'made': 4 methods, 5 folds")
    assert f"{table['micro-f1'].iloc[0]:.3f}" in text


def test_plots(found):
    assert found.plot("sizes", predictor="ml-knn").get_title() == "ml-knn"
    written = [text.get_text().splitlines()[0] for text in found.plot("pairs").texts]
    assert sorted(written) == sorted(f"{own:+.3f}" for own in found.pairs()["mean_difference"])
    with pytest.raises(DataError, match="did you mean 'pairs'"):
        found.plot("pair")


def test_folds_on_which_a_measure_is_undefined_are_left_out_with_a_warning():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 4)), np.zeros((40, 2), dtype=int)
    Y[::2, 0] = Y[10:20, 1] = 1
    Y[20:] = 1
    folds = [(np.r_[0:20], np.r_[20:40]), (np.r_[10:40], np.r_[0:10]), (np.r_[0:10, 20:40], np.r_[10:20])]
    with pytest.warns(UndefinedMetricWarning, match="micro-auc is undefined on 1 of 3 folds") as caught:
        result = mlreduce.compare(
            X, Y, ["pca", "mddmp"], ["ridge"], cv=folds, sizes=[50], measures=["micro-auc", "hamming-loss"], n_jobs=1
        )
    assert sum(issubclass(each.category, UndefinedMetricWarning) for each in caught) == 1
    assert list(result.values("micro-auc").index) == [1, 2]
    assert len(result.values("hamming-loss")) == 3
    means = result.scores[result.scores["measure"] == "micro-auc"].groupby("method")["value"].mean()
    np.testing.assert_allclose(result.table()["micro-auc"].sort_index(), means.sort_index())
    assert result.statistics("micro-auc")["mean"].notna().all()
    with pytest.warns(UndefinedMetricWarning, match="undefined on 1 of 1 folds"):
        result = mlreduce.compare(X, Y, ["pca"], ["ridge"], cv=folds[:1], sizes=[50], measures=["micro-auc"], n_jobs=1)
    assert np.isnan(result.table()["micro-auc"]).all()
    with pytest.raises(DataError, match="micro-auc is undefined on every fold"):
        result.values()


def test_what_fits_warn_of_is_passed_on_once():
    data = mlreduce.load_dataset("planted-300")
    methods = {"many": {"method": "pls", "n_components": 20}, "more": {"method": "pls", "n_components": 19}}
    with pytest.warns(ProjectionWarning, match="PLS has . positive eigenvalues") as caught:
        mlreduce.compare(data, methods=methods, predictors=["linear"], cv=3, sizes=[50], progress=False)
    (warning,) = caught
    assert str(warning.message).endswith("(with many, more)")
