"""Whether a paper comes out the same: ``python -m mlreduce_studies.provenance.replicate [PAPER]`` (``make replicate``).

Runs the paper's study whole from the published data, in a separate folder, judges it, and writes a protocol of one
page (``protocol.md``, ``protocol.txt``): to which digit the scores agree with the committed ones, which verdicts are
the same, the machine and the versions, and the time. Ends with a status other than 0 where the study could not be run;
a difference is a result, not a failure. Where finished jobs are taken from a folder, a sample of the cells is
recomputed without it, and a difference from these is a failure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.complexity import Sizes
from mlreduce.exceptions import ConfigurationError, check_known_name
from mlreduce.files import write_text
from mlreduce.methods.evidence import complexities
from mlreduce.registry import entry_name, is_import_path
from mlreduce_studies.gathering.summary import with_own_size
from mlreduce_studies.provenance import verify
from mlreduce_studies.provenance.manifest import read_manifest
from mlreduce_studies.provenance.reference import CELL, is_near
from mlreduce_studies.provenance.verify import add_places, configured_places, exit_status, run_workflow
from mlreduce_studies.study import PAPERS, study_files
from mlreduce_studies.tables.layout import to_markdown
from mlreduce_studies.verdicts.audit import REPRODUCED

#: What is counted of cells, as relative differences.
AGREEMENT = {"equal": 0.0, "within 1e-9": 1e-9, "within 1e-6": 1e-6, "within 1 %": 0.01}

_PLACE = ["protocol", "dataset", "method", "predictor", *CELL]

# Longer lists are cut and end with the number of further items, so that the protocol is one page.
_LONGEST = 12

_VERSIONS = ("python", "numpy", "scipy", "scikit-learn", "numba", "pandas", "snakemake")


class Run(NamedTuple):
    """The compared parts of a finished study: its manifest, and tables by name (empty where there is no file)."""

    manifest: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]


class Part(NamedTuple):
    """A part of the protocol: a heading, sentences, and a table, which may have no rows."""

    heading: str
    sentences: Sequence[str]
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def read_run(folder: str | Path) -> Run:
    """Read the compared parts of a finished study, with the errors of `read_manifest`."""
    folder = Path(folder)
    tables = {"scores": pd.read_parquet(folder / "scores.parquet")}
    for name in ("claims", "audit", "times", "datasets"):
        path = folder / f"{name}.csv"
        tables[name] = pd.read_csv(path) if path.is_file() else pd.DataFrame()
    return Run(read_manifest(folder), tables)


def agreement(committed: pd.DataFrame, here: pd.DataFrame) -> pd.DataFrame:
    """Compare the means of cells over the splits that both runs have, of scores with one row per value.

    One row per protocol has ``cells``; how many of them are as near as each of `AGREEMENT` says, a nearer one counted
    in the later columns too; ``within errors``, those whose difference is at most 2.5 standard errors; cells that only
    one of the runs has; and the largest relative difference with its cell.
    """
    place = [*_PLACE, "split"]
    sides = (with_own_size(table)[[*place, "value"]] for table in (committed, here))
    both = next(sides).merge(next(sides), on=place, how="outer", suffixes=("_committed", "_here"), indicator=True)
    both = both.assign(shared=both["_merge"] == "both", committed=both["_merge"] == "left_only")
    known = both.groupby(_PLACE, dropna=False)[["shared", "committed"]].any().reset_index()
    shared = both[both["shared"]].groupby(_PLACE, dropna=False)
    old, new = (shared[f"value_{side}"].agg(["mean", "sem"]) for side in ("committed", "here"))
    table = pd.DataFrame(index=old.index)
    for name, tolerance in AGREEMENT.items():
        table[name] = is_near(old["mean"].to_numpy(), new["mean"].to_numpy(), tolerance)
    difference = (old["mean"] - new["mean"]).abs()
    table["within errors"] = table["equal"] | (difference <= REPRODUCED * np.hypot(old["sem"], new["sem"]))
    table["relative"] = (difference / old["mean"].abs().clip(lower=new["mean"].abs())).fillna(0.0)
    table = table.reset_index()
    rows = []
    for rule, of_protocol in known.groupby("protocol"):
        cells, alone = table[table["protocol"] == rule], of_protocol[~of_protocol["shared"]]
        counts = {key: int(cells[key].sum()) for key in (*AGREEMENT, "within errors")}
        counts |= {"only committed": int(alone["committed"].sum()), "only here": int((~alone["committed"]).sum())}
        worst = {"relative": 0.0, "farthest": ""}
        for cell in cells[cells["relative"] > 0].nlargest(1, "relative").to_dict("records"):
            where = f"{cell['measure']} of {cell['method']} with {cell['predictor']} on {cell['dataset']}"
            worst = {"relative": cell["relative"], "farthest": f"{where} at {cell['size_percent']} %"}
        rows.append({"protocol": rule, "cells": len(cells), **counts, **worst})
    return pd.DataFrame(rows)


def protocol(committed: Run, here: Run) -> list[Part]:
    """Return the protocol that compares a run with the committed one, in parts."""
    cells = agreement(committed.tables["scores"], here.tables["scores"])
    verdicts = [_verdicts("claims", ["id"], committed, here)]
    if len(committed.tables["audit"]):
        place = ["table", "protocol", "dataset", "method", "size_percent"]
        verdicts.append(_verdicts("printed cells", place, committed, here))
    parts = [_scores(cells, committed, here), _judged(verdicts), _made(committed, here)]
    if len(committed.tables["times"]) and len(here.tables["times"]):
        parts.append(_times(committed, here))
    total, *near = (int(cells[name].sum()) for name in ("cells", *AGREEMENT))
    counts = ", ".join(f"{count} {name}" for count, name in zip(near, AGREEMENT, strict=True))
    sentences = [f"Of {total} cells: {counts} of the committed value."]
    sentences += [
        f"Of {verdict.compared} verdicts on {verdict.what} {verdict.compared - len(verdict.differing)} are the same."
        for verdict in verdicts
        if verdict.compared
    ]
    for name in ("seed", "splits"):
        old, new = (run.manifest[name] for run in (committed, here))
        if old != new:
            sentences.append(f"Another {name} than in the committed run ({new}, not {old}): verdicts can differ.")
    return [Part(f"Replicate of {here.manifest['study']}", sentences), *parts]


class _Verdicts(NamedTuple):
    what: str
    compared: int
    differing: Sequence[str]
    alone: Sequence[str]


def _verdicts(what: str, place: list[str], committed: Run, here: Run) -> _Verdicts:
    """Compare the verdicts of two tables, row by row."""
    table = "claims" if what == "claims" else "audit"
    sides = [run.tables[table].set_index(place)["verdict"] for run in (committed, here)]
    both = pd.concat(sides, axis=1, keys=["committed", "here"])
    shared = both.dropna()

    def named(rows: pd.DataFrame) -> list[str]:
        return [" ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in rows.index]

    differing = shared[shared["committed"] != shared["here"]]
    differences = [
        f"{name}: {row['committed']}, here {row['here']}"
        for name, row in zip(named(differing), differing.to_dict("records"), strict=True)
    ]
    return _Verdicts(what, len(shared), differences, named(both[both.isna().any(axis=1)]))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _LONGEST
    return "; ".join(names[:_LONGEST]) + (f"; and {more} more" if more > 0 else "") + "."


def _judged(verdicts: Sequence[_Verdicts]) -> Part:
    sentences = [
        f"Other verdicts on {verdict.what}: {_listed(verdict.differing)}" for verdict in verdicts if verdict.differing
    ]
    sentences += [
        f"Of one run alone, {verdict.what}: {_listed(verdict.alone)}" for verdict in verdicts if verdict.alone
    ]
    rows = [
        [verdict.what, *map(str, (verdict.compared, verdict.compared - len(verdict.differing), len(verdict.differing)))]
        for verdict in verdicts
    ]
    return Part("Verdicts", sentences, ["on", "compared", "same", "other"], rows)


def _share(count: int, cells: int) -> str:
    """Return a share in percent, rounded down: 100 is all."""
    return f"{np.floor(1000 * count / cells) / 10:.1f} %" if cells else ""


def _scores(cells: pd.DataFrame, committed: Run, here: Run) -> Part:
    outputs = [run.manifest["outputs"] for run in (committed, here)]
    names = outputs[0].keys() & outputs[1].keys()
    equal = sum(outputs[0][name] == outputs[1][name] for name in names)
    sentences = [
        "Means over the splits that both runs have, as shares of the cells; differences are relative. "
        f"Errors: at most {REPRODUCED:g} standard errors of the difference.",
        f"Of {len(names)} files that hold no times {equal} are equal in every byte.",
        *(
            f"Farthest, {row['protocol']}: {row['farthest']}, by {row['relative']:.2g}."
            for row in cells.to_dict("records")
            if row["farthest"]
        ),
    ]
    counted = [*AGREEMENT, "within errors"]
    alone = [name for name in ("only committed", "only here") if cells[name].any()]
    rows = [
        [str(row["protocol"]), str(row["cells"]), *(_share(row[name], row["cells"]) for name in counted)]
        + [str(row[name]) for name in alone]
        for row in cells.to_dict("records")
    ]
    return Part("Scores", sentences, ["protocol", "cells", *counted, *alone], rows)


def _made(committed: Run, here: Run) -> Part:
    """Return the part of the protocol with commits, machines, versions and times of both runs."""
    facts = [_facts(run.manifest) for run in (committed, here)]
    rows = [[name, *(fact.get(name, "") for fact in facts)] for name in facts[0] | facts[1]]
    sentence = "Wall time is from the first job to the last, of the committed run with other studies in parallel."
    return Part("Runs", [sentence], ["", "committed", "here"], rows)


def _facts(manifest: Mapping[str, Any]) -> dict[str, str]:
    run = manifest["run"]
    machine, source, total = run["machine"], run["source"], run["cost"]["total"]
    wall = ""
    if run["started"] and run["ended"]:
        seconds = (datetime.fromisoformat(run["ended"]) - datetime.fromisoformat(run["started"])).total_seconds()
        wall = f"{seconds / 3600:.2f}"
    versions = {"python": run["python"], **run["packages"]}
    memory = machine.get("memory_gb")
    return {
        "commit": f"{(source['commit'] or 'none')[:12]}, {source['state']}",
        "seed": str(manifest["seed"]),
        "splits": str(manifest["splits"]),
        "data sets": str(len(manifest["datasets"])),
        "started": run["started"] or "",
        "hours, wall": wall,
        "hours, processor": f"{total['cpu_seconds'] / 3600:.2f}",
        "jobs": str(total["jobs"]) + (f", {run['taken']} of them taken" if "taken" in run else ""),
        "largest job": "" if total["peak_mb"] is None else f"{total['peak_mb'] / 1000:.1f} GB",
        "processor": machine["processor"],
        "cores": str(machine["cores"]),
        "memory": f"{memory:g} GB" if memory else "not recorded",
        "BLAS": ", ".join(machine.get("blas", [])) or "not recorded",
        "system": machine["system"],
        **{name: versions[name] for name in _VERSIONS if name in versions},
    }


def _operations(run: Run, dataset: str, methods: Sequence[str]) -> float:
    """Return the operations that the timed methods declare for a data set, with as many directions as labels."""
    described = run.tables["datasets"].set_index("dataset")
    n, d, q, zeros = described.loc[dataset, ["instances", "features", "labels", "zeros"]].to_numpy(float)
    sizes = Sizes(int(n), int(d), int(q), int(n * d * (1 - zeros)), int(q))
    entries = run.manifest["methods"]
    drawn = [label if label in entries else f"{label}-0" for label in methods]  # the mean of several draws
    names = [entry_name(label, entries[label]) for label in drawn if label in entries]
    parts = [part for name in names if not is_import_path(name) for part in complexities(name)]
    return sum(part.operations(sizes) for part in parts)


def _times(committed: Run, here: Run) -> Part:
    """Compare the seconds of fits, with the operations that their methods declare."""
    seconds = [run.tables["times"].groupby(["dataset", "method"])["seconds"].mean() for run in (committed, here)]
    both = pd.concat(seconds, axis=1, keys=["committed", "here"]).dropna()
    rows = []
    for dataset, group in both.groupby("dataset"):
        methods = list(group.index.get_level_values("method"))
        ratios = group["here"] / group["committed"]
        sums = group.sum()
        rows.append(
            [str(dataset), str(len(group)), f"{_operations(here, str(dataset), methods):.2g}"]
            + [f"{sums[side]:.3g}" for side in ("committed", "here")]
            + [f"{ratios.median():.2f} ({ratios.min():.2f} to {ratios.max():.2f})"]
        )
    sentence = (
        "Seconds of one fit of each timed method, summed, and the operations that the methods declare for the data "
        "set, up to a factor. Ratio: the median over the methods of seconds here to committed ones."
    )
    header = ["data set", "fits", "operations", "seconds, committed", "seconds, here", "ratio"]
    return Part("Times", [sentence], header, rows)


def as_markdown(parts: Sequence[Part]) -> str:
    """Return the protocol as Markdown."""
    texts = []
    for number, part in enumerate(parts):
        texts += [f"{'##' if number else '#'} {part.heading}\n", *(f"{sentence}\n" for sentence in part.sentences)]
        texts += [to_markdown(part.header, part.rows)] if part.rows else []
    return "\n".join(texts)


def as_text(parts: Sequence[Part]) -> str:
    """Return the protocol as plain text, with columns one below the other."""
    texts = []
    for part in parts:
        texts += [
            part.heading,
            "-" * len(part.heading),
            *(fill(sentence, 120, break_on_hyphens=False) for sentence in part.sentences),
        ]
        lines = [part.header, *part.rows] if part.rows else []
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts += ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        texts.append("")
    return "\n".join(texts)


def _quickest(folder: Path, papers: Sequence[str]) -> str:
    """Return the paper whose committed run took the least processor time."""
    costs = {name: read_manifest(folder / name)["run"]["cost"]["total"]["cpu_seconds"] for name in papers}
    return min(costs, key=costs.__getitem__)


def _replicate(options: argparse.Namespace) -> int:
    reference, project = Path(options.reference), Path(options.project)
    known = sorted(path.parent.name for path in reference.glob("*/manifest.json"))
    papers = [name for name in study_files(project, [PAPERS]) if name in known]
    if options.paper is None and not papers:
        raise ConfigurationError(f"{reference}: there are no results of papers to compare with")
    name = options.paper or _quickest(reference, papers)
    check_known_name("paper", name, known, str(reference))
    committed = read_run(reference / name)
    given = {key: value for key, value in (("seed", options.seed), ("splits", options.splits)) if value is not None}
    folder = Path(options.to, "-".join([name, *(f"{key}-{value}" for key, value in given.items())])).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / "results" / "replicate" / name
    (made / "manifest.json").unlink(missing_ok=True)  # of an earlier run, which this one continues
    seed = committed.manifest["seed"]
    shared = {} if options.finished is None else {"finished": str(Path(options.finished).resolve())}
    configuration = {
        **configured_places(options),
        **shared,
        **{"scale": committed.manifest["scale"], "seed": seed, "studies": [name], **given},
        **{"results": str(folder / "results"), "name": "replicate"},
    }
    print(f"running {name} in {folder}", flush=True)
    run_workflow(configuration, folder, [str(made / "manifest.json")], project, [project / "config" / "paper.yaml"])
    if not (made / "manifest.json").is_file():
        raise ConfigurationError(
            f"{name} did not finish; the messages above give the reason. The same command resumes."
        )
    parts = protocol(committed, read_run(made))
    write_text(folder / "protocol.md", as_markdown(parts))
    text = as_text(parts)
    write_text(folder / "protocol.txt", text)
    print(f"\n{text}\nThis page: {folder / 'protocol.md'} and protocol.txt", flush=True)
    if not shared:
        return 0
    print(f"\nrecomputing a sample, since jobs were taken from {options.finished}", flush=True)
    given = {key: getattr(options, key) for key in ("share", "project", "mirror", "cache", "catalogue")}
    given |= {"reference": made.parent, "studies": name}
    words = [f"--{key}={value}" for key, value in given.items() if value is not None]
    return verify.main(["cells", *words])


def _positive_integer(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected an integer above 0; got {text!r}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a paper at its full protocol, compare, and return the exit status; None takes the command line."""
    summary, _, details = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m mlreduce_studies.provenance.replicate", description=summary, epilog=details
    )
    parser.add_argument("paper", nargs="?", help="name of its folder (default: the one whose run took the least time)")
    parser.add_argument("--splits", type=_positive_integer, help="at most this many splits or folds (default: all)")
    parser.add_argument("--seed", type=_positive_integer, help="seed (default: that of the committed results)")
    parser.add_argument(
        "--finished", help="folder of finished jobs, to take from and to write to; a sample is then recomputed"
    )
    parser.add_argument("--share", type=verify.share, default=0.02, help="of the cells in the sample (default 0.02)")
    parser.add_argument("--to", default="results/replicate", help="parent of the folder of the run (default: this)")
    add_places(parser)
    options: Any = parser.parse_args(arguments)
    return exit_status(_replicate, options)


if __name__ == "__main__":
    sys.exit(main())
