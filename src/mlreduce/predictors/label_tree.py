"""Trees of labels, for thousands of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import joblib
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.linalg.compiled import compiled
from mlreduce.predictors._base import ScoringClassifier
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_count, check_features, check_range


class LabelTreeNode(NamedTuple):
    """A node of a tree of labels.

    Attributes
    ----------
    labels : ndarray of int
        Below it.
    children : tuple of int
        Numbers of the nodes that have its labels, half each; empty for a leaf.
    features : ndarray of int
        Features that have weights, ascending.
    weights : csr_array of shape (n_features_of_the_node, n_outputs)
        An output for each child, of a leaf for each label.
    intercept : ndarray of shape (n_outputs,)
    n_iter : int
        Passes over the instances of the node.
    """

    labels: NDArray[Any]
    children: tuple[int, ...]
    features: NDArray[Any]
    weights: sp.csr_array
    intercept: FloatArray
    n_iter: int


@register("label-tree")
class LabelTreeClassifier(ScoringClassifier):
    """Balanced label trees with linear classifiers (Parabel): the few likely labels among thousands, in seconds.

    Labels with similar instances are put together: the labels are halved by balanced 2-means of the means of their
    instances, again and again, until at most ``max_leaf`` are left. A linear classifier at each node predicts for an
    instance which children have labels of it, and at a leaf which labels. Each is trained on the instances with a label
    of the node alone, the root on all. The score of a label is the mean over the trees of
    ``2^(-sum of max(0, 1 - margin)^2)``, summed over the way from the root to it: one half where a leaf alone decides
    and the margin is 0.

    Parameters
    ----------
    n_estimators : int, default=3
        Trees that differ by the start of the means and the order of the instances.
    max_leaf : int, default=100
        Most labels of a leaf, at least 2. With no more labels than that there is one leaf: a linear classifier for each
        label.
    C : float, default=1.0
        Weight of the squared hinge losses against half the squared norm of weights and intercept, > 0.
    beam_size : int, default=10
        How many nodes of a level are followed for an instance; labels below the others have the score 0.
    prune : float, default=0.1
        Weights below are dropped, >= 0: on unit rows few of them matter, and they are most of the memory.
    max_iter : int, default=20
        Most passes over the instances of a node.
    tol : float, default=0.1
        Largest violation of the dual's optimality that ends them, > 0.
    n_jobs : int or None, default=None
        Trees that are fitted at a time, in threads; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Of the trees.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    trees_ : list of list of LabelTreeNode
        The root first; weights are for features divided by ``scale_``.
    scale_ : float
        Root mean square of the norms of the training rows: their unit changes nothing.
    n_iter_ : int
        Most passes over the instances of a node.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    All outputs of a node are trained at once by dual coordinate descent on the same instances.

    References
    ----------
    Prabhu, Kag, Harsola, Agrawal and Varma (2018), "Parabel: partitioned label trees for extreme classification with
    application to dynamic search advertising", WWW, 993-1002.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.LabelTreeClassifier(max_leaf=3, random_state=0).fit(data.X[:200], data.Y[:200])
    >>> best = model.predict_top(data.X[200:], k=1)
    >>> float(data.Y[200:][best.nonzero()].mean()) > 0.7
    True
    """

    complexity = Complexity("100 s", "100 d + s")

    def __init__(
        self,
        n_estimators: int = 3,
        max_leaf: int = 100,
        C: float = 1.0,
        beam_size: int = 10,
        prune: float = 0.1,
        max_iter: int = 20,
        tol: float = 0.1,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        decision: str = "half",
        measure: str = "micro-f1",
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaf = max_leaf
        self.C = C
        self.beam_size = beam_size
        self.prune = prune
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        n_estimators = check_count(self.n_estimators, "n_estimators")
        check_count(self.max_leaf, "max_leaf", 2)
        check_count(self.beam_size, "beam_size")
        check_count(self.max_iter, "max_iter")
        check_range(self.C, "C", 0, open_ends=True)
        check_range(self.tol, "tol", 0, open_ends=True)
        check_range(self.prune, "prune", 0)
        X, Y = sp.csr_array(features, dtype=np.float64), sp.csc_array(labels)
        self.scale_ = float(np.sqrt(X.multiply(X).sum() / X.shape[0])) or 1.0
        X = sp.csr_array(X / self.scale_)
        X.sort_indices()
        means = _centroids(X, Y)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=n_estimators)
        grow = joblib.delayed(self._grown)
        self.trees_ = joblib.Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            grow(X, Y, means, np.random.RandomState(seed)) for seed in seeds
        )
        self.n_iter_ = max(node.n_iter for tree in self.trees_ for node in tree)

    def _grown(self, X: Any, Y: Any, means: Any, random: np.random.RandomState) -> list[LabelTreeNode]:
        """Return a tree, of which a node's children come behind it."""
        nodes: list[LabelTreeNode] = []
        waiting = [np.arange(Y.shape[1])]
        for labels in waiting:  # which grow
            parts = () if len(labels) <= self.max_leaf else _halves(means[labels], labels, random)
            children = tuple(range(len(waiting), len(waiting) + len(parts)))
            waiting.extend(parts)
            targets = [Y[:, part].sum(axis=1)[:, np.newaxis] > 0 for part in parts]
            present = sp.csr_array(np.hstack(targets)) if parts else sp.csr_array(Y[:, labels])
            rows = np.flatnonzero(np.diff(present.indptr)) if nodes else np.arange(Y.shape[0])
            nodes.append(LabelTreeNode(labels, children, *self._trained(X[rows], present[rows], random)))
        return nodes

    def _trained(
        self, X: Any, Y: Any, random: np.random.RandomState
    ) -> tuple[NDArray[Any], sp.csr_array, FloatArray, int]:
        """Return the features with weights, these, the intercepts of the outputs of a node, and the passes."""
        features, places = np.unique(X.indices, return_inverse=True)
        norms = np.bincount(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.data**2, X.shape[0])
        orders = np.array([random.permutation(X.shape[0]) for _ in range(self.max_iter)])
        weights, intercept = np.zeros((len(features), Y.shape[1])), np.zeros(Y.shape[1])
        n_iter = _descend(
            *(X.indptr, places.astype(np.int32), X.data, norms, Y.indptr, Y.indices),
            *(orders, 0.5 / float(self.C), float(self.tol), weights, intercept),
        )
        weights[np.abs(weights) < self.prune] = 0
        used = np.flatnonzero(weights.any(axis=1))
        return features[used], sp.csr_array(weights[used]), intercept, n_iter

    def _best(self, features: Any) -> sp.csr_array:
        """Return the scores of the labels that the beams reach."""
        X = sp.csr_array(sp.csr_array(features) / self.scale_)
        X.sort_indices()
        parts = [_followed(X, nodes, self.beam_size) for nodes in self.trees_]
        return sp.csr_array(sum(parts[1:], parts[0]) / len(parts))

    def _scores(self, X: Any) -> FloatArray:
        check_is_fitted(self, "trees_")
        return self._best(check_features(self, X, reset=False)).toarray()

    @property
    def _top_width(self) -> int:
        return 10 * self.max_leaf

    def _top(self, X: Any, k: int) -> sp.csr_array:
        """Return the best labels of a block of rows: 0 for the first that no beam reaches, where fewer than k are."""
        reached = self._best(check_features(self, X, reset=False))
        k = min(k, reached.shape[1])
        labels, scores = np.zeros((reached.shape[0], k), dtype=np.int64), np.zeros((reached.shape[0], k))
        for row, (start, stop) in enumerate(zip(reached.indptr[:-1], reached.indptr[1:], strict=True)):
            columns, values = reached.indices[start:stop], reached.data[start:stop]
            if len(columns) < k:
                others = np.setdiff1d(np.arange(min(reached.shape[1], len(columns) + k)), columns)[: k - len(columns)]
                columns, values = np.append(columns, others), np.append(values, np.zeros(len(others)))
            best = np.lexsort((columns, -values))[:k]
            best = best[np.argsort(columns[best])]
            labels[row], scores[row] = columns[best], values[best]
        starts = np.arange(0, labels.size + 1, k)
        return sp.csr_array((scores.ravel(), labels.ravel(), starts), shape=reached.shape)


