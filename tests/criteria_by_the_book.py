"""Criteria of selectors by information, written down plainly: every term of every sum anew.

Slow, and what the fast ones must equal. F holds whole numbers and Y labels in {0, 1}; S is the list of features taken.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from information_by_the_book import entropy, information, interaction


def conditional(a, b, given):
    """I(a;b|given)."""
    return entropy(a, given) + entropy(b, given) - entropy(given) - entropy(a, b, given)


def as_one(*columns):
    """The variables as one, with a value for each combination that occurs."""
    return np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1].reshape(-1)


def mim(F, Y, f, S):
    return sum(information(F[:, f], y) for y in Y.T)


def mrmr(F, Y, f, S):
    return mim(F, Y, f, S) - (sum(information(F[:, f], F[:, s]) for s in S) / len(S) if S else 0)


def jmi(F, Y, f, S):
    if not S:
        return mim(F, Y, f, S)
    return sum(information(as_one(F[:, f], F[:, s]), y) for s in S for y in Y.T)


def cmim(F, Y, f, S):
    return sum(min([information(F[:, f], y), *(conditional(F[:, f], y, F[:, s]) for s in S)]) for y in Y.T)


def d2f(F, Y, f, S):
    return mim(F, Y, f, S) - sum(interaction(F[:, f], F[:, s], y) for s in S for y in Y.T)


def mdmr(F, Y, f, S):
    terms = [information(F[:, f], F[:, s]) - sum(conditional(F[:, f], y, F[:, s]) for y in Y.T) for s in S]
    return mim(F, Y, f, S) - (sum(terms) / len(S) if S else 0)


def scls(F, Y, f, S):
    own = entropy(F[:, f])
    return (1 - sum(information(F[:, f], F[:, s]) for s in S) / own) * mim(F, Y, f, S) if own > 0 else 0


def lrfs(F, Y, f, S):
    pairs = list(permutations(range(Y.shape[1]), 2))
    relevance = sum(conditional(F[:, f], Y[:, i], Y[:, j]) for i, j in pairs) if pairs else mim(F, Y, f, S)
    return relevance - (sum(information(F[:, f], F[:, s]) for s in S) / len(S) if S else 0)


def supplements(F, Y, f):
    pairs = permutations(range(Y.shape[1]), 2)
    return [max(0, conditional(F[:, f], Y[:, i], Y[:, j]) - information(F[:, f], Y[:, i])) for i, j in pairs]


def lsmfs(F, Y, f, S):
    return mim(F, Y, f, S) + sum(supplements(F, Y, f)) - sum(information(F[:, f], F[:, s]) for s in S)


def mlsmfs(F, Y, f, S):
    return mim(F, Y, f, S) + max(supplements(F, Y, f), default=0) - sum(information(F[:, f], F[:, s]) for s in S)


def fimf(F, Y, f, S, n_labels=10):
    uncertain = sorted(range(Y.shape[1]), key=lambda label: (-round(entropy(Y[:, label]), 12), label))[:n_labels]
    return mim(F, Y, f, S) - sum(interaction(F[:, f], Y[:, i], Y[:, j]) for i, j in combinations(uncertain, 2))


def igmf(F, Y, f, S):
    sets = as_one(*Y.T)
    both = entropy(F[:, f]) + entropy(sets)
    return 2 * information(F[:, f], sets) / both if both > 0 else 0


def pruned(F, Y, min_count):
    """Features and classes of the instances whose label set occurs so often."""
    sets = [tuple(row) for row in Y.tolist()]
    kept = [i for i, own in enumerate(sets) if sets.count(own) >= min_count]
    return F[kept], as_one(*Y[kept].T) if kept else np.array([])


def ppt_mi(F, Y, f, S, min_count=6):
    F, classes = pruned(F, Y, min_count)
    return information(as_one(*F[:, [*S, f]].T), classes)


def ppt_chi2(F, Y, f, S, min_count=6):
    F, classes = pruned(F, Y, min_count)
    total = 0.0
    for b in set(F[:, f]):
        for c in set(classes):
            expected = np.sum(F[:, f] == b) * np.sum(classes == c) / len(classes)
            total += (np.sum((F[:, f] == b) & (classes == c)) - expected) ** 2 / expected
    return total


CRITERIA = {
    "mim": mim,
    "mrmr": mrmr,
    "jmi": jmi,
    "cmim": cmim,
    "d2f": d2f,
    "mdmr": mdmr,
    "scls": scls,
    "lrfs": lrfs,
    "lsmfs": lsmfs,
    "mlsmfs": mlsmfs,
    "fimf": fimf,
    "igmf": igmf,
    "ppt-mi": ppt_mi,
    "ppt-chi2": ppt_chi2,
}
