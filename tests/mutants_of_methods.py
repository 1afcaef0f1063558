"""Changes every method in several ways; tells which changes its definition does not notice: make mutants-of-methods.

    python tests/mutants_of_methods.py [METHOD...] [--to FILE]

A mutant is a class derived from that of the method, which returns something else. It must fail the method's definition
(tests/definitions) or what its family promises in one of the cases at least, if its result differs at all. The exit
status is 1 where a mutant survives.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import definitions
import numpy as np
from sklearn.base import ClassifierMixin

from mlreduce import registry

#: Small enough that a wide tolerance of a definition shows.
SCALE = 1.0001
SCORES = ("predict_scores", "predict_proba", "decision_function")

Mutation = Callable[[type], type]


class Outcome(NamedTuple):
    """What became of a mutant."""

    method: str
    mutation: str
    changes: bool
    caught: bool


def after_fit(change: Callable[[Any], None]) -> Mutation:
    """A mutation of what is fitted."""

    def mutation(cls: type) -> type:
        def fit(self: Any, X: Any, y: Any = None) -> Any:
            cls.fit(self, X, y)
            change(self)
            return self

        return type(cls.__name__, (cls,), {"fit": fit})

    return mutation


def labels_swapped(step: int) -> Mutation:
    """The first and the last label are exchanged at the fit, in every row or in some."""

    def mutation(cls: type) -> type:
        def fit(self: Any, X: Any, y: Any = None) -> Any:
            exchanged = y.copy()
            exchanged[::step, [0, -1]] = y[::step, [-1, 0]]
            return cls.fit(self, X, exchanged)

        return type(cls.__name__, (cls,), {"fit": fit})

    return mutation


def outputs(change: Callable[[str, Any], Any], *names: str) -> Mutation:
    """A mutation of what some methods of the class return; not of what they call themselves."""

    def mutation(cls: type) -> type:
        running: list[str] = []

        def changed(name: str) -> Callable[..., Any]:
            def method(self: Any, *arguments: Any) -> Any:
                running.append(name)
                try:
                    value = getattr(cls, name)(self, *arguments)
                finally:
                    running.pop()
                return value if running else change(name, value)

            return method

        return type(cls.__name__, (cls,), {name: changed(name) for name in names if hasattr(cls, name)})

    return mutation


def columns(fitted: Any, change: Callable[[Any], Any], *names: str) -> None:
    """Change attributes as if each had a row for each direction."""
    for name in names:
        value = getattr(fitted, name, None)
        if value is not None:
            setattr(fitted, name, change(value.T).T)


# Directions


def negated_directions(fitted: Any) -> None:
    fitted.components_ = -fitted.components_
    columns(fitted, np.negative, "codes_")


def reversed_directions(fitted: Any) -> None:
    fitted.components_ = fitted.components_[::-1]
    fitted.eigenvalues_ = fitted.eigenvalues_[::-1]
    columns(fitted, lambda rows: rows[::-1], "codes_", "embedding_")


def last_dropped(fitted: Any) -> None:
    if fitted.n_components_ > 1:
        fitted.n_components_ -= 1
        fitted.components_ = fitted.components_[:-1]
        fitted.eigenvalues_ = fitted.eigenvalues_[:-1]
        columns(fitted, lambda rows: rows[:-1], "codes_")


def scaled_directions(fitted: Any) -> None:
    fitted.components_ = SCALE * fitted.components_


def codes_scaled(cls: type) -> type:
    def scale(fitted: Any) -> None:
        columns(fitted, lambda rows: SCALE * rows, "codes_")

    return outputs(lambda _, codes: SCALE * codes, "encode", "project")(after_fit(scale)(cls))


def another_label(_: str, labels: Any) -> Any:
    changed = np.array(labels)
    changed[0, 0] = 1 - changed[0, 0]
    return changed


# Embeddings and scores of instances


def negated_embedding(fitted: Any) -> None:
    fitted.embedding_ = -fitted.embedding_


def reversed_embedding(fitted: Any) -> None:
    columns(fitted, lambda rows: rows[::-1], "embedding_")
    if hasattr(fitted, "eigenvalues_"):
        fitted.eigenvalues_ = fitted.eigenvalues_[::-1]


def last_column_dropped(fitted: Any) -> None:
    if fitted.n_components_ > 1:
        fitted.n_components_ -= 1
        fitted.eigenvalues_ = fitted.eigenvalues_[:-1]
        columns(fitted, lambda rows: rows[:-1], "embedding_")


def last_column_zero(fitted: Any) -> None:
    fitted.embedding_ = fitted.embedding_ * (np.arange(fitted.embedding_.shape[1]) < fitted.embedding_.shape[1] - 1)


def scaled_embedding(fitted: Any) -> None:
    fitted.embedding_ = SCALE * fitted.embedding_


def scaled_eigenvalues(fitted: Any) -> None:
    fitted.eigenvalues_ = SCALE * fitted.eigenvalues_


def another_decision(fitted: Any) -> None:
    row = int(np.flatnonzero(~fitted.labelled_)[0])
    fitted.transduction_ = fitted.transduction_.copy()
    fitted.transduction_[row, 0] = 1 - fitted.transduction_[row, 0]


# Scores of features


def ranked_by(fitted: Any, scores: Any) -> None:
    fitted.scores_ = scores
    fitted.ranking_ = np.empty(len(scores), dtype=int)
    fitted.ranking_[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)


def negated_scores(fitted: Any) -> None:
    ranked_by(fitted, -fitted.scores_)


def reversed_ranking(fitted: Any) -> None:
    fitted.ranking_ = len(fitted.ranking_) + 1 - fitted.ranking_


def last_replaced(cls: type) -> type:
    """In the place of the last feature that is selected the first that is not."""

    def mask(self: Any) -> Any:
        selected = cls._get_support_mask(self).copy()
        order, number = np.argsort(self.ranking_), int(selected.sum())
        if number < len(selected):
            selected[order[number - 1 : number + 1]] = [False, True]
        return selected

    return type(cls.__name__, (cls,), {"_get_support_mask": mask})


def scaled_scores(fitted: Any) -> None:
    fitted.scores_ = SCALE * fitted.scores_


def best_two_exchanged(fitted: Any) -> None:
    first, second = np.argsort(fitted.ranking_)[:2]
    scores = fitted.scores_.copy()
    scores[[first, second]] = scores[[second, first]]
    ranked_by(fitted, scores)


# Predictions


def negated_predictions(cls: type) -> type:
    about = {"predict": 1 if issubclass(cls, ClassifierMixin) else 0, "predict_proba": 1, "predict_scores": 1}
    return outputs(lambda name, values: about.get(name, 0) - values, "predict", *SCORES)(cls)


def last_label_absent(name: str, values: Any) -> Any:
    changed = np.array(values)
    changed[:, -1] = -0.5 if name == "decision_function" else 0
    return changed


def scaled_predictions(cls: type) -> type:
    names = SCORES if issubclass(cls, ClassifierMixin) else ("predict",)
    return outputs(lambda _, values: values / SCALE, *names)(cls)


#: By family. Where the order of the labels is nothing to the method they are exchanged in every other row.
MUTATIONS: dict[str, dict[str, Mutation]] = {
    "projection": {
        "directions negated": after_fit(negated_directions),
        "order reversed": after_fit(reversed_directions),
        "last direction dropped": after_fit(last_dropped),
        "labels swapped": labels_swapped(2),
        "directions scaled": after_fit(scaled_directions),
        "codes scaled": outputs(lambda _, codes: SCALE * codes, "transform"),
    },
    "embedding": {
        "columns negated": after_fit(negated_embedding),
        "order reversed": after_fit(reversed_embedding),
        "last column dropped": after_fit(last_column_dropped),
        "labels swapped": labels_swapped(2),
        "columns scaled": after_fit(scaled_embedding),
        "eigenvalues scaled": after_fit(scaled_eigenvalues),
    },
    "propagation": {
        "scores negated": after_fit(negated_embedding),
        "order reversed": after_fit(reversed_embedding),
        "last label without scores": after_fit(last_column_zero),
        "labels swapped": labels_swapped(1),
        "scores scaled": after_fit(scaled_embedding),
        "another decision": after_fit(another_decision),
    },
    "labelspace": {
        "directions negated": after_fit(negated_directions),
        "order reversed": after_fit(reversed_directions),
        "last direction dropped": after_fit(last_dropped),
        "labels swapped": labels_swapped(1),
        "codes scaled": codes_scaled,
        "reconstruction scaled": outputs(lambda _, sizes: (SCALE * one for one in sizes), "reconstruct_sizes"),
        "another label decoded": outputs(another_label, "decode", "round"),
    },
    "selection": {
        "scores negated": after_fit(negated_scores),
        "order reversed": after_fit(reversed_ranking),
        "last feature replaced": last_replaced,
        "labels swapped": labels_swapped(2),
        "scores scaled": after_fit(scaled_scores),
        "best two exchanged": after_fit(best_two_exchanged),
    },
    "predictors": {
        "predictions negated": negated_predictions,
        "order reversed": outputs(lambda _, values: values[:, ::-1], "predict", *SCORES),
        "last label absent": outputs(last_label_absent, "predict", *SCORES),
        "labels swapped": labels_swapped(1),
        "scores scaled": scaled_predictions,
        "another label predicted": outputs(another_label, "predict"),
    },
}


def result(fitted: Any, X: Any, Y: Any) -> list[Any]:
    """What a user takes from a fitted method."""
    found = [getattr(fitted, name) for name in ("components_", "codes_", "eigenvalues_", "embedding_", "transduction_")
             if hasattr(fitted, name)]  # fmt: skip
    found += [getattr(fitted, name) for name in ("scores_", "ranking_") if hasattr(fitted, name)]
    found += [getattr(fitted, name)(X) for name in ("transform", "predict", *SCORES) if hasattr(fitted, name)]
    if hasattr(fitted, "encode"):
        codes = fitted.encode(Y)
        found += [codes, fitted.reconstruct(codes), fitted.decode(codes)]
    return [np.asarray(part, dtype=float) for part in found]


def differs(one: Iterable[Any], other: Iterable[Any]) -> bool:
    """Whether results differ by more than rounding."""
    return any(
        a.shape != b.shape or not np.allclose(a, b, rtol=1e-6, atol=1e-8) for a, b in zip(one, other, strict=True)
    )


def outcome(method: str, mutation: str) -> Outcome:
    """Try a mutant in one case after the other until it is caught."""
    change, changes = MUTATIONS[registry.kind_of(method)][mutation], False
    for case in definitions.CASES:
        X, Y, right = definitions.fit(method, case)
        try:
            mutant = definitions.fit(method, case, change)[2]
            if not differs(result(right, X, Y), result(mutant, X, Y)):
                continue
            changes = True
            definitions.check(method, case, change)
        except AssertionError:
            return Outcome(method, mutation, changes=True, caught=True)
    return Outcome(method, mutation, changes, caught=False)


def outcomes(methods: Iterable[str]) -> list[Outcome]:
    """Of all mutants of some methods."""
    found = []
    for method in methods:
        definitions.check(method, "tall")  # or what is caught says nothing
        found += [outcome(method, mutation) for mutation in MUTATIONS[registry.kind_of(method)]]
    return found


def report(found: list[Outcome]) -> str:
    """A table of the families, and what survived."""
    head = ["family", "methods", "mutants", "no change", "change the result", "caught", "methods without a survivor"]
    rows, everything = [], "all"
    for family in [*MUTATIONS, everything]:
        own = [one for one in found if family in (registry.kind_of(one.method), everything)]
        if not own:
            continue
        methods, changing = {one.method for one in own}, [one for one in own if one.changes]
        alive = {one.method for one in changing if not one.caught}
        caught = sum(one.caught for one in changing)
        numbers = [len(methods), len(own), len(own) - len(changing), len(changing), caught, len(methods - alive)]
        rows.append([family, *map(str, numbers)])
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    survivors = [f"survived: {one.method}, {one.mutation}" for one in found if one.changes and not one.caught]
    return "\n".join([*lines, "", *(survivors or ["No mutant that changes a result survived."])]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="registry names; all methods by default")
    parser.add_argument("--to", type=Path, metavar="FILE", help="writes the table there too, as Markdown")
    given = parser.parse_args(arguments)
    if missing := definitions.complaints(definitions.methods()):
        print("\n".join(missing))
        return 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcomes(given.methods or definitions.methods())
    text = report(found)
    print(text, end="")
    if given.to:
        given.to.write_text(text, encoding="utf-8")
    return int(any(one.changes and not one.caught for one in found))


if __name__ == "__main__":
    sys.exit(main())
