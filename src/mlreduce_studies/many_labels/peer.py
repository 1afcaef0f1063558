"""Another program on the data of a folder, in the Python that has it: ``python peer.py NAME FOLDER``.

Reads ``train.xmc`` and ``test.xmc``, and writes ``scores.txt`` with rows, labels and scores, five of each row, and
``costs.json``. Defaults, but for the squared hinge loss, three trees where there are trees, and one thread. Nothing of
this project is imported.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

BEST, TREES = 5, 3


def read(path: Path) -> tuple[Any, list[list[int]], tuple[int, int, int]]:
    """Return features, the labels of each row, and the sizes of a file."""
    with path.open(encoding="utf-8") as lines:
        n, d, q = map(int, next(lines).split())
        labels, starts, indices, values = [], [0], [], []
        for line in lines:
            first, _, rest = line.partition(" ")
            labels.append([int(label) for label in first.split(",") if label])
            pairs = [pair.split(":") for pair in rest.split()]
            indices += [int(index) for index, _ in pairs]
            values += [float(value) for _, value in pairs]
            starts.append(len(indices))
    return sp.csr_matrix((np.array(values, dtype=np.float32), indices, starts), shape=(n, d)), labels, (n, d, q)


def folder_bytes(folder: Path) -> int:
    """Return the bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def omikuji(folder: Path) -> Any:
    """Trees in Rust."""
    import omikuji

    settings = omikuji.Model.default_hyper_param()
    settings.n_trees = TREES
    test, _, _ = read(folder / "test.xmc")
    began = time.process_time()
    model = omikuji.Model.train_on_data(str(folder / "train.xmc"), settings, 1)
    fitted = time.process_time()
    rows = (
        list(zip(test.indices[start:stop].tolist(), test.data[start:stop].tolist(), strict=True))
        for start, stop in zip(test.indptr[:-1], test.indptr[1:], strict=True)
    )
    best = [model.predict(row, top_k=BEST) for row in rows]
    predicted = time.process_time()
    model.save(str(folder / "model"))
    return best, fitted - began, predicted - fitted, folder_bytes(folder / "model")


def napkinxc(folder: Path) -> Any:
    """Trees in C++."""
    from napkinxc.models import PLT

    (X, labels, _), (test, _, _) = (read(folder / f"{part}.xmc") for part in ("train", "test"))
    model = PLT(str(folder / "model"), loss="l2", liblinear_c=1, ensemble=TREES, threads=1, seed=0)
    began = time.process_time()
    model.fit(X, labels)
    model.load()
    fitted = time.process_time()
    best = model.predict_proba(test, top_k=BEST)
    return best, fitted - began, time.process_time() - fitted, folder_bytes(folder / "model")


def pecos(folder: Path) -> Any:
    """One tree in C++."""
    from pecos.xmc import Indexer, LabelEmbeddingFactory
    from pecos.xmc.xlinear.model import XLinearModel

    (X, labels, sizes), (test, _, _) = (read(folder / f"{part}.xmc") for part in ("train", "test"))
    Y = sp.csr_matrix(_indicators(labels, sizes[2]), dtype=np.float32)
    began = time.process_time()
    tree = Indexer.gen(LabelEmbeddingFactory.create(Y, X, method="pifa"), threads=1)
    model = XLinearModel.train(X, Y, C=tree, threads=1)
    fitted = time.process_time()
    best = model.predict(test, only_topk=BEST, threads=1)
    predicted = time.process_time()
    model.save(str(folder / "model"))
    return _stored(best), fitted - began, predicted - fitted, folder_bytes(folder / "model")


def libmultilabel(folder: Path) -> Any:
    """One tree by LIBLINEAR."""
    from libmultilabel import linear

    (X, labels, sizes), (test, _, _) = (read(folder / f"{part}.xmc") for part in ("train", "test"))
    X, test = X.astype(np.float64), test.astype(np.float64)
    Y = sp.csr_matrix(_indicators(labels, sizes[2]), dtype=np.float64)
    began = time.process_time()
    model = linear.train_tree(Y, X, "-s 1 -e 0.1 -q")
    fitted = time.process_time()
    scores = linear.predict_values(model, test)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :BEST]
    predicted = time.process_time()
    rows = [[(label, scores[row, label]) for label in labels_of] for row, labels_of in enumerate(best)]
    return rows, fitted - began, predicted - fitted, int(model.flat_model.weights.nnz) * 12


def _indicators(labels: list[list[int]], width: int) -> Any:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in labels])])
    columns = [label for row in labels for label in row]
    return sp.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(labels), width))


def _stored(table: Any) -> list[list[tuple[int, float]]]:
    bounds = zip(table.indptr[:-1], table.indptr[1:], strict=True)
    return [list(zip(table.indices[a:b].tolist(), table.data[a:b].tolist(), strict=True)) for a, b in bounds]


PROGRAMS = {"omikuji": omikuji, "napkinxc": napkinxc, "pecos": pecos, "libmultilabel": libmultilabel}


def main() -> None:
    """Run the program."""
    folder = Path(sys.argv[2])
    best, fit, predict, size = PROGRAMS[sys.argv[1]](folder)
    table = [(row, label, score) for row, pairs in enumerate(best) for label, score in pairs]
    np.savetxt(folder / "scores.txt", table, fmt=("%d", "%d", "%.9g"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    costs = {"fit": fit, "predict": predict, "size": size, "peak": peak}
    (folder / "costs.json").write_text(json.dumps(costs), encoding="utf-8")


if __name__ == "__main__":
    main()
