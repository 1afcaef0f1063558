"""Methods of this library beside what a user would take instead, and beside what their mathematics costs.

    make benchmark                                                      # or, parts of it:
    python benchmarks/peers.py --datasets emotions,scene --methods pca,linear

Processor seconds of a fit with one thread, medians of alternating fits, ours and the peer's in one process; the peak
memory of a fit in a process of its own. The limit is the products and factorisations that the method cannot do without,
in NumPy on the same data. Peers that are not installed are left out: scikit-learn and scikit-multilearn come with the
development packages, ``pip install cca-zoo lpproj metric-learn`` adds others, Weka (make weka) is found by itself.
The table goes to docs/performance/peers.csv, a row per method and data set; ``docs/performance.md`` shows it.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import threadpoolctl

import mlreduce

SETS = ("emotions", "scene", "yeast", "medical", "enron", "corel5k", "bibtex")
COLUMNS = ("method", "dataset", "peer", "ours", "theirs", "ratio", "limit", "to_limit", "ours_mb", "theirs_mb")
FILE = Path(__file__).parents[1] / "docs" / "performance" / "peers.csv"

# A fit is repeated until it has taken so many seconds or been done so often; at least three times where it is short.
SECONDS, MOST = 4.0, 25
# A fit that took longer than this on a data set is not repeated.
LONG = 20.0
COMPONENTS = 10

Fit = Callable[[Any, np.ndarray], Any]


@dataclass(frozen=True)
class Case:
    """A method, its peers by name, and the least that it has to compute.

    Parameters
    ----------
    ours : callable
        Features, sparse where published so, and dense labels -> anything.
    peers : dict of str to (callable, bool)
        The same; whether it takes sparse features.
    limit : callable or None
    """

    ours: Fit
    peers: dict[str, tuple[Callable[[], Fit], bool]]
    limit: Fit | None = None


def library(name: str, **parameters: Any) -> Fit:
    """Return a fit of a method of this library."""
    return lambda X, Y: mlreduce.make(name, **parameters).fit(X, Y)


def peer(path: str, unsupervised: bool = False, label: int | None = None, **parameters: Any) -> Callable[[], Fit]:
    """Return what imports a class of another package and gives its fit; ImportError where it is not installed."""

    def find() -> Fit:
        module, _, name = path.rpartition(".")
        cls = getattr(importlib.import_module(module), name)

        def fit(X: Any, Y: np.ndarray) -> Any:
            if unsupervised:
                return cls(**parameters).fit(X)
            return cls(**parameters).fit(X, Y if label is None else Y[:, label])

        return fit

    return find


def dense(X: Any) -> np.ndarray:
    """Return features as an array."""
    return X.toarray() if sp.issparse(X) else X


def gram_and_vectors(X: Any, number: int | None = None) -> Any:
    """Product of the smaller side, and its eigenvectors."""
    gram = X @ X.T if X.shape[0] < X.shape[1] else X.T @ X
    gram = dense(gram)
    some = None if number is None else (len(gram) - number, len(gram) - 1)
    return scipy.linalg.eigh(gram, subset_by_index=some, overwrite_a=True, check_finite=False)


def few_directions(X: Any, Y: np.ndarray) -> Any:
    """The leading singular vectors: by Lanczos on sparse features, by the product of the smaller side on dense ones."""
    if sp.issparse(X) and min(X.shape) > 4 * COMPONENTS:
        return sp.linalg.svds(X.astype(float), COMPONENTS, random_state=0)
    return gram_and_vectors(X, COMPONENTS)


def regression(X: Any, Y: np.ndarray) -> Any:
    """Product of the smaller side, and a Cholesky solve."""
    wide = X.shape[0] < X.shape[1]
    gram = dense(X @ X.T if wide else X.T @ X)
    gram[np.diag_indices_from(gram)] += 1.0
    right = Y.astype(float) if wide else np.asarray(X.T @ Y)
    return scipy.linalg.solve(gram, right, assume_a="pos", overwrite_a=True, check_finite=False)


def label_vectors(X: Any, Y: np.ndarray) -> Any:
    """Product of the labels, and its eigenvectors."""
    return np.linalg.eigh(Y.T @ Y.astype(float))


def design_and_labels(X: Any, Y: np.ndarray) -> Any:
    """Product and eigenvectors of the features, and those of the labels."""
    return gram_and_vectors(X), label_vectors(X, Y)


def distances(X: Any, Y: np.ndarray) -> Any:
    """One matrix of squared distances."""
    gram = dense(X @ X.T)
    norms = gram.diagonal().copy()
    gram *= -2
    gram += norms
    gram += norms[:, np.newaxis]
    return gram


def distances_and_vectors(X: Any, Y: np.ndarray) -> Any:
    """One matrix of distances, and product and eigenvectors of the features."""
    return distances(X, Y), gram_and_vectors(X)


def with_prediction(fit: Fit) -> Fit:
    """Fit and predict the training rows: of methods that only store them when fitted."""
    return lambda X, Y: fit(X, Y).predict(X)


def predicting(find: Callable[[], Fit]) -> Callable[[], Fit]:
    """The same of a peer."""
    return lambda: with_prediction(find())


def naive_bayes() -> Fit:
    """Return scikit-learn's naive Bayes, a model per label."""
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.naive_bayes import GaussianNB

    return lambda X, Y: MultiOutputClassifier(GaussianNB()).fit(X, Y)


