"""Pieces of the papers on published data, at their full protocols: ``python tests/pieces.py MIRROR``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd

from mlreduce.datasets.data import MultiLabelData

RESULTS = Path("results/pieces")


def run(name: str, *arguments: str) -> Path:
    """Run targets at paper scale into a folder of their own, and return the folder of the studies."""
    *targets, options = arguments
    settings = [*options.split(), f"mirror={sys.argv[1]}", f"results={RESULTS}", f"name={name}"]
    command = [sys.executable, "-m", "snakemake", *targets, "--configfile", "config/paper.yaml", "--config", *settings]
    subprocess.run(command, check=True)
    return RESULTS / name


def table3() -> str:
    """Table 3 of cplst-2012 on two data sets: no printed number is far from ours."""
    found = []
    for dataset, splits in (("emotions", 20), ("scene", 20)):
        base = run(f"table3-{dataset}", "cplst_table3", f"run_on={dataset} splits={splits}")
        found.append(pd.read_csv(base / "cplst-2012" / "table3.csv"))
    from mlreduce.reporting.audit import audit, read_published

    cells = audit({"table3": pd.concat(found)}, read_published("config/published/cplst-2012.csv"))
    printed = cells[cells["protocol"] == "as-printed"]
    assert printed.groupby("dataset").size().tolist() == [10, 10], printed
    assert not (printed["z"].abs() > 4).any(), printed
    return f"{(printed['z'].abs() <= 2.5).sum()} of {len(printed)} cells of Table 3 within 2.5 standard errors"


def mvmd() -> str:
    """MVMD at the ends of its balance is PCA and MDDMp."""
    base = run("mvmd", "mvmd_tables", "run_on=emotions splits=3 studies=mvmd-2016 methods=mvmd-0.0,mvmd-1.0,pca,mddmp")
    summary = pd.read_csv(base / "mvmd-2016" / "summary.csv")
    means = summary.pivot_table(
        index=["predictor", "measure", "size_percent", "energy"], columns="method", values="mean"
    )
    for end, method in (("mvmd-0.0", "pca"), ("mvmd-1.0", "mddmp")):
        assert (means[end] - means[method]).abs().max() < 1e-9, (end, method)
    assert means.xs(("ridge", "instance-f1", 100), level=(0, 1, 2)).iloc[0]["pca"] > 0.4
    return f"beta = 0 is PCA and beta = 1 is MDDMp on {len(means)} cells"


def selectors() -> str:
    """Selectors of two papers are ahead of random features, and all features are the same in any order."""
    methods = "gmba,mlfs,mlrf,qpfs,rfs,random,all-features"
    base = run("selection", "gmba_tables", f"run_on=emotions splits=3 studies=gmba-2016 methods={methods}")
    summary = pd.read_csv(base / "gmba-2016" / "summary.csv")
    whole = summary[summary["size_percent"] == 100].groupby(["predictor", "measure"])["mean"]
    assert (whole.max() - whole.min()).max() < 1e-9, whole
    areas = pd.read_csv(base / "gmba-2016" / "areas.csv").set_index(["predictor", "measure", "method"])["mean"]
    for predictor in ("br-knn", "cc-knn"):
        for method in ("gmba", "mlfs", "mlrf", "qpfs", "rfs"):
            ahead = areas[predictor, "micro-f1", method] > areas[predictor, "micro-f1", "random"]
            assert ahead, (predictor, method)
    return f"GMBA, MLFS, MLRF, QPFS and L2,1 are ahead of random features on {len(areas)} areas"


def propagation() -> str:
    """Label propagation on enron is ahead of labels at random, whose precision and recall are their share."""
    methods = "ml-grf-cut,ml-lgc-cut,smse1-cut,smse2-cut"
    table = f"{RESULTS}/propagation/mope-mesd-2012/table4-cut.csv"
    run("propagation", table, f"run_on=enron splits=1 studies=mope-mesd-2012 methods={methods}")
    chance = MultiLabelData.load(RESULTS / "data" / "enron.npz").Y.mean(axis=0).mean()
    scores = pd.read_csv(table)
    assert len(scores), "no scores of label propagation"
    assert (scores["mean"] > 1.5 * chance).all(), (chance, scores)
    return f"macro-F1 of label propagation {scores['mean'].min():.3f} and more; by chance {chance:.3f}"


if __name__ == "__main__":
    for piece in (table3, mvmd, selectors, propagation):
        print(piece(), flush=True)
