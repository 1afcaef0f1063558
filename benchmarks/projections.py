"""Projections compared with the direct computation of textbooks, on published data sets and a huge sparse one.

    make benchmark                                        # or, parts of it:
    OPENBLAS_NUM_THREADS=1 python benchmarks/projections.py --parts sets --datasets medical,bibtex

"sets": seconds to fit, all directions, against forming A and B as dense d x d arrays and scipy.linalg.eigh of the pair.
Where B is singular, which eigh refuses, the textbook adds 1e-8 of its mean diagonal.
"sparse": X of up to 200,000 x 100,000 at a density of 1e-4 with 1,000 labels, 50 components; seconds and peak memory of
a separate process. "rows": dense X of up to 100,000 x 1,000; growth with the number of rows.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from timed import best_of

import mlreduce
from mlreduce.datasets import MultiLabelData

RIDGE = 1e-3
METHODS = {
    **{name: {} for name in ("pca", "lsi", "mddmp", "mvmd", "cca", "pls", "opls", "mlsi")},
    "mddmf": {"scatter_weight": 0.5},
    "rcca": {"ridge": 1.0},
    **{name: {"ridge": RIDGE} for name in ("lda-copy", "mlda", "dmlda")},
}
SETS = ("emotions", "scene", "yeast", "enron", "medical", "corel5k", "bibtex")


def textbook(name: str, X: np.ndarray | sp.csr_array, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and directions from dense A and B, written as the formulas stand."""
    X = X.toarray() if sp.issparse(X) else X
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    identity = np.eye(X.shape[1])
    cross = Xc.T @ Yc
    B = None
    if name == "pca":
        A = Xc.T @ Xc
    elif name == "lsi":
        A = X.T @ X
    elif name in ("mddmp", "mddmf"):
        A = 4 * cross @ cross.T
        B = 0.5 * Xc.T @ Xc + 0.5 * identity if name == "mddmf" else None
    elif name == "mvmd":
        A = 0.5 * Xc.T @ Xc + 2 * cross @ cross.T
    elif name in ("cca", "rcca"):
        A = cross @ np.linalg.pinv(Yc.T @ Yc) @ cross.T
        B = Xc.T @ Xc + (identity if name == "rcca" else 0)
    elif name in ("pls", "opls"):
        A = cross @ cross.T
        B = Xc.T @ Xc if name == "opls" else None
    elif name == "mlsi":
        gram, uncentred = X.T @ X, X.T @ Y
        A = 0.5 * gram @ gram + 0.5 * uncentred @ uncentred.T
        B = gram + identity
    elif name == "dmlda":
        used = Y.sum(axis=0) > 0
        sizes = Y.sum(axis=0)[used]
        means = (Y[:, used].T @ X) / sizes[:, None]
        scatter = Xc.T @ Xc
        B = (X * Y.sum(axis=1)[:, None]).T @ X - means.T @ (means * sizes[:, None]) + RIDGE * identity
        shift = means - X.mean(axis=0)
        A = len(sizes) * scatter + len(X) * shift.T @ shift - B + RIDGE * identity
    else:
        Z = Y
        if name == "mlda":
            counts = np.maximum(Y.sum(axis=0), 1)
            Z = (Y @ (Y.T @ Y / np.sqrt(np.outer(counts, counts)))) / np.maximum(Y.sum(axis=1), 1)[:, None]
        Z = Z[:, Z.sum(axis=0) > 0]
        sizes, weights = Z.sum(axis=0), Z.sum(axis=1)
        means, mean = (Z.T @ X) / sizes[:, None], weights @ X / weights.sum()
        A = (means - mean).T @ ((means - mean) * sizes[:, None])
        B = (X * weights[:, None]).T @ X - means.T @ (means * sizes[:, None]) + RIDGE * identity
    B = identity if B is None else B
    try:
        return scipy.linalg.eigh(A, B)
    except np.linalg.LinAlgError:
        B.flat[:: len(B) + 1] += 1e-8 * np.trace(B) / len(B)
        return scipy.linalg.eigh(A, B)


