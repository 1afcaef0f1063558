"""What came of a search, in sentences and as a figure."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.auto.candidates import NONE
from mlreduce.metrics.measures import find_measure
from mlreduce.plot.figure import axes, short
from mlreduce.plot.layout import style
from mlreduce.registry import find_kind

# Statuses of what was compared in the end.
CHOSEN, MEMBER = "chosen", "in the stack"
# What was expected to take too long for a fit to all rows.
SLOW = "too slow"


def explain(model: Any) -> str:
    """Return sentences on a fitted `mlreduce.AutoReducer`."""
    table = model.leaderboard_
    name = find_measure(model.measure).label
    counts = table["status"].value_counts()
    tried = int(table["score"].notna().sum())
    others = [f"{number} {status}" for status, number in counts.items() if status in _NOT_COMPARED]
    more = f" ({', '.join(others)}; see leaderboard_)" if others else ""
    scored = f"{tried} of {len(table)} candidates were scored in {model.seconds_:.1f} s{more}."
    chosen = table[table["status"] == CHOSEN]
    if chosen.empty:
        return f"The model is ridge regression on all features, without a score: no trial finished.\n{scored}"
    best = chosen.iloc[0]
    lines: list[str] = []
    if model.weights_.size > 1:
        members = zip(model.weights_, model.stacked_, strict=True)
        weights = ", ".join(f"{weight:.3g} of {member}" for weight, member in members)
        lines.append(f"The model is a stack of {len(model.weights_)}, {name} {model.score_:.4f}: {weights}.")
    between = f" ({best['low']:.4f} to {best['high']:.4f} over {best['folds']} folds)"
    between = " (one fold)" if pd.isna(best["low"]) else between
    lines.append(f"Best candidate: {best['candidate']}, {name} {best['score']:.4f}{between} on {best['rows']} rows.")
    return "\n".join([*lines, *describe_slow(model), *_on_reduction(model, table, best, name), scored])


def describe_slow(model: Any) -> list[str]:
    """Return a sentence on the best candidate that scored better than the chosen one, but was too slow for all rows."""
    table, measure = model.leaderboard_, find_measure(model.measure)
    sign = 1.0 if measure.higher_is_better else -1.0
    best = table[table["status"] == CHOSEN].iloc[0]
    slow = table[(table["status"] == SLOW) & (sign * table["score"] > sign * best["score"])]
    if slow.empty:
        return []
    first = slow.loc[(sign * slow["score"]).idxmax()]
    return [
        f"{first['candidate']} has {measure.label} {first['score']:.4f} on {first['rows']} rows, better than "
        f"{best['candidate']} with {best['score']:.4f}, but time_budget={model.time_budget:g} s is too short for it: "
        f"{first['reason']}."
    ]


_NOT_COMPARED = ("failed", "time limit", "memory limit", "cut", "excluded", SLOW)


def write(model: Any, path: Path) -> Path:
    """Write the page of a fitted `mlreduce.AutoReducer`: what `explain` says, the figure, and the leaderboard."""
    from mlreduce.evaluation.page import draw_figure, format_cells, format_table, format_verdict, write_page

    table = model.leaderboard_
    name = find_measure(model.measure).label
    formats = {"features": ".0f", "score": ".4f", "low": ".4f", "high": ".4f", "folds": ".0f", "rows": ".0f"}
    formats = {"candidate": "", **formats, "seconds": ".3g", "megabytes": ".0f", "status": "", "reason": ""}
    rows = [format_cells(row, formats) for row in table.to_dict("records")]
    given = [[escape(key), f"<code>{escape(repr(value))}</code>"] for key, value in model.get_params(False).items()]
    answer, *others = model.explain().splitlines()
    caption = f"{name} against the seconds of a trial: filled are those compared in the end."
    body = [
        format_verdict(answer),
        *(f"<p>{escape(line)}</p>" for line in others),
        draw_figure(lambda: draw(model), caption),
        f"<h2>Candidates</h2><p>Score: {escape(name)} on held-out rows, the mean over the folds, with its 95 % "
        "interval; what was dropped has that of its last round, of fewer rows.</p>",
        format_table(rows, [*formats], "reasons"),
        "<h2>How this was made</h2>",
        format_table(given, kind="prose"),
    ]
    return write_page(path, "Search for a model", body)


def _on_reduction(model: Any, table: pd.DataFrame, best: Any, name: str) -> list[str]:
    """Return what reducing brought against all features, and what it saves."""
    compared = set(model.fold_scores_.index)
    rows = table[table["candidate"].isin(compared)]
    unreduced, reduced = rows[rows["reduction"] == NONE], rows[rows["reduction"] != NONE]
    if unreduced.empty or (reduced.empty and best["reduction"] != NONE):
        return ["It was not compared with all features on the same folds: the time was over."]
    if reduced.empty:
        return ["No reduced candidate was among the best: all features are taken."]
    full, other = unreduced.iloc[0], reduced.iloc[0] if best["reduction"] == NONE else best
    low, high = model.difference_interval(other["candidate"], full["candidate"])
    interval = "" if pd.isna(low) else f", 95 % interval {low:+.4f} to {high:+.4f}"
    difference = other["score"] - full["score"]
    text = f"against {full['score']:.4f} of all features ({full['candidate']}): {difference:+.4f}{interval}."
    if best["reduction"] == NONE:
        return [f"Reducing was not better: {other['candidate']} has {name} {other['score']:.4f} {text}"]
    if find_kind(other["reduction"]) == "labelspace":
        saved = f"It predicts {other['size']} codes in place of the labels"
    else:
        saved = f"It predicts from {other['features']} instead of {full['features']} features"
    spent = f"a trial took {other['seconds']:.2g} s instead of {full['seconds']:.2g} s."
    return [f"Reducing: {name} {other['score']:.4f} {text}", f"{saved}; {spent}"]


def draw(model: Any, ax: Any = None) -> Any:
    """Draw scores against seconds: candidates with all features, reduced ones, and the chosen one."""
    table = model.leaderboard_[model.leaderboard_["score"].notna()]
    axis = axes(ax, (7.2, 4.0))
    from matplotlib.ticker import LogLocator

    compared = table["candidate"].isin(model.fold_scores_.index)
    for unreduced, marker, text in ((True, "s", "all features"), (False, "o", "reduced")):
        rows = (table["reduction"] == NONE) == unreduced
        for among, filled, more in ((compared, "full", ""), (~compared, "none", ", dropped earlier")):
            part = table[rows & among]
            if len(part):
                axis.plot(
                    part["seconds"], part["score"], marker, fillstyle=filled, label=text + more, markersize=7,
                    color=style(int(not unreduced))["color"],
                )  # fmt: skip
    for row in table[table["status"] == CHOSEN].to_dict("records"):
        ring = {"s": 170, "facecolors": "none", "edgecolors": "#000000"}
        axis.scatter(row["seconds"], row["score"], label=f"chosen: {short(row['candidate'], 30)}", **ring)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")
    axis.margins(x=0.1, y=0.1)
    axis.set_xlabel("seconds of a trial")
    axis.set_ylabel(find_measure(model.measure).label)
    axis.legend(fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, frameon=False)
    return axis
