"""Selectors by information and by sparse regression: processor seconds, and PyIT-MLFS on the same bins.

    OPENBLAS_NUM_THREADS=1 python benchmarks/criteria.py
    OPENBLAS_NUM_THREADS=1 python benchmarks/criteria.py --pyit FOLDER --python INTERPRETER

"criteria": seconds to rank all features of emotions, required less than 0.1, and the best 200 of bibtex, less than 60.
"regressions": seconds and rounds until the objective falls by less than 1e-6 of itself, on enron, less than 60.
With a clone of https://github.com/Sadegh28/PyIT-MLFS and an interpreter that has its requirements (pyitlib, tqdm), its
rankings of emotions too: seconds, how many places from the first on are the same, Spearman's correlation.
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
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

import mlreduce
from mlreduce.preprocessing.discretisation import Discretiser
from mlreduce.selection.greedy import GreedySelector

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


def verdict(name: str, taken: float) -> str:
    return f"{taken:.3g}" if taken < SECONDS[name] else f"{taken:.3g}, too slow"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="criteria,regressions")
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--pyit", help="a clone of PyIT-MLFS")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has its requirements")
    options = parser.parse_args()
    load = partial(mlreduce.load_dataset, mirror=options.mirror)
    emotions, bins = load("emotions"), Discretiser().fit_transform(load("emotions").X)
    with threadpool_limits(1):
        if "criteria" in options.parts:
            print("| criterion | all of emotions, s | best 200 of bibtex, s |\n|:--|--:|--:|", flush=True)
            bibtex = load("bibtex")
            for name in CRITERIA:
                small = seconds(partial(mlreduce.make(name, k=None).fit, emotions.X, emotions.Y), 5)
                large = seconds(partial(mlreduce.make(name, k=200).fit, bibtex.X, bibtex.Y), 1)
                print(f"| {name} | {verdict('emotions', small)} | {verdict('bibtex', large)} |", flush=True)
        if "regressions" in options.parts:
            print("\n| regression | enron, s | rounds |\n|:--|--:|--:|", flush=True)
            enron = load("enron")
            for name in REGRESSIONS:
                method = mlreduce.make(name)
                taken = seconds(partial(method.fit, enron.X, enron.Y), 1)
                print(f"| {name} | {verdict('enron', taken)} | {method.n_iter_} |", flush=True)
    if options.pyit:
        print("\n| criterion | ours, s | PyIT-MLFS, s | ratio | same places | correlation |\n|:--|--:|--:|--:|--:|--:|")
        with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
            np.savez(f"{folder}/bins.npz", X=bins, Y=emotions.Y)
            for name, module in PYIT.items():
                method = mlreduce.make(name, k=None, discretise=None)
                ours = seconds(partial(method.fit, bins, emotions.Y), 5)
                command = [options.python, "-c", THEIRS, options.pyit, f"{folder}/bins.npz", module]
                ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                theirs, order = json.loads(ran.stdout)
                same = int(np.argmin(np.append(np.argsort(method.ranking_) == order, False)))
                correlation = spearmanr(method.ranking_, np.argsort(order)).statistic
                both = f"{ours:.3g} | {theirs:.3g} | {theirs / ours:.0f}"
                print(f"| {name} | {both} | {same} of {len(order)} | {correlation:.2f} |", flush=True)


if __name__ == "__main__":
    main()
