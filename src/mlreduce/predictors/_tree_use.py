"""Use of fitted model trees: prediction, text and plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlreduce.exceptions import from_extra
from mlreduce.linalg.compiled import compiled
from mlreduce.predictors._tree_growth import IntArray
from mlreduce.predictors._tree_models import Rows, Tree
from mlreduce.validation import FloatArray


def predict(tree: Tree, rows: Rows, n_features: int) -> FloatArray:
    """Return the predictions of a tree."""
    return _walk(tree, rows, n_features)[1]


def leaves_of(tree: Tree, rows: Rows, n_features: int) -> IntArray:
    """Return the leaf of each row."""
    return _walk(tree, rows, n_features)[0]


@compiled
def _walk(tree: Tree, rows: Rows, n_features: int) -> tuple[IntArray, FloatArray]:
    n = len(rows.indptr) - 1 if rows.sparse else len(rows.table)
    leaves, predicted = np.empty(n, np.int64), np.empty(n)
    written = np.zeros(n_features)
    for i in range(n):
        if rows.sparse:
            for t in range(rows.indptr[i], rows.indptr[i + 1]):
                written[rows.indices[t]] = rows.values[t]
        values = written if rows.sparse else rows.table[i]
        node = 0
        while tree.feature[node] >= 0:
            node = node + 1 if values[tree.feature[node]] <= tree.threshold[node] else tree.right[node]
        leaves[i], predicted[i] = node, tree.intercept[node]
        for t in range(tree.model_ptr[node], tree.model_ptr[node + 1]):
            predicted[i] += tree.coefficients[t] * values[tree.model_features[t]]
        if rows.sparse:
            for t in range(rows.indptr[i], rows.indptr[i + 1]):
                written[rows.indices[t]] = 0.0
    return leaves, predicted


def tree_text(tree: Tree, names: Sequence[str], digits: int) -> str:
    """Return a tree as text."""
    number = np.cumsum(tree.feature < 0)

    def lines(node: int, depth: int) -> Iterator[str]:
        for sign, child in (("<=", node + 1), (">", int(tree.right[node]))):
            test = f"{'|   ' * depth}{names[tree.feature[node]]} {sign} {tree.threshold[node]:.{digits}g}"
            if tree.feature[child] >= 0:
                yield test
                yield from lines(child, depth + 1)
            else:
                yield f"{test}: model {number[child]} ({_count(tree.n_samples[child], 'row')})"

    tests = list(lines(0, 0)) if tree.feature[0] >= 0 else [f"model 1 ({_count(tree.n_samples[0], 'row')})"]
    models = [
        f"model {number[node]}: {_formula(tree, int(node), names, digits)}" for node in np.flatnonzero(tree.feature < 0)
    ]
    return "\n".join([*tests, "", *models])


def _formula(tree: Tree, node: int, names: Sequence[str], digits: int) -> str:
    text = f"{tree.intercept[node]:.{digits}g}"
    for at in range(tree.model_ptr[node], tree.model_ptr[node + 1]):
        value = tree.coefficients[at]
        text += f" {'-' if value < 0 else '+'} {abs(value):.{digits}g} {names[tree.model_features[at]]}"
    return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def draw(tree: Tree, names: Sequence[str], max_depth: int, ax: Any) -> Any:
    """Plot a tree down to a depth."""
    if ax is None:
        with from_extra("plot", "pictures of trees"):
            import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    places: dict[int, tuple[float, int]] = {}
    shown: list[tuple[int, int, str]] = []
    ends = 0

    def place(node: int, depth: int) -> float:
        nonlocal ends
        if tree.feature[node] < 0 or depth == max_depth:
            across = float(ends)
            ends += 1
        else:
            children = (node + 1, int(tree.right[node]))
            across = sum(place(child, depth + 1) for child in children) / 2
            shown.extend((node, child, sign) for child, sign in zip(children, ("≤", ">"), strict=True))
        places[node] = (across, -depth)
        return across

    place(0, 0)
    for node, child, sign in shown:
        (x0, y0), (x1, y1) = places[node], places[child]
        ax.plot([x0, x1], [y0, y1], color="0.6", linewidth=1, zorder=1)
        middle, plain = ((x0 + x1) / 2, (y0 + y1) / 2), {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        ax.text(*middle, sign, ha="center", va="center", fontsize=8, color="0.3", bbox=plain)
    for node, (x, y) in places.items():
        split = tree.feature[node] >= 0
        rows = _count(int(tree.n_samples[node]), "row")
        if not split:
            size = int(tree.model_ptr[node + 1] - tree.model_ptr[node])
            text = f"{rows}\n{_count(size, 'coefficient')}"
        elif y > -max_depth:
            text = f"{names[tree.feature[node]]}\n{tree.threshold[node]:.3g}"
        else:
            text = f"{rows}\n{_count(_leaves_below(tree, node), 'leaf').replace('leafs', 'leaves')}"
        face = "#dbe9f6" if split else "#e8f3e2"
        ax.text(x, y, text, ha="center", va="center", fontsize=8, bbox={"boxstyle": "round", "facecolor": face})
    depth = max(-y for _, y in places.values())
    ax.set(xlim=(-0.7, ends - 0.3), ylim=(-depth - 0.5, 0.5))
    ax.axis("off")
    return ax


def _leaves_below(tree: Tree, node: int) -> int:
    if tree.feature[node] < 0:
        return 1
    return _leaves_below(tree, node + 1) + _leaves_below(tree, int(tree.right[node]))
