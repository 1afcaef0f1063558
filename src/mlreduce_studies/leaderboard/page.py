"""Page of the leaderboard: entries and the methods of the benchmark, ranked together as everywhere in the project."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
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
from mlreduce_studies.tables.layout import fill_block

#: The page, in the project, and the measure by which it ranks.
PAGE, MEASURE = "docs/leaderboard.md", "average-precision"

_HEADINGS = {"projection": "Projections", "selection": "Selectors", "labelspace": "Label coders"}
_HEADER = ("method", "near the best", "rank", "average precision", "seconds", "versions", "entered by")


def write_page(project: str | Path) -> None:
    """Update the tables of the page."""
    path = Path(project, PAGE)
    write_text(path, page_text(path.read_text(encoding="utf-8"), project))


def page_text(text: str, project: str | Path) -> str:
    """Return the text of the page with updated tables."""
    known = entries(project)
    kept = {name: read_kept(name, project) for name in known if Path(project, RESULTS, name).is_dir()}
    parts = [part for family in FAMILIES for part in _family(family, known, kept, project)]
    return fill_block(text, "leaderboard", ["\n\n".join(parts)])


def _family(
    family: str, known: Mapping[str, Entry], kept: Mapping[str, KeptEntry], project: str | Path
) -> Iterator[str]:
    entered = {name: entry for name, entry in known.items() if entry.family == family}
    yield f"## {_HEADINGS[family]}"
    if not entered:
        yield "No entry yet."
        return
    committed = _committed(family, project)
    if committed.empty:
        yield (
            "Compared with the control only: the [benchmark](benchmark.md) has not been run with this family on all of "
            "these data sets."
        )
    current = {name: kept[name] for name in entered if name in kept and kept[name].is_of(entered[name], project)}
    ranking = ranked(family, {name: one for name, one in current.items() if one.whole}, entered, committed)
    tuned = {name for name, entry in entered.items() if entry.search}
    rows = [] if ranking is None else [_row(str(name), ranking, entered, tuned) for name in ranking.table.index]
    for name, entry in entered.items():
        if ranking is None or name not in ranking.table.index:
            rows.append(_unranked(entry, kept.get(name), name in current))
    lines = [_HEADER, ["---"] * len(_HEADER), *rows]  # with links, which to_markdown would not keep
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _row(name: str, ranking: Ranking, entered: Mapping[str, Entry], tuned: Collection[str]) -> list[str]:
    row = ranking.table.loc[name]
    seconds = "" if np.isnan(row["seconds"]) else f"{row['seconds']:.2g}"
    numbers = [f"{row['near']:.2f} ({row['low']:.2f} to {row['high']:.2f})", f"{row['rank']:.2f}", f"{row['mean']:.3f}"]
    entry = entered.get(name)
    who = ["", "the project"] if entry is None else [_versions(entry), markdown_escaped(entry.entered_by)]
    shown = name if entry is None else _linked(entry)
    return [f"{shown}, tuned" if name in tuned else shown, *numbers, seconds, *who]


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
    """Rank entries of a family, their control, and the methods of the benchmark.

    Parameters
    ----------
    kept : dict of str to KeptEntry
        Of entries that were run on all data sets.
    committed : DataFrame
        Of the benchmark: dataset, method, size, predictor, value and seconds; empty where there are none.

    Returns
    -------
    Ranking or None
        None where there are no scores of entries.
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
