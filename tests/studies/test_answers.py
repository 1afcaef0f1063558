"""The scores and answers of the benchmark, on planted pieces whose right answers are known, in both directions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mlreduce.methods.evidence import Traits
from mlreduce.stats.ranking import CONTROLS, rank
from mlreduce_studies.benchmark import answers as said
from mlreduce_studies.benchmark.pieces import PIECE_COLUMNS, Piece
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.scores import CHOICES, CHOSEN, MAJORITY, SETS, Scores, groups_of, sized, whole_size
from mlreduce_studies.gathering.held_out import advice_pays, leave_one_out, rates

PROJECT = Path(__file__).parents[2]
MEASURE = "average-precision"
PREDICTORS = {"selectors": ("ridge", "ml-knn"), "projections": ("ridge", "ml-knn"), "coders": ("ridge", "k-nn")}
#: How much better methods are than none in one world; in the other as much worse. Those of TUNED are searched.
GAINS = {
    "selectors": {"mim": -0.06, "cmim": -0.04, "lasso-multitask": -0.05},
    "projections": {"mddmf": 0.08, "rcca": 0.06, "pca": 0.025},
    "coders": {"faie": 0.05, "cplst": 0.02, "plst": 0.025},
}
TUNED = ("mim", "cmim", "lasso-multitask", "mddmf", "rcca", "faie")
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
    """A piece: projections gain with the number of features, where they gain."""
    rows, full = [], int(traits["labels" if family == "coders" else "features"])
    of_set = np.sin(traits["features"]) / 10  # how hard it is
    for method, gain in GAINS[family].items():
        if candidates > 1 and method not in TUNED:
            continue
        own = 0.5 + sign * gain + rng.normal(0, 0.002)
        if family == "projections" and sign > 0:
            own += 0.01 * np.log(traits["features"] / 500)
        own -= 0.02 * (sign > 0 and method in TUNED and candidates == 1)
        sizes = [(0, number) for number in (2, 8, 128)] + [(100, 0)]
        sizes += [(10, 0)] if family == "selectors" else []
        for percent, number in sizes:
            size = number or percent * full // 100
            rows += [(method, percent, number, min(size, full), predictor, own) for predictor in PREDICTORS[family]]
    if candidates == 1:
        rows += [(WHOLE[family], 100, 0, full, predictor, 0.5) for predictor in PREDICTORS[family]]
        rows.append((MAJORITY, 100, 0, full, "majority", 0.2))
    made = pd.DataFrame(rows, columns=["method", "percent", "number", "size", "predictor", "value"])
    folds = [made.assign(fold=fold, value=made["value"] + of_set + noise) for fold, noise in ((0, 0.01), (1, -0.01))]
    both = pd.concat(folds, ignore_index=True)
    return both.assign(measure=MEASURE, seconds=1.0, megabytes=1.0, status="ok", warnings="", at_edge="")[
        [*PIECE_COLUMNS, "warnings", "at_edge"]
    ]


class Planted:
    """Pieces that are in no file."""

    def __init__(self, tables, folder):
        self.tables, self.folder = tables, folder

    def listed(self):
        return [*self.tables]

    def read(self, piece):
        return self.tables[piece].assign(study=piece.study, dataset=piece.dataset, candidates=piece.candidates)


def world(protocol, sets, sign, folder):
    tables, rng = {}, np.random.default_rng(0)
    described = sets.set_index("dataset")
    for name in protocol.datasets[::2]:
        for candidates in (1, protocol.candidates):
            for family in GAINS:
                piece = Piece(f"benchmark-2-{family}", name, candidates, 0, 0, "", "")
                tables[piece] = table(family, described.loc[name], sign, candidates, rng)
    choices = [
        (family, name, fold, MEASURE, "ml-knn" if fold else "ridge")
        for family in ("selection", "projection")
        for name in protocol.datasets[::2]
        for fold in (0, 1)
    ]
    columns = ["family", "dataset", "fold", "measure", "predictor"]
    pd.DataFrame(choices, columns=columns).to_csv(folder / CHOICES, index=False)
    timed = [
        (name, "labelspace", "br" if not size else "plst", "ridge", size, 1.0 - size / 32, 0.5, 2.0 - size / 16)
        for name in ("flags", "birds")
        for size in (0, 16)
    ]
    columns = ["dataset", "family", "method", "predictor", "size", "seconds", "predict", "megabytes"]
    return said.Evidence(
        Scores(protocol, Planted(tables, folder)),
        sets,
        groups_of(PROJECT),
        {"a paper": ("projection", ORDER)},
        pd.DataFrame(timed, columns=columns),
    )


@pytest.fixture(scope="module")
def better(protocol, sets, tmp_path_factory):
    return world(protocol, sets, 1, tmp_path_factory.mktemp("better"))


@pytest.fixture(scope="module")
def worse(protocol, sets, tmp_path_factory):
    return world(protocol, sets, -1, tmp_path_factory.mktemp("worse"))


# Reading


def test_cells_are_means_over_folds_by_the_number_requested(better, sets):
    cells = better.scores.cells("selection", MEASURE)
    assert set(cells["predictor"]) == {"ridge", "ml-knn", CHOSEN}
    whole = cells[cells["method"].isin(["all-features", MAJORITY])]
    assert set(whole["size"]) == {0}
    known = sets.set_index("dataset")
    for name, own in cells[cells["method"] == "mim"].groupby("dataset"):
        number = int(known.loc[name, "features"])
        tenth = number // 10
        # A tenth may be one of the numbers; none reduces nothing.
        assert set(own["size"]) == {size for size in (2, 8, 128, tenth) if size < number}, name
    both = better.scores.folds("selection", MEASURE).groupby(["dataset", "method", "predictor", "size"])["value"].mean()
    for row in cells[cells["predictor"] == "ridge"].head(20).itertuples():
        assert row.value == pytest.approx(both[row.dataset, row.method, "ridge", row.size])
    assert set(better.predictors("selection", MEASURE)) == {"ridge", "ml-knn", CHOSEN}


def test_the_chosen_predictor_is_that_of_each_fold(better):
    folds = better.scores.folds("projection", MEASURE)
    keys = ["dataset", "method", "size", "fold"]
    by = {name: own.set_index(keys)["value"].sort_index() for name, own in folds.groupby("predictor")}
    for fold, predictor in ((0, "ridge"), (1, "ml-knn")):
        own, expected = (by[name].xs(fold, level="fold") for name in (CHOSEN, predictor))
        pd.testing.assert_series_equal(own, expected.reindex(own.index))
        assert len(own) == len(expected)


def test_a_cell_that_failed_on_a_fold_has_no_value_and_is_last(better):
    pieces = better.scores.pieces
    tables = dict(pieces.tables)
    piece = next(own for own in tables if own.study.endswith("projections") and own.candidates == 1)
    failed = (tables[piece]["method"] == "pca") & (tables[piece]["fold"] == 1)
    tables[piece] = tables[piece].assign(value=tables[piece]["value"].mask(failed))
    scores = Scores(better.scores.protocol, Planted(tables, pieces.folder))
    cells = scores.cells("projection", MEASURE).query("dataset == @piece.dataset and method == 'pca'")
    assert cells["value"].isna().sum() >= 2
    evidence = said.Evidence(scores, pd.read_csv(PROJECT / SETS), {}, {})
    gains = evidence.gains("projection", MEASURE, "ridge").loc[piece.dataset]
    assert (gains["pca"] == gains.min(axis=1)).all()


def test_tuned_cells_are_searched_where_there_are_parameters(better):
    defaults, tuned = (better.scores.cells("projection", MEASURE, tuned=own) for own in (False, True))
    keys = ["dataset", "method", "predictor", "size"]
    both = defaults.set_index(keys)["value"].to_frame("before").join(tuned.set_index(keys)["value"], how="outer")
    assert both.notna().all().all()
    change = (both["value"] - both["before"]).groupby("method").mean()
    assert change[["pca", "all-features"]].abs().max() == 0
    assert (change[["mddmf", "rcca"]] > 0.01).all()


def test_a_number_that_two_sizes_stand_for_is_there_once():
    rows = [
        ("mim", percent, number, size) for percent, number, size in ((10, 0, 2), (0, 2, 2), (0, 8, 8), (100, 0, 20))
    ]
    rows.append(("all-features", 100, 0, 20))
    piece = pd.DataFrame(rows, columns=["method", "percent", "number", "size"])
    piece = piece.assign(fold=0, predictor="ridge", measure=MEASURE, value=0.5)
    found = sized(piece, whole_size(piece))
    assert found[found["method"] == "mim"]["size"].tolist() == [2, 8]
    assert found[found["method"] == "all-features"]["size"].tolist() == [0]


def test_groups_are_of_data_sets_of_the_benchmark(protocol):
    groups = groups_of(PROJECT)
    assert set(groups) <= set(protocol.datasets)
    assert len(set(groups.values())) + len(set(protocol.datasets) - set(groups)) == 26


# Answers


def effects(answer, *parts):
    return {place: own for place, own in answer.numbers["effects"].items() if set(parts) <= set(place.split(", "))}


def test_whether_fewer_features_help(better, worse):
    helps, costs = (said.features(own, MEASURE) for own in (better, worse))
    for predictor in ("ridge", "ml-knn", CHOSEN):
        assert {own["word"] for own in effects(helps, "projection", predictor).values()} == {"helps"}
        assert {own["word"] for own in effects(helps, "selection", predictor).values()} == {"costs"}
        assert {own["word"] for own in effects(costs, "projection", predictor).values()} == {"costs"}
        assert {own["word"] for own in effects(costs, "selection", predictor).values()} == {"helps"}
    for own in (*effects(helps).values(), *effects(costs).values()):
        assert own["low"] < own["mean"] < own["high"]
        assert own["p"] < 0.01
    assert "With ridge regression, the best number of selected features is " in helps.sentences[0]
    assert re.search(r"The best number of directions of a projection is \d+: \+.*, helps\.$", helps.sentences[0])


def test_whether_codes_help(better, worse):
    helps, costs = (said.labels(own, MEASURE) for own in (better, worse))
    assert {own["word"] for own in effects(helps).values()} == {"helps"}
    assert {own["word"] for own in effects(costs).values()} == {"costs"}
    assert {row[1] for row in helps.table[1]} == {"ridge regression", "nearest neighbours"}
    assert helps.table[1][0][0] == "up to 25 labels"


def test_what_it_costs(better):
    answer = said.costs(better, MEASURE)
    (known,) = answer.numbers.values()
    assert known == {"seconds": 0.5, "predict": 1.0, "megabytes": 0.5, "quicker": 1.0, "slower": 0.0}
    assert "0.5 to 0.5 times as long as without reduction" in answer.sentences[0]


def test_how_many_suffice(better):
    answer = said.sizes(better, MEASURE)
    assert set(answer.numbers["projection, ridge"].values()) == {1.0}  # all sizes are alike
    assert answer.sentences[0].startswith(
        "For ridge regression, 2 features of a selector, 2 directions of a projection"
    )


def test_how_much_tuning_brings(better, worse):
    helps, same = (said.tuning(own, MEASURE) for own in (better, worse))
    for place, own in helps.numbers.items():
        assert own["word"] == "helps", place
        assert own["mean"] == pytest.approx(0.02, abs=0.003)
    assert {own["word"] for own in same.numbers.values()} == {"changes nothing"}


def test_which_characteristics_decide(better, worse):
    found, none = (said.characteristics(own, MEASURE) for own in (better, worse))
    assert found.numbers["projection, ridge"]["features"][1] > 0
    assert any(re.search("brings more for ridge regression with more .*features", one) for one in found.sentences)
    assert none.numbers["selector, ridge"]["features"][1] <= 0 <= none.numbers["selector, ridge"]["features"][2]


def test_which_paper_s_order_is_reproduced(better, worse):
    for own, sign in ((better, 1), (worse, -1)):
        known = said.papers(own, MEASURE).numbers["a paper, ridge"]
        assert known["tau"] == sign
        assert known["word"] == "undecided"  # of three methods a third of all orders is as far from none
        assert 0.2 < known["p"] < 0.5


def test_orders_by_chance_are_those_of_permutations():
    rng = np.random.default_rng(0)
    order, ranks = np.arange(7.0), np.arange(7.0)
    assert said.order_by_chance(order, ranks) < 0.01
    values = rng.permutation(7).astype(float)
    exact = stats.kendalltau(order, values, method="exact")
    assert said.order_by_chance(order, values) == pytest.approx(exact.pvalue, abs=0.1)
    assert said.kendall(order, values) == pytest.approx(exact.statistic)
    low_tau = said.order_interval(order, np.tile(values, (5, 1)))
    assert low_tau == pytest.approx((exact.statistic,) * 3)


def test_how_many_data_sets_a_comparison_needs(better):
    numbers = said.how_many(better, MEASURE).numbers
    for own in numbers.values():
        powers = list(own["power"].values())
        assert powers == sorted(powers)  # more data never have less power
        assert own["needed"] == next(number for number, share in own["power"].items() if share >= said.POWER)


@pytest.mark.parametrize(("spread", "number"), [(0.01, 10), (0.03, 40), (0.002, 5)])
def test_power_is_that_of_the_t_test(spread, number):
    rng = np.random.default_rng(0)
    drawn = rng.normal(0.01, spread, (20_000, number))
    found = (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05) & (drawn.mean(axis=1) > 0)
    assert said.power(spread, number) == pytest.approx(found.mean(), abs=0.02)


def test_answers_are_written_as_json(better):
    made = said.answers(better, [MEASURE])
    assert list(made) == list(said.QUESTIONS)
    for by in made.values():
        for own in by.values():
            written = {"sentences": own.sentences, "numbers": own.numbers, "table": own.table}
            assert own.sentences == json.loads(json.dumps(written))["sentences"] != []


@pytest.mark.parametrize(
    ("mean", "word"), [(0.1, "helps"), (-0.1, "costs"), (0.0, "changes nothing"), (0.01, "undecided")]
)
def test_words_follow_from_the_differences(mean, word):
    rng = np.random.default_rng(0)
    spread = 0.002 if word != "undecided" else 0.02
    values = pd.Series(mean + spread * rng.normal(size=30))
    effect = said.Effect.of(values)
    assert effect.word == word
    assert effect.groups == 30
    assert said.Effect.of(pd.Series([0.0] * 8)).p == 1
    assert f"{effect.mean:+.3f}" in str(effect)


def test_what_is_chosen_is_chosen_on_the_other_groups():
    table = pd.DataFrame({"a": [0.9, 0.9, 0.1, 0.1], "b": [0.5] * 4}, index=["w", "x", "y", "z"])
    alone = said.chosen_elsewhere(table, {})
    # By the others a is 0.37 on average for w and x, and 0.63 for y and z: b, and a.
    assert alone.tolist() == [0.5, 0.5, 0.1, 0.1]
    together = said.chosen_elsewhere(table.iloc[:3], {"w": "g", "x": "g"})
    assert together.tolist() == [0.5, 0.5, 0.1]


def test_correlations_have_intervals_that_include_them():
    rng = np.random.default_rng(0)
    one = rng.normal(size=40)
    for sign in (1, -1):
        rho, low, high = said.rank_interval(one, sign * one + 0.3 * rng.normal(size=40), 0.95)
        assert rho == pytest.approx(sign * abs(rho))
        assert low < rho < high
        assert low * high > 0
    two = rng.normal(size=40)
    assert said.rank_interval(one, two, 0.95)[0] == pytest.approx(stats.spearmanr(one, two)[0])


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


def test_related_data_sets_share_a_weight_and_are_left_out_together():
    made, traits = planted(3, 4, True)
    groups = {name: name[0] for name in made.data_sets}
    found = leave_one_out(made, True, traits, groups=groups, with_related=True)
    # Without the data sets of its group nothing shows which of three methods is best: all three are named.
    assert (found["fixed"] == 1).all()
    values = {
        "a": {"x": 0.9, "y": 0.5},
        "b": {"x": 0.9, "y": 0.5},
        "c": {"x": 0.5, "y": 0.9},
        "d": {"x": 0.5, "y": 0.8},
    }
    cells = [(name, method, 10, own) for name, row in values.items() for method, own in row.items()]
    cells = pd.DataFrame(cells, columns=["dataset", "method", "size", "value"])
    alone, together = rank(cells, True), rank(cells, True, groups={"a": "g", "b": "g"})
    assert alone.table["near"].to_dict() == {"y": 0.5, "x": 0.5}
    assert together.table["near"].round(6).to_dict() == {"y": 0.666667, "x": 0.333333}
    assert together.table["mean"]["y"] == pytest.approx((0.5 + 0.9 + 0.8) / 3)
    pd.testing.assert_frame_equal(alone.by_set["near"], together.by_set["near"])
