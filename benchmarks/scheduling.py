"""The cost of Snakemake: a dry run, and a run of empty jobs, at growing numbers of jobs.

    python benchmarks/scheduling.py                  # 100, 1,000 and 10,000 jobs: half an hour on two idle cores

It writes docs/scale/scheduling.csv and the table of docs/scale.md.

The workflow and a study are copied to a separate folder, with a job per split and scripts that only touch their files.
Seconds are the processor's, of Snakemake and of the jobs that it started; memory is Snakemake's peak. "In packs" is a
run as on a cluster: a queue that runs one job at once, and tasks on a data set share jobs of 30 expected minutes, each
with a Snakemake of its own, whose seconds are among those of the jobs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mlreduce.evaluation.scores import SCORE_COLUMNS, as_table
from mlreduce_studies.gathering.job_tables import write_table
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
TABLE = PROJECT / "docs" / "scale" / "scheduling.csv"
PAGE = PROJECT / "docs" / "scale.md"
RUNS = PROJECT / "results" / "reference"
# A table of a job is whole, or its job would run again.
EMPTY = """from pathlib import Path

for path in globals()["snakemake"].output:
    folder = Path(path) if not Path(path).suffix else Path(path).parent  # fetch has a folder
    folder.mkdir(parents=True, exist_ok=True)
    if Path(path).suffix:
        Path(path).write_bytes(Path("empty.parquet").read_bytes() if path.endswith(".parquet") else b"")
"""
# Splits, by which the jobs grow: two jobs of linear codes for each of eight data sets and two protocols.
SPLITS = (2, 31, 312)
TARGET = "cplst_table3"
# A queue that runs what is submitted, and answers when it has ended.
QUEUE = """#!/bin/sh
for script; do :; done
sh "$script" > "$script.log" 2>&1
echo $$
"""


class Cost(NamedTuple):
    """Of a call of Snakemake: jobs of a dry run, wall, its own processor seconds, those of its jobs, peak memory."""

    jobs: int
    wall: float
    seconds: float
    in_jobs: float
    gigabytes: float


def emptied(folder: Path) -> None:
    """Put the project there, with scripts that do nothing."""
    for name in ("Snakefile", "config", "workflow", "src", "envs", "profiles", "papers", "comparisons"):
        source = PROJECT / name
        if source.is_symlink():
            (folder / name).symlink_to(source.readlink())
        elif source.is_dir():
            shutil.copytree(source, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    for script in (folder / "workflow" / "scripts").glob("[!_]*.py"):
        script.write_text(EMPTY, encoding="utf-8")
    write_table(folder / "empty.parquet", as_table([], SCORE_COLUMNS))


def snakemake(folder: Path, splits: int, *arguments: str) -> Cost:
    """Run Snakemake, and measure it."""
    config = ["studies=[cplst-2012]", "scale=paper", f"splits={splits}", "splits_per_job=1", "bundle=false"]
    config += ["minutes_per_job=30"] if "--executor" in arguments else []
    command = [sys.executable, "-m", "snakemake", *arguments, "--config", *config, "--", TARGET]
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "MLREDUCE_CACHE": str(folder / "cache")}
    said = folder / "said.txt"
    begun, of_others = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with said.open("w") as file:
        run = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT)
        peak = 0
        # Snakemake's own memory and time: those of the jobs that it waited for are counted with it at its end.
        own = 0.0
        while run.poll() is None:
            status = Path("/proc", str(run.pid))
            try:
                peak = int(re.findall(r"VmHWM:\s+(\d+)", (status / "status").read_text())[0])
                fields = (status / "stat").read_text().rpartition(")")[2].split()
                own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            except (OSError, IndexError):
                pass  # it has just ended
            time.sleep(0.2)
    wall, of_all = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        raise SystemExit(said.read_text()[-4000:])
    both = of_all.ru_utime + of_all.ru_stime - of_others.ru_utime - of_others.ru_stime
    jobs = re.findall(r"^(\d+) jobs", said.read_text(), re.MULTILINE)
    return Cost(int(jobs[0]) if jobs else 0, wall, own, both - own, peak * 1024 / 1e9)


def rows_of_page(table: pd.DataFrame) -> list[str]:
    """Return the costs of the runs in Markdown, and what a job of a pack costs."""
    runs = table[table["call"].isin(["run", "in packs"])]
    costs = runs[["wall", "seconds", "in_jobs"]].map("{:,.0f} s".format)
    jobs = runs["jobs"].map("{:,}".format) + np.where(runs["call"] == "run", "", ", in packs")
    shown = pd.concat([jobs, costs, runs["gigabytes"].map("{:.2f} GB".format)], axis=1)
    rows = to_markdown(["jobs", "wall", "Snakemake", "its jobs", "memory"], shown.to_numpy()).splitlines()
    packed = runs[runs["call"] == "in packs"].iloc[-1]
    cost, mean = (packed["seconds"] + packed["in_jobs"]) / packed["jobs"], seconds_of_a_job()
    share = f"{100 * cost / mean:.1f} % of a mean job of the committed runs ({mean:.0f} s)"
    return [*rows, "", f"In packs a job costs {cost:.2f} s, {share}."]


def seconds_of_a_job() -> float:
    """Return the mean processor seconds of the jobs of the committed runs."""
    manifests = [json.loads(path.read_text(encoding="utf-8")) for path in RUNS.glob("*/manifest.json")]
    totals = [manifest["run"]["cost"]["total"] for manifest in manifests]
    return float(sum(total["cpu_seconds"] for total in totals) / sum(total["jobs"] for total in totals))


def calls(folder: Path) -> dict[str, list[str]]:
    """Return the arguments of each call of Snakemake, in their order."""
    queue, here = folder / "queue.sh", ["--cores", "all"]
    queue.write_text(QUEUE, encoding="utf-8")
    queue.chmod(0o755)
    submit = ["--executor", "cluster-generic", "--cluster-generic-submit-cmd", str(queue), "--jobs", "1"]
    # Else such a queue is asked every ten seconds whether it has ended.
    packed = [*submit, "--seconds-between-status-checks", "1"]
    return {"dry run": [*here, "-n"], "run": here, "nothing to do": here, "in packs": packed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, nargs="+", default=SPLITS, metavar="N")
    parser.add_argument("--packs-only", action="store_true", help="measure the run in packs, and keep the other rows")
    given = parser.parse_args()
    rows = []
    for splits in given.splits:
        with tempfile.TemporaryDirectory() as folder:
            emptied(Path(folder))
            planned = 0
            for what, arguments in calls(Path(folder)).items():
                if what == "in packs":
                    shutil.rmtree(Path(folder, "results"), ignore_errors=True)
                elif given.packs_only:
                    continue
                cost = snakemake(Path(folder), splits, *arguments)
                planned = cost.jobs or planned
                rows.append({"splits": splits, "call": what, **cost._asdict(), "jobs": planned})
                print(
                    f"{what:14} {planned:6} jobs: wall {cost.wall:7.1f} s, Snakemake {cost.seconds:7.1f} s, "
                    f"jobs {cost.in_jobs:7.1f} s, {cost.gigabytes:.2f} GB",
                    flush=True,
                )
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame(rows)
    if given.packs_only:
        before = pd.read_csv(TABLE)
        again = (before["call"] == "in packs") & before["splits"].isin(given.splits)
        table = pd.concat([before[~again], table]).sort_values("splits", kind="stable")
    table.to_csv(TABLE, index=False, float_format="%.3g")
    text = fill_block(PAGE.read_text(encoding="utf-8"), "scheduling", rows_of_page(table))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