def _centroids(X: Any, Y: Any) -> sp.csr_array:
    """Return the sums of the instances of each label, scaled to unit norm; zeros of a label without any."""
    sums = sp.csr_array(Y.T.astype(np.float64) @ X)
    norms = np.sqrt(sums.multiply(sums).sum(axis=1))
    sums.data /= np.repeat(np.where(norms > 0, norms, 1.0), np.diff(sums.indptr))
    return sums


def _halves(means: Any, labels: NDArray[Any], random: np.random.RandomState) -> tuple[NDArray[Any], NDArray[Any]]:
    """Halve labels by balanced spherical 2-means."""
    pair = random.choice(len(labels), 2, replace=False)
    axis = np.asarray([1.0, -1.0]) @ means[pair].toarray()
    first = np.zeros(len(labels), dtype=bool)
    for _ in range(30):
        former, first = first, np.zeros(len(labels), dtype=bool)
        first[np.argsort(-(means @ axis), kind="stable")[: (len(labels) + 1) // 2]] = True
        if np.array_equal(first, former):
            break
        sums = [np.asarray(means[part].sum(axis=0)).ravel() for part in (first, ~first)]
        one, other = (total / max(np.linalg.norm(total), np.finfo(float).tiny) for total in sums)
        axis = one - other
    return labels[first], labels[~first]


@compiled
def _descend(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    values: FloatArray,
    norms: FloatArray,
    target_starts: NDArray[Any],
    targets: NDArray[Any],
    orders: NDArray[Any],
    shift: float,
    tol: float,
    weights: FloatArray,
    intercept: FloatArray,
) -> int:
    """Minimise squared hinge losses of all outputs of a node by dual coordinate descent, into weights and intercept.

    Return the number of passes.
    """
    n_outputs = len(intercept)
    duals = np.zeros((len(indptr) - 1, n_outputs))
    signs = np.full(n_outputs, -1.0)
    margins, steps = np.empty(n_outputs), np.empty(n_outputs)
    changed = np.empty(n_outputs, dtype=np.int64)
    for n_iter in range(len(orders)):
        worst = 0.0
        for row in orders[n_iter]:
            margins[:] = intercept
            for place in range(indptr[row], indptr[row + 1]):
                value, line = values[place], weights[indices[place]]
                for output in range(n_outputs):
                    margins[output] += value * line[output]
            for place in range(target_starts[row], target_starts[row + 1]):
                signs[targets[place]] = 1.0
            curvature, n_changed = norms[row] + 1.0 + shift, 0
            for output in range(n_outputs):
                dual = duals[row, output]
                slope = signs[output] * margins[output] - 1.0 + shift * dual
                updated = max(dual - slope / curvature, 0.0)
                if updated != dual:
                    duals[row, output] = updated
                    steps[n_changed], changed[n_changed] = (updated - dual) * signs[output], output
                    worst = max(worst, abs(updated - dual) * curvature)
                    n_changed += 1
            for place in range(target_starts[row], target_starts[row + 1]):
                signs[targets[place]] = -1.0
            for number in range(n_changed):
                intercept[changed[number]] += steps[number]
            for place in range(indptr[row], indptr[row + 1]):
                value, line = values[place], weights[indices[place]]
                for number in range(n_changed):
                    line[changed[number]] += value * steps[number]
        if worst < tol:
            return n_iter + 1
    return len(orders)


def _followed(X: Any, nodes: list[LabelTreeNode], beam_size: int) -> sp.csr_array:
    """Return the scores of the labels that beams through a tree reach, all nodes of a level at once."""
    scored: list[tuple[Any, Any, Any]] = []
    beams = {0: (np.arange(X.shape[0]), np.zeros(X.shape[0]))}
    while beams:
        ways: list[tuple[Any, Any, Any]] = []
        for number, (rows, losses) in beams.items():
            node = nodes[number]
            losses = losses[:, np.newaxis] + np.maximum(0, 1 - _margins(X[rows], node)) ** 2
            ends = np.asarray(node.children if node.children else node.labels)
            (ways if node.children else scored).append(
                (np.repeat(rows, len(ends)), np.tile(ends, len(rows)), losses.ravel())
            )
        beams = {}
        if ways:
            rows, numbers, losses = map(np.concatenate, zip(*ways, strict=True))
            order = np.lexsort((numbers, losses, rows))
            rows, numbers, losses = rows[order], numbers[order], losses[order]
            best = np.flatnonzero(np.arange(len(rows)) - np.searchsorted(rows, rows) < beam_size)
            best = best[np.argsort(numbers[best], kind="stable")]
            followed, starts = np.unique(numbers[best], return_index=True)
            for number, part in zip(followed, np.split(best, starts[1:]), strict=True):
                beams[int(number)] = (rows[part], losses[part])
    rows, labels, losses = map(np.concatenate, zip(*scored, strict=True))
    return sp.csr_array((np.exp2(-losses), (rows, labels)), shape=(X.shape[0], len(nodes[0].labels)))


def _margins(X: Any, node: LabelTreeNode) -> FloatArray:
    margins = np.tile(node.intercept, (X.shape[0], 1))
    weights = node.weights
    _add_products(X.indptr, X.indices, X.data, node.features, weights.indptr, weights.indices, weights.data, margins)
    return margins


@compiled
def _add_products(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    values: FloatArray,
    features: NDArray[Any],
    starts: NDArray[Any],
    outputs: NDArray[Any],
    weights: FloatArray,
    margins: FloatArray,
) -> None:
    """Add products of sparse rows with the weights of those features that have some; both are in ascending order."""
    for row in range(len(indptr) - 1):
        line, passed = margins[row], 0
        for place in range(indptr[row], indptr[row + 1]):
            passed += np.searchsorted(features[passed:], indices[place])
            if passed == len(features):
                break
            if features[passed] == indices[place]:
                for entry in range(starts[passed], starts[passed + 1]):
                    line[outputs[entry]] += values[place] * weights[entry]
