from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce.exceptions import DataError
from mlreduce_studies.gathering.areas import area_scores, averaged_draws

COLUMNS = ["study", "protocol", *SCORE_COLUMNS]


def curve(values, percents=(10, 20, 50, 90), method="a", split=0, dataset="d", measure="hamming-loss", **same):
    common = {
        **{"study": "s", "protocol": "p", "parameters": f"of {method}", "predictor": "r", "energy": 0.0},
        **{"dataset": dataset, "method": method, "split": split, "measure": measure},
        **same,
    }
    rows = [
        common | {"size_percent": p, "size": max(1, p // 10), "value": v} for p, v in zip(percents, values, strict=True)
    ]
    return pd.DataFrame(rows)[COLUMNS]


def area(table):
    (value,) = area_scores(table)["value"]
    return value


def test_the_area_is_that_of_trapezoids_over_the_width():
    assert area(curve([0.1, 0.3, 0.6, 0.2])) == pytest.approx((10 * 0.2 + 30 * 0.45 + 40 * 0.4) / 80)
    assert area(curve([0.4] * 4)) == pytest.approx(0.4)
    assert area(curve([0.2, 0.4], (10, 11))) == pytest.approx(0.3)


def test_all_features_count_only_alone():
    assert area(curve([0.4, 0.4, 9.0], (10, 20, 100))) == pytest.approx(0.4)
    assert area(curve([0.3, 9.0], (50, 100))) == 0.3
    assert area(curve([0.7], (100,))) == 0.7
    assert area(curve([0.6], (20,))) == 0.6


def test_rows_that_are_no_percentage_are_left_out():
    others = [curve([9.0], (20,), energy=0.9), curve([9.0], (0,)), curve([9.0], (0,), energy=0.99)]
    assert area(pd.concat([*others, curve([0.4] * 4)])) == pytest.approx(0.4)
    nothing = area_scores(pd.concat(others))
    assert list(nothing.columns) == COLUMNS
    assert nothing.empty


def many(seed=0):
    rng = np.random.default_rng(seed)
    keys = itertools.product("ab", "de", ("r", "q"), ("hamming-loss", "instance-f1"), range(3))
    return pd.concat(
        curve(rng.random(4), method=m, dataset=d, predictor=p, measure=measure, split=split)
        for m, d, p, measure, split in keys
    )


def test_curves_are_not_mixed_in_any_order():
    scores = many()
    areas = area_scores(scores)
    assert list(areas.columns) == COLUMNS
    assert len(areas) == 2 * 2 * 2 * 2 * 3
    assert (areas["size_percent"].eq(0) & areas["energy"].eq(0) & areas["size"].eq(0)).all()
    for row in areas.to_dict("records"):
        keys = ["dataset", "method", "predictor", "measure", "split"]
        own = scores[(scores[keys] == [row[key] for key in keys]).all(axis=1)]
        expected = np.trapezoid(own["value"], own["size_percent"]) / 80
        assert row["value"] == pytest.approx(expected, rel=1e-14)
        assert row["parameters"] == f"of {row['method']}"
    pd.testing.assert_frame_equal(area_scores(scores.sample(frac=1, random_state=1)), areas)


def test_an_undefined_value_makes_its_area_undefined():
    first = curve([np.nan, 0.1, 0.1, 0.1])
    areas = area_scores(pd.concat([first, curve([0.2] * 4, split=1), curve([0.1] * 3 + [np.nan], split=2)]))
    assert areas["value"].isna().tolist() == [True, False, True]
    assert areas["value"][1] == pytest.approx(0.2)


@pytest.mark.parametrize(
    "other", [curve([0.1] * 3, (10, 20, 50), split=1), curve([0.1] * 5, (10, 20, 20, 50, 90), split=1)]
)
def test_splits_that_are_not_measured_alike_are_named(other):
    with pytest.raises(DataError, match="split 1 of method 'a' on data set 'd' is not measured at the same"):
        area_scores(pd.concat([curve([0.1] * 4), other, curve([0.1] * 4, split=2)]))


DRAWS = ["a-0", "a-1"]


def drawn():
    return pd.concat(
        curve(np.array([0.1, 0.2, 0.3, 0.4]) + offset + 0.01 * split, method=m, split=split)
        for (m, offset), split in itertools.product({"a-0": 0.0, "a-1": 0.2, "b": 0.5}.items(), range(2))
    )


def test_draws_are_averaged_split_by_split():
    scores = drawn().reset_index(drop=True)
    both = averaged_draws(scores, {"a": DRAWS, "absent": ["absent-0"]})
    pd.testing.assert_frame_equal(both.iloc[: len(scores)], scores)
    means = both.iloc[len(scores) :]
    assert list(both.columns) == COLUMNS
    assert both.dtypes.equals(scores.dtypes)
    assert means["method"].eq("a").all()
    assert means["parameters"].eq("of a-0").all()
    for split in range(2):
        own = means[means["split"] == split].sort_values("size_percent")
        assert own["value"].to_numpy() == pytest.approx(np.array([0.2, 0.3, 0.4, 0.5]) + 0.01 * split)
        assert own["size"].tolist() == [1, 2, 5, 9]


def test_a_missing_draw_is_named():
    scores = drawn()
    gone = scores[(scores["method"] != "a-1") | (scores["split"] != 1)]
    message = r"draw 'a-1' is missing in split 1 on data set 'd' with r \(p, 10 %, hamming-loss\); the mean for 'a'"
    with pytest.raises(DataError, match=message):
        averaged_draws(gone, {"a": DRAWS})
    with pytest.raises(DataError, match="draw 'a-2' is missing in split 0"):
        averaged_draws(scores, {"a": [*DRAWS, "a-2"]})


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(DataError, match="'b' has scores"):
        averaged_draws(drawn(), {"b": DRAWS})
