"""The library's statistics on cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statistics_cases import CASES

from mlreduce.exceptions import DataError
from mlreduce.stats.posterior import posterior
from mlreduce.stats.ranking import rank
from mlreduce.stats.ranks import critical_difference, friedman, rank_methods
from mlreduce.stats.tendency import signed_rank


def ranks(values, higher_is_better):
    return rank_methods(pd.DataFrame([values]), higher_is_better).iloc[0]


def posterior_and_regions(differences, test_share, margin):
    mean = posterior(np.array(differences, dtype=float), test_share)
    return [mean.mean, mean.scale, *mean.interval(), *mean.regions(margin)]


def ranking(sets, higher_is_better, margin):
    rows = [
        (f"d{d}", f"m{m}", size, np.nan if value is None else value)
        for d, settings in enumerate(sets)
        for size, values in enumerate(settings)
        for m, value in enumerate(values)
    ]
    cells = pd.DataFrame(rows, columns=["dataset", "method", "size", "value"])
    return rank(cells, higher_is_better, margin).table.sort_index()[["near", "rank", "won"]].to_numpy().ravel()


FUNCTIONS = {
    "ranking": ranking,
    "ranks": ranks,
    "friedman": lambda rows: friedman(pd.DataFrame(rows)),
    "critical difference": critical_difference,
    "posterior": posterior_and_regions,
    "signed rank": lambda differences, margin: signed_rank(np.array(differences, dtype=float), margin),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['function']}: {case['about']}")
def test_statistics_of_a_case(case):
    function, arguments, expected = (case[key] for key in ("function", "arguments", "expected"))
    if expected == "refused":
        with pytest.raises(DataError):
            FUNCTIONS[function](*arguments)
    else:
        wanted = np.array(expected, dtype=float)
        tolerance = case.get("tolerance", 1e-9)
        np.testing.assert_allclose(FUNCTIONS[function](*arguments), wanted, rtol=tolerance, atol=tolerance)
