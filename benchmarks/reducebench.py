"""ReduceBench: what it takes, its folds, the run in pieces, and the check of what is kept.

    python benchmarks/reducebench.py plan                # processor hours by data set and family, before it is run
    python benchmarks/reducebench.py folds               # digests of the rows of all folds, for the repository
    python benchmarks/reducebench.py run --hours 2       # pieces that are not kept yet, the quickest first
    python benchmarks/reducebench.py run flags emotions  # those of some data sets
    python benchmarks/reducebench.py keep                # pieces of what the workflow has finished, on a cluster say
    python benchmarks/reducebench.py check               # SHA-256 and protocol of the pieces that are kept
    python benchmarks/reducebench.py page                # the tables of docs/benchmark.md, written anew

The run is the study workflow's (config/benchmark.yaml); a piece is one study on one data set, and is kept in
results/benchmark as soon as it is there: commit it, and it is never run again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from mlreduce.datasets.catalogue import load_dataset
from mlreduce.exceptions import MLReduceError
from mlreduce.files import write_text
from mlreduce_studies.benchmark.costs import plan, shape_of
from mlreduce_studies.benchmark.folds import check_folds, fold_rows, write_folds
from mlreduce_studies.benchmark.pieces import Pieces, job_files
from mlreduce_studies.benchmark.protocol import CONFIG, Protocol

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "benchmark.md"
# Data sets that are run together: the steps of one leave a core idle at times.
_TOGETHER = 3


def print_plan(protocol: Protocol, names: list[str]) -> None:
    """Print hours by data set and study, and their sum."""
    costs = plan(protocol)
    first, *_ = protocol.studies().values()
    studies = list(protocol.config["studies"])
    families = [name.removeprefix("benchmark-") for name in studies]
    print(
        f"{'processor hours':26}{'rows':>7}{'columns':>9}{'labels':>8}{'folds':>7}"
        + "".join(f"{own:>13}" for own in families)
    )
    total: Counter[str] = Counter()
    for candidates, sets in protocol.budgets.items():
        if candidates != protocol.candidates:
            print(f"{candidates} candidate{'s' * (candidates > 1)} each")
        for name in (name for name in sets if name in (names or sets)):
            shape = shape_of(first, protocol.catalogue[name])
            hours = {study: costs[candidates, name, study].seconds / 3600 for study in studies}
            total.update(hours)
            numbers = f"{shape.train + shape.test:7}{shape.columns:9}{shape.labels:8}{shape.splits:7}"
            print(f"{name:26}{numbers}" + "".join(f"{own:13.3f}" for own in hours.values()))
    print(
        f"{'together':57}" + "".join(f"{total[study]:13.2f}" for study in studies) + f"   {sum(total.values()):.1f} h"
    )


def folds(protocol: Protocol) -> None:
    """Write the digests of the rows of all folds."""
    study, *_ = protocol.studies().values()
    rows = [row for name in protocol.datasets for row in fold_rows(protocol, study, load_dataset(name))]
    write_folds(protocol.project, rows)
    print(f"{len(rows)} splits of {len(protocol.datasets)} data sets")


def missing(protocol: Protocol, pieces: Pieces, names: list[str]) -> list[tuple[float, int, str, list[str]]]:
    """Return expected seconds, candidates, data set and studies of what is not kept, the quickest first."""
    costs, done, found = plan(protocol), pieces.done(), []
    for candidates, sets in protocol.budgets.items():
        for name in (name for name in sets if name in (names or sets)):
            studies = [study for study in protocol.config["studies"] if (study, name, candidates) not in done]
            if studies:
                expected = sum(costs[candidates, name, study].seconds for study in studies)
                found.append((expected, candidates, name, studies))
    return sorted(found)


def keep(protocol: Protocol, pieces: Pieces, names: list[str]) -> int:
    """Keep the pieces of what the workflow has finished; return how many."""
    kept = 0
    for _, candidates, name, studies in missing(protocol, pieces, names):
        base = protocol.project / protocol.base(candidates)
        known = protocol.studies(None if candidates == protocol.candidates else candidates)
        for study in studies:
            if all((base / file).is_file() for file in job_files(study, name).values()):
                piece = pieces.keep(known[study], name, candidates, base)
                print(f"{piece.file}: {piece.rows} rows, {piece.bytes / 1e3:.0f} kB", flush=True)
                kept += 1
    return kept


def run(protocol: Protocol, pieces: Pieces, names: list[str], hours: float, cores: int) -> None:
    """Run what is not kept, some data sets at a time, until the hours are over or all is done."""
    end = time.monotonic() + 3600 * hours
    keep(protocol, pieces, names)
    failed: set[str] = set()
    while True:
        waiting = [own for own in missing(protocol, pieces, names) if own[2] not in failed]
        if not waiting:
            break
        # What is begun should end within the hours: as many sets as their expected seconds allow, at least one.
        candidates, batch, expected = waiting[0][1], [], 0.0
        for seconds, own, name, studies in waiting:
            if own == candidates and len(batch) < _TOGETHER:
                expected += seconds
                if batch and time.monotonic() + expected / cores > end:
                    break
                batch.append((name, studies))
        if time.monotonic() + waiting[0][0] / cores > end:
            print(f"{len(waiting)} data sets are left: the hours do not suffice for the next, {waiting[0][2]}")
            break
        study, *_ = protocol.studies().values()
        for name, _ in batch:
            check_folds(protocol, study, load_dataset(name))
        base = protocol.base(candidates)
        targets = [f"{base}/{file}" for name, own in batch for study in own for file in job_files(study, name).values()]
        call_workflow(protocol, candidates, targets, cores)
        keep(protocol, pieces, names)
        left = {name for *_, name, _ in missing(protocol, pieces, names)}
        failed |= {name for name, _ in batch} & left if candidates == protocol.candidates else set()
    if failed:
        raise SystemExit(
            f"not finished, see the logs in {protocol.base(protocol.candidates)}: {', '.join(sorted(failed))}"
        )


def call_workflow(protocol: Protocol, candidates: int, targets: list[str], cores: int) -> None:
    """Make files of a run by the study workflow. Failed cells are results, and no reason to end."""
    more = (
        []
        if candidates == protocol.candidates
        else [f"candidates={candidates}", f"name={protocol.run_name(candidates)}"]
    )
    mirror = os.environ.get("MLREDUCE_MIRROR")
    more += [f"mirror={mirror}"] if mirror else []
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--configfile", CONFIG, "--keep-going"]
    command += [*(["--config", *more] if more else []), "--", *targets]
    subprocess.run(command, cwd=protocol.project, check=False)


def page_of(text: str, protocol: Protocol) -> str:
    """Return the page of the benchmark with its tables written anew, each between two comments."""
    study, *_ = protocol.studies().values()
    costs = plan(protocol)
    hours: Counter[str] = Counter()
    for (*_, name, _), cost in costs.items():
        hours[name] += cost.seconds / 3600
    sets = ["| data set | rows | features | labels | training rows | folds | hours |", "|" + " --- |" * 7]
    for name in protocol.datasets:
        own = shape_of(study, protocol.catalogue[name])
        numbers = (own.rows, own.columns, own.labels, own.train, own.splits)
        sets.append(f"| {name} | " + " | ".join(f"{number:,}" for number in numbers) + f" | {hours[name]:.2f} |")
    sets.append(f"| together | | | | | | {sum(hours.values()):.1f} |")
    left = ["| left out | why |", "| --- | --- |"]
    left += [f"| {name} | {reason} |" for name, reason in protocol.shared["excluded"].items()]
    for name, lines in (("data sets", sets), ("left out", left)):
        first, last = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(first)
        text = f"{before}{first}\n" + "\n".join(lines) + f"\n{last}" + rest.partition(last)[2]
    return text


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("plan", "folds", "run", "keep", "check", "page"))
    parser.add_argument("datasets", nargs="*", help="some of the data sets (default: all)")
    parser.add_argument("--hours", type=float, default=24.0, help="after which nothing more is begun")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    own = parser.parse_args(arguments)
    protocol = Protocol(PROJECT, os.environ.get("MLREDUCE_MIRROR"))
    try:
        names, pieces = protocol.check_datasets(own.datasets), Pieces(protocol)
        if own.step == "plan":
            print_plan(protocol, names)
        elif own.step == "folds":
            folds(protocol)
        elif own.step == "run":
            run(protocol, pieces, names, own.hours, own.cores)
        elif own.step == "keep":
            keep(protocol, pieces, names)
        elif own.step == "page":
            write_text(PAGE, page_of(PAGE.read_text(encoding="utf-8"), protocol))
        else:
            pieces.check()
            listed = pieces.listed()
            print(f"{len(listed)} pieces, {sum(piece.bytes for piece in listed) / 1e6:.1f} MB: as listed")
    except MLReduceError as error:
        sys.exit(f"reducebench: {error}")


if __name__ == "__main__":
    main()
