"""The answer of the study, from its rows: a sentence, a table, a picture, and what it takes on many nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlreduce_studies.many_labels.settings import NONE, PEER, Settings, name_and_percent
from mlreduce_studies.tables.layout import to_markdown

#: In words, for sentences and tables.
REDUCERS = {
    **{"chi2": "chi-square", "mim": "MIM", "hashing": "hashing", "random-projection": "random projection"},
    **{"pls": "PLS", NONE: "no reduction"},
}
MODELS = {
    **{
        "trees": "three label trees",
        "br": "binary relevance",
        "plst": "PLST, 100 codes",
        "plst-500": "PLST, 500 codes",
    },
    **{"cplst": "CPLST, 100 codes", "cs": "compressed sensing, 100 codes", "faie": "FaIE, 100 codes"},
    **{"omikuji": "Omikuji", "napkinxc": "napkinXC", "pecos": "PECOS", "libmultilabel": "LibMultiLabel"},
}
# In how many standard errors a difference counts, and the row that no less time may take.
ERRORS = 2
#: Models that a sentence names.
MOST_NAMES = 3
KEY = ["data", "model", "reducer"]


def read(path: str | Path) -> pd.DataFrame:
    """Return the rows of results, with the processor seconds of reduction and fit, and of all."""
    rows = pd.read_csv(path, dtype={"reason": str}).fillna({"reason": ""})
    return rows.assign(seconds=rows["reduce"] + rows["fit"])


def chosen(rows: pd.DataFrame) -> pd.DataFrame:
    """Return of each model and reducer the setting with the highest P@5 on the validation rows."""
    ended = rows[rows["reason"] == ""]
    best = ended.loc[ended.groupby(KEY, sort=False)["valid"].idxmax()]
    return best.sort_index()


class Answer:
    """What reduction brings on one data set at equal time, as rows of models.

    ``without`` is the model without reduction that is best on the validation rows, other programs aside; ``reduced``
    the one with reduced features that is, of those that take no more seconds; ``quickest`` the one with the fewest
    seconds of those whose P@5 on the validation rows is not clearly lower. The last two may be None.
    """

    def __init__(self, rows: pd.DataFrame, settings: Settings) -> None:
        kinds = rows["model"].map(lambda name: settings.content["models"][name]["kind"])
        of_library = chosen(rows[kinds != PEER])
        alone = of_library[of_library["reducer"] == NONE]
        self.without = _first(alone, -alone["valid"])
        others = of_library[(of_library["reducer"] != NONE) & (of_library["seconds"] <= self.without["seconds"])]
        self.reduced = _first(others, -others["valid"])
        near = others[others["valid"] >= self.without["valid"] - ERRORS * _error(others, self.without)]
        self.quickest = _first(near, near["seconds"])

    def text(self) -> str:
        """Return what is to say of the data set, in sentences."""
        without = self.without
        text = f"{_model(without)} on all features: P@5 {_costs(without)}."
        if self.reduced is None:
            return f"{text} In this comparison no reduced model takes less time."
        gain = self.reduced["P@5"] - without["P@5"]
        error = _error(self.reduced, without)
        word = "no clear difference" if abs(gain) <= ERRORS * error else "a gain" if gain > 0 else "a loss"
        text += (
            f" In no more time, reduction brings {word} of {gain:+.3f} ± {error:.3f} in P@5, by "
            f"{_reducer(self.reduced)} in front of {_model(self.reduced)} ({_costs(self.reduced)})."
        )
        if self.quickest is None:
            return text
        least = f"{_reducer(self.quickest)} in front of {_model(self.quickest)} ({_costs(self.quickest)})"
        return f"{text} At a P@5 that is not clearly lower, {least} takes the least time."


def _first(rows: pd.DataFrame, values: Any) -> Any:
    """Return the row of the smallest value, None of no rows."""
    return rows.iloc[int(np.argmin(values))] if len(rows) else None


def _error(row: Any, other: Any) -> Any:
    """Return the standard error of a difference of P@5."""
    return (row["error"] ** 2 + other["error"] ** 2) ** 0.5


def _model(row: Any) -> str:
    return MODELS[row["model"]]


def _reducer(row: Any) -> str:
    name, percent = name_and_percent(row["reducer"])
    return REDUCERS[name] + ("" if name == NONE else f" to {percent} %")


def _costs(row: Any) -> str:
    return f"{row['P@5']:.3f} in {row['seconds']:.1f} s"


def _by_data(rows: pd.DataFrame, settings: Settings) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the data sets of which a model without reduction has ended, and their rows."""
    for name in settings.content["data"]:
        part = rows[rows["data"] == name]
        ended = part[(part["reason"] == "") & (part["reducer"] == NONE)]
        if len(ended):
            yield name, part


