"""Ranking measures in a study: which predictors have scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.selection import SelectionStrategy
from mlreduce.evaluation.splitting import fold_rows, random_orders
from mlreduce.evaluation.strategy import Measured
from mlreduce.exceptions import ConfigurationError
from mlreduce.metrics.measures import measures_that_need

RANKING = measures_that_need("scores")


@pytest.fixture(scope="module")
def study():
    data = planted(n_samples=90, n_features=8, n_labels=5, n_latent=2, n_distractors=1).data
    order = random_orders(90, 1, 7, "planted")[0]
    splits = {fold: fold_rows(order, 6, fold) for fold in range(2)}
    return data, splits, {"mlfs": {}}


def run(study, predictor, measures=("hamming-loss", *RANKING), **parameters):
    data, splits, methods = study
    strategy = SelectionStrategy(data, {"scaling": "standard"}, 7, share=parameters.pop("share", True))
    rankings = dict(strategy.fit(splits, methods))
    entry = {"method": predictor, **parameters}
    return strategy.score(splits, rankings, methods, ("p", entry), Measured(measures, [25, 100]))


@pytest.mark.parametrize("predictor", ["ml-knn", "mlnb", "ridge", "linear"])
def test_predictors_with_scores_are_measured_by_them(study, predictor):
    parameters = {"alpha": 1.0} if predictor == "ridge" else {}  # a chosen one differs from size to size
    scores = run(study, predictor, **parameters)
    long = run(study, predictor, share=False, **parameters)
    assert (scores.drop(columns="value") == long.drop(columns="value")).all(axis=None)
    np.testing.assert_allclose(scores.value, long.value, atol=1e-12)
    assert set(scores.measure) == {"hamming-loss", *RANKING}
    areas = scores[scores.measure.str.endswith("auc") & (scores.size_percent == 100)].value
    assert (areas > 0.6).all()


def test_scores_are_those_of_the_model_by_hand(study):
    import mlreduce

    data, splits, _ = study
    table = run(study, "ml-knn", n_neighbors=5)
    for number, (train, test, *_) in splits.items():
        mean, spread = data.X[train].mean(axis=0), data.X[train].std(axis=0)
        model = mlreduce.MLKNN(5).fit((data.X[train] - mean) / spread, data.Y[train])
        scores = model.predict_proba((data.X[test] - mean) / spread)
        rows = table[(table.split == number) & (table.size_percent == 100)].set_index("measure").value
        assert rows["ranking-loss"] == pytest.approx(metrics.label_ranking_loss(data.Y[test], scores))
        assert rows["hamming-loss"] == pytest.approx(metrics.hamming_loss(data.Y[test], scores > 0.5))


@pytest.mark.parametrize("predictor", ["br-knn", "cc-knn"])
def test_votes_are_scores(study, predictor):
    pd.testing.assert_frame_equal(run(study, predictor), run(study, predictor, share=False), check_exact=True)


def test_proportional_cuts_have_no_scores(study):
    run(study, "pcut", measures=["hamming-loss"])
    with pytest.raises(ConfigurationError, match="but only labels are predicted here"):
        run(study, "pcut")
