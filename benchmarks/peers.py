"""Methods of this library beside what a user would take instead, and beside what their mathematics costs.

    make benchmark                                                      # or, parts of it:
    python benchmarks/peers.py --datasets emotions,scene --methods pca,linear

Processor seconds of a fit with one thread, medians of alternating fits, ours and the peer's in one process; the peak
memory of a fit in a process of its own. The limit is the products and factorisations that the method cannot do without,
in NumPy on the same data. Peers that are not installed are left out: scikit-learn comes with the library, ``pip install
cca-zoo`` adds another, Weka is found by itself (make weka); elsewhere.py says how others are. A table that is there is
completed, its rows stay. docs/performance.md is made with ``--output docs/performance/peers.csv``.
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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy.linalg
import scipy.sparse as sp
import threadpoolctl
from elsewhere import Elsewhere, Octave, OldPython

import mlreduce

SETS = ("emotions", "scene", "yeast", "medical", "enron", "corel5k", "bibtex")
COLUMNS = ("method", "dataset", "peer", "ours", "theirs", "ratio", "limit", "to_limit", "ours_mb", "theirs_mb")
FILE = Path(__file__).parents[1] / "results" / "speed" / "peers.csv"

# A fit is repeated until it has taken so many seconds or been done so often; at least three times where it is short.
SECONDS, MOST = 1.0, 25
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
    elsewhere : Elsewhere or None
        A peer that another interpreter runs, on dense features.
    """

    ours: Fit
    peers: dict[str, tuple[Callable[[], Fit], bool]]
    limit: Fit | None = None
    elsewhere: Elsewhere | None = None


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


def two_views() -> Fit:
    """Return cca-zoo's canonical correlation analysis."""
    from cca_zoo.linear import CCA

    return lambda X, Y: CCA(n_components=5).fit([X, Y.astype(float)])


def naive_bayes() -> Fit:
    """Return scikit-learn's naive Bayes, a model per label."""
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.naive_bayes import GaussianNB

    return lambda X, Y: MultiOutputClassifier(GaussianNB()).fit(X, Y)


FEW = {"n_components": COMPONENTS}


def products_with_labels(X: Any, Y: np.ndarray) -> Any:
    """Product of features and labels, and its singular vectors."""
    return np.linalg.svd(np.asarray(X.T @ Y.astype(float)), full_matrices=False)


def few_vectors(X: Any, Y: np.ndarray) -> Any:
    """Product of the smaller side, and a few of its eigenvectors."""
    return gram_and_vectors(X, COMPONENTS)


def distances_and_vectors_of_two(X: Any, Y: np.ndarray) -> Any:
    """One matrix of distances, and product and a few eigenvectors of a pair of matrices of the features."""
    return distances(X, Y), pair_of_matrices(X, Y)


def pair_of_matrices(X: Any, Y: np.ndarray) -> Any:
    """Product of the features, and a few eigenvectors relative to another matrix."""
    gram = dense(X.T @ X)
    other = gram + np.eye(len(gram))
    return scipy.linalg.eigh(gram, other, subset_by_index=(len(gram) - COMPONENTS, len(gram) - 1), check_finite=False)


def _projection(name: str, limit: Fit, octave: str = "", by_labels: bool = False, **peers: Any) -> Case:
    """Ten directions; ``by_labels`` less than there are labels if these are fewer."""

    def ours(X: Any, Y: np.ndarray) -> Any:
        size = min(COMPONENTS, Y.shape[1] - 1) if by_labels else COMPONENTS
        return mlreduce.make(name, n_components=size).fit(X, Y)

    return Case(ours, peers, limit, Octave.method(octave, COMPONENTS) if octave else None)


def _code(name: str, limit: Fit, call: str = "", **parameters: Any) -> Case:
    return Case(library(name, **parameters), {}, limit, Octave("mlc_lsdr", call, "MLREDUCE_MLC_LSDR") if call else None)


