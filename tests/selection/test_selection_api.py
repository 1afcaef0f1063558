"""How many features, which parameters, and what a selector remembers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import of_many, quick
from scipy.stats import spearmanr

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.preprocessing.discretisation import DISCRETISERS, Discretiser

ALL = mlreduce.registry.method_names("selection")
SELECTING = [name for name in ALL if name != "all-features"]
REPRESENTATIVES = ["gmba", "mlfs", "pmu", "qpfs-approx"]  # drawn, by score, one by one, by weights
RANDOM = ["gmba", "mlrf", "qpfs-approx", "qpfs-nystrom", "random-features"]

every = pytest.mark.parametrize("name", ALL)


def make(name, **parameters):
    cls = mlreduce.registry.method_class(name)
    if "random_state" in inspect.signature(cls).parameters:
        parameters.setdefault("random_state", 0)
    return mlreduce.make(name, **quick(name) | parameters)


def data(n=40, d=10, seed=0):
    rng = np.random.default_rng(seed)
    sets = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1]])
    X = rng.standard_normal((n, d))
    return X - X.min(), sets[rng.integers(3, size=n)]  # from 0 on, as chi2 and scmfs take them


@pytest.mark.parametrize("name", REPRESENTATIVES)
@pytest.mark.parametrize(
    ("k", "number"), [(3, 3), (np.int64(3), 3), (0.25, 2), (0.999, 9), (0.01, 1), (1, 1), (10, 10), (None, 10)]
)
def test_sizes(name, k, number):
    X, Y = data()
    selector = make(name, k=k).fit(X, Y)
    assert selector.transform(X).shape == (40, number)
    assert sorted(selector.ranking_[selector.get_support()]) == list(range(1, number + 1))


@pytest.mark.parametrize("name", SELECTING)
@pytest.mark.rotating
def test_selections_are_nested_and_follow_k_without_another_fit(name):
    X, Y = data()
    selector = make(name, k=None).fit(X, Y)  # of all features, as PMU takes no more one by one than k
    before = np.zeros(10, dtype=bool)
    for k in range(1, 11):
        support = selector.set_params(k=k).get_support()
        assert support.sum() == k
        assert np.all(support >= before)
        if k in (1, 5, 10):
            np.testing.assert_array_equal(support, make(name, k=k).fit(X, Y).get_support())
        before = support


@pytest.mark.parametrize("name", ["mlfs", "mlrf", "spec", "mgfs", "mfs-mcdm", "pmfs", "mcls"])
def test_of_equal_scores_the_first_column_comes_first(name):
    X, Y = data()
    ranking = make(name).fit(X[:, [0, 0, 1, 1]], Y).ranking_
    assert ranking[1] == ranking[0] + 1
    assert ranking[3] == ranking[2] + 1


@pytest.mark.parametrize("name", ["mlfs", "pmu"])
@pytest.mark.parametrize(
    ("k", "sentence"),
    [
        (0, "k must be between 1 and 10, the number of features; got 0"),
        (11, "k must be between 1 and 10"),
        (-1, "k must be between 1 and 10"),
        (1.5, "k as a fraction must lie between 0 and 1; got 1.5"),
        (1.0, "k as a fraction"),
        (0.0, "k as a fraction"),
        (np.nan, "k as a fraction"),
        ("half", "k must be a number, a percentage such as '50%', .* or None; got 'half'"),
        (True, "k must be a number, a percentage such as '50%' or None; got True"),
    ],
)
def test_impossible_sizes_are_refused(name, k, sentence):
    with pytest.raises(DataError, match=sentence):
        make(name, k=k).fit(*data())


OUT_OF_RANGE = [
    *(("n_neighbors", value) for value in (0, -1, 1.5, "3", True, None)),
    *(("variant", value) for value in ("code", None, 1)),
    *(("s_min", value) for value in (0, -0.1, 1.1, np.nan, "1", True)),
    *(("miss_weight", value) for value in (-1, np.nan, np.inf, "1")),
    *(("step", value) for value in (0, -0.9, np.nan, np.inf, None)),
    *(("n_orders", value) for value in (0, -1, 2.5, None)),
    *(("n_bins", value) for value in (0, 1, 2.5, "3", None, True)),
    *(("sampling", value) for value in (0, -0.1, 1.1, np.nan, None)),
    *(("min_count", value) for value in (0, 1.5, "6", None, True)),
    *(("n_labels", value) for value in (0, -1, 1.5, "3", True)),
    *(("pairs", value) for value in ("all", None)),
    *(("max_iter", value) for value in (0, -1, 1.5, "all", True)),
    *(("tol", value) for value in (-1, np.nan, "0")),
    *((name, value) for name in ("smoothness", "label_smoothness", "relevance") for value in (-1, np.nan, "1", None)),
    *((name, value) for name in ("redundancy", "subspace_error") for value in (-1, np.inf, "1", None)),
    *((name, value) for name in ("label_error", "feature_error", "dependence") for value in (0, np.inf, "1", None)),
    *(("aggregate", value) for value in ("sum", None)),
    *(("sparsity", value) for value in (-1, np.inf, "1")),
]


@every
def test_parameters_out_of_range_are_refused_by_name(name):
    known = inspect.signature(mlreduce.registry.method_class(name)).parameters
    for parameter, value in OUT_OF_RANGE:
        if parameter in known:
            with pytest.raises(DataError, match=f"^{parameter} must be"):
                make(name, **{parameter: value}).fit(*data())


binned = pytest.mark.parametrize("name", [n for n in ALL if "discretise" in mlreduce.make(n).get_params()])


@binned
def test_features_are_put_into_bins(name):
    if name == "mfs-mfr":
        pytest.skip("its graph is of features that are not in bins")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6))
    Y, method = (X[:, :2] > 0).astype(int), of_many(name, DISCRETISERS)
    bins = Discretiser(method, 4).fit_transform(X, Y)
    varying = (bins != bins[0]).any(axis=0)  # "mdl" leaves features in one bin, which are not sampled without it
    expected = make(name, discretise=None).fit(bins[:, varying], Y)
    for form in (np.asarray, sp.csr_array):
        fitted = make(name, discretise=method, n_bins=4).fit(form(X[:, varying]), Y)
        np.testing.assert_array_equal(fitted.scores_, expected.scores_)
        np.testing.assert_array_equal(fitted.ranking_, expected.ranking_)


@binned
def test_unknown_discretisers_are_refused(name):
    with pytest.raises(DataError, match="unknown discretiser 'equal_width'; did you mean 'equal-width'"):
        make(name, discretise="equal_width").fit(*data())


@every
@pytest.mark.rotating
def test_the_same_seed_gives_the_same_ranking(name):
    X, Y = data()
    variants = ("equations", "published-code") if "variant" in mlreduce.make(name).get_params() else (None,)
    for variant in variants:
        own = {"variant": variant} if variant else {}
        first, second = (make(name, **own).fit(X, Y) for _ in range(2))
        np.testing.assert_array_equal(first.scores_, second.scores_)
        np.testing.assert_array_equal(first.fit(X, Y).scores_, second.scores_)
        if name in RANDOM and (name, variant) != ("mlrf", "equations"):
            other = make(name, random_state=1, **own).fit(X, Y)
            assert not np.array_equal(other.scores_, first.scores_)


def test_the_random_control_draws_from_the_generator():
    X, Y = data()
    scores = make("random-features", random_state=7).fit(X, Y).scores_
    np.testing.assert_array_equal(scores, np.random.RandomState(7).random_sample(10))


def test_the_control_of_all_features_keeps_them():
    X, Y = data()
    control = mlreduce.AllFeatures().fit(X, Y)
    np.testing.assert_array_equal(control.scores_, 0)
    np.testing.assert_array_equal(control.ranking_, np.arange(1, 11))
    np.testing.assert_array_equal(control.transform(X), X)


@every
@pytest.mark.rotating
def test_sparse_features_stay_sparse(name):
    X, Y = data()
    kept = make(name).fit(sp.csr_array(X), Y).transform(sp.csr_array(X))
    assert sp.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), make(name).fit(X, Y).transform(X))


@pytest.mark.parametrize("name", mlreduce.registry.method_names("selection"))
@pytest.mark.rotating
def test_labels_of_nobody_and_of_everybody(name):
    """As docs/selection.md says: without information, but for the methods that it names."""
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(60, 12))
    latent = X[:, :4] @ rng.standard_normal((4, 4)) + 0.3 * rng.standard_normal((60, 4))
    Y = (latent > np.median(latent, axis=0)).astype(int)
    X = X - X.mean(axis=0) if mlreduce.describe(name).facts.negative else X
    method = mlreduce.make(name, **({"label_smoothness": 1.0} if name == "llsf" else {}))
    method.set_params(**{key: None if key == "k" else 0 for key in ("k", "random_state") if key in method.get_params()})
    ranking = method.fit(X, Y).ranking_
    same = [
        np.array_equal(method.fit(X, np.insert(Y, 2, value, axis=1)).ranking_, ranking) for value in (0, 1)
    ]  # fmt: skip
    by_instances = {"ela-chi2", "gmba", "llsf", "mdfs", "mlfs", "mlrf", "spec", "rfs", "mifs", "pnc", "scmfs", "scnmf"}
    assert same == [True, name not in by_instances]


@every
@given(places=st.lists(st.integers(0, 8), min_size=1, max_size=6), value=st.sampled_from([0.0, 1.0, 700.0]))
@settings(max_examples=5)
@pytest.mark.rotating
def test_constant_features_come_last_and_change_no_other(name, places, value):
    X, Y = rows_and_labels()
    method = make(name)
    method.set_params(**{key: own for key, own in (("k", 4), ("min_count", 2)) if key in method.get_params()})
    ranking = method.fit(X, Y).ranking_
    assert method.n_informative_ == 8
    more = np.insert(X, places, value, axis=1)
    constant = (more == more[0]).all(axis=0)
    fitted = method.fit(more, Y)
    assert fitted.n_informative_ == 8
    np.testing.assert_array_equal(fitted.ranking_[~constant], ranking)
    np.testing.assert_array_equal(fitted.ranking_[constant], np.arange(8, len(constant)) + 1)
    assert fitted.scores_[constant].max() <= fitted.scores_[~constant].min()
    for attribute in fitted.by_feature:
        assert len(getattr(fitted, attribute)) == len(constant)
    if hasattr(fitted, "sampled_"):
        assert not constant[fitted.sampled_].any()


def rows_and_labels():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(40, 8))
    return X, (X[:, :3] + 0.2 * rng.standard_normal((40, 3)) > 0.5).astype(int)


@every
@pytest.mark.parametrize("k", [4])
def test_the_unit_of_all_features_makes_no_difference(name, k):
    X, Y = rows_and_labels()
    parameters = {"k": k} if name != "all-features" else {}
    method = mlreduce.make(name, **parameters)
    method.set_params(
        **{key: value for key, value in (("random_state", 0), ("min_count", 2)) if key in method.get_params()}
    )
    support = method.fit(X, Y).get_support()
    np.testing.assert_array_equal(method.fit(1024 * X, Y).get_support(), support)
    if hasattr(method, "edge_"):
        assert method.n_nonzero_ >= k


@pytest.mark.parametrize("name", ["anova", "chi2", "igmf", "mim", "mutual-info", "spec", "mcls", "ela-chi2"])
def test_features_judged_one_by_one_are_copies_of_the_best(name):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 8))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + rng.standard_normal(200) > 0]).astype(int)
    X[:, 2:6] = X[:, [0]] + 0.05 * rng.standard_normal((200, 4))
    X -= X.min()  # chi-square is of values that are not negative
    np.testing.assert_array_equal(np.flatnonzero(make(name, k=5).fit(X, Y).get_support()), [0, 2, 3, 4, 5])


@pytest.mark.parametrize(("name", "depends"), [("mcls", False), ("spec", False), ("mlfs", True), ("anova", True)])
def test_scores_on_graphs_depend_little_on_the_labels(name, depends):
    data = mlreduce.load_dataset("digits-300")
    labels = data.Y[np.random.default_rng(0).permutation(len(data.Y))]
    scores, of_others = (mlreduce.make(name).fit(data.X, Y).scores_ for Y in (data.Y, labels))
    assert (spearmanr(scores, of_others)[0] < 0.5) == depends


@pytest.mark.parametrize(("name", "place"), [("mfs-mcdm", 6), ("pmfs", 2), ("mim", 2), ("anova", 2)])
def test_a_feature_that_speaks_against_all_labels_is_last_by_mfs_mcdm_alone(name, place):
    rng = np.random.default_rng(0)
    Y = rng.integers(2, size=(300, 3))
    X = rng.standard_normal((300, 6))
    X[:, 0] = 0.3 * X[:, 0] - Y.sum(axis=1)
    X[:, 1] = 0.3 * X[:, 1] + Y.sum(axis=1)
    ranking = make(name).fit(X, Y).ranking_
    assert ranking[0] == place
    assert ranking[1] == 1
