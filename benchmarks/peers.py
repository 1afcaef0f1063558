"""Methods of this library compared with those of other packages, and with the cost of their mathematics.

    make benchmark                                                      # or, parts of it:
    python benchmarks/peers.py --datasets emotions,scene --methods pca,linear

Processor seconds of a fit with one thread, medians of alternating fits, ours and the peer's in one process; the peak
memory of a fit in a separate process. The limit is the cost of the products and factorisations that the method needs,
in NumPy on the same data; peer_cases.py has methods, peers and limits. Peers that are not installed are left out: `make
benchmark` installs envs/benchmark.lock; elsewhere.py describes the installation of others.

A row has digests of our code and the call and version of the peer. An existing row is measured again only where these
differ, so that the same command resumes an interrupted run. A peer is refused if it warns, uses more than one thread,
computes something else (`Peer.same`, or a prediction that ours leaves out), or is declared exact and has other results.
docs/performance.md is made with ``--output docs/performance/peers.csv``.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import threadpoolctl
from peer_cases import APPROXIMATE, CASES, EXACT, TIME_ALONE, Case, dense

import mlreduce
from mlreduce.files import write_text
from mlreduce.programs import ProgramError
from mlreduce.validation.limits import TimeLimitError
from mlreduce_studies.tables.layout import fill_block, to_markdown

SETS = ("emotions", "scene", "yeast", "medical", "enron", "corel5k", "bibtex")
NUMBERS = ("ours", "theirs", "ratio", "limit", "to_limit", "ours_mb", "theirs_mb", "disagreement")
COLUMNS = ("method", "dataset", "peer", "kind", *NUMBERS, "compared", "refused", "code", "call")
FILE = Path(__file__).parents[1] / "results" / "speed" / "peers.csv"

# A fit is repeated until it has taken so many seconds or been done so often; at least three times where it is short.
SECONDS, MOST = 1.0, 25
# A fit that took longer than this on a data set is not repeated.
LONG = 20.0
# Processor seconds of a peer, relative to those on the clock, from which it runs on several threads.
THREADS = 1.3
# Warnings that say something of the package's future, not of the result.
OF_THE_FUTURE = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


class Refused(Exception):
    """A peer that is not compared, with the reason."""


def seconds(fits: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the median processor seconds of each fit, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in fits}
    while True:
        for name, fit in fits.items():
            start = time.process_time()
            fit()
            taken[name].append(time.process_time() - start)
        rounds = len(next(iter(taken.values())))
        total = sum(map(sum, taken.values()))
        if rounds >= MOST or total > LONG or (rounds >= 3 and total > SECONDS * len(fits)):
            return {name: statistics.median(each) for name, each in taken.items()}


@contextmanager
def fresh_process() -> Iterator[ProcessPoolExecutor]:
    """Give a process that returns memory to the system as soon as an array is freed."""
    os.environ["MALLOC_MMAP_THRESHOLD_"] = "65536"  # glibc otherwise keeps more the more it has been asked for
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # libraries with threads do not survive a fork
        yield pool


@cache
def data_of(dataset: str, mirror: str | None) -> tuple[Any, np.ndarray]:
    """Return features, sparse where published so, and dense labels."""
    data = mlreduce.load_dataset(dataset, mirror=mirror)
    return data.X, np.asarray(dense(data.Y))


def _raised(name: str, dataset: str, who: str, mirror: str | None) -> float:
    """Return by how many megabytes a second fit raises the memory of this process."""
    case, (X, Y) = CASES[name], data_of(dataset, mirror)
    fit: Callable[[Any, np.ndarray], Any] = case.ours
    if who != "ours":
        fit, X = case.peers[who], X if case.peers[who].sparse else dense(X)
    few = slice(None, None, max(1, len(Y) // 100))
    with suppress(Exception):  # what is imported and compiled first, on rows that may be too few
        fit(X[few], Y[few])
    before = _peak(anew=True)
    fit(X, Y)
    return (_peak() - before) / 1024


def _peak(anew: bool = False) -> float:
    """Return the peak memory of this process in kilobytes; where Linux lets it, of the time from now on."""
    if anew:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status")
    if not status.exists():
        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return float(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")))


def first_fit(case: Case, who: str, X: Any, Y: np.ndarray, ours: Any) -> float:
    """Fit a peer once, and return how far its result is from ours; nan where they are not compared.

    Raises
    ------
    Refused
        With the reason.
    """
    peer = case.peers[who]
    if peer.predicts != getattr(case.ours, "predicts", False):
        does = {True: "fits and predicts", False: "fits"}
        raise Refused(f"other work: {does[peer.predicts]}, ours {does[not peer.predicts]}")
    started, used = time.perf_counter(), time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            theirs = peer(X, Y)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {_first_line(error)}") from error
    used, started = time.process_time() - used, time.perf_counter() - started
    for each in caught:
        if not issubclass(each.category, OF_THE_FUTURE):
            raise Refused(f"warns: {_first_line(each.message)}")
    if used > THREADS * started and used > 0.1:
        raise Refused(f"takes {used:.2g} processor seconds in {started:.2g}: several threads")
    for of_ours, of_theirs in peer.same:
        pair = getattr(ours, of_ours), getattr(theirs, of_theirs)
        if pair[0] != pair[1]:
            raise Refused(f"other work: {of_theirs} {pair[1]}, ours {pair[0]}")
    if case.agreement is None or peer.kind == TIME_ALONE:
        return float("nan")
    found = case.agreement.measure(ours, theirs, X, Y)
    if peer.kind == EXACT and not found <= case.agreement.most:
        raise Refused(f"another result: {case.agreement.name} {found:.2g}, at most {case.agreement.most:g}")
    return found


def _first_line(said: Any) -> str:
    return " ".join(str(said).split())[:100]


def compared(
    name: str, dataset: str, mirror: str | None, apart: ProcessPoolExecutor, calls: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Compare a method with peers on a data set; with none, with its limit alone."""
    case, (X, Y) = CASES[name], data_of(dataset, mirror)
    try:
        result = case.ours(X, Y)  # what is imported and compiled first is no part of a fit
    except mlreduce.exceptions.DataError as reason:  # such as negative counts
        for who, call in calls.items():
            yield {"method": name, "dataset": dataset, "peer": who, "code": case.code, "call": call} | {
                "refused": f"ours does not take the data: {_first_line(reason)}"
            }
        return
    fits: dict[str, Callable[[], Any]] = {"ours": lambda: case.ours(X, Y)}
    refused, distances, elsewhere = {}, {}, {}
    for who in calls:
        if who not in case.peers:
            continue
        table = X if case.peers[who].sparse else dense(X)
        try:
            distances[who] = first_fit(case, who, table, Y, result)
            fits[who] = lambda who=who, table=table: case.peers[who](table, Y)
        except Refused as reason:
            refused[who] = str(reason)
    if case.limit is not None:
        fits["limit"] = lambda: case.limit(X, Y)
    times = seconds(fits)
    memory = {who: apart.submit(_raised, name, dataset, who, mirror).result() for who in fits if who != "limit"}
    if case.elsewhere is not None and case.elsewhere.name in calls:
        who = case.elsewhere.name
        try:
            elsewhere[who] = case.elsewhere.seconds(X, Y)
        except (ProgramError, TimeLimitError) as reason:
            refused[who] = _first_line(reason)
    for who, call in (calls or {"": ""}).items():
        theirs, least = times.get(who, elsewhere.get(who, np.nan)), times.get("limit", np.nan)
        values = (times["ours"], theirs, times["ours"] / theirs, least, times["ours"] / least)
        values += (memory["ours"], memory.get(who, np.nan), distances.get(who, np.nan))
        peer = case.peers.get(who)
        row = {"method": name, "dataset": dataset, "peer": who, "refused": refused.get(who, ""), "call": call}
        row["kind"] = peer.kind if peer else TIME_ALONE if who else ""
        row["compared"] = case.agreement.name if who in distances and not np.isnan(distances[who]) else ""
        row["code"] = case.code
        yield row | {column: f"{value:.3g}" for column, value in zip(NUMBERS, values, strict=True)}