def sentences(rows: pd.DataFrame, settings: Settings) -> list[str]:
    """Return the answer, an entry of a list for each data set."""
    return [
        f"- Generated in the size of {name}. {Answer(part, settings).text()}" for name, part in _by_data(rows, settings)
    ]


def tables(rows: pd.DataFrame, settings: Settings, most: int = 6) -> list[str]:
    """Return the lines of a table for each data set, the best on the validation rows first, and of what did not end.

    After the best come, on all features, label trees with each setting and other programs with their defaults.
    """
    header = ["model", "features", "setting", "reduce s", "fit s", "row ms", "P@5"]
    lines: list[str] = []
    for name, part in _by_data(rows, settings):
        ended = part[part["reason"] == ""].sort_values("valid", ascending=False, kind="stable")
        kinds = ended["model"].map(lambda model: settings.content["models"][model]["kind"])
        best = ended[ended.index.isin(chosen(part).index)].head(most)
        compared = (ended["reducer"] == NONE) & kinds.isin(["trees", PEER])
        cells = [
            [
                *(MODELS[row["model"]], _reducer(row), _setting(row)),
                *(f"{row['reduce']:.1f}", f"{row['fit']:.1f}", f"{row['per_row']:.2f}", f"{row['P@5']:.3f}"),
            ]
            for _, row in ended[compared | ended.index.isin(best.index)].iterrows()
        ]
        lines += [f"### {name}", "", *to_markdown(header, cells).splitlines(), ""]
        failed = int((part["reason"] != "").sum())
        lines += [(_at_an_end(part, settings) + _count_rows(part, name, settings)).strip()]
        lines += [f"{failed} were not trained, or are over the limits.", ""] if failed else [""]
    return lines[:-1]


def _setting(row: pd.Series) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in json.loads(row["setting"]).items()) or "default"


def _at_an_end(part: pd.DataFrame, settings: Settings) -> str:
    """Say of which models the last setting was chosen: the best one may lie beyond."""
    last = {name: json.dumps(entry.get("settings", [{}])[-1]) for name, entry in settings.content["models"].items()}
    several = chosen(part)[lambda rows: (rows["setting"] != "{}") & (rows["setting"] == rows["model"].map(last))]
    names = list(dict.fromkeys(MODELS[name] for name in several["model"]))
    named = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} models"
    return f"The last of the settings was chosen of {named}: a stronger penalty may be better still. " if names else ""


def _count_rows(part: pd.DataFrame, name: str, settings: Settings) -> str:
    planned = {(reducer, model) for _, reducer, model in settings.plan([name])}
    run = set(part[["reducer", "model"]].itertuples(index=False, name=None))
    if planned <= run:
        return ""
    return f"{len(run & planned)} of {len(planned)} pairs of features and model of the study's file have run."


