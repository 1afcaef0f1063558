"""Selectors by information and by sparse regression: processor seconds, and PyIT-MLFS on the same bins.

    OPENBLAS_NUM_THREADS=1 python benchmarks/criteria.py
    OPENBLAS_NUM_THREADS=1 python benchmarks/criteria.py --pyit FOLDER --python INTERPRETER

"criteria": seconds to rank all features of emotions, required less than 0.1, and the best 200 of bibtex, less than 60:
docs/performance/criteria.csv. "regressions": seconds and rounds until the objective falls by less than 1e-6 of itself,
on enron, less than 60. With a clone of https://github.com/Sadegh28/PyIT-MLFS and an interpreter that has its
requirements (pyitlib, tqdm), its rankings of emotions too: seconds, how many places from the first on are the same,
Spearman's correlation, in docs/performance/pyit-mlfs.csv. The reasons in its last column are written by hand.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.files import write_text
from mlreduce.preprocessing.discretisation import Discretiser
from mlreduce.selection.greedy import GreedySelector

PERFORMANCE = Path(__file__).parents[1] / "docs" / "performance"
TABLE, PYIT_TABLE = PERFORMANCE / "criteria.csv", PERFORMANCE / "pyit-mlfs.csv"
CRITERIA = [
    name
    for name in mlreduce.registry.method_names("selection")
    if issubclass(mlreduce.registry.method_class(name), GreedySelector)
]
REGRESSIONS = ["mssl", "csfs", "mdfs", "mifs", "scmfs"]
#: Registry name -> module and class of PyIT-MLFS, and its function that ranks by the formula.
PYIT = {"igmf": "igmf", "scls": "scls", "mdmr": "mdmr", "d2f": "d2f", "lrfs": "lrfs", "lsmfs": "lsmfs",
        "mlsmfs": "mlsmfs", "ppt-mi": "ppt_mi"}  # fmt: skip
SECONDS = {"emotions": 0.1, "bibtex": 60.0, "enron": 60.0}

# Run by the other interpreter: arguments are the clone, the bins and the class. Their modules are loaded one by one.
THEIRS = """
import importlib, json, sys, time, types
import numpy as np
folder, bins, name = sys.argv[1:]
package = types.ModuleType("classes")
package.__path__ = [folder + "/classes"]
sys.modules["classes"] = package
selector = getattr(importlib.import_module("classes." + name), name)()
data = np.load(bins)
X, Y = data["X"].astype(int), data["Y"].astype(int)
start = time.process_time()
ranking = selector.select(X, Y, X.shape[1]) if name == "ppt_mi" else selector.rank(X, Y)
print(json.dumps([time.process_time() - start, [int(feature) for feature in ranking]]))
"""


def seconds(function: partial[object], repeats: int) -> float:
    """Least processor seconds of some calls after one that is not counted, which compiles."""
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def check(name: str, taken: float) -> float:
    """Return seconds, and say so where they are more than required."""
    if taken >= SECONDS[name]:
        print(f"too slow on {name}: {taken:.3g} s, required {SECONDS[name]:g}", flush=True)
    return taken


def time_criteria(emotions: MultiLabelData, bibtex: MultiLabelData) -> pd.DataFrame:
    """Return seconds of each criterion, on all features of a small data set and the best 200 of a large one."""
    names = [f"all {emotions.X.shape[1]} features of emotions, s", f"best 200 of the {bibtex.X.shape[1]} of bibtex, s"]
    rows = []
    for name in CRITERIA:
        small = seconds(partial(mlreduce.make(name, k=None).fit, emotions.X, emotions.Y), 5)
        large = seconds(partial(mlreduce.make(name, k=200).fit, bibtex.X, bibtex.Y), 1)
        rows.append([name, f"{check('emotions', small):.3f}", f"{check('bibtex', large):.2g}"])
    return pd.DataFrame(rows, columns=["criterion", *names])


def compare_with(folder: str, interpreter: str, emotions: MultiLabelData) -> pd.DataFrame:
    """Return seconds and rankings of PyIT-MLFS and ours on the same bins; what was written by hand stays."""
    bins, rows = Discretiser().fit_transform(emotions.X), []
    with tempfile.TemporaryDirectory() as scratch:
        np.savez(f"{scratch}/bins.npz", X=bins, Y=emotions.Y)
        for name, module in PYIT.items():
            method = mlreduce.make(name, k=None, discretise=None)
            ours = seconds(partial(method.fit, bins, emotions.Y), 5)
            command = [interpreter, "-c", THEIRS, folder, f"{scratch}/bins.npz", module]
            ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            theirs, order = json.loads(ran.stdout)
            same = int(np.argmin(np.append(np.argsort(method.ranking_) == order, False)))
            correlation = spearmanr(method.ranking_, np.argsort(order)).statistic
            ratio = f"{float(f'{theirs / ours:.2g}'):.0f}"
            rows.append([name, f"{theirs:.2g}", f"{ours:.2g}", ratio, str(same), f"{correlation:.2f}"])
    both, where = ["PyIT-MLFS, s", "ours, s", "ratio"], "where they differ"
    places = f"same places of {emotions.X.shape[1]} from the first"
    table = pd.DataFrame(rows, columns=["criterion", *both, places, "correlation of the ranks"])
    reasons = pd.read_csv(PYIT_TABLE, index_col="criterion")[where]
    return table.assign(**{where: table["criterion"].map(reasons)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="criteria,regressions")
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--pyit", help="a clone of PyIT-MLFS")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has its requirements")
    options = parser.parse_args()
    load = partial(mlreduce.load_dataset, mirror=options.mirror)
    with threadpool_limits(1):
        if "criteria" in options.parts:
            write_text(TABLE, time_criteria(load("emotions"), load("bibtex")).to_csv(index=False))
        if "regressions" in options.parts:
            enron = load("enron")
            for name in REGRESSIONS:
                method = mlreduce.make(name)
                taken = check("enron", seconds(partial(method.fit, enron.X, enron.Y), 1))
                print(f"{name}: {taken:.3g} s, {method.n_iter_} rounds on enron", flush=True)
        if options.pyit:
            write_text(PYIT_TABLE, compare_with(options.pyit, options.python, load("emotions")).to_csv(index=False))


if __name__ == "__main__":
    main()