def calls_of(case: Case, dataset: str) -> dict[str, str]:
    """Return the peers that are installed here, with the text that a row of theirs carries."""
    calls = {
        who: peer.text for who, peer in case.peers.items() if peer.found() and (not peer.sets or dataset in peer.sets)
    }
    if case.elsewhere is not None and case.elsewhere.found():
        calls[case.elsewhere.name] = case.elsewhere.text
    return calls


def is_current(rows: pd.DataFrame, case: Case, calls: dict[str, str]) -> bool:
    """Whether rows of a method on a data set are of this code, and of these peers and their versions."""
    measured = dict(zip(rows["peer"], rows["call"], strict=True))
    of_this_code = bool(len(rows)) and set(rows["code"]) == {case.code}
    return of_this_code and all(measured.get(who) == call for who, call in (calls or {"": ""}).items())


def main() -> None:
    """Compare, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(CASES))
    parser.add_argument("--output", type=Path, default=FILE)
    parser.add_argument("--mirror", default=os.environ.get("MLREDUCE_MIRROR"))
    parser.add_argument("--draw", action="store_true", help="only the page, from the table that there is")
    options = parser.parse_args()
    if not options.draw:
        measure(options.datasets.split(","), options.methods.split(","), options.mirror, options.output)
    draw(read(options.output), options.output.parent)


def read(path: Path) -> pd.DataFrame:
    """Return the table; no rows where there is no file."""
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    words = [column for column in COLUMNS if column not in NUMBERS]
    table = pd.read_csv(path, dtype=dict.fromkeys(words, str) | dict.fromkeys(NUMBERS, float))
    return table.fillna(dict.fromkeys(words, ""))[list(COLUMNS)]


def measure(datasets: list[str], methods: list[str], mirror: str | None, output: Path) -> None:
    """Measure what is not in the table, or is in it of other code or another version."""
    warnings.simplefilter("ignore")
    output.parent.mkdir(parents=True, exist_ok=True)
    with threadpoolctl.threadpool_limits(1):
        for dataset in datasets:
            with fresh_process() as apart:
                for name in methods:
                    table, case, calls = read(output), CASES[name], calls_of(CASES[name], dataset)
                    earlier = (table["method"] == name) & (table["dataset"] == dataset)
                    if is_current(table[earlier], case, calls):
                        continue
                    rows = list(compared(name, dataset, mirror, apart, calls))
                    # Peers that are not here, or not there any more.
                    left = table[earlier & ~table["peer"].isin([row["peer"] for row in rows])]
                    names = {*case.peers, case.elsewhere.name if case.elsewhere else ""} - {""}
                    left = left[left["peer"].isin(names)].assign(refused="not installed where our code was measured")
                    found = pd.DataFrame(rows, columns=COLUMNS)
                    write_text(output, pd.concat([table[~earlier], left, found]).to_csv(index=False))
                    for row in rows:
                        print(
                            "  ".join(f"{key} {row[key]}" for key in COLUMNS[:-2] if row.get(key, "") != ""), flush=True
                        )


def draw(table: pd.DataFrame, folder: Path) -> None:
    """Write the figure, and what docs/performance.md says of the table."""
    order = [name for name in CASES if name in set(table["method"])]
    panels = {"ratio": "ours / peer", "to_limit": "ours / limit"}
    figure, axes = plt.subplots(1, 2, figsize=(10, 0.22 * len(order) + 1.2), sharey=True, layout="constrained")
    for axis, (column, title) in zip(axes, panels.items(), strict=True):
        rows = table[table[column].notna() & (table["refused"] == "")]
        groups = rows.groupby("peer") if column == "ratio" else [("", rows)]
        for who, group in groups:
            axis.plot(group[column], [order.index(name) for name in group["method"]], ".", label=who, alpha=0.7)
        axis.axvline(1.0, color="grey", linewidth=0.8)
        axis.set(xscale="log", xlabel=f"processor seconds, {title}")
        axis.set_yticks(range(len(order)), order)
        axis.grid(axis="y", linewidth=0.3)
    axes[0].set_ylim(len(order) - 0.5, -0.5)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=8, ncols=4, loc="outside lower center")
    figure.savefig(folder / "peers.png", dpi=130)
    page = folder.with_suffix(".md")
    if page.exists():
        page.write_text(with_table(page.read_text(encoding="utf-8"), table), encoding="utf-8")


def with_table(page: str, table: pd.DataFrame) -> str:
    """Return the text of the page with what this table says."""
    return fill_block(page, "peers", [*summary(table), "", *slowest(table)])


def summary(table: pd.DataFrame) -> list[str]:
    """Say how often this library is the faster one, by kinds of peers."""
    compared = table["refused"] == ""
    ratios = table[table["ratio"].notna() & compared]
    kinds = {
        EXACT: "Against peers that compute the same, as their results show",
        APPROXIMATE: "Against approximate peers",
        TIME_ALONE: "Against peers whose results are not compared",
    }
    lines = []
    for kind, peers in kinds.items():
        own = ratios[ratios["kind"] == kind]
        if len(own):
            lines.append(f"- {peers}: as fast or faster in {(own['ratio'] <= 1).sum()} of {len(own)} comparisons.")
    return [*lines, f"- {(~compared).sum()} comparisons are refused."]


def slowest(table: pd.DataFrame, most: int = 12) -> list[str]:
    """Return the comparisons in which this library is behind by most, in Markdown."""
    behind = table[(table["ratio"] > 1) & (table["refused"] == "")].sort_values("ratio", ascending=False, kind="stable")
    rows = [
        [row.method, row.peer, row.kind, row.dataset, f"{row.ours:.2g}", f"{row.ratio:.3g}"]
        for row in behind.head(most).itertuples()
    ]
    header = ["method", "peer", "kind", "data set", "our seconds", "times the peer's"]
    return [f"Of {len(behind)} in which it is behind, those by most:", "", *to_markdown(header, rows).splitlines()]


if __name__ == "__main__":
    main()
