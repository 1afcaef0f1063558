from __future__ import annotations

import pandas as pd
import pytest

from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce.evaluation.splitting import fold_rows, random_orders


@pytest.fixture(scope="session")
def data():
    return planted(n_samples=90, n_features=10, n_labels=5, n_latent=2, n_distractors=2).data


@pytest.fixture(scope="session")
def study(data):
    """The data set and three of its six folds."""
    order = random_orders(90, 1, 7, "planted")[0]
    return data, {fold: fold_rows(order, 6, fold) for fold in range(3)}


@pytest.fixture
def check_order_and_batches():
    def check(run, methods, order):
        """Check that scores do not depend on the order of methods and splits, nor on which are together in a run.

        ``run`` takes methods and the numbers of splits and returns scores.
        """
        together = run(methods, sorted(order))
        pd.testing.assert_frame_equal(together, run(dict(reversed(methods.items())), order), check_exact=True)
        parts = pd.concat([run({label: methods[label]}, [number]) for number in order for label in methods])
        parts = parts.sort_values(list(SCORE_COLUMNS[:-1]), ignore_index=True)
        pd.testing.assert_frame_equal(together, parts, check_exact=True)

    return check
