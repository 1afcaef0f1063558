"""Information with each label given another, less the mean of that with the features taken.

Where labels are not known I(f;l) is of the rows of l, and the interaction of those of both labels.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from information_by_the_book import information, interaction

from ._scores import bins, steps
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    varying = [label for label in range(Y.shape[1]) if 0 < np.nanmean(Y[:, label]) < 1]
    pairs = list(permutations(varying, 2))
    given = [information(F[:, f], Y[:, i]) - interaction(F[:, f], Y[:, i], Y[:, j]) for i, j in pairs]
    of_pairs = sum(given) if pairs else relevance(F, Y, f, S)
    return of_pairs - (sum(information(F[:, f], F[:, s]) for s in S) / len(S) if S else 0)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
