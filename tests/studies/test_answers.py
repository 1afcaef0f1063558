"""The answers of the benchmark, on planted pieces whose right answers are known, in both directions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mlreduce.methods.evidence import Traits
from mlreduce.stats.ranking import CONTROLS, rank
from mlreduce_studies.benchmark import answers as said
from mlreduce_studies.benchmark.pieces import PIECE_COLUMNS, Piece, Pieces
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.scores import SETS, summary_of
from mlreduce_studies.gathering.held_out import advice_pays, leave_one_out, rates

PROJECT = Path(__file__).parents[2]
MEASURE = "average-precision"
PREDICTORS = {"selectors": ("ridge", "ml-knn"), "projections": ("ridge", "ml-knn"), "coders": ("ridge", "3-nn")}
#: How much better methods are than none in one world; in the other as much worse. Those of TUNED are searched.
GAINS = {
    "selectors": {"mim": -0.06, "cmim": -0.04, "lasso-multitask": -0.05},
    "projections": {"mddmf": 0.06, "rcca": 0.04, "pca": 0.03},
    "coders": {"faie": 0.03, "cplst": 0.02, "plst": 0.025},
}
TUNED = ("lasso-multitask", "mddmf", "rcca", "faie")
WHOLE = {"selectors": "all-features", "projections": "all-features", "coders": "br"}
ORDER = {"mddmf": 1.0, "rcca": 2.0, "pca": 3.0}


@pytest.fixture(scope="module", autouse=True)
def few_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(said, "SAMPLES", 2000)
        patch.setattr(said, "_RESAMPLES", 400)
        yield


@pytest.fixture(scope="module")
def protocol():
    return Protocol(PROJECT)


@pytest.fixture(scope="module")
def sets():
    return pd.read_csv(PROJECT / SETS)


def table(family, traits, sign, candidates, rng):
    """A piece: projections gain with the number of features, where they gain; seconds and sizes do not matter."""
    rows, labels = [], traits["labels"]
    of_set = np.sin(traits["features"]) / 10  # how hard it is
    for method, gain in GAINS[family].items():
        own = 0.5 + sign * gain + rng.normal(0, 0.002)
        if family == "projections" and sign > 0:
            own += 0.01 * np.log(traits["features"] / 500)
        own -= 0.03 * (sign > 0 and method in TUNED and candidates < 20)
        sizes = [(10, 0), (20, 0), *([(0, 8)] if labels >= 8 else [])]
        rows += [(method, p, n, predictor, own) for p, n in sizes for predictor in PREDICTORS[family]]
    rows += [(WHOLE[family], 100, 0, predictor, 0.5) for predictor in PREDICTORS[family]]
    if labels == 14:  # as where the number of the labels is one of the sizes: no reduction
        rows += [(WHOLE[family], 0, labels, predictor, 0.5) for predictor in PREDICTORS[family]]
    rows.append(("majority-labels", 100, 0, "majority", 0.2))
    made = pd.DataFrame(rows, columns=["method", "percent", "number", "predictor", "value"])
    folds = [made.assign(fold=fold, value=made["value"] + of_set + noise) for fold, noise in ((0, 0.01), (1, -0.01))]
    return pd.concat(folds).assign(size=1, measure=MEASURE, seconds=1.0, megabytes=1.0, status="ok")[
        list(PIECE_COLUMNS)
    ]


class Planted(Pieces):
    """Pieces that are in no file."""

    def __init__(self, tables):
        self.tables = tables

    def listed(self):
        return [*self.tables]

    def read(self, piece):
        return self.tables[piece].assign(study=piece.study, dataset=piece.dataset, candidates=piece.candidates)


def world(protocol, sets, sign):
    tables, rng = {}, np.random.default_rng(0)
    described = sets.set_index("dataset")
    for name in protocol.datasets[::3]:
        for candidates, own in protocol.budgets.items():
            for family in GAINS if name in own else ():
                piece = Piece(f"benchmark-{family}", name, candidates, 0, 0, "", "")
                tables[piece] = table(family, described.loc[name], sign, candidates, rng)
    speed = pd.DataFrame(
        [(name, "ridge", codes, 1.0 + codes / 8) for name in ("flags", "birds") for codes in (0, 8)],
        columns=["dataset", "predictor", "codes", "seconds"],
    )
    return said.Evidence(protocol, Planted(tables), sets, {"a paper": ("projection", ORDER)}, speed)


@pytest.fixture(scope="module")
def better(protocol, sets):
    return world(protocol, sets, 1)


@pytest.fixture(scope="module")
def worse(protocol, sets):
    return world(protocol, sets, -1)


# Reading


def test_cells_are_means_over_folds_and_the_majority_stands_beside_all(better):
    cells = better.cells("projection", MEASURE)
    own = cells[cells["dataset"] == "chd49"].pivot(index=["method", "size"], columns="predictor", values="value")
    assert own.loc[("majority-labels", 100)].nunique() == 1
    base = own.loc[("all-features", 100), "ridge"]
    assert base - own.loc[("majority-labels", 100), "ridge"] == pytest.approx(0.3, abs=1e-5)
    assert own.loc[("mddmf", 10), "ridge"] - base == pytest.approx(0.06 + 0.01 * np.log(49 / 500), abs=0.01)


def test_a_cell_that_failed_on_a_fold_has_no_value(tmp_path, protocol, sets):
    pieces = Pieces(protocol, tmp_path)
    made = table("coders", sets.iloc[0], 1, 20, np.random.default_rng(0))
    failed = made["method"].eq("faie") & made["fold"].eq(1) & made["predictor"].eq("ridge")
    pieces.write("benchmark-coders", "birds", 20, made.assign(value=made["value"].mask(failed)))
    found = summary_of(pieces, protocol.studies()["benchmark-coders"], 20, [MEASURE])
    lost = found[found["mean"].isna()]
    assert set(lost["method"]) == {"faie"}
    assert set(lost["predictor"]) == {"ridge"}
    assert summary_of(pieces, protocol.studies()["benchmark-coders"], 5, [MEASURE]).empty


# The answers, both ways


def test_which_family_is_first(better, worse):
    own, other = (said.first_family(evidence, MEASURE) for evidence in (better, worse))
    assert own.numbers["first"]["projection"] == "mddmf"
    assert own.numbers["shares"] == {"projection": 1.0}
    assert own.sentences[0].startswith("A projection is first, in 100 % of resamples of the 14 data sets")
    # There the first selector is the one that loses most here.
    assert other.numbers["first"]["selector"] == "mim"
    assert other.sentences[0].startswith("A selector is first")


def test_no_family_is_first_for_certain_where_two_are_alike(protocol, sets, monkeypatch):
    monkeypatch.setitem(GAINS, "selectors", {"mim": 0.0})
    monkeypatch.setitem(GAINS, "projections", {"pca": 0.0})
    monkeypatch.setitem(GAINS, "coders", {"plst": 0.0})
    own = said.first_family(world(protocol, sets, -1), MEASURE)
    assert max(own.numbers["shares"].values()) < said.SURE
    assert own.sentences[0].startswith("No family is first for certain; most often it is a ")


def test_where_reduction_helps(better, worse):
    own, other = (said.where_features(evidence, MEASURE) for evidence in (better, worse))
    assert own.numbers["words"]["projection, ridge, 10"] == "helps"
    assert own.numbers["words"]["selector, ml-knn, 20"] == "costs"
    assert (
        "help here: projection with ridge (10, 20 %); projection with ml-knn (10, 20 %). They cost here: selector with"
        in (own.sentences[0])
    )
    assert other.numbers["words"]["projection, ridge, 10"] == "costs"
    assert other.numbers["words"]["selector, ml-knn, 20"] == "helps"
    labels, others = (said.where_labels(evidence, MEASURE) for evidence in (better, worse))
    assert labels.numbers["words"]["up to 25 labels, ridge, 8"] == "helps"
    assert others.numbers["words"]["up to 25 labels, ridge, 8"] == "costs"
    # 8 codes take twice as long as none.
    assert labels.numbers["speed"] == {"ridge, 8": 0.5}
    assert "0.5 (ridge, 8 codes) to 0.5 times" in labels.sentences[1]


def test_which_characteristics_decide(better, worse):
    own, other = (said.what_decides(evidence, MEASURE) for evidence in (better, worse))
    rho, low, _ = own.numbers["projection"]["features"]
    assert rho > 0.9
    assert low > 0.5
    assert any(
        text.startswith("A projection brings") and "more with more features (+" in text for text in own.sentences
    )
    assert any(text.startswith("Nothing measured decides what a projection brings") for text in other.sentences)
    number = len(better.protocol.datasets[::3])
    assert f"{number} data sets tell a single rank correlation from none beyond 0.53 only" in own.sentences[-1]


def test_how_much_tuning_matters(better, worse):
    own, other = (said.tuning(evidence, MEASURE) for evidence in (better, worse))
    _, low, high = own.numbers["projection 20"]
    assert low < 0.03 < high
    assert own.numbers["projection 5"][0] == pytest.approx(0, abs=0.003)
    assert "Tuning matters, by more than 0.01, for projections" in " ".join(own.sentences)
    assert "Tuning matters little, by less than 0.01, for projections" in " ".join(other.sentences)
    assert other.numbers["projection 20"][0] == pytest.approx(0, abs=0.003)


def test_which_papers_ranking_survives(better, worse):
    own, other = (said.papers(evidence, MEASURE) for evidence in (better, worse))
    assert own.numbers["a paper"]["tau"] == 1
    assert own.sentences == ["The order of methods survives: a paper (3 methods, +1.00, +1.00 to +1.00)."]
    assert other.numbers["a paper"]["tau"] == -1
    assert other.sentences[0].startswith("The order of methods is reversed: a paper")
    better.orders = {"a paper": ("projection", {"mddmf": 1.0, "gone": 2.0})}
    assert said.papers(better, MEASURE).sentences == ["Fewer than three methods are shared with a paper."]


def test_how_many_data_sets_a_comparison_needs(better):
    own = said.how_many(better, MEASURE)
    # Differences of neighbours differ by 0.003 between data sets: the fewest tell 0.01 apart.
    assert own.numbers["projection"]["needed"] == min(said.NUMBERS)
    assert own.sentences[0].startswith("Two selectors that differ by 0.01 are told apart")


def test_answers_are_written_as_json(better):
    better.orders = {"a paper": ("projection", ORDER)}
    found = said.answers(better, [MEASURE])
    assert list(found) == list(said.QUESTIONS)
    for by in found.values():
        (own,) = by.values()
        assert own.sentences
        assert all(text.endswith(".") for text in own.sentences)
        assert json.loads(json.dumps(own.numbers, default=float))
        assert own.table is None or all(len(row) == len(own.table[0]) for row in own.table[1])


# What they are made of


@pytest.mark.parametrize(
    ("mean", "word"), [(0.03, "helps"), (-0.03, "costs"), (0.0, "changes nothing"), (0.01, "undecided")]
)
def test_words_follow_from_the_differences(mean, word):
    assert said.verdict(mean + 0.004 * stats.norm.ppf(np.linspace(0.02, 0.98, 30))) == word


def test_what_is_chosen_is_chosen_elsewhere():
    """A method that is best on a single data set by luck is not chosen there."""
    own = pd.DataFrame({"steady": [0.1, 0.1, 0.1], "lucky": [0.9, 0.0, 0.0], "fails": [np.nan] * 3}, index=list("abc"))
    assert said.chosen_elsewhere(own).to_dict() == {"a": 0.1, "b": 0.0, "c": 0.0}


@pytest.mark.parametrize(("spread", "number"), [(0.02, 20), (0.02, 40), (0.05, 40)])
def test_power_is_that_of_the_t_test(spread, number):
    values = spread * stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    noncentral = said.MARGIN * np.sqrt(number) / spread
    expected = stats.nct.sf(stats.t.ppf(0.975, number - 1), number - 1, noncentral)
    assert said.power(values, number) == pytest.approx(expected, abs=0.1)


def test_intervals_of_correlations_and_orders():
    rng = np.random.default_rng(1)
    one = rng.normal(size=40)
    for sign in (1, -1):
        rho, low, high = said.rank_interval(one, sign * one + 0.3 * rng.normal(size=40), 0.95)
        assert rho == pytest.approx(sign * abs(rho))
        assert low < rho < high
        assert low * high > 0
    two = rng.normal(size=40)
    assert said.rank_interval(one, two, 0.95)[0] == pytest.approx(stats.spearmanr(one, two)[0])
    order, ranks = rng.normal(size=6), rng.normal(size=(9, 6))
    assert said.order_interval(order, ranks)[0] == pytest.approx(stats.kendalltau(order, ranks.mean(axis=0))[0])
    limit = said.smallest_correlation(40)
    t = limit * np.sqrt(38 / (1 - limit**2))
    assert 2 * stats.t.sf(t, 38) == pytest.approx(0.05)


# Data sets left out


def ranking(values):
    """Means by data set and method, as cells of one size."""
    cells = [(name, method, 10, own) for name, row in values.items() for method, own in row.items()]
    return rank(pd.DataFrame(cells, columns=["dataset", "method", "size", "value"]), True)


def planted(groups, each, alike):
    """Data sets of some groups, in each of which another method is the best; those of a group are alike, or not."""
    values, traits = {}, {}
    for group in range(groups):
        for number in range(each):
            name = f"{group}-{number}"
            values[name] = {f"m{own}": 0.9 if own == group else 0.5 - 0.03 * own for own in range(groups)}
            values[name] |= {"all-features": 0.95}
            size = 100 * 4 ** (group if alike else number)
            traits[name] = Traits(size, size, 10)
    return ranking(values), traits


def test_advice_by_likeness_is_taken_where_it_is_better():
    for alike in (True, False):
        made, traits = planted(5, 6, alike)
        found = leave_one_out(made, True, traits)
        assert advice_pays(found) == alike
        assert found["random"].tolist() == [pytest.approx(3 / 5)] * 30
        assert (rates(found)["weighted"] == 1) == alike


def test_controls_are_neither_named_nor_the_best_unless_they_are_asked_for():
    made, traits = planted(5, 6, True)
    with_them = leave_one_out(made, True, traits, ())
    assert (with_them["fixed"] == 1).all()
    assert with_them["random"].tolist() == [pytest.approx(3 / 6)] * 30
    assert "all-features" in CONTROLS


def test_a_loss_is_turned_around():
    made, traits = planted(3, 4, True)
    losses = {name: {m: 1 - made.by_set["mean"].loc[name, m] for m in made.by_set["mean"]} for name in made.data_sets}
    cells = [(name, m, 10, own) for name, row in losses.items() for m, own in row.items()]
    turned = rank(pd.DataFrame(cells, columns=["dataset", "method", "size", "value"]), False)
    pd.testing.assert_frame_equal(leave_one_out(turned, False, traits), leave_one_out(made, True, traits))
