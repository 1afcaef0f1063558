from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics

from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import ConfigurationError
from mlreduce.experiments.selection import rank_features, score_ranked
from mlreduce.experiments.splitting import fold_rows, random_orders
from mlreduce.linalg import distances
from mlreduce.metrics.measures import HIGHER_IS_BETTER, MEASURES, NEED_SCORES, Outcome
from mlreduce.metrics.ranking import Ranks, macro_auc, micro_auc

RANKING = ["ranking-loss", "coverage", "one-error", "average-precision", "micro-auc", "macro-auc"]


@st.composite
def pairs(draw, some=False):
    shape = draw(st.tuples(st.integers(1, 12), st.integers(2, 6)))
    labels = draw(arrays(np.int8, shape, elements=st.integers(0, 1), fill=st.just(0)))
    if some:
        labels[np.arange(len(labels)), draw(st.integers(0, shape[1] - 1))] = 1
    return labels, draw(arrays(np.float64, shape, elements=st.sampled_from([-2.0, 0.0, 0.25, 0.5, 3.0])))


def measured(name, labels, scores):
    return MEASURES[name](Outcome(labels, (scores > 0.5).astype(np.int8), scores=scores))


@given(pairs())
def test_ranking_loss_and_average_precision_are_scikit_learns(pair):
    labels, scores = pair
    expected = metrics.label_ranking_loss(labels, scores)
    assert measured("ranking-loss", labels, scores) == pytest.approx(expected, abs=1e-12)
    expected = metrics.label_ranking_average_precision_score(labels, scores)
    assert measured("average-precision", labels, scores) == pytest.approx(expected, abs=1e-12)


@given(pairs(some=True))
def test_coverage_is_scikit_learns_less_one_where_there_are_labels(pair):
    labels, scores = pair
    expected = metrics.coverage_error(labels, scores) - 1
    assert measured("coverage", labels, scores) == pytest.approx(expected, abs=1e-12)
    mixed = np.r_[labels, np.zeros_like(labels)], np.r_[scores, scores]
    assert measured("coverage", *mixed) == pytest.approx(expected / 2, abs=1e-12)


@given(pairs())
def test_areas_are_scikit_learns(pair):
    labels, scores = pair
    mixed = [q for q in range(labels.shape[1]) if 0 < labels[:, q].sum() < len(labels)]
    each = [metrics.roc_auc_score(labels[:, q], scores[:, q]) for q in mixed]
    assert macro_auc(labels, scores) == pytest.approx(np.mean(each) if each else 0.5, abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of assignments all alike
        whole = metrics.roc_auc_score(labels.ravel(), scores.ravel())
    assert micro_auc(labels, scores) == pytest.approx(0.5 if np.isnan(whole) else whole, abs=1e-12)


@given(pairs())
def test_one_error_is_the_first_label(pair):
    labels, scores = pair
    wrong = [labels[i, max(range(labels.shape[1]), key=lambda q: (scores[i, q], -q))] == 0 for i in range(len(labels))]
    assert measured("one-error", labels, scores) == np.mean(wrong)


def test_an_instance_without_labels_and_one_with_all():
    scores = np.array([[0.1, 0.9]])
    none, every = np.array([[0, 0]]), np.array([[1, 1]])
    assert [measured(name, none, scores) for name in RANKING] == [0, 0, 1, 1, 0.5, 0.5]
    assert [measured(name, every, scores) for name in RANKING] == [0, 1, 0, 1, 0.5, 0.5]


def test_a_perfect_order_its_reverse_and_none():
    labels = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 1]])
    assert [measured(name, labels, labels.astype(float)) for name in RANKING] == [0, 2 / 3, 0, 1, 1, 1]
    assert [measured(name, labels, -labels.astype(float)) for name in RANKING[:3]] == [1, 3, 1]
    assert [measured(name, labels, np.zeros((3, 4))) for name in RANKING[:2]] == [1, 3]
    assert [measured(name, labels, np.zeros((3, 4))) for name in RANKING[4:]] == [0.5, 0.5]


@given(pairs())
def test_only_the_order_of_scores_matters(pair):
    labels, scores = pair
    for name in RANKING:
        assert measured(name, labels, scores) == measured(name, labels, np.exp(scores))


@given(pairs())
def test_values_are_in_range_and_better_scores_are_no_worse(pair):
    labels, scores = pair
    for name in RANKING:
        value, better = (measured(name, labels, s) for s in (scores, scores + 10 * labels))
        assert 0 <= value <= (labels.shape[1] - 1 if name == "coverage" else 1)
        assert better >= value - 1e-12 if name in HIGHER_IS_BETTER else better <= value + 1e-12
    assert set(RANKING) == NEED_SCORES
    assert HIGHER_IS_BETTER & set(RANKING) == {"average-precision", "micro-auc", "macro-auc"}


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(2, size=(30, 5)), rng.integers(4, size=(30, 5)).astype(float)
    expected = Ranks.of(labels, scores)
    monkeypatch.setattr(distances, "_BLOCK_BYTES", 8)
    for ours, whole in zip(Ranks.of(labels, scores), expected, strict=True):
        np.testing.assert_array_equal(ours, whole)


def test_what_does_not_match_is_refused():
    for measure in (Ranks.of, micro_auc, macro_auc):
        with pytest.raises(ValueError, match="must agree and not be empty"):
            measure(np.zeros((2, 3), dtype=int), np.zeros((2, 2)))


@pytest.mark.parametrize("name", RANKING)
def test_without_scores_the_sentence_says_what_to_do(name):
    labels = np.array([[1, 0]], dtype=np.int8)
    with pytest.raises(ConfigurationError, match="choose another measure, or a predictor with probabilities"):
        MEASURES[name](Outcome(labels, labels))


# In a study


@pytest.fixture(scope="module")
def study():
    data = planted(n_samples=90, n_features=8, n_labels=5, n_latent=2, n_distractors=1).data
    order = random_orders(90, 1, 7, "planted")[0]
    splits = {fold: fold_rows(order, 6, fold) for fold in range(2)}
    return data, splits, {"mlfs": {}}


def run(study, predictor, measures=("hamming-loss", *RANKING), **parameters):
    data, splits, methods = study
    rankings = rank_features(data, splits, methods, "standard", 7)
    share = parameters.pop("share", True)
    entry = {"method": predictor, **parameters}
    return score_ranked(data, splits, rankings, methods, ("p", entry), [25, 100], measures, "standard", share)


@pytest.mark.parametrize("predictor", ["ml-knn", "mlnb", "ridge", "linear"])
def test_predictors_with_scores_are_measured_by_them(study, predictor):
    scores = run(study, predictor)
    long = run(study, predictor, share=False)
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
@pytest.mark.parametrize("share", [True, False])
def test_voting_classifiers_have_no_scores(study, predictor, share):
    run(study, predictor, measures=["hamming-loss"], share=share)
    with pytest.raises(ConfigurationError, match="here is only said which are present"):
        run(study, predictor, share=share)
