"""ReduceBench: its cost, its folds, the run in pieces, and the check of the stored pieces.

    python benchmarks/reducebench.py plan                # processor hours by data set and family, before it is run
    python benchmarks/reducebench.py folds               # digests of the rows of all folds, for the repository
    python benchmarks/reducebench.py run --hours 2       # missing pieces, the quickest first
    python benchmarks/reducebench.py run flags emotions  # those of some data sets
    python benchmarks/reducebench.py run --ties expected # rankings by the mean over all orders of ties
    python benchmarks/reducebench.py keep                # store pieces that the workflow has finished, as on a cluster
    python benchmarks/reducebench.py check               # SHA-256 and protocol of the stored pieces
    python benchmarks/reducebench.py sets                # what describes the data sets, for the repository
    python benchmarks/reducebench.py speed               # seconds of fit and prediction with codes and without
    python benchmarks/reducebench.py answers             # answers from the pieces, and advice on data sets left out
    python benchmarks/reducebench.py page                # update the tables of docs/benchmark.md

The study workflow computes the scores (config/benchmark.yaml). A piece is one study on one data set. It is stored in
results/benchmark as soon as it is finished; a committed piece is never run again. Version 1 counts a tie as an error.
With --ties expected the same protocol, searches included, measures rankings by the mean over all orders of labels that
tie; its pieces are in results/benchmark-expected-ties.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

import mlreduce
from mlreduce import registry
from mlreduce.datasets.catalogue import load_dataset
from mlreduce.evaluation.splitting import take_splits
from mlreduce.exceptions import MLReduceError
from mlreduce.files import write_text
from mlreduce.labelspace import CodedClassifier
from mlreduce.metrics.outcome import TIES
from mlreduce.stats.ranking import MARGIN, one_variant
from mlreduce_studies.benchmark.answers import NOUNS, Evidence, answers
from mlreduce_studies.benchmark.costs import plan, shape_of
from mlreduce_studies.benchmark.folds import check_folds, fold_rows, write_folds
from mlreduce_studies.benchmark.pieces import Pieces, job_files
from mlreduce_studies.benchmark.protocol import VERSIONS, Protocol
from mlreduce_studies.benchmark.scores import SETS, names_in, summary_of
from mlreduce_studies.figures import make_figure, save
from mlreduce_studies.gathering.rankings import MAIN
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "docs"))

import update_evidence  # noqa: E402

PAGE = PROJECT / "docs" / "benchmark.md"
RESULTS = PAGE.with_suffix("")
ANSWERS, HELD_OUT, SPEED = (RESULTS / name for name in ("answers.json", "leave-one-out.csv", "speed.csv"))
# By which version 2 shows its controls while it is being run.
MEASURE = "average-precision"
# Data sets that are run together: the steps of one leave a core idle at times.
_TOGETHER = 3


def print_plan(protocol: Protocol, names: list[str], only: int | None = None) -> None:
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
        if only not in (None, candidates):
            continue
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
    write_folds(protocol, rows)
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


def run(
    protocol: Protocol, pieces: Pieces, names: list[str], hours: float, cores: int, only: int | None = None
) -> None:
    """Run what is not kept, some data sets at a time, until the hours are over or all is done."""
    end = time.monotonic() + 3600 * hours
    keep(protocol, pieces, names)
    failed: set[tuple[int, str]] = set()
    while True:
        waiting = [own for own in missing(protocol, pieces, names) if own[1:3] not in failed]
        waiting = [own for own in waiting if only in (None, own[1])]
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
        left = {own[1:3] for own in missing(protocol, pieces, names)}
        failed |= {(candidates, name) for name, _ in batch} & left
    if failed:
        where = "; ".join(f"{protocol.base(own)}: {name}" for own, name in sorted(failed))
        raise SystemExit(f"not finished, see the logs in {where}")


def call_workflow(protocol: Protocol, candidates: int, targets: list[str], cores: int) -> None:
    """Make files of a run by the study workflow. Failed cells are results, and no reason to end."""
    more = [] if candidates == protocol.candidates else [f"candidates={candidates}"]
    more += [] if protocol.ties == "standard" else [f"ties={protocol.ties}"]
    if protocol.version > 1 and candidates == protocol.candidates:  # methods without parameters have one candidate
        more += [f"methods=[{','.join(searched(protocol))}]"]
    more += [f"name={protocol.run_name(candidates)}"] if more else []
    mirror = os.environ.get("MLREDUCE_MIRROR")
    more += [f"mirror={mirror}"] if mirror else []
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        str(cores),
        "--configfile",
        protocol.config_file,
        "--keep-going",
    ]
    command += [*(["--config", *more] if more else []), "--", *targets]
    subprocess.run(command, cwd=protocol.project, check=False)


def searched(protocol: Protocol) -> list[str]:
    """Return the labels of the methods whose parameters are searched."""
    groups = [group for study in protocol.studies().values() for group in study.groups.values() if group.search]
    return sorted({label for group in groups for label in group.methods})


def describe(protocol: Protocol) -> None:
    """Write what describes the data sets."""
    rows = [{"dataset": name, **load_dataset(name).describe()} for name in protocol.datasets]
    pd.DataFrame(rows).to_csv(protocol.project / SETS, index=False, float_format="%.6g")


def speed(protocol: Protocol, names: list[str]) -> None:
    """Write the processor seconds of fit and prediction of PLST's codes and of binary relevance, with each predictor.

    The least of three, on the first split of each data set.
    """
    warnings.simplefilter("ignore")
    study = protocol.studies()["benchmark-coders"]
    (rule,) = study.protocols
    rows = []
    for name in names or protocol.datasets:
        data = load_dataset(name)
        split = take_splits(data.Y, study.rule_of(rule, name), range(1), protocol.config["seed"], name)[0]
        numbers = [own for own in sorted(study.dimensions_of(rule, name)) if own < data.Y.shape[1]]
        for predictor in (own for own in study.predictors if own != "label-means"):
            for codes in (0, *numbers):
                coder = mlreduce.make("plst", n_components=codes) if codes else mlreduce.make("br")
                taken = []
                for _ in range(3):
                    own = CodedClassifier(coder, registry.make_entry(predictor, study.predictors[predictor]), "half")
                    start = time.process_time()
                    own.fit(data.X[split.train], data.Y[split.train]).predict(data.X[split.test])
                    taken.append(time.process_time() - start)
                rows.append((name, predictor, codes, min(taken)))
                print(f"{name:26}{predictor:10}{codes:5} codes {min(taken):8.4f} s", flush=True)
    table = pd.DataFrame(rows, columns=["dataset", "predictor", "codes", "seconds"])
    SPEED.parent.mkdir(exist_ok=True)
    table.to_csv(SPEED, index=False, float_format="%.4g")


def answer(protocol: Protocol, pieces: Pieces) -> None:
    """Write what the pieces say, and how good advice is on data sets that are left out."""
    RESULTS.mkdir(exist_ok=True)
    update_evidence.advice().to_csv(HELD_OUT, index=False, float_format="%.4g")
    if any(piece.candidates == protocol.candidates for piece in pieces.listed()):
        write_text(ANSWERS, json.dumps(answered(protocol, pieces), indent=1, default=float) + "\n")
        for name, drawn in figures(protocol, pieces).items():
            save(drawn, [RESULTS / f"{name}.svg"])


def answered(protocol: Protocol, pieces: Pieces) -> dict[str, dict[str, dict[str, Any]]]:
    """Return by question and measure the sentences, numbers and table of the answer."""
    described = pd.read_csv(protocol.project / SETS)
    timed = pd.read_csv(SPEED) if SPEED.is_file() else None
    evidence = Evidence(protocol, pieces, described, update_evidence.orders(), timed)
    return {
        question: {
            name: {"sentences": own.sentences, "numbers": own.numbers, "table": own.table} for name, own in by.items()
        }
        for question, by in answers(evidence, list(protocol.shared["search"]["tuned"])).items()
    }


def figures(protocol: Protocol, pieces: Pieces) -> dict[str, Any]:
    """Return pictures, by the first measure, of how likely methods are near the best and of quality by seconds.

    With ridge regression alone: averages over predictors are withdrawn.
    """
    drawn, (measure, *_) = {}, protocol.shared["search"]["tuned"]
    for name, study in protocol.studies().items():
        summary = summary_of(pieces, study, protocol.candidates, [measure]).drop(columns="seconds")
        summary = summary[summary["predictor"] == MAIN]
        values = one_variant(summary.rename(columns={"mean": "value"}), *names_in(study))
        spec = {
            "kind": "near-best",
            "caption": f"{NOUNS[study.family]}s of the benchmark, with ridge regression",
            "methods": [*values["method"].unique()],
            "measure": measure,
            "margin": MARGIN,
        }
        (rule,) = study.protocols
        drawn[name.removeprefix("benchmark-")] = make_figure(values.rename(columns={"value": "mean"}), spec, rule)
    return drawn


def said(protocol: Protocol) -> list[str]:
    """Return the answers in Markdown: of the first measure, with those of the others folded."""
    if not ANSWERS.is_file():
        return ["Not run yet."]
    done, studies = Pieces(protocol).done(), protocol.config["studies"]
    there = sum(all((own, name, protocol.candidates) in done for own in studies) for name in protocol.datasets)
    so_far = f"So far, of {there} of {len(protocol.datasets)} data sets: the others are not run yet."
    lines = ["", so_far] if there < len(protocol.datasets) else []
    for question, by in json.loads(ANSWERS.read_text(encoding="utf-8")).items():
        (measure, first), *others = by.items()
        lines += ["", f"### {question}", "", f"By {measure}: {' '.join(first['sentences'])}", ""]
        lines += [to_markdown(*first["table"]), ""] if first["table"] else []
        for name, own in others:
            lines += [f"<details><summary>By {name}</summary>", "", " ".join(own["sentences"]), "", "</details>", ""]
    return lines[1:-1]


def held_out() -> list[str]:
    """Return the table of advice on data sets that are left out, in Markdown."""
    header = ["comparison", "predictor", "data sets", "controls", "by the other sets", "similar sets weighted"]
    header += ["any three", "nothing reduced", "advice"]
    rows = []
    for own in pd.read_csv(HELD_OUT).itertuples():
        ends = [(own.fixed_low, own.fixed_high), (own.weighted_low, own.weighted_high)]
        shown = [
            f"{value:.2f} ({low:.2f} to {high:.2f})"
            for value, (low, high) in zip((own.fixed, own.weighted), ends, strict=True)
        ]
        unreduced = "" if pd.isna(own.unreduced) else f"{own.unreduced:.2f}"
        rows.append([own.study, own.predictor, str(own.data_sets), own.controls, *shown])
        rows[-1] += [f"{own.random:.2f}", unreduced, own.advice]
    return to_markdown(header, rows).splitlines()


def page_file(protocol: Protocol) -> Path:
    """Return the page of a version."""
    return PROJECT / "docs" / f"{protocol.name}.md"


def page_of(text: str, protocol: Protocol) -> str:
    """Return the page of the benchmark with its tables written anew, each between two comments."""
    if protocol.version > 1:
        return fill_block(text, f"run-{protocol.version}", progress(protocol, Pieces(protocol)))
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
    for name, lines in (("data sets", sets), ("left out", left), ("held out", held_out())):
        first, last = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(first)
        text = f"{before}{first}\n" + "\n".join(lines) + f"\n{last}" + rest.partition(last)[2]
    return text


def progress(protocol: Protocol, pieces: Pieces) -> list[str]:
    """Return how much of version 2 is run, and what its controls are there, in Markdown."""
    done, studies = pieces.done(), protocol.config["studies"]
    sets = {
        candidates: [name for name in names if all((study, name, candidates) in done for study in studies)]
        for candidates, names in protocol.budgets.items()
    }
    of = len(protocol.datasets)
    lines = [
        f"Methods with defaults are run on {len(sets[1])} of {of} data sets, tuned ones on "
        f"{len(sets[protocol.candidates])}."
    ]
    if not sets[1]:
        return lines
    features = "benchmark-2-selectors"
    tables = [pieces.read(piece) for piece in pieces.listed() if piece.candidates == 1 and piece.dataset in sets[1]]
    cells = pd.concat([table.astype(dict.fromkeys(table.select_dtypes("category"), str)) for table in tables])
    measured = cells[cells["status"] == "ok"]
    failed, warned = (cells["status"] != "ok").mean(), (measured["warnings"] != "").mean()
    lines += [
        f"Of {len(cells):,} values {100 * failed:.1f} % failed, and {100 * warned:.1f} % of the others have a warning.",
        "",
    ]
    values = measured[(measured["measure"] == MEASURE) & (measured["study"] == features)]
    means = values.groupby(["dataset", "method", "predictor", "percent"])["value"].mean()
    least = means.xs("majority-labels", level="method").groupby("dataset").first()
    rows = []
    for predictor in (name for name in protocol.studies()[features].predictors if name != "majority-labels"):
        whole = means.xs(("all-features", predictor, 100), level=("method", "predictor", "percent"))
        below = int((whole < least.reindex(whole.index) - 1e-9).sum())
        rows.append([predictor, str(len(whole)), f"{whole.mean():.3f}", f"{least.mean():.3f}", str(below)])
    header = [
        "predictor",
        "data sets",
        "all features: mean average precision",
        "label frequencies",
        "data sets below them",
    ]
    return [*lines, *to_markdown(header, rows).splitlines()]


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("plan", "folds", "run", "keep", "check", "sets", "speed", "answers", "page"))
    parser.add_argument("datasets", nargs="*", help="some of the data sets (default: all)")
    parser.add_argument(
        "--ties", choices=TIES, default="standard", help="of plan, run, keep and check (default: standard)"
    )
    parser.add_argument("--version", type=int, choices=VERSIONS, default=1, help="of the benchmark (default: 1)")
    parser.add_argument("--candidates", type=int, help="of plan and run: only the searches with so many")
    parser.add_argument("--hours", type=float, default=24.0, help="after which nothing more is begun")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    own = parser.parse_args(arguments)
    if own.ties != "standard" and own.step not in ("plan", "run", "keep", "check"):
        parser.error(f"{own.step} is of version 1: leave --ties out")
    if own.version > 1 and (own.ties != "standard" or own.step in ("sets", "speed", "answers")):
        parser.error("--ties, and the steps sets, speed and answers, are of version 1: leave --version out")
    protocol = Protocol(PROJECT, os.environ.get("MLREDUCE_MIRROR"), own.ties, own.version)
    try:
        names, pieces = protocol.check_datasets(own.datasets), Pieces(protocol)
        if own.step == "plan":
            print_plan(protocol, names, own.candidates)
        elif own.step == "folds":
            folds(protocol)
        elif own.step == "run":
            run(protocol, pieces, names, own.hours, own.cores, own.candidates)
        elif own.step == "keep":
            keep(protocol, pieces, names)
        elif own.step == "sets":
            describe(protocol)
        elif own.step == "speed":
            speed(protocol, names)
        elif own.step == "answers":
            answer(protocol, pieces)
        elif own.step == "page":
            write_text(page := page_file(protocol), page_of(page.read_text(encoding="utf-8"), protocol))
        else:
            pieces.check()
            listed = pieces.listed()
            print(f"{len(listed)} pieces, {sum(piece.bytes for piece in listed) / 1e6:.1f} MB: as listed")
    except MLReduceError as error:
        sys.exit(f"reducebench: {error}")


if __name__ == "__main__":
    main()
