"""Trees of labels, for thousands of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.predictors._base import ScoringClassifier
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_count, check_features, check_range, is_sparse

# Most numbers of the tables of scores of rows that are predicted at once.
_NUMBERS = 2**22


class LabelTree(NamedTuple):
    """A tree of labels in flat arrays: the root first, the two children of a node behind it.

    A node has outputs: one for each child, a leaf one for each label.
    """

    #: Of shape (n_nodes,).
    is_leaf: NDArray[np.bool_]
    #: Of shape (n_nodes + 1,). The first output of each node.
    starts: NDArray[Any]
    #: Of shape (n_outputs,). The child, or of a leaf the label, that an output is of.
    targets: NDArray[Any]
    #: Of shape (n_outputs,).
    intercept: FloatArray
    #: Of shape (n_nodes + 1,). Where the hash table of the features of each node starts.
    slots: NDArray[Any]
    #: Of shape (n_slots + 1, 2). The features that have weights at a node, -1 in free slots, and where their weights
    #: start.
    table: NDArray[Any]
    #: Of shape (n_slots // 16 + n_nodes + 1,). About 8 bits for each feature at a node, of which its hash sets one. A
    #: feature whose bit is not set has no weight there, and is not looked up in the table, which is 16 times as large.
    marks: NDArray[np.uint64]
    #: Of shape (n_weights,). Which output of the node a weight is of.
    outputs: NDArray[Any]
    #: Of shape (n_weights,). For features divided by ``scale_``.
    weights: NDArray[np.float32]
    #: Of shape (n_nodes,). Passes over the instances of a node.
    n_iter: NDArray[Any]


class _Training(NamedTuple):
    """What trees are grown from: scaled features, squared norms of their rows, labels that occur, means of these."""

    X: sp.csr_array
    norms: Any
    Y: sp.csc_array
    means: sp.csr_array


class _Node(NamedTuple):
    """A node of a tree that grows."""

    is_leaf: bool
    targets: NDArray[Any]
    intercept: FloatArray
    table: NDArray[Any]
    outputs: NDArray[Any]
    weights: NDArray[np.float32]
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
    first_tree : int, default=0
        Number of the first tree, >= 0: one job with ``n_estimators=1`` for each number fits the trees of one seed, and
        `join` makes a model of them.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    trees_ : list of LabelTree
        Named tuples of flat arrays; weights are for features divided by ``scale_``.
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
    All outputs of a node are trained at once by dual coordinate descent on the same instances, in float64. The weights
    are stored as float32, so that scores agree to 1e-6 with those of weights that are not rounded. Labels that no
    instance has are in no tree, and have the score 0.

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

    complexity = Complexity("100 s", "100 d + s", least_bytes=3.9)

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
        first_tree: int = 0,
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
        self.first_tree = first_tree
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        n_estimators = check_count(self.n_estimators, "n_estimators")
        check_count(self.max_leaf, "max_leaf", 2)
        check_count(self.beam_size, "beam_size")
        check_count(self.max_iter, "max_iter")
        check_count(self.first_tree, "first_tree", 0)
        check_range(self.C, "C", 0, open_ends=True)
        check_range(self.tol, "tol", 0, open_ends=True)
        check_range(self.prune, "prune", 0)
        X, Y = sp.csr_array(features, dtype=np.float64), sp.csc_array(labels)
        Y.eliminate_zeros()
        self.scale_ = float(np.sqrt(X.multiply(X).sum() / X.shape[0])) or 1.0
        X = sp.csr_array(X / self.scale_)
        X.sort_indices()
        present = np.flatnonzero(np.diff(Y.indptr)).astype(np.int32)
        Y = sp.csc_array(Y[:, present])
        norms = np.asarray(sp.csr_array((X.data**2, X.indices, X.indptr), shape=X.shape).sum(axis=1)).ravel()
        means = sp.csr_array(Y.T.astype(np.float64) @ X)
        if len(present):
            means = normalize(means, copy=False)
        training = _Training(X, norms, Y, means)
        last = self.first_tree + n_estimators
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=last)[self.first_tree :]
        grow = joblib.delayed(self._grown)
        self.trees_: list[LabelTree] = joblib.Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            grow(training, present, np.random.RandomState(seed)) for seed in seeds
        )
        self.n_iter_ = max(int(tree.n_iter.max()) for tree in self.trees_)

    def _grown(self, training: _Training, present: NDArray[Any], random: np.random.RandomState) -> LabelTree:
        """Return a tree, of which a node's children come behind it."""
        nodes: list[_Node] = []
        waiting = [np.arange(len(present))]
        marks = np.full(training.X.shape[1], -1, dtype=np.int32)
        for labels in waiting:  # which grow
            is_leaf = len(labels) <= self.max_leaf
            if is_leaf:
                targets, numbers = present[labels], np.arange(len(labels))
            else:
                first = _halves(_narrowed(training.means, labels, marks)[0], random)
                targets = np.arange(len(waiting), len(waiting) + 2)
                waiting += [labels[first], labels[~first]]
                numbers = (~first).astype(np.int64)
            columns = training.Y[:, labels]
            rows, starts, outputs = _known(columns, numbers, len(targets), every=not nodes)
            trained = self._trained(training, rows, starts, outputs, len(targets), marks, random)
            nodes.append(_Node(is_leaf, targets, *trained))
        return _flat(nodes)

    def _trained(
        self,
        training: _Training,
        rows: NDArray[Any],
        starts: NDArray[Any],
        targets: NDArray[Any],
        n_outputs: int,
        marks: NDArray[np.int32],
        random: np.random.RandomState,
    ) -> tuple[Any, ...]:
        """Return the intercepts of a node, its features and how many weights each has, these, and the passes."""
        X, features = _narrowed(training.X, rows, marks)
        orders = np.array([random.permutation(len(rows)) for _ in range(self.max_iter)])
        weights, intercept = np.zeros((len(features), n_outputs)), np.zeros(n_outputs)
        n_iter = _descend(
            *(X.indptr, X.indices, X.data, training.norms[rows], starts, targets),
            *(orders, 0.5 / float(self.C), float(self.tol), weights, intercept),
        )
        counts = _counts(weights, float(self.prune))
        used = np.flatnonzero(counts)
        slots = _hashed(features[used], 2 * len(used) + 1)
        taken = slots >= 0
        order = used[slots[taken]]
        table = np.full((len(slots), 2), (-1, 0), dtype=np.int32)
        table[taken] = np.column_stack([features[order], counts[order]])
        outputs = np.empty(counts[order].sum(), dtype=np.min_scalar_type(self.max_leaf - 1))
        values = np.empty(len(outputs), dtype=np.float32)
        _pack(weights, order, float(self.prune), outputs, values)
        return intercept, table, outputs, values, n_iter

    @classmethod
    def join(cls, models: Sequence[Self]) -> Self:
        """Return a model with the trees of several, which were fitted to the same data in different jobs.

        Parameters
        ----------
        models : sequence of LabelTreeClassifier
            Fitted with the same parameters and integer ``random_state`` but ``n_estimators``, ``n_jobs``, and
            ``first_tree``, of which each has the number behind the last tree of the model before it.

        Returns
        -------
        LabelTreeClassifier
            The same, to the last bit, as a fit of all trees at once.

        Raises
        ------
        DataError
            If there is no model, one was fitted with other parameters or to other data, its trees do not follow those
            before it, or the decision is not ``"half"``: thresholds belong to the scores of all trees.

        Examples
        --------
        >>> import mlreduce
        >>> data = mlreduce.load_dataset("planted-300")
        >>> model = mlreduce.LabelTreeClassifier(n_estimators=1, random_state=0)
        >>> jobs = [mlreduce.make("label-tree", n_estimators=1, first_tree=tree, random_state=0) for tree in range(3)]
        >>> model = model.join([job.fit(data.X, data.Y) for job in jobs])
        >>> len(model.trees_)
        3
        """
        if not len(models):
            raise DataError("there is no model to join; give at least one fitted LabelTreeClassifier")
        trees: list[LabelTree] = []
        for number, model in enumerate(models):
            check_is_fitted(model, "trees_")
            _check_joined(models[0], model, number, len(trees))
            trees += model.trees_
        first = models[0]
        joined = cls(**{**first.get_params(deep=False), "n_estimators": len(trees)})
        joined.__dict__.update({name: value for name, value in vars(first).items() if name not in joined.__dict__})
        joined.trees_, joined.n_iter_ = trees, max(model.n_iter_ for model in models)
        return joined

    def _reached(self, features: Any) -> tuple[NDArray[np.int32], FloatArray]:
        """Return tables of the labels that the beams reach, -1 in free places, and of the sums of their scores."""
        X = features if is_sparse(features) and features.format == "csr" else sp.csr_array(features)
        if not X.has_sorted_indices:
            X = X.sorted_indices()
        indptr, indices, values = (
            X.indptr.astype(np.int64),
            X.indices.astype(np.int32),
            X.data.astype(np.float64) / self.scale_,
        )
        width = self._table_width
        labels, scores = np.full((X.shape[0], width), -1, dtype=np.int32), np.empty((X.shape[0], width))
        marked = np.empty(np.diff(indptr).max(initial=0), dtype=np.int64)
        for tree in self.trees_:
            _follow(indptr, indices, values, *tree[:-1], self.beam_size, marked, labels, scores)
        return labels, scores

    @property
    def _table_width(self) -> int:
        """Places for the labels that the beams reach, at least twice as many as these: a power of two."""
        most = min(self.beam_size * self.max_leaf, self._n_labels)
        return 1 << (2 * len(self.trees_) * most + 1).bit_length()

    def _scores(self, X: Any) -> FloatArray:
        check_is_fitted(self, "trees_")
        features = check_features(self, X, reset=False)
        scores = np.zeros((features.shape[0], self._n_labels))
        step = max(1, _NUMBERS // self._table_width)
        for start in range(0, features.shape[0], step):
            labels, sums = self._reached(features[start : start + step])
            rows, places = np.nonzero(labels >= 0)
            scores[start + rows, labels[rows, places]] = sums[rows, places] / len(self.trees_)
        return scores

    @property
    def _top_width(self) -> int:
        return 2 * self._table_width

    def _top(self, X: Any, k: int) -> sp.csr_array:
        """Return the best labels of a block of rows: 0 for the first that no beam reaches, where fewer than k are."""
        # Blocks of sparse rows were checked as a whole: for one row that takes as long as the search.
        labels, sums = self._reached(X if is_sparse(X) else check_features(self, X, reset=False))
        k = min(k, self._n_labels)
        best, scores = np.empty((len(labels), k), dtype=np.int32), np.empty((len(labels), k))
        _select(labels, sums, len(self.trees_), best, scores)
        starts = np.arange(0, best.size + 1, k)
        return sp.csr_array((scores.ravel(), best.ravel(), starts), shape=(len(labels), self._n_labels))


def _check_joined(first: Any, model: Any, number: int, n_trees: int) -> None:
    """Refuse a model that cannot be joined to others."""
    names = {*model.get_params(deep=False)} - {"n_estimators", "first_tree", "n_jobs"}
    for name in sorted(names):
        if getattr(model, name) != getattr(first, name):
            raise DataError(
                f"model {number} has {name}={getattr(model, name)!r}, the first {getattr(first, name)!r}; take one"
            )
    if model.decision != "half":
        raise DataError(f"thresholds of decision={model.decision!r} belong to the scores of all trees; fit with 'half'")
    if model.first_tree != first.first_tree + n_trees:
        raise DataError(
            f"model {number} has first_tree={model.first_tree}, but the trees before it end at "
            f"{first.first_tree + n_trees}; give the models in the order of their trees"
        )
    if (model.scale_, model.n_features_in_, model._n_labels) != (first.scale_, first.n_features_in_, first._n_labels):
        raise DataError(f"model {number} was fitted to other data than the first")


def _known(
    columns: sp.csc_array, numbers: NDArray[Any], n_outputs: int, *, every: bool
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the rows of a node, all or those with a label of it, and which outputs each has, as of a CSR array."""
    keys = np.unique(columns.indices.astype(np.int64) * n_outputs + np.repeat(numbers, np.diff(columns.indptr)))
    places = keys // max(n_outputs, 1)
    rows = np.arange(columns.shape[0]) if every else np.unique(places)
    starts = np.searchsorted(places, np.append(rows, columns.shape[0]))
    return rows, starts, keys - places * n_outputs


def _narrowed(
    table: sp.csr_array, rows: NDArray[Any], marks: NDArray[np.int32]
) -> tuple[sp.csr_array, NDArray[np.int32]]:
    """Return rows with those columns alone in which one has a number, and these columns; marks are -1, and stay so."""
    starts = np.concatenate(([0], np.cumsum(table.indptr[rows + 1] - table.indptr[rows])))
    places, values = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])
    columns = np.empty(min(starts[-1], len(marks)), dtype=np.int32)
    columns = columns[: _gather(table.indptr, table.indices, table.data, rows, marks, starts, places, values, columns)]
    return sp.csr_array((values, places, starts), shape=(len(rows), len(columns))), columns


def _halves(means: sp.csr_array, random: np.random.RandomState) -> NDArray[np.bool_]:
    """Halve labels by balanced spherical 2-means; return which are in the first half."""
    n_labels = means.shape[0]
    pair = random.choice(n_labels, 2, replace=False)
    axis = np.asarray([1.0, -1.0]) @ means[pair].toarray()
    first = np.zeros(n_labels, dtype=bool)
    for _ in range(30):
        former, first = first, np.zeros(n_labels, dtype=bool)
        first[np.argsort(-(means @ axis), kind="stable")[: (n_labels + 1) // 2]] = True
        if np.array_equal(first, former):
            break
        sums = np.zeros((2, means.shape[1]))
        _add_rows(means.indptr, means.indices, means.data, (~first).astype(np.int64), sums)
        one, other = (total / max(np.linalg.norm(total), np.finfo(float).tiny) for total in sums)
        axis = one - other
    return first


def _flat(nodes: list[_Node]) -> LabelTree:
    """Join nodes to a tree; their arrays are released one kind after the other."""

    def starts(counts: Any) -> NDArray[Any]:
        ends = np.concatenate(([0], np.cumsum(counts)))
        return ends.astype(np.int32 if ends[-1] < 2**31 else np.int64)

    is_leaf, *kinds, n_iter = zip(*nodes, strict=True)
    parts: list[Any] = [*kinds]
    del kinds
    n_outputs, n_slots = ([len(part) for part in parts[kind]] for kind in (0, 2))
    nodes.clear()
    for number, kind in enumerate(parts):
        parts[number] = np.concatenate(kind)
    targets, intercept, table, outputs, weights = parts
    table = np.column_stack([np.append(table[:, 0], np.int32(-1)), starts(table[:, 1])])
    slots = starts(n_slots)
    return LabelTree(
        *(np.array(is_leaf), starts(n_outputs), targets.astype(np.int32), intercept),
        *(slots, table, _marked(slots, table), outputs, weights, np.array(n_iter)),
    )


@compiled
def _gather(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    values: FloatArray,
    rows: NDArray[Any],
    marks: NDArray[np.int32],
    starts: NDArray[Any],
    places: NDArray[np.int32],
    taken: FloatArray,
    columns: NDArray[np.int32],
) -> int:
    """Copy rows of a CSR array and number their columns as they occur; return how many."""
    n_columns = 0
    for number in range(len(rows)):
        target = starts[number]
        for place in range(indptr[rows[number]], indptr[rows[number] + 1]):
            column = indices[place]
            if marks[column] < 0:
                marks[column] = n_columns
                columns[n_columns] = column
                n_columns += 1
            places[target], taken[target] = marks[column], values[place]
            target += 1
    for number in range(n_columns):
        marks[columns[number]] = -1
    return n_columns


@compiled
def _add_rows(
    indptr: NDArray[Any], indices: NDArray[Any], values: FloatArray, groups: NDArray[Any], sums: FloatArray
) -> None:
    """Add each row of a CSR array to the sum of its group."""
    for row in range(len(groups)):
        line = sums[groups[row]]
        for place in range(indptr[row], indptr[row + 1]):
            line[indices[place]] += values[place]


@compiled
def _counts(weights: FloatArray, prune: float) -> NDArray[np.int64]:
    """Count the weights of each feature that are not dropped."""
    counts = np.zeros(len(weights), dtype=np.int64)
    for feature in range(len(weights)):
        for weight in weights[feature]:
            counts[feature] += weight != 0.0 and abs(weight) >= prune
    return counts


@compiled_part
def _slot(feature: int, n_slots: int) -> int:
    """Return where a feature is looked up first."""
    return ((feature * 2654435761 & 0xFFFFFFFF) * n_slots) >> 32


@compiled
def _hashed(features: NDArray[np.int32], n_slots: int) -> NDArray[np.int64]:
    """Return a hash table with the numbers of features, -1 in free slots, of which there is at least one."""
    table = np.full(n_slots, -1, dtype=np.int64)
    for number, feature in enumerate(features):
        slot = _slot(feature, n_slots)
        while table[slot] >= 0:
            slot = slot + 1 if slot + 1 < n_slots else 0
        table[slot] = number
    return table


@compiled_part
def _mark(feature: int, node: int, start: int, stop: int) -> tuple[int, np.uint64]:
    """Return the word with the mark of a feature at a node that has the slots from start to stop, and its bit."""
    n_bits = ((stop - start >> 4) + 1) << 6
    place = ((feature * 2246822519 & 0xFFFFFFFF) * n_bits) >> 32
    return (start >> 4) + node + (place >> 6), np.uint64(1) << np.uint64(place & 63)


@compiled
def _marked(slots: NDArray[Any], table: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the marks of the features of all nodes."""
    marks = np.zeros((slots[-1] >> 4) + len(slots), dtype=np.uint64)
    for node in range(len(slots) - 1):
        for slot in range(slots[node], slots[node + 1]):
            if table[slot, 0] >= 0:
                word, bit = _mark(table[slot, 0], node, slots[node], slots[node + 1])
                marks[word] |= bit
    return marks


@compiled
def _pack(
    weights: FloatArray,
    order: NDArray[Any],
    prune: float,
    outputs: NDArray[Any],
    values: NDArray[np.float32],
) -> None:
    """Write the weights of features that are not dropped, and which outputs they are of."""
    place = 0
    for feature in order:
        for output, weight in enumerate(weights[feature]):
            if weight != 0.0 and abs(weight) >= prune:
                outputs[place], values[place] = output, weight
                place += 1


@compiled_part
def _add_product(
    indices: NDArray[np.int32], values: FloatArray, start: int, stop: int, weights: FloatArray, margins: FloatArray
) -> None:
    """Add the product of a sparse row with weights to its margins."""
    if len(margins) == 2:
        one, other = margins[0], margins[1]
        for place in range(start, stop):
            one += values[place] * weights[indices[place], 0]
            other += values[place] * weights[indices[place], 1]
        margins[0], margins[1] = one, other
        return
    for place in range(start, stop):
        value, line = values[place], weights[indices[place]]
        for output in range(len(margins)):
            margins[output] += value * line[output]


@compiled
def _descend(
    indptr: NDArray[Any],
    indices: NDArray[np.int32],
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
    for n_iter in range(len(orders)):
        worst = 0.0
        for row in orders[n_iter]:
            for output in range(n_outputs):  # an assignment of arrays compiles its message on shapes, for seconds
                margins[output] = intercept[output]
            _add_product(indices, values, indptr[row], indptr[row + 1], weights, margins)
            for place in range(target_starts[row], target_starts[row + 1]):
                signs[targets[place]] = 1.0
            curvature, line = norms[row] + 1.0 + shift, duals[row]
            largest = 0.0
            for output in range(n_outputs):
                dual = line[output]
                updated = max(dual - (signs[output] * margins[output] - 1.0 + shift * dual) / curvature, 0.0)
                line[output] = updated
                steps[output] = (updated - dual) * signs[output]
                largest = max(largest, abs(updated - dual))
            for place in range(target_starts[row], target_starts[row + 1]):
                signs[targets[place]] = -1.0
            if largest == 0.0:
                continue
            worst = max(worst, largest * curvature)
            for output in range(n_outputs):
                intercept[output] += steps[output]
            for place in range(indptr[row], indptr[row + 1]):
                value, line = values[place], weights[indices[place]]
                for output in range(n_outputs):
                    line[output] += value * steps[output]
        if worst < tol:
            return n_iter + 1
    return len(orders)


@compiled_part
def _insert(values: FloatArray, numbers: NDArray[Any], count: int, value: float, number: int) -> int:
    """Insert a number into those of the smallest values, ascending, of equal ones the smallest; return how many."""
    place = count
    if count == len(values):
        place -= 1
        if value > values[place] or (value == values[place] and number > numbers[place]):
            return count
    while place > 0 and (value < values[place - 1] or (value == values[place - 1] and number < numbers[place - 1])):
        values[place], numbers[place] = values[place - 1], numbers[place - 1]
        place -= 1
    values[place], numbers[place] = value, number
    return min(count + 1, len(values))


@compiled_part
def _place(table: NDArray[np.int32], label: int) -> int:
    """Return the place of a label in a hash table, or the free place for it."""
    place = (label * 2654435761 >> 7) & (len(table) - 1)
    while table[place] != -1 and table[place] != label:
        place = (place + 1) & (len(table) - 1)
    return place


@compiled
def _follow(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: FloatArray,
    is_leaf: NDArray[np.bool_],
    starts: NDArray[Any],
    targets: NDArray[Any],
    intercept: FloatArray,
    slots: NDArray[Any],
    table: NDArray[Any],
    marks: NDArray[np.uint64],
    outputs: NDArray[Any],
    weights: NDArray[np.float32],
    beam_size: int,
    marked: NDArray[np.int64],
    labels: NDArray[np.int32],
    scores: FloatArray,
) -> None:
    """Add the scores of the labels that beams through a tree reach to those in a hash table for each row."""
    margins = np.empty(2)
    beam, losses = np.zeros(beam_size, dtype=np.int64), np.zeros(beam_size)
    children, child_losses = np.empty(beam_size, dtype=np.int64), np.empty(beam_size)
    for row in range(len(labels)):
        beam[0], losses[0], n_nodes = 0, 0.0, 1
        while n_nodes:
            n_children = 0
            for number in range(n_nodes):
                node = beam[number]
                first, n_outputs = starts[node], starts[node + 1] - starts[node]
                if n_outputs > len(margins):
                    margins = np.empty(n_outputs)
                for output in range(n_outputs):
                    margins[output] = intercept[first + output]
                start, stop, count = slots[node], slots[node + 1], 0
                for place in range(indptr[row], indptr[row + 1]):
                    word, bit = _mark(indices[place], node, start, stop)
                    marked[count] = place
                    count += marks[word] & bit != 0
                for place in marked[:count]:
                    feature, slot = indices[place], start + _slot(indices[place], stop - start)
                    while table[slot, 0] != feature and table[slot, 0] >= 0:
                        slot = slot + 1 if slot + 1 < stop else start
                    if table[slot, 0] == feature:
                        for entry in range(table[slot, 1], table[slot + 1, 1]):
                            margins[outputs[entry]] += values[place] * weights[entry]
                for output in range(n_outputs):
                    loss = losses[number] + max(0.0, 1.0 - margins[output]) ** 2
                    target = targets[first + output]
                    if is_leaf[node]:
                        place = _place(labels[row], target)
                        if labels[row, place] < 0:
                            labels[row, place], scores[row, place] = target, 0.0
                        scores[row, place] += np.exp2(-loss)
                    else:
                        n_children = _insert(child_losses, children, n_children, loss, target)
            beam, children, losses, child_losses, n_nodes = children, beam, child_losses, losses, n_children


@compiled
def _select(
    labels: NDArray[np.int32], scores: FloatArray, n_trees: int, best: NDArray[np.int32], values: FloatArray
) -> None:
    """Write the best labels of each row's hash table, ascending, and their scores; then the first of the others."""
    k = best.shape[1]
    losses, numbers = np.empty(k), np.empty(k, dtype=np.int64)
    for row in range(len(labels)):
        count, most = 0, 0.0
        for place, label in enumerate(labels[row]):
            loss = -scores[row, place] / n_trees
            if (label >= 0) & (loss <= most) and scores[row, place] > 0.0:
                count = _insert(losses, numbers, count, loss, label)
                most = losses[-1] if count == k else 0.0
        label = 0
        while count < k:
            place = _place(labels[row], label)
            if labels[row, place] < 0 or scores[row, place] <= 0.0:
                losses[count], numbers[count] = 0.0, label
                count += 1
            label += 1
        best[row] = np.sort(numbers)
        for number in range(k):
            place = _place(labels[row], best[row, number])
            values[row, number] = scores[row, place] / n_trees if labels[row, place] >= 0 else 0.0