def on_set(data: MultiLabelData) -> None:
    X, Y = data.X, data.Y.astype(float)
    print(f"{data.name:10}", end="", flush=True)
    for method, parameters in METHODS.items():
        ours = best_of(partial(mlreduce.make(method, **parameters).fit, X, Y))
        theirs = best_of(partial(textbook, method, X, Y))
        print(f"{ours:8.4f} {theirs / ours:6.1f}x", end="", flush=True)
    print(f"   {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels")


def ones(columns: np.ndarray, width: int) -> sp.csr_array:
    """Return a sparse matrix of zeros and ones from the columns of the ones in each row."""
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    matrix = sp.csr_array((np.ones(columns.size), (rows, columns.ravel())), shape=(len(columns), width))
    matrix.data[:] = 1.0
    return matrix


def documents(n_samples: int, n_features: int, n_labels: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Return features with word frequencies as in text (Zipf), and three labels an instance that draw words."""
    rng = np.random.default_rng(0)
    popularity, frequency = 1 / np.arange(1, n_labels + 1), 1 / np.arange(1, n_features + 1)
    shape = (n_samples, n_features // 10_000)
    labels = rng.choice(n_labels, (n_samples, 3), p=popularity / popularity.sum())
    common = rng.choice(n_features, shape, p=frequency / frequency.sum())
    vocabulary = rng.integers(n_features, size=(n_labels, 20))
    topics = labels[np.arange(n_samples)[:, None], rng.integers(3, size=shape)]
    words = np.where(rng.random(shape) < 0.4, vocabulary[topics, rng.integers(20, size=shape)], common)
    return ones(words, n_features), ones(labels, n_labels)


def noise(n_samples: int, n_features: int, n_labels: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Return features and labels without any structure: eigenvalues close together, the worst case for Lanczos."""
    rng = np.random.default_rng(0)
    words = rng.integers(n_features, size=(n_samples, n_features // 10_000))
    return ones(words, n_features), ones(rng.integers(n_labels, size=(n_samples, 3)), n_labels)


def one_fit(method: str, n_samples: int, n_features: int, kind: str) -> None:
    """Fit once in this process, and print seconds and memory."""
    if kind == "dense":
        rng = np.random.default_rng(0)
        X, Y = rng.standard_normal((n_samples, n_features)), ones(rng.integers(20, size=(n_samples, 2)), 20)
    else:
        X, Y = (documents if kind == "text" else noise)(n_samples, n_features, 1000)
    mlreduce.make("pca").fit(np.eye(3))  # imports are no part of a fit
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    mlreduce.make(method, n_components=None if kind == "dense" else 50).fit(X, Y)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = f"peak {peak / 1e6:5.2f} GB, of it the data {before / 1e6:.2f}"
    print(f"{kind:6} {method:7} {n_samples:7} x {n_features:6}  {seconds:7.2f} s  {memory}")


def apart(*arguments: object) -> None:
    subprocess.run([sys.executable, __file__, "--one", ",".join(map(str, arguments))], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="sets,sparse,rows")
    parser.add_argument("--datasets", default=",".join(SETS))
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", mlreduce.exceptions.ProjectionWarning)
    if options.one:
        method, n_samples, n_features, kind = options.one.split(",")
        one_fit(method, int(n_samples), int(n_features), kind)
        return
    parts = options.parts.split(",")
    if "sets" in parts:
        print("\nseconds to fit, ours, and how many times faster than the textbook")
        print(" " * 10 + "".join(f"{name:>16}" for name in METHODS))
        for name in options.datasets.split(","):
            on_set(mlreduce.load_dataset(name, mirror=options.mirror))
    if "sparse" in parts:
        print("\nsparse X, 1,000 labels, 50 components", flush=True)
        for kind in ("text", "noise"):
            for method in ("mddmp", "pca", "mvmd"):
                for n_samples in (50_000, 100_000, 200_000):
                    apart(method, n_samples, 100_000, kind)
    if "rows" in parts:
        print("\ndense X, 20 labels, all components", flush=True)
        for method in ("mddmp", "pca", "mvmd", "opls"):
            for n_samples in (25_000, 50_000, 100_000):
                apart(method, n_samples, 1000, "dense")


if __name__ == "__main__":
    main()
