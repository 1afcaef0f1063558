"""Criteria of information theory against their definitions, SciPy, scikit-learn and each other."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import definitions
import information_by_the_book as book
import numpy as np
import pytest
import scipy.sparse as sp
from definitions._scores import steps
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.metrics import normalized_mutual_info_score

import mlreduce
from mlreduce.exceptions import DataError, DegenerateWarning
from mlreduce.selection import FIMF, PPTMI, ELAChi2, PPTChi2
from mlreduce.selection.greedy import Information
from mlreduce.selection.information import Counted, Pairs, mutual_information

#: By the function `criterion` of the definition of each.
CRITERIA = {name: getattr(definitions.load(name), "criterion", None) for name in definitions.methods("selection")}
NAMES = [name for name, criterion in CRITERIA.items() if criterion and name != "pmu"]
PRUNING = ["ppt-chi2", "ppt-mi"]

every = pytest.mark.parametrize("name", NAMES)


def problem(n=60, d=7, q=3, seed=0, n_bins=3):
    rng = np.random.default_rng(seed)
    F = rng.integers(n_bins, size=(n, d))
    F[:, -1] = np.where(rng.random(n) < 0.8, F[:, 0], F[:, -1])
    return F, (F @ rng.standard_normal((d, q)) + rng.standard_normal((n, q)) > 1).astype(int)


def fit(name, F, Y, k=None, **parameters):
    return definitions.make(name, k=k, discretise=None, **parameters).fit(F, Y)


@pytest.mark.filterwarnings("ignore:.* leaves out .* label sets:mlreduce.exceptions.DegenerateWarning")
@every
@given(
    n=st.integers(1, 25), d=st.integers(1, 5), q=st.integers(1, 4), n_bins=st.integers(1, 4),
    seed=st.integers(0, 10**6), data=st.data(),
)  # fmt: skip
@settings(max_examples=8)  # of each of the criteria, in one loop of steps
def test_every_step_matches_the_reference(name, n, d, q, n_bins, seed, data):
    F, Y = problem(n, d, q, seed, n_bins)
    own = {"min_count": data.draw(st.integers(1, 3))} if name in PRUNING else {}
    if own:
        assume(len(set(book.pruned(F, Y, **own)[1])) > 1)
    number = data.draw(st.integers(1, d))
    criterion = partial(CRITERIA[name], **own)
    steps(F, Y, fit(name, F, Y, number, **own), criterion, criterion if name == "ppt-mi" else None)


@every
def test_features_are_put_into_bins(name):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 6))
    Y = (X[:, :2] > 0).astype(int)
    bins = mlreduce.preprocessing.discretisation.Discretiser("equal-frequency", 4).fit_transform(X)
    expected = fit(name, bins, Y)
    for form in (np.asarray, sp.csr_array):
        fitted = mlreduce.make(name, k=None, discretise="equal-frequency", n_bins=4).fit(form(X), Y)
        np.testing.assert_array_equal(fitted.gains_, expected.gains_)


@every
def test_a_label_that_nobody_or_everybody_has_adds_nothing(name):
    F, Y = problem(n=150, seed=3)
    more = np.column_stack([np.zeros(150, dtype=int), Y, np.ones(150, dtype=int)])
    np.testing.assert_allclose(fit(name, F, more).gains_, fit(name, F, Y).gains_, atol=1e-9)
    if name == "lrfs":  # beside a label that is constant I(f;l|l') is I(f;l)
        expected = fit(name, F, Y, 1).gains_ + 2 * fit("mim", F, Y).gains_
        np.testing.assert_allclose(fit(name, F, more, 1, others="all").gains_, expected, atol=1e-9)


def test_a_parity_is_a_supplement_by_hand():
    """Beside l' = f xor l the feature tells all of l, log 2, and alone nothing; once in each order."""
    F = np.array([[0], [0], [1], [1]])
    Y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    assert fit("mim", F, Y).gains_ == 0
    assert fit("lsmfs", F, Y).gains_ == pytest.approx(2 * np.log(2))
    assert fit("mlsmfs", F, Y).gains_ == pytest.approx(np.log(2))

    assert fit("lsmfs", F, Y, supplement="redundancy").gains_ == 0
    assert fit("mlsmfs", F, Y, supplement="conditional").gains_ == pytest.approx(np.log(2))