FEW = {"n_components": COMPONENTS}
NEIGHBOURS = {"n_components": COMPONENTS, "n_neighbors": 5}
CASES: dict[str, Case] = {
    "pca": Case(
        library("pca", **FEW), {"scikit-learn": (peer("sklearn.decomposition.PCA", True, **FEW), True)}, few_directions
    ),
    "lsi": Case(
        library("lsi", **FEW),
        {"scikit-learn": (peer("sklearn.decomposition.TruncatedSVD", True, algorithm="arpack", **FEW), True)},
        few_directions,
    ),
    "pls": Case(
        library("pls", n_components=5),
        {"scikit-learn": (peer("sklearn.cross_decomposition.PLSSVD", n_components=5), False)},
        lambda X, Y: np.linalg.svd(np.asarray(X.T @ Y), full_matrices=False),
    ),
    "cca": Case(
        library("cca", n_components=5),
        {
            "scikit-learn": (peer("sklearn.cross_decomposition.CCA", n_components=5), False),
            "cca-zoo": (peer("cca_zoo.linear.CCA", latent_dimensions=5, pair=True), False),
        },
        lambda X, Y: gram_and_vectors(X),
    ),
    "random-projection": Case(
        library("random-projection", **FEW),
        {"scikit-learn": (peer("sklearn.random_projection.GaussianRandomProjection", True, **FEW), True)},
    ),
    "lpp": Case(
        library("lpp", **FEW),
        {"lpproj": (peer("lpproj.LocalityPreservingProjection", True, **NEIGHBOURS), False)},
        distances_and_vectors,
    ),
    "lfda": Case(
        lambda X, Y: mlreduce.make("lfda", **FEW).fit(X, Y[:, 0]),
        {"metric-learn": (peer("metric_learn.LFDA", label=0, **FEW), False)},
        distances_and_vectors,
    ),
    "isomap": Case(
        library("isomap", **FEW), {"scikit-learn": (peer("sklearn.manifold.Isomap", True, **NEIGHBOURS), True)}
    ),
    "le": Case(
        library("le", **FEW),
        {"scikit-learn": (peer("sklearn.manifold.SpectralEmbedding", True, affinity="nearest_neighbors", **FEW), True)},
    ),
    "lle": Case(
        library("lle", **FEW),
        {"scikit-learn": (peer("sklearn.manifold.LocallyLinearEmbedding", True, **NEIGHBOURS), False)},
    ),
    "plst": Case(library("plst"), {}, label_vectors),
    "cplst": Case(library("cplst"), {}, design_and_labels),
    "linear": Case(
        library("linear"), {"scikit-learn": (peer("sklearn.linear_model.LinearRegression"), False)}, regression
    ),
    "ridge": Case(library("ridge"), {"scikit-learn": (peer("sklearn.linear_model.Ridge"), False)}, regression),
    "kernel-ridge": Case(
        library("kernel-ridge"),
        {"scikit-learn": (peer("sklearn.kernel_ridge.KernelRidge", kernel="rbf"), True)},
        distances,
    ),
    "br-knn": Case(
        with_prediction(library("br-knn")),
        {
            "scikit-learn": (predicting(peer("sklearn.neighbors.KNeighborsClassifier", n_neighbors=3)), True),
            "scikit-multilearn": (predicting(peer("skmultilearn.adapt.BRkNNaClassifier", k=3)), True),
        },
        distances,
    ),
    "ml-knn": Case(
        with_prediction(library("ml-knn")),
        {"scikit-multilearn": (predicting(peer("skmultilearn.adapt.MLkNN", k=10)), True)},
        distances,
    ),
    "mlnb": Case(library("mlnb"), {"scikit-learn": (naive_bayes, False)}),
    "mlrf": Case(library("mlrf"), {}, distances),
    "pmu": Case(library("pmu"), {}),
    "qpfs": Case(library("qpfs"), {}),
    "gmba": Case(library("gmba"), {}, distances),
}


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
            return {name: statistics.median(own) for name, own in taken.items()}


