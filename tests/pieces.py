"""Pieces of the papers on published data, by their protocols with fewer splits: ``python tests/pieces.py``.

PROMISES=today, as in .ci/run, is one of the pieces by the day.

The data are read from the folder MLREDUCE_MIRROR, or ``../shared/mirror``. Pieces whose data are not there are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
from project import of_the_day

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.datasets.data import MultiLabelData
from mlreduce_studies.verdicts.audit import audit, read_published

PROJECT = Path(__file__).parents[1]
MIRROR = Path(os.environ.get("MLREDUCE_MIRROR") or PROJECT.parent / "shared" / "mirror").resolve()
RESULTS = PROJECT / "results" / "pieces"


def run(name: str, options: str, *targets: str) -> Path:
    """Run targets at paper scale into a folder of their own, and return the folder of the studies."""
    settings = [*options.split(), f"mirror={MIRROR}", f"results={RESULTS}", f"name={name}"]
    command = [sys.executable, "-m", "snakemake", *targets, "--configfile", "config/paper.yaml", "--config", *settings]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return RESULTS / name


def table3() -> str:
    """Table 3 of cplst-2012 on two data sets: no printed number is far from ours."""
    base = run("table3", "run_on=emotions,scene splits=20", "cplst_table3")
    table = pd.read_csv(base / "cplst-2012" / "table3.csv")
    cells = audit({"table3": table}, read_published(PROJECT / "papers" / "cplst-2012" / "published.csv"))
    printed = cells[cells["protocol"] == "as-printed"]
    assert printed.groupby("dataset").size().tolist() == [10, 10], printed
    assert not (printed["z"].abs() > 4).any(), printed
    return f"{(printed['z'].abs() <= 2.5).sum()} of {len(printed)} cells of Table 3 within 2.5 standard errors"


def ends_and_selectors() -> str:
    """MVMD at the ends of its balance is PCA and MDDMp; selectors are ahead of random features."""
    ends, selectors = ("mvmd-0.0", "mvmd-1.0", "pca", "mddmp"), ("gmba", "mlfs", "mlrf", "qpfs", "rfs")
    methods = ",".join((*ends, *selectors, "random", "all-features"))
    options = f"run_on=emotions splits=3 bundle=true studies=mvmd-2016,gmba-2016 methods={methods}"
    names = ("mvmd-2016/summary.csv", "gmba-2016/summary.csv", "gmba-2016/areas.csv")
    ours, theirs, areas_file = files = [RESULTS / "methods" / name for name in names]
    run("methods", options, *map(str, files))

    summary = pd.read_csv(ours)
    means = summary.pivot_table(
        index=["predictor", "measure", "size_percent", "energy"], columns="method", values="mean"
    )
    for end, method in (("mvmd-0.0", "pca"), ("mvmd-1.0", "mddmp")):
        assert (means[end] - means[method]).abs().max() < 1e-9, (end, method)
    assert means.xs(("ridge", "instance-f1", 100), level=(0, 1, 2)).iloc[0]["pca"] > 0.4

    # All features are the same in any order.
    summary = pd.read_csv(theirs)
    whole = summary[summary["size_percent"] == 100].groupby(["predictor", "measure"])["mean"]
    assert (whole.max() - whole.min()).max() < 1e-9, whole
    areas = pd.read_csv(areas_file).set_index(["predictor", "measure", "method"])["mean"]
    for predictor in ("br-knn", "cc-knn"):
        for method in selectors:
            ahead = areas[predictor, "micro-f1", method] > areas[predictor, "micro-f1", "random"]
            assert ahead, (predictor, method)
    return f"MVMD ends in PCA and MDDMp on {len(means)} cells; {len(selectors)} selectors are ahead of random features"


def propagation() -> str:
    """Label propagation on genbase is ahead of labels at random, whose precision and recall are their share."""
    methods = "ml-grf-cut,ml-lgc-cut,smse1-cut,smse2-cut"
    table = RESULTS / "propagation" / "mope-mesd-2012" / "table4-cut.csv"
    run("propagation", f"run_on=genbase splits=1 bundle=true studies=mope-mesd-2012 methods={methods}", str(table))
    chance = MultiLabelData.load(RESULTS / "data" / "genbase.npz").Y.mean(axis=0).mean()
    scores = pd.read_csv(table)
    assert set(scores["method"]) == set(methods.split(",")), scores
    assert (scores["mean"] > 1.5 * chance).all(), (chance, scores)
    return f"macro-F1 of label propagation {scores['mean'].min():.3f} and more; by chance {chance:.3f}"


PIECES = {table3: ["emotions", "scene"], ends_and_selectors: ["emotions"], propagation: ["genbase"]}

if __name__ == "__main__":
    shutil.rmtree(RESULTS, ignore_errors=True)
    pieces = list(PIECES.items())
    for piece, datasets in of_the_day(pieces, len(pieces)) if os.environ.get("PROMISES") == "today" else pieces:
        absent = [name for name in datasets if not read_catalogue()[name].is_at_hand(MIRROR)]
        started = time.monotonic()
        said = piece() if not absent else f"skipped: {MIRROR} has no {', '.join(absent)} (set MLREDUCE_MIRROR)"
        print(f"{piece.__name__}: {said} ({time.monotonic() - started:.0f} s)", flush=True)