@pytest.mark.parametrize(("name", "supplement"), [("lsmfs", "redundancy"), ("mlsmfs", "conditional")])
def test_supplements_of_a_public_code_match_the_reference(name, supplement):
    F, Y = problem(q=4, seed=8)
    pairs = list(permutations(range(4), 2))
    for f, gain in enumerate(fit(name, F, Y, 1, supplement=supplement).gains_):
        given = [book.conditional(F[:, f], Y[:, i], Y[:, j]) for i, j in pairs]
        alone = [book.information(F[:, f], Y[:, i]) for i, _ in pairs]
        added = sum(max(0, a - g) for a, g in zip(alone, given, strict=True)) if name == "lsmfs" else max(given)
        assert gain == pytest.approx(CRITERIA["mim"](F, Y, f, []) + added)
    constant = np.column_stack([Y, np.ones(len(Y), dtype=int)])
    with_constant, without = (fit(name, F, each, supplement=supplement).gains_ for each in (constant, Y))
    np.testing.assert_allclose(with_constant, without, atol=1e-9)
    with pytest.raises(DataError, match="supplement must be 'gain' or "):
        fit(name, F, Y, supplement="none")


@pytest.mark.parametrize("n_labels", [2, 3])
def test_fimf_counts_pairs_of_the_least_predictable_labels(n_labels):
    F, Y = problem(q=5, seed=10)
    expected = [CRITERIA["fimf"](F, Y, f, [], n_labels) for f in range(7)]
    np.testing.assert_allclose(fit("fimf", F, Y, n_labels=n_labels).gains_, expected, atol=1e-9)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(DataError, match="n_labels must be an integer >= 1"):
            FIMF(n_labels=wrong).fit(F, Y)


def test_igmf_is_normalised_information_of_scikit_learn():
    F, Y = problem(seed=11)
    sets = book.as_one(*Y.T)
    theirs = [normalized_mutual_info_score(sets, f, average_method="arithmetic") for f in F.T]
    np.testing.assert_allclose(fit("igmf", F, Y).gains_, theirs, atol=1e-9)


def test_one_label_each_makes_ela_the_chi_square_of_classes():
    F, Y = problem(n=200, q=4, seed=12)
    single = np.eye(4, dtype=int)[Y @ [1, 2, 3, 4] % 4]
    expected = PPTChi2(discretise=None, min_count=1).fit(F, single).gains_
    ours = ELAChi2(discretise=None).fit(F, single)
    np.testing.assert_allclose(ours.scores_, expected, atol=1e-8)
    some = np.vstack([single, np.zeros((3, 4), dtype=int)])  # instances without labels do not count
    np.testing.assert_allclose(ELAChi2(discretise=None).fit(np.vstack([F, F[:3]]), some).scores_, expected, atol=1e-8)
    assert not ELAChi2(discretise=None).fit(F, np.zeros_like(single)).scores_.any()


def test_chi_square_is_that_of_scipy():
    F, Y = problem(n=200, seed=12)
    rows, classes = book.pruned(F, Y, 6)
    theirs = [
        chi2_contingency(
            np.array([[np.sum((f == b) & (classes == c)) for c in set(classes)] for b in set(f)])
        ).statistic
        for f in rows.T
    ]
    np.testing.assert_allclose(PPTChi2(discretise=None).fit(F, Y).gains_, theirs, atol=1e-8)


