"""The result of a comparison: tidy scores, tables, paired statistics, plots and a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlreduce import registry
from mlreduce.exceptions import DataError, unknown_name
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.stats.margins import DECIDED, wins_ties_losses
from mlreduce.stats.posterior import posterior
from mlreduce.stats.ranking import FULL, WHOLE, rank

__all__ = ["Comparison"]


@dataclass(frozen=True, repr=False)
class Comparison:
    """Scores of methods with predictors on the folds of one data set; made by `mlreduce.compare`.

    Attributes
    ----------
    scores : DataFrame
        One row per value: method, parameters (JSON), predictor, size_percent, size, split, measure, value. What is not
        reduced has 100 percent.
    failures : DataFrame
        What failed: method, predictor, split, step, error, message.
    fits : DataFrame
        Seconds of each fit, without prediction: method, split, seconds.
    settings : dict
        All that the scores depend on: data, methods, predictors, measures, sizes, cv, repeats, scaling, random_state,
        margin and versions of packages; the limits, and in ``notes`` sentences on what was left out within them.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> comparison = mlreduce.compare(data, methods=["pca", "mvmd"], predictors=["linear"], cv=3, sizes=[10], n_jobs=1)
    >>> comparison.values("hamming-loss").shape  # folds and methods
    (3, 2)
    >>> comparison.table().index[0]  # the best
    'mvmd'
    """

    scores: pd.DataFrame
    failures: pd.DataFrame
    fits: pd.DataFrame
    settings: Mapping[str, Any]

    def values(self, measure: str | None = None, predictor: str | None = None, size: int | None = None) -> pd.DataFrame:
        """Return values by fold and method.

        Parameters
        ----------
        measure, predictor : str or None, default=None
            None takes the first.
        size : int or None, default=None
            In percent; None takes the largest. Methods with one size only, such as all features, have it at all.

        Returns
        -------
        DataFrame of shape (n_splits, n_methods)
            NaN where a method has no value; without the folds on which the measure is undefined for all.

        Raises
        ------
        DataError
            If there are no such values.
        """
        measure, predictor, size = self._chosen(measure, predictor, size)
        values = self._folds(measure, predictor, size).dropna(how="all")
        if values.empty:
            raise DataError(f"{measure} is undefined on every fold")
        return values

    def _folds(self, measure: str, predictor: str, size: int, column: str = "value") -> pd.DataFrame:
        """Return a column of the scores by fold and method, NaN where a measure is undefined too."""
        rows = self.scores[(self.scores["measure"] == measure) & (self.scores["predictor"] == predictor)]
        one_size = rows.groupby("method")["size_percent"].transform("nunique") == 1
        rows = rows[(rows["size_percent"] == size) | one_size]
        if rows.empty:
            raise DataError(f"there are no values of {measure} with the predictor {predictor}")
        methods = [method for method in self.settings["methods"] if method in set(rows["method"])]
        return rows.pivot(index="split", columns="method", values=column)[methods]

    def _chosen(self, measure: str | None, predictor: str | None, size: int | None) -> tuple[str, str, int]:
        settings = self.settings
        known: dict[str, list[Any]] = {
            "measure": list(settings["measures"]),
            "predictor": list(settings["predictors"]),
            "size": list(settings["sizes"]),
        }
        chosen: dict[str, Any] = {
            "measure": known["measure"][0] if measure is None else measure,
            "predictor": known["predictor"][0] if predictor is None else predictor,
            "size": max(known["size"]) if size is None else size,
        }
        for what, value in chosen.items():
            if value not in known[what]:
                raise DataError(unknown_name(what, value, map(str, known[what])))
        return chosen["measure"], chosen["predictor"], chosen["size"]

    def table(self, predictor: str | None = None, size: int | None = None) -> pd.DataFrame:
        """Return the mean over the folds of each method and measure.

        Parameters
        ----------
        predictor, size
            As of `values`.

        Returns
        -------
        DataFrame
            Methods by measures, and ``seconds`` of a fit; the best by the first measure on top.
        """
        _, predictor, size = self._chosen(None, predictor, size)
        measures = self._measured(predictor)
        means = pd.DataFrame({name: self._folds(name, predictor, size).mean() for name in measures})
        means["seconds"] = self.fits.groupby("method")["seconds"].mean()
        return means.sort_values(measures[0], ascending=not higher_is_better(measures[0]), kind="stable")

    def pairs(self, measure: str | None = None, predictor: str | None = None, size: int | None = None) -> pd.DataFrame:
        """Compare each pair of methods on the same folds by the Bayesian correlated t-test.

        Parameters
        ----------
        measure, predictor, size
            As of `values`.

        Returns
        -------
        DataFrame
            One row per ordered pair: ``method``, ``than``, ``mean_difference`` (positive where the method is better),
            ``low`` and ``high`` of its central 95 % interval, ``wins``, ``ties`` and ``losses`` of folds by the margin,
            and the probabilities ``better``, ``similar`` and ``worse``: that the mean difference is above the margin,
            within it, below it. Folds on which one of them failed are left out; a pair with fewer than two is too.

        Notes
        -----
        Probabilities are of the mean over training sets drawn from data like these, and of one pair at a time; among
        many pairs some are above 0.95 by chance. They are no evidence for other data sets.
        """
        measure, predictor, size = self._chosen(measure, predictor, size)
        values = self.values(measure, predictor, size) * (1 if higher_is_better(measure) else -1)
        margin, rows = self.settings["margin"], []
        for method, other in permutations(values.columns, 2):
            differences = (values[method] - values[other]).dropna().to_numpy(dtype=np.float64)
            if len(differences) < 2:
                continue
            mean = posterior(differences, self.settings["test_share"])
            counts, regions = wins_ties_losses(differences, margin), mean.regions(margin)
            rows.append((method, other, mean.mean, *mean.interval(), *counts, *reversed(regions)))
        columns = ["method", "than", "mean_difference", "low", "high", "wins", "ties", "losses"]
        return pd.DataFrame(rows, columns=[*columns, "better", "similar", "worse"])

    def statistics(
        self, measure: str | None = None, predictor: str | None = None, size: int | None = None
    ) -> pd.DataFrame:
        """Return statistics of each method among all.

        Parameters
        ----------
        measure, predictor, size
            As of `values`.

        Returns
        -------
        DataFrame
            One row per method, the best first, as `mlreduce.stats.ranking` ranks with folds as data sets: ``mean`` and
            ``deviation`` (standard deviation over the folds), ``near`` (the share of the folds on which it is within
            the margin of the best), ``rank`` (mean of its ranks; 1 is best, ties share, what failed is last), ``first``
            (how many folds it is best on, alone or tied), ``beats`` and ``beaten_by`` (of how many methods it is better
            or worse by more than the margin with a probability of at least 0.95; see `pairs`).
        """
        measure, predictor, size = self._chosen(measure, predictor, size)
        values, pairs = self.values(measure, predictor, size), self.pairs(measure, predictor, size)
        cells = (
            values.rename_axis("dataset").melt(ignore_index=False, var_name="method").reset_index().assign(size=FULL)
        )
        ranks = rank(cells, higher_is_better(measure), self.settings["margin"]).table
        table = pd.DataFrame(
            {
                "mean": values.mean(),
                "deviation": values.std(),
                "near": ranks["near"],
                "rank": ranks["rank"],
                "first": (ranks["won"] * len(values)).round(),
                **{
                    name: pairs.loc[pairs[chance] >= DECIDED, "method"].value_counts().reindex(values.columns).fillna(0)
                    for name, chance in (("beats", "better"), ("beaten_by", "worse"))
                },
            }
        )
        counts = dict.fromkeys(("first", "beats", "beaten_by"), "int64")
        return table.loc[ranks.index].rename_axis(None).astype(counts)

    def explain(self) -> str:
        """Say for each predictor which method ranks first, what it has against no reduction, and what it costs.

        Returns
        -------
        str
            A line per predictor, that of the best value first: at the largest size, by the first measure that the
            predictor has, ranked as by `statistics`. Where all methods reduce, the first is compared with the second.

        Examples
        --------
        >>> import mlreduce
        >>> data = mlreduce.load_dataset("planted-300")
        >>> methods = ["pca", "mvmd"]
        >>> comparison = mlreduce.compare(data, methods=methods, predictors=["linear"], cv=3, sizes=[10], n_jobs=1)
        >>> comparison.explain().partition(":")[0]
        'With linear, mvmd ranks first'
        """
        lines = []
        for predictor in self._predictors():
            measure = self._measured(predictor)[0]
            ranked = self.statistics(measure, predictor)
            best = ranked["mean"].iloc[0] * (1 if higher_is_better(measure) else -1)
            lines.append((self.settings["measures"].index(measure), -best, self._verdict(ranked, measure, predictor)))
        return "\n".join(line for *_, line in sorted(lines))

    def _verdict(self, ranked: pd.DataFrame, measure: str, predictor: str) -> str:
        """Return the sentences of `explain` on a predictor."""
        first = ranked.index[0]
        text = f"With {predictor}, {first} ranks first: {measure_label(measure)} {ranked['mean'][first]:.3f}."
        whole = [name for name in ranked.index if registry.entry_name(name, self.settings["methods"][name]) in WHOLE]
        reduced = [name for name in ranked.index if name not in whole]
        compared = (
            [(one, first) for one in reduced] if first in whole else [(first, one) for one in whole + reduced[1:]]
        )
        rows = self.pairs(measure, predictor).set_index(["method", "than"])
        if not compared or compared[0] not in rows.index:
            return text
        (one, other), margin = compared[0], f"{self.settings['margin']:g}"
        row: Any = rows.loc[compared[0]]
        subject = "It" if one == first else f"The first that reduces, {one} ({ranked['mean'][one]:.3f}),"
        named, seconds = f"{other} ({ranked['mean'][other]:.3f})", self.fits.groupby("method")["seconds"].mean()
        chance = max(("better", "similar", "worse"), key=lambda name: row[name])
        relation = {"better": f"better than {named} by more than {margin}", "similar": f"within {margin} of {named}",
                    "worse": f"worse than {named} by more than {margin}"}[chance]  # fmt: skip
        undecided = "" if row[chance] >= DECIDED else " only: undecided"
        return (
            f"{text} {subject} is {relation} with a probability of {row[chance]:.2f}{undecided}. "
            f"A fit of {one} takes {seconds[one]:.2g} s, of {other} {seconds[other]:.2g} s."
        )

    def plot(
        self, kind: str = "sizes", measure: str | None = None, predictor: str | None = None, *, ax: Any = None
    ) -> Any:
        """Draw quality against size, or methods by methods at the largest size.

        Parameters
        ----------
        kind : {"sizes", "pairs"}, default="sizes"
        measure, predictor : str or None, default=None
            None takes the first.
        ax : Axes or None, default=None
            None makes a figure.

        Returns
        -------
        Axes
            Of the plot.

        Raises
        ------
        DataError
            If the kind is unknown.
        """
        from mlreduce import plot

        measure, predictor, _ = self._chosen(measure, predictor, None)
        if kind == "sizes":
            return plot.quality_against_size(self.scores, measure, predictor, ax=ax)
        if kind == "pairs":
            return plot.comparison_matrix(self.pairs(measure, predictor), ax=ax)
        raise DataError(unknown_name("kind of plot", kind, ["sizes", "pairs"]))

    def to_html(self, path: str | Path) -> Path:
        """Write a page that opens offline: tables, figures, statistics, failures, and how it was made.

        Without Matplotlib (``pip install 'mlreduce[plot]'``) the figures are left out, with a note on the page.

        Parameters
        ----------
        path : path
            A file, which is replaced.

        Returns
        -------
        Path
            Of the page.
        """
        from mlreduce.evaluation.page import Section, write_comparison_page

        sections, largest = [], max(self.settings["sizes"])
        for predictor in self._predictors():
            measure = self._measured(predictor)[0]
            statistics = self.statistics(measure, predictor)
            means = self.table(predictor)
            means = means.loc[sorted(means.index, key=[*statistics.index, *means.index].index)]  # as ranked
            means.insert(0, "size", self._folds(measure, predictor, largest, "size").max())
            paired = statistics if len(self.pairs(measure, predictor)) else None
            draw = partial(self.plot, measure=measure, predictor=predictor)
            sections.append(Section(predictor, measure, means, paired, draw))
        return write_comparison_page(Path(path), self.settings, self.failures, sections, self.explain())

    def _measured(self, predictor: str) -> list[str]:
        """Return the measures that a predictor has, the first one first."""
        measured = set(self.scores.loc[self.scores["predictor"] == predictor, "measure"])
        return [name for name in self.settings["measures"] if name in measured]

    def _predictors(self) -> list[str]:
        """Return the predictors that have scores."""
        return [predictor for predictor in self.settings["predictors"] if predictor in set(self.scores["predictor"])]

    def __repr__(self) -> str:
        settings = self.settings
        size, name = max(settings["sizes"]), settings["data"]["name"]
        limits = [
            f"{settings[key]:.3g} {unit}"
            for key, unit in (("time_budget", "s"), ("memory_limit", "GB"))
            if settings.get(key) is not None
        ]
        within = f", within {' and '.join(limits)}" if limits else ""
        head = f"Comparison on {name!r}: {len(settings['methods'])} methods, {settings['cv']} folds{within}"
        parts = [
            f"{predictor}, {size} %\n{self.table(predictor).to_string(float_format='{:.3f}'.format)}"
            for predictor in self._predictors()
        ]
        return "\n\n".join([head, *settings.get("notes", []), *parts])