def peak_megabytes(name: str, dataset: str, who: str, mirror: str | None) -> float:
    """Return by how much a second fit raises the memory of a fresh process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # libraries with threads do not survive a fork
        return pool.submit(_raised, name, dataset, who, mirror).result()


def _raised(name: str, dataset: str, who: str, mirror: str | None) -> float:
    data, case = mlreduce.load_dataset(dataset, mirror=mirror), CASES[name]
    X, Y = data.X, np.asarray(dense(data.Y))
    fit = case.ours
    if who != "ours":
        find, takes_sparse = case.peers[who]
        fit, X = find(), X if takes_sparse else dense(X)
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


def compared(name: str, dataset: str, mirror: str | None) -> Iterator[dict[str, Any]]:
    """Compare a method with each of its peers on a data set; with none, with its limit alone."""
    case, data = CASES[name], mlreduce.load_dataset(dataset, mirror=mirror)
    X, Y = data.X, np.asarray(dense(data.Y))
    found: dict[str, Callable[[], Any]] = {}
    for who, (find, takes_sparse) in case.peers.items():
        try:
            fit = find()
            table = X if takes_sparse else dense(X)
            fit(table, Y)
        except ImportError:
            continue
        except Exception as error:  # noqa: BLE001 - what other packages raise on these data
            print(f"  {who} on {dataset}: {type(error).__name__}: {str(error).splitlines()[0][:80]}", file=sys.stderr)
            continue
        found[who] = lambda fit=fit, table=table: fit(table, Y)
    ours = lambda: case.ours(X, Y)  # noqa: E731
    ours()  # what is imported and compiled first is no part of a fit
    limit = {"limit": lambda: case.limit(X, Y)} if case.limit else {}
    times = seconds({"ours": ours, **found, **limit})
    memory = {who: peak_megabytes(name, dataset, who, mirror) for who in ("ours", *found)}
    for who in found or [""]:
        theirs, least = times.get(who, np.nan), times.get("limit", np.nan)
        values = (times["ours"], theirs, times["ours"] / theirs, least, times["ours"] / least)
        texts = [f"{value:.3g}" for value in (*values, memory["ours"], memory.get(who, np.nan))]
        yield dict(zip(COLUMNS, (name, dataset, who, *texts), strict=True))


def main() -> None:
    """Compare, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(CASES))
    parser.add_argument("--output", type=Path, default=FILE)
    parser.add_argument("--mirror", default=os.environ.get("MLREDUCE_MIRROR"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with threadpoolctl.threadpool_limits(1), options.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for dataset in options.datasets.split(","):
            for name in options.methods.split(","):
                for row in compared(name, dataset, options.mirror):
                    writer.writerow(row)
                    file.flush()
                    print("  ".join(f"{key} {value}" for key, value in row.items() if value), flush=True)


if __name__ == "__main__":
    main()
