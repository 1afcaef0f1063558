"""Spectral embeddings on Reuters-21578 and in the shape of a collection that is not public.

    make benchmark                                        # or, parts of it:
    OPENBLAS_NUM_THREADS=1 python benchmarks/embeddings.py --parts direct,reuters

"data": seconds from Reuters' SGML files to stems, counts and labels. "reuters": every projection and propagation on
relation features of 3,328 training rows and 23,263 stems, with all directions: processor seconds and peak memory, each
in a separate process. "direct": embeddings of the rows into 10 dimensions, against all eigenvalues of the same matrix
by scipy.linalg.eigh. "kendall": rank correlations of 1,000 sparse rows of 4,000 features. "eep": 2,149 rows of counts
of 1.7 million words, generated: relation features, MOPE and the discriminant, end to end.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.manifold import Isomap
from sklearn.metrics import f1_score
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import kneighbors_graph

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.feature_space import fit_method, make_reduction
from mlreduce.evaluation.splitting import Split, three_parts
from mlreduce.evaluation.view import View
from mlreduce.preprocessing.relation import RelationFeatures
from mlreduce.projection.classes import ClassProjection
from mlreduce.projection.semi_supervised import PartlyLabelled
from mlreduce.propagation.base import LabelPropagation
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity

SPACE = {"scaling": "tf-idf", "relation": "euclidean"}
# Seconds and gigabytes that no method may take on Reuters, and the whole of the generated collection.
REUTERS, EEP = (60.0, 4.0), (300.0, 6.0)


def peak() -> float:
    """Gigabytes that this process has taken at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def apart(job: Callable[..., None], *arguments: object) -> None:
    """Run in a separate process, whose peak includes what it began with."""
    process = multiprocessing.get_context("fork").Process(target=job, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{job.__name__}{arguments[:1]} ended with {process.exitcode}")


@contextmanager
def clock(found: dict[str, float], name: str) -> Iterator[None]:
    start = time.process_time()
    yield
    found[name] = time.process_time() - start


def parsing(mirror: str | None) -> None:
    start = time.perf_counter()
    data = mlreduce.load_dataset("reuters", mirror=mirror)
    print(f"{data.X.shape[0]} articles, {data.X.shape[1]} stems: {time.perf_counter() - start:.1f} s, {peak():.2f} GB")


def one_label(data: MultiLabelData) -> MultiLabelData:
    """The first label of each row, for the methods that take one."""
    first = np.eye(data.Y.shape[1], dtype=data.Y.dtype)[data.Y.argmax(axis=1)]
    return replace(data, Y=first)


def on_reuters(name: str, view: View) -> None:
    method = make_reduction(name, {})
    found: dict[str, float] = {}
    with clock(found, "fit"):
        fit_method(method, view)
    over = " over" if found["fit"] > REUTERS[0] or peak() > REUTERS[1] else ""
    print(f"{name:20} {found['fit']:7.2f} s {peak():6.2f} GB{over}", flush=True)


def reuters(mirror: str | None) -> None:
    data = mlreduce.load_dataset("reuters-copies", mirror=mirror)
    parts = three_parts(data.Y, np.random.default_rng(0))
    known = np.sort(np.random.default_rng(1).permutation(parts.train)[: int(0.4 * len(parts.train))])
    views = {
        "all": View(data, Split(parts.train, parts.test), SPACE),
        "one": View(one_label(data), Split(parts.train, parts.test), SPACE),
        "some": View(data, Split(parts.train, parts.test, labelled=known), SPACE),
    }
    print(f"{len(parts.train)} rows to train; this process begins with {peak():.2f} GB", flush=True)
    for name in [*mlreduce.registry.method_names("projection"), *mlreduce.registry.method_names("propagation")]:
        method = mlreduce.make(name)
        kind = "some" if isinstance(method, PartlyLabelled | LabelPropagation) else "all"
        kind = "one" if isinstance(method, ClassProjection) else kind
        apart(on_reuters, name, views[kind])


def direct() -> None:
    """Compare Lanczos for few directions with all eigenvalues of the matrix of the method."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3328, 40))
    graph = kneighbors_graph(X, 10)
    graph = graph.maximum(graph.T).toarray()
    degrees = graph.sum(axis=1)
    scaled = graph / np.sqrt(np.outer(degrees, degrees))
    squared = euclidean_distances(X, squared=True)
    centre = np.eye(len(X)) - 1 / len(X)
    geodesic = Isomap(n_neighbors=10, n_components=1).fit(X).dist_matrix_ ** 2
    matrices = {
        "usc": graph - np.diag(degrees),
        "le": scaled,
        "symmetric-spectral": scaled,
        "mds": -centre @ squared @ centre / 2,
        "isomap": -centre @ geodesic @ centre / 2,
    }
    for name, matrix in matrices.items():
        found: dict[str, float] = {}
        with clock(found, "ours"):
            mlreduce.make(name, n_components=10).fit(X)
        with clock(found, "eigh"):
            scipy.linalg.eigh(matrix)
        print(f"{name:20} {found['ours']:7.2f} s from the features on; eigh {found['eigh']:7.2f} s", flush=True)


def kendall() -> None:
    X = sp.random_array((1000, 4000), density=0.01, rng=np.random.default_rng(0), format="csr")
    weights = Proximity(weight="kendall", n_neighbors=5)
    weights.matrix(TrainingSet(X[:50]))  # compiles
    found: dict[str, float] = {}
    with clock(found, "joined"):
        weights.matrix(TrainingSet(X))
    print(f"{found['joined']:.2f} s")


def eep() -> None:
    found: dict[str, float] = {}
    with clock(found, "data"):
        data = mlreduce.load_dataset("eep-shape")
    order = np.random.default_rng(0).permutation(len(data.Y))
    train, test = order[:1928], order[1928:]
    start = time.perf_counter()
    relation = RelationFeatures("cosine")
    R = relation.fit_transform(data.X[train])
    method = mlreduce.MOPE(n_components=300, random_state=0).fit(R, data.Y[train])
    model = mlreduce.FisherClassifier(ridge=None, threshold="midpoint").fit(method.transform(R), data.Y[train])
    predicted = model.predict(method.transform(relation.transform(data.X[test])))
    seconds = time.perf_counter() - start
    score = f1_score(data.Y[test], predicted, average="macro", zero_division=0.0)
    over = " over" if seconds > EEP[0] or peak() > EEP[1] else ""
    shape = " x ".join(map(str, data.X.shape))
    print(f"{shape}, {data.X.nnz} counts: {seconds:.1f} s, {peak():.2f} GB{over}; generated in {found['data']:.1f} s")
    print(f"macro-F1 {score:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="data,reuters,direct,kendall,eep")
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    jobs = {
        "data": lambda: apart(parsing, options.mirror),
        "reuters": lambda: apart(reuters, options.mirror),
        "direct": lambda: apart(direct),
        "kendall": lambda: apart(kendall),
        "eep": lambda: apart(eep),
    }
    for part in options.parts.split(","):
        print(f"\n{part}", flush=True)
        jobs[part]()


if __name__ == "__main__":
    main()