@pytest.mark.parametrize("name", PRUNING)
def test_rare_label_sets_are_left_out(name):
    F, Y = problem(n=200, q=4, seed=13)
    sets = book.as_one(*Y.T)
    often = np.bincount(sets)[sets] >= 9
    assert 0 < often.sum() < 200
    own, without = fit(name, F, Y, min_count=9), fit(name, F[often], Y[often], min_count=1)
    np.testing.assert_array_equal(own.gains_, without.gains_)
    assert not np.array_equal(own.gains_, fit(name, F, Y, min_count=1).gains_)
    assert (own.n_pruned_, without.n_pruned_) == (200 - often.sum(), 0)


@pytest.mark.parametrize("name", PRUNING)
def test_it_says_where_most_instances_are_left_out(name):
    F, Y = problem(n=200, q=6, seed=13)
    sizes = np.bincount(book.as_one(*Y.T))
    most = int(np.sort(sizes)[-2])  # two sets are left
    left_out = int(sizes[sizes < most].sum())
    assert 2 * left_out > 200
    with pytest.warns(DegenerateWarning, match=f"leaves out {left_out} of 200 instances.* min_count={most}"):
        assert fit(name, F, Y, min_count=most).n_pruned_ == left_out


def test_features_that_add_nothing_follow_by_their_own_information():
    """Feature 0 is the label set; what is left adds nothing to it."""
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=200)
    F = np.column_stack([label, rng.integers(2, size=(200, 2)), np.where(rng.random(200) < 0.8, label, 1 - label)])
    fitted = PPTMI(k=None, discretise=None).fit(F, label)
    own = mutual_information(F, label[:, None])[:, 0]
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), np.argsort(-own))
    assert len(set(fitted.gains_)) == 1


@pytest.mark.parametrize("name", PRUNING)
def test_label_sets_pruned_to_nothing_are_refused(name):
    F, Y = problem(n=12)
    with pytest.raises(DataError, match=r"0 of \d+ label sets occur min_count=13 times or more among n_samples=12"):
        fit(name, F, Y, min_count=13)
    with pytest.raises(
        DataError, match=r"1 of 1 label sets .* the commonest 12 times; two must be left: take a smaller"
    ):
        fit(name, F, np.ones_like(Y))
    for wrong in (0, 1.5, None, True):
        with pytest.raises(DataError, match="min_count must be an integer >= 1"):
            fit(name, F, Y, min_count=wrong)


@given(st.integers(1, 25), st.integers(1, 6), st.integers(1, 4), st.integers(0, 10**6), st.booleans())
def test_pairs_one_at_a_time_are_those_of_all_pairs(n, d, n_bins, seed, dense):
    F, _ = problem(n, d, seed=seed, n_bins=n_bins)
    counted = Counted.from_bins(F)
    if not dense:
        counted = Counted(sp.csr_array(counted.ones), counted.starts)
    ours = np.array([Pairs(counted).of(variable) for variable in range(d)]) / n
    np.testing.assert_allclose(ours, mutual_information(F), atol=1e-12)


def test_informations_are_those_of_the_pairs():
    F, Y = problem(seed=14)
    known, others = Information(F, Y), np.array([4, 1, 5])
    np.testing.assert_allclose(known.relevances, mutual_information(F, Y), atol=1e-12)
    np.testing.assert_allclose(known.shared(2, others), mutual_information(F)[2, others], atol=1e-12)
    np.testing.assert_allclose(known.interactions(2, others).sum(axis=1), known.interaction(2, others), atol=1e-12)


# Why defaults may be no better than random features


@pytest.mark.parametrize(("name", "informative"), [("d2f", 2), ("pmu", 2), ("mrmr", 6), ("jmi", 6), ("cmim", 6)])
def test_redundancy_that_is_summed_and_not_averaged_prefers_noise(name, informative):
    """Six features that agree with the label in nine of ten instances, and six that know nothing of it."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=(300, 1))
    F = np.column_stack([np.where(rng.random((300, 6)) < 0.9, y, 1 - y), rng.integers(2, size=(300, 6))])
    assert np.count_nonzero(fit(name, F, y, 6).ranking_[:6] <= 6) == informative
