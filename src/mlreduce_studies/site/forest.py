"""A forest plot of a claim: the difference of two methods on each data set, with its interval and the margin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import from_extra
from mlreduce.metrics import higher_is_better
from mlreduce.stats.posterior import posterior
from mlreduce_studies.runs import StudyResults
from mlreduce_studies.site.claim_links import LARGEST, chosen_cells
from mlreduce_studies.site.scores import comparable_scores, is_summarised, part_shares
from mlreduce_studies.verdicts.reasons import Pair, claimed_outcome, measured

with from_extra("workflow", "sites"):
    import markupsafe

# Sizes of the drawing: of the names, of the plot beside them, of the numbers, of a row, and above and below the rows.
_NAMES, _PLOT, _NUMBERS, _ROW, _TOP, _BOTTOM = 120, 300, 70, 17, 6, 24

_AT_MOST = re.compile(r"at most (\d+) dimensions$")

# Most scores of a study that intervals are computed from.
_MOST_SCORES = 2_000_000

# Intervals are cut where they are wider than this many times what the differences and margins span.
_WIDEST = 2.0


class Intervals:
    """The 95 % intervals of mean differences by data set, from the scores of every split of a study."""

    def __init__(self, study: StudyResults) -> None:
        self._study = study

    @cached_property
    def _scores(self) -> dict[Any, pd.DataFrame]:
        if is_summarised(self._study, _MOST_SCORES):
            return {}
        keys = ["protocol", "measure", "method"]
        return dict(iter(comparable_scores(self._study, _MOST_SCORES).groupby(keys, observed=True)))

    @cached_property
    def _shares(self) -> Mapping[tuple[str, str], float]:
        return part_shares(self._study)

    def of(self, line: Mapping[Any, Any], pair: Pair) -> dict[str, tuple[float, float]]:
        """Return data sets to the ends of the interval: those whose mean is the one that the claim is judged by."""
        chosen = chosen_cells(self._study, line)
        if chosen is None or pair.method == pair.other:
            return {}
        first, second = (self._cells(line, chosen, method) for method in (pair.method, pair.other))
        intervals = {}
        for name, difference in pair.table[["dataset", "difference"]].itertuples(index=False):
            share = self._shares.get((line["protocol"], name))
            if name in first and name in second and share is not None:
                values = (first[name] - second[name]).dropna(axis=1, how="all").dropna().mean(axis=1).to_numpy()
                if len(values) > 1 and np.isclose(values.mean(), difference, rtol=1e-3, atol=1e-7):
                    intervals[name] = posterior(values, share).interval()
        return intervals

    def _cells(self, line: Mapping[Any, Any], chosen: Mapping[str, Any], method: str) -> dict[str, pd.DataFrame]:
        """Return data sets to signed scores: splits by cells of measure, predictor and size."""
        parts = []
        for measure in chosen["measures"]:
            if (rows := self._scores.get((line["protocol"], measure, method))) is not None:
                rows = _at_sizes(rows[rows["predictor"].isin(chosen["predictors"])], chosen["size"])
                larger = {"larger": True, "smaller": False}.get(line["kind"], higher_is_better(measure))
                parts.append(rows.assign(value=rows["value"] if larger else -rows["value"]))
        if not parts:
            return {}
        table = pd.concat(parts).pivot_table(
            index=["dataset", "split"], columns=["measure", "predictor", "size"], values="value", observed=True
        )
        return {str(name): part for name, part in table.groupby(level="dataset", observed=True)}


def _at_sizes(rows: pd.DataFrame, text: str) -> pd.DataFrame:
    """Return rows at some sizes, with ``size``: percentages, a threshold, or the largest number of dimensions."""
    limit = np.inf if text == LARGEST else float(found[1]) if (found := _AT_MOST.match(text)) else None
    if limit is not None:
        plain = rows[(rows["size_percent"] == 0) & (rows["energy"] == 0) & (rows["own_size"] <= limit)]
        largest = plain.groupby(["dataset", "predictor", "split"], observed=True)["own_size"].idxmax()
        return plain.loc[largest].assign(size=0.0)
    if text.startswith("threshold "):
        return rows[rows["energy"] == float(text.split()[1])].assign(size=0.0)
    percents = [float(part.removesuffix(" %")) for part in text.split("; ") if part.endswith(" %")]
    return rows[rows["size_percent"].isin(percents)].assign(size=lambda table: table["size_percent"])


def forest(line: Mapping[Any, Any], pair: Pair, intervals: Mapping[str, tuple[float, float]]) -> markupsafe.Markup:
    """Return a forest plot as SVG, whose colours are those of the page.

    Each row has a data set, the margin as a band, the difference as a point with its interval (of `Intervals`), and as
    a number; the last row has the mean over the data sets. Points are full where the claim holds.
    """
    table = pair.table.assign(holds=pair.holds).sort_values("difference", ascending=False, kind="stable")
    span = float(np.abs(table[["difference", "margin"]].to_numpy(float)).max()) or 1.0
    ends = [abs(end) for low_high in intervals.values() for end in low_high]
    most = 1.05 * max(span, min(_WIDEST * span, max(ends, default=0.0)))
    middle, right = _NAMES + _PLOT / 2, _NAMES + _PLOT

    def at(value: float) -> float:
        return round(middle + _PLOT / 2 * float(np.clip(value / most, -1, 1)), 1)

    rows, y = [], float(_TOP)
    for row in table.to_dict("records"):
        centre, name = y + _ROW / 2, str(row["dataset"])
        shown = name if len(name) < 19 else f"{name[:17]}…"
        low, high = intervals.get(name, (row["difference"], row["difference"]))
        rows.append(
            f'<text x="{_NAMES - 6}" y="{centre + 4}" text-anchor="end">{markupsafe.escape(shown)}</text>'
            f'<rect class="margin" x="{at(-row["margin"])}" width="{round(at(row["margin"]) - at(-row["margin"]), 1)}" '
            f'y="{y + 1}" height="{_ROW - 2}"/>'
            f'<path d="M{at(low)} {centre}H{at(high)}"/>'
            f'<circle cx="{at(row["difference"])}" cy="{centre}" r="4" class="{"holds" if row["holds"] else "fails"}"/>'
            f'<text x="{right + 8}" y="{centre + 4}">{row["difference"]:+.2g}</text>'
        )
        y += _ROW
    if len(table) > 1:
        centre, mean = y + _ROW / 2, float(table["difference"].mean())
        rows.append(
            f'<text x="{_NAMES - 6}" y="{centre + 4}" text-anchor="end" class="mean">mean</text>'
            f'<path class="mean" d="M{at(mean) - 6} {centre}l6 -6 6 6 -6 6z"/>'
            f'<text x="{right + 8}" y="{centre + 4}" class="mean">{mean:+.2g}</text>'
        )
        y += _ROW
    names = f"{pair.method} against {pair.other}{measured(line)}"
    numbers = ", ".join(f"{row['dataset']} {row['difference']:+.3g}" for row in table.to_dict("records"))
    label = f"{names}, claimed: {claimed_outcome(line)}. Differences: {numbers}."
    side = line["kind"] if line["kind"] in ("larger", "smaller") else "better"
    first, second = f"{pair.method} {side}", f"{pair.other} {side}"
    return markupsafe.Markup(
        '<svg class="forest" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
        '<path class="axis" d="M{middle} {top}V{end}"/>{rows}'
        '<text x="{left}" y="{below}">← {second}</text>'
        '<text x="{right}" y="{below}" text-anchor="end">{first} →</text></svg>'
    ).format(
        width=_NAMES + _PLOT + _NUMBERS, height=y + _BOTTOM, label=label, middle=middle, top=_TOP, end=y,
        rows=markupsafe.Markup("".join(rows)), left=_NAMES, right=right, below=y + 16, first=first, second=second,
    )  # fmt: skip