def weka() -> Fit:
    """Return Weka's model tree for the first label."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from weka import M5P, Table, what_is_missing

    missing = what_is_missing()
    if missing:
        raise ImportError(missing)
    tables: dict[int, Any] = {}

    def fit(X: Any, Y: np.ndarray) -> Any:
        table = tables.setdefault(id(X), Table(X))
        return M5P().fit(table, Y[:, 0])

    return fit


CASES: dict[str, Case] = {
    "pca": _projection(
        "pca", few_directions, "PCA", **{"scikit-learn": (peer("sklearn.decomposition.PCA", True, **FEW), True)}
    ),
    "lsi": _projection(
        "lsi",
        few_directions,
        **{"scikit-learn": (peer("sklearn.decomposition.TruncatedSVD", True, algorithm="arpack", **FEW), True)},
    ),
    "pls": Case(
        library("pls", n_components=5),
        {"scikit-learn": (peer("sklearn.cross_decomposition.PLSSVD", n_components=5), False)},
        products_with_labels,
    ),
    "cca": Case(
        library("cca", n_components=5),
        {
            "scikit-learn": (peer("sklearn.cross_decomposition.CCA", n_components=5), False),
            "cca-zoo": (two_views, False),
        },
        regression,
        Octave.method("CCA", 5),
    ),
    "rcca": _projection("rcca", regression, "CCA", by_labels=True),
    "opls": _projection("opls", regression, "OPLS", by_labels=True),
    "hsl1": _projection("hsl1", regression, by_labels=True),
    "lda-copy": _projection("lda-copy", regression, by_labels=True),
    "mlda": _projection("mlda", regression, "MLDA", by_labels=True),
    "mddmp": _projection("mddmp", products_with_labels, "MDDM", by_labels=True),
    "mddmf": _projection("mddmf", regression, by_labels=True),
    "sfehs": _projection("sfehs", products_with_labels, by_labels=True),
    "mvmd": _projection("mvmd", few_directions),
    "mlsi": _projection("mlsi", few_vectors, "MLSI"),
    "mmc": Case(lambda X, Y: mlreduce.make("mmc", **FEW).fit(X, Y[:, 0]), {}, few_vectors),
    "morp": _projection("morp", few_vectors),
    "dmlda": _projection("dmlda", few_vectors),
    "wmlda": _projection("wmlda", regression, by_labels=True),
    "random-projection": Case(
        library("random-projection", **FEW),
        {"scikit-learn": (peer("sklearn.random_projection.GaussianRandomProjection", True, **FEW), True)},
    ),
    "lpp": Case(
        library("lpp", **FEW),
        {},
        distances_and_vectors_of_two,
        OldPython.package(
            "lpproj",
            "from lpproj import LocalityPreservingProjection",
            f"LocalityPreservingProjection(n_components={COMPONENTS}, n_neighbors=10).fit(X)",
        ),
    ),
    "npp": _projection("npp", distances_and_vectors_of_two, "NPE"),
    "olpp": _projection("olpp", distances_and_vectors),
    "onpp": _projection("onpp", distances_and_vectors),
    "lfda": Case(
        lambda X, Y: mlreduce.make("lfda", **FEW).fit(X, Y[:, 0]),
        {},
        distances_and_vectors_of_two,
        OldPython.package(
            "metric-learn",
            "from metric_learn import LFDA",
            f"LFDA(n_components=min({COMPONENTS}, X.shape[1])).fit(X, Y[:, 0])",
        ),
    ),
    "mope": _projection("mope", distances_and_vectors),
    "mesd-dla": _projection("mesd-dla", distances_and_vectors),
    "isomap": Case(
        library("isomap", n_components=2),
        {"scikit-learn": (peer("sklearn.manifold.Isomap", True, n_components=2, n_neighbors=10), True)},
    ),
    "le": Case(
        library("le", n_components=2),
        {
            "scikit-learn": (
                peer("sklearn.manifold.SpectralEmbedding", True, affinity="nearest_neighbors", n_components=2),
                True,
            )
        },
        distances,
    ),
    "lle": Case(
        library("lle", n_components=2),
        {
            "scikit-learn": (
                peer("sklearn.manifold.LocallyLinearEmbedding", True, n_components=2, n_neighbors=10),
                False,
            )
        },
        distances,
    ),
    "plst": _code("plst", label_vectors, "[Z, V, shift] = plst_encode(Y, 5);"),
    "cplst": _code("cplst", design_and_labels, "[Z, V, shift] = cplst_encode(Y, 5, X, 0.1);"),
    "cssp": _code("cssp", label_vectors, "[Z, V] = cssp_encode(Y, 5);", n_components=5, random_state=0),
    "faie": _code("faie", few_vectors, "[Z, V] = FaIE_encode(Y, 5, X, 0.1, 10);", n_components=5),
    "mlc-bmad": Case(library("mlc-bmad", n_components=5), {}, None, Octave.method("BMaD", 5)),
    "leml": Case(library("leml", n_components=5), {}, few_vectors),
    "sleec": Case(with_prediction(library("sleec", n_components=5)), {}, distances),
    "linear": Case(
        library("linear"), {"scikit-learn": (peer("sklearn.linear_model.LinearRegression"), False)}, regression
    ),
    "ridge": Case(library("ridge"), {"scikit-learn": (peer("sklearn.linear_model.Ridge"), True)}, regression),
    "kernel-ridge": Case(
        library("kernel-ridge", gamma=0.01),
        {"scikit-learn": (peer("sklearn.kernel_ridge.KernelRidge", kernel="rbf", gamma=0.01), True)},
        distances,
    ),
    "br-knn": Case(
        with_prediction(library("br-knn")),
        {
            "scikit-learn": (predicting(peer("sklearn.neighbors.KNeighborsClassifier", n_neighbors=3)), True),
        },
        distances,
        OldPython.package(
            "scikit-multilearn",
            "from skmultilearn.adapt import BRkNNaClassifier",
            "BRkNNaClassifier(k=3).fit(X, Y).predict(X)",
        ),
    ),
    "ml-knn": Case(
        with_prediction(library("ml-knn")),
        {},
        lambda X, Y: (distances(X, Y), distances(X, Y)),
        OldPython.package(
            "scikit-multilearn", "from skmultilearn.adapt import MLkNN", "MLkNN(k=10).fit(X, Y).predict(X)"
        ),
    ),
    "mlnb": Case(library("mlnb"), {"scikit-learn": (naive_bayes, False)}),
    "m5p": Case(lambda X, Y: mlreduce.make("m5p").fit(X, Y[:, 0].astype(float)), {"Weka": (weka, True)}),
    "mlrf": Case(library("mlrf"), {}, distances),
    "rfs": Case(library("rfs", gamma=1.0, solver="reweighted"), {}, None, Octave.method("RFS", COMPONENTS)),
    "mim": Case(library("mim", k=COMPONENTS), {}, None, Octave.method("MLMIM", COMPONENTS)),
    "mrmr": Case(library("mrmr", k=COMPONENTS), {}, None, Octave.method("MLMRMR", COMPONENTS)),
    "jmi": Case(library("jmi", k=COMPONENTS), {}, None, Octave.method("MLJMI", COMPONENTS)),
    "mifs": Case(
        library("mifs", gamma=1.0, tol=1e-6, solver="reweighted"), {}, None, Octave.method("MIFS", COMPONENTS)
    ),
    "pmu": Case(library("pmu"), {}),
    "qpfs": Case(library("qpfs"), {}),
    "gmba": Case(library("gmba", random_state=0), {}, distances),
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


def compared(name: str, dataset: str, mirror: str | None, apart: ProcessPoolExecutor) -> Iterator[dict[str, Any]]:
    """Compare a method with each of its peers on a data set; with none, with its limit alone."""
    case, (X, Y) = CASES[name], data_of(dataset, mirror)
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
    memory = {who: apart.submit(_raised, name, dataset, who, mirror).result() for who in ("ours", *found)}
    if case.elsewhere is not None and case.elsewhere.found():
        who = case.elsewhere.name
        try:
            times[who] = case.elsewhere.seconds(X, Y)
            found[who] = ours
        except RuntimeError as error:
            print(f"  {who} on {dataset}: {error}", file=sys.stderr)
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
    parser.add_argument("--draw", action="store_true", help="only the page, from the table that there is")
    options = parser.parse_args()
    if not options.draw:
        measure(options.datasets.split(","), options.methods.split(","), options.mirror, options.output)
    draw(pd.read_csv(options.output), options.output.parent)


def measure(datasets: list[str], methods: list[str], mirror: str | None, output: Path) -> None:
    """Add rows to the table for what is not in it."""
    warnings.simplefilter("ignore")
    output.parent.mkdir(parents=True, exist_ok=True)
    known = pd.read_csv(output) if output.exists() else pd.DataFrame(columns=COLUMNS)
    done = set(zip(known["method"], known["dataset"], strict=True))
    with threadpoolctl.threadpool_limits(1), output.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not len(known):
            writer.writeheader()
        for dataset in datasets:
            with fresh_process() as apart:
                for name in methods:
                    if (name, dataset) in done:
                        continue
                    for row in compared(name, dataset, mirror, apart):
                        writer.writerow(row)
                        file.flush()
                        print("  ".join(f"{key} {value}" for key, value in row.items() if value), flush=True)


def draw(table: pd.DataFrame, folder: Path) -> None:
    """Write the figure, and the tables of docs/performance.md."""
    order = [name for name in CASES if name in set(table["method"])]
    panels = {"ratio": "ours / peer", "to_limit": "ours / limit"}
    figure, axes = plt.subplots(1, 2, figsize=(10, 0.22 * len(order) + 1.2), sharey=True, layout="constrained")
    for axis, (column, title) in zip(axes, panels.items(), strict=True):
        rows = table.dropna(subset=column).drop_duplicates(["method", "dataset", "peer"])
        groups = rows.groupby("peer") if column == "ratio" else [("", rows)]
        for who, group in groups:
            axis.plot(group[column], [order.index(name) for name in group["method"]], ".", label=who, alpha=0.7)
        axis.axvline(1.0, color="grey", linewidth=0.8)
        axis.set(xscale="log", xlabel=f"processor seconds, {title}")
        axis.set_yticks(range(len(order)), order)
        axis.grid(axis="y", linewidth=0.3)
    axes[0].set_ylim(len(order) - 0.5, -0.5)
    axes[0].legend(fontsize=8)
    figure.savefig(folder / "peers.png", dpi=130)
    page = folder.with_suffix(".md")
    text = page.read_text(encoding="utf-8") if page.exists() else "<!-- table -->\n<!-- end -->\n"
    before, _, rest = text.partition("<!-- table -->")
    after = rest.partition("<!-- end -->")[2]
    found = f"{summary(table)}\n\n{by_method(table, order)}"
    page.write_text(f"{before}<!-- table -->\n{found}<!-- end -->{after}", encoding="utf-8")


def summary(table: pd.DataFrame) -> str:
    """Say how often this library is the faster one, and where it is not."""
    ratios = table.dropna(subset="ratio")
    slower = ratios[ratios["ratio"] > 1]
    places = [
        f"`{name}` ({', '.join(f'{row.dataset} {row.ratio:.2g}' for row in own.itertuples())})"
        for name, own in slower.groupby("method", sort=False)
    ]
    start = f"At or ahead of the peer in {len(ratios) - len(slower)} of {len(ratios)} comparisons"
    return f"{start}; behind: {'; '.join(places)}." if places else f"{start}."


def by_method(table: pd.DataFrame, order: list[str]) -> str:
    """Return a table with a row per method and peer: seconds on each data set, ours and the ratio."""
    datasets = list(dict.fromkeys([*(name for name in SETS if name in set(table["dataset"])), *table["dataset"]]))
    lines = [
        f"| method | peer | {' | '.join(datasets)} | memory, bibtex |",
        "| --- | --- |" + " ---: |" * (len(datasets) + 1),
    ]
    for name in order:
        own = table[table["method"] == name]
        for who in own["peer"].fillna("").unique():
            rows = own[own["peer"].fillna("") == who].set_index("dataset")
            cells = [_cell(rows, dataset) for dataset in datasets]
            lines.append(f"| `{name}` | {who} | {' | '.join(cells)} | {_memory(rows)} |")
    return "\n".join(lines) + "\n"


def _cell(rows: pd.DataFrame, dataset: str) -> str:
    if dataset not in rows.index:
        return ""
    row = rows.loc[dataset]
    return " / ".join("-" if np.isnan(row[name]) else f"{row[name]:.2g}" for name in ("ours", "ratio", "to_limit"))


def _memory(rows: pd.DataFrame) -> str:
    if "bibtex" not in rows.index:
        return ""
    row = rows.loc["bibtex"]
    theirs = "" if np.isnan(row["theirs_mb"]) else f" / {row['theirs_mb']:.0f}"
    return f"{row['ours_mb']:.0f}{theirs}"


if __name__ == "__main__":
    main()