def picture(rows: pd.DataFrame, settings: Settings) -> Any:
    """Return the figure: P@5 against seconds, a panel for data and model, a line for a reducer."""
    from mlreduce.plot.layout import house_style, pyplot, style

    figures = pyplot()
    from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

    shown = [
        (name, model, of_model)
        for name, part in _by_data(rows, settings)
        for model, of_model in chosen(part).groupby("model", sort=False)
        if set(of_model["reducer"]) > {NONE} and len(of_model) > 2
    ]
    with house_style():
        columns = max(1, min(3, len(shown)))
        height = max(1, -(-len(shown) // columns))
        figure, axes = figures.subplots(
            height, columns, figsize=(3.2 * columns, 2.7 * height), squeeze=False, layout="constrained"
        )
        figure.get_layout_engine().set(h_pad=0.08)
        names = [name for name in REDUCERS if name != NONE]
        for axis, (data, model, part) in zip(axes.flat, shown, strict=False):
            methods = part["reducer"].map(lambda name: name_and_percent(name)[0])
            for place, name in enumerate(names):
                points = part[methods == name].sort_values("reducer", key=_percents)
                if len(points):
                    axis.plot(points["seconds"], points["P@5"], **style(place), markersize=4, label=REDUCERS[name])
                # Of a line the ends are named; the others would overlap.
                for _, point in points.iloc[sorted({0, len(points) - 1}) if len(points) else []].iterrows():
                    text = str(name_and_percent(point["reducer"])[1])
                    place_of = {"xytext": (3, 3), "textcoords": "offset points"}
                    axis.annotate(text, (point["seconds"], point["P@5"]), **place_of, fontsize=6)
            (without,) = part[methods == NONE].to_dict("records")
            axis.plot(without["seconds"], without["P@5"], "k*", markersize=11, label=REDUCERS[NONE])
            low, high = (without["P@5"] + sign * ERRORS * without["error"] for sign in (-1, 1))
            axis.axhspan(low, high, color="0.93", zorder=0)
            axis.axvline(without["seconds"], color="0.7", linewidth=0.7, zorder=0)
            axis.set(
                xscale="log", title=f"{data}: {MODELS[str(model)]}", xlabel="seconds to reduce and fit", ylabel="P@5"
            )
            axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.xaxis.set_major_formatter(ScalarFormatter())
            axis.xaxis.set_minor_formatter(NullFormatter())
        for axis in list(axes.flat)[len(shown) :]:
            axis.set_visible(False)
        lines = {line.get_label(): line for axis in axes.flat for line in axis.lines if line.get_label()[0] != "_"}
        figure.legend(lines.values(), lines, loc="outside lower center", ncols=2 * columns, frameon=False)
    return figure


def _percents(reducers: pd.Series) -> pd.Series:
    return reducers.map(lambda name: name_and_percent(name)[1])


def nodes(rows: pd.DataFrame, settings: Settings, n_nodes: int = 1000) -> list[str]:
    """Return the lines of a table: the jobs of each measured data set on many nodes, from the measured seconds.

    The time on many nodes is the larger of the seconds that each has to do and of the longest way from data to row:
    reduction, then the longest piece of a model, its prediction included.
    """
    header = ["data", "jobs", "processor hours", "longest way", f"{n_nodes:,} nodes"]
    cells = []
    for name, part in _by_data(rows, settings):
        entries = {
            key: entry for reducer in settings.reducers(name) for key, entry in settings.models(name, reducer).items()
        }
        pieces = part["model"].map(lambda model: entries.get(model, {}).get("pieces", 1))  # noqa: B023
        reduction = part.groupby("reducer")["reduce"].first().sum()
        total = reduction + (part["fit"] + part["predict"]).sum()
        settings_of = part.groupby(["reducer", "model"])["setting"].transform("count")
        way = (part["reduce"] + settings_of * (part["fit"] + part["predict"]) / pieces).max()
        jobs = part.groupby("reducer").ngroups + int(pieces.groupby([part["reducer"], part["model"]]).first().sum())
        hours = f"{total / 3600:.2f}"
        cells.append([name, f"{jobs:,}", hours, f"{way:.0f} s", f"{max(way, total / n_nodes):.0f} s"])
    return to_markdown(header, cells).splitlines()
