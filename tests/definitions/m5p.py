"""M5' with every split tried and every regression solved anew, one tree for each target."""

from __future__ import annotations

import m5p_by_the_book as book
import numpy as np

from ._predictions import new_rows


def definition(X, Y, fitted):
    for output, y in enumerate(Y.T):
        root = book.fit(X, y)
        assert fitted.n_leaves_[output] == book.leaves(root)
        for rows in (X, new_rows(X)):
            predicted = fitted.predict(rows)[:, output]
            np.testing.assert_allclose(predicted, book.predict(root, rows), rtol=1e-9, atol=1e-9)
