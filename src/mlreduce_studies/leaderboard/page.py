"""Page of the leaderboard: entries and the methods of the benchmark, ranked together as everywhere in the project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from mlreduce.escaping import markdown_escaped
from mlreduce.files import write_text
from mlreduce.stats.ranking import Ranking, rank
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.scores import Scores, sized, whole_size
from mlreduce_studies.gathering.rankings import MAIN
from mlreduce_studies.leaderboard.entry import FAMILIES, SETS, Entry, entries
from mlreduce_studies.leaderboard.kept import RESULTS, KeptEntry, read_kept
from mlreduce_studies.tables.layout import fill_block, to_markdown

#: The page and the table of all rows, in the project, and the measure by which they rank.
PAGE, TABLE, MEASURE = "docs/leaderboard.md", "docs/tables/leaderboard.csv", "average-precision"
#: How many methods of the project the page shows; it shows all entries.
_SHOWN = 8

_HEADINGS = {"projection": "Projections", "selection": "Selectors", "labelspace": "Label coders"}
_HEADER = ("method", "near the best", "rank", "average precision", "seconds", "versions", "entered by")


def write_page(project: str | Path) -> None:
    """Update the page and the table of all rows."""
    path = Path(project, PAGE)
    page, table = texts_of(path.read_text(encoding="utf-8"), project)
    write_text(path, page)
    write_text(Path(project, TABLE), table)


def texts_of(page: str, project: str | Path) -> tuple[str, str]:
    """Return the page with the first methods of the project and all entries, and the table of all rows as CSV."""
    known, parts, table = entries(project), list[str](), list[list[str]]()
    for family in FAMILIES:
        parts.append(f"## {_HEADINGS[family]}")
        if not any(entry.family == family for entry in known.values()):
            parts.append("No entry yet.")
            continue
        rows, alone = _family(family, known, project)
        table += [[family, *row] for _, row in rows]
        if alone:
            parts.append(
                "Compared with the control only: the [benchmark](benchmark.md) has not been run with this family on "
                "all of these data sets."
            )
        shown = [row for place, (name, row) in enumerate(rows) if place < _SHOWN or name in known]
        places = [place for place, (name, row) in enumerate(rows, 1) if name in known and row[2]]
        if places:
            best = rows[places[0] - 1][1][0]
            parts.append(f"**{rows[0][0]}** is first; the best entry, {best}, is at place {places[0]} of {len(rows)}.")
        parts.append(to_markdown(_HEADER, shown, marked=True).removesuffix("\n"))
    cells = pd.DataFrame(table, columns=["family", *_HEADER]).replace(r"\[(.*)\]\(.*\)", r"\1", regex=True)
    return fill_block(page, "leaderboard", ["\n\n".join(parts)]), str(cells.to_csv(index=False, lineterminator="\n"))


def _family(family: str, known: Mapping[str, Entry], project: str | Path) -> tuple[list[tuple[str, list[str]]], bool]:
    """Return the row of each method of a family with entries, the best first, and whether the benchmark has none."""
    entered = {name: entry for name, entry in known.items() if entry.family == family}
    kept = {name: read_kept(name, project) for name in entered if Path(project, RESULTS, name).is_dir()}
    current = {name: one for name, one in kept.items() if one.is_of(entered[name], project)}
    whole = {name: one for name, one in current.items() if one.whole}
    committed = _committed(family, project)
    ranking = ranked(family, whole, entered, committed)
    ranks = [] if ranking is None else [*map(str, ranking.table.index)]
    rows = [] if ranking is None else [(name, _row(name, ranking, entered)) for name in ranks]
    left = {name: entry for name, entry in entered.items() if name not in ranks}
    rows += [(name, _unranked(entry, kept.get(name), name in current)) for name, entry in left.items()]
    return rows, committed.empty


def _row(name: str, ranking: Ranking, entered: Mapping[str, Entry]) -> list[str]:
    row = ranking.table.loc[name]
    seconds = "" if np.isnan(row["seconds"]) else f"{row['seconds']:.2g}"
    numbers = [f"{row['near']:.2f} ({row['low']:.2f} to {row['high']:.2f})", f"{row['rank']:.2f}", f"{row['mean']:.3f}"]
    entry = entered.get(name)
    who = ["", "the project"] if entry is None else [_versions(entry), markdown_escaped(entry.entered_by)]
    shown = name if entry is None else _linked(entry) + ", tuned" * bool(entry.search)
    return [shown, *numbers, seconds, *who]


def _unranked(entry: Entry, kept: KeptEntry | None, current: bool) -> list[str]:
    why = "not run yet"
    if kept is not None and not current:
        why = "run in another version; to be run again"
    elif kept is not None and kept.about["failed"] is not None:
        why = f"failed: {markdown_escaped(str(kept.about['failed']))}"
    elif kept is not None:
        why = f"run on {len(kept.about['sets'])} of {len(SETS)} sets"
    return [_linked(entry), why, "", "", "", _versions(entry), markdown_escaped(entry.entered_by)]


def _linked(entry: Entry) -> str:
    note = ", rows together" if entry.batch else ""
    return f"[{markdown_escaped(entry.title)}]({entry.reference}){note}"


def _versions(entry: Entry) -> str:
    return ", ".join(f"{name} {version}" for name, version in entry.packages.items())


def ranked(
    family: str, kept: Mapping[str, KeptEntry], entered: Mapping[str, Entry], committed: pd.DataFrame
) -> Ranking | None:
    """Rank entries that were run on all data sets, their control, and the methods of the benchmark; None without any.

    ``committed`` has dataset, method, size, predictor, value and seconds of the benchmark; it may be empty.
    """
    if not kept:
        return None
    parts = [] if committed.empty else [committed]
    for name, one in kept.items():
        table = one.scores[one.scores["measure"] == MEASURE]
        parts.append(_cells(table, {*table["method"]} - ({name} if not entered[name].one_size else set())))
    cells = pd.concat(parts, ignore_index=True).drop_duplicates(["dataset", "method", "size", "predictor"])
    seconds = cells.groupby("method")["seconds"].mean().dropna()
    values = cells[["dataset", "method", "size", "predictor", "value"]]
    return rank(values, higher_is_better=True, seconds=dict(seconds[seconds > 0]), full=0)


def _cells(table: pd.DataFrame, single: set[str]) -> pd.DataFrame:
    """Return the means over the folds of scores with `MAIN`, by the number of features or codes."""
    by_set = table[table["predictor"] == MAIN].groupby("dataset", observed=True)
    parts = [sized(part, whole_size(part), single) for _, part in by_set]
    keys = ["dataset", "method", "size", "predictor"]
    grouped = pd.concat(parts, ignore_index=True).groupby(keys, observed=True)
    cells = grouped["value"].agg(lambda values: values.mean(skipna=False)).reset_index()
    return cells.assign(seconds=grouped["seconds"].mean().to_numpy())


def _committed(family: str, project: str | Path) -> pd.DataFrame:
    """Return the cells of the benchmark's methods with defaults; empty unless it has all these data sets."""
    scores = Scores(Protocol(Path(project)))
    if not set(SETS) <= set(scores.datasets(family)):
        return pd.DataFrame()
    scores.pieces.check()
    cells = scores.cells(family, MEASURE)
    cells = cells[cells["dataset"].isin(SETS) & (cells["predictor"] == MAIN)]
    seconds = scores.seconds(family).loc[list(SETS)].mean()
    return cells.assign(seconds=cells["method"].map(seconds))
