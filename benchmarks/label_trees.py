"""Whether reduction in front of a label tree helps: precision of the best labels, seconds and memory.

    OPENBLAS_NUM_THREADS=1 python benchmarks/label_trees.py                     # the size of EUR-Lex-4K
    OPENBLAS_NUM_THREADS=1 python benchmarks/label_trees.py --sizes wiki10

Generated data (benchmarks/extreme.py), four fifths to train, precision on 2,000 of the others. Each row is a separate
process; seconds are the processor's, of fit and prediction, reduction included; memory is the peak of the process, data
included. Rows that are already in docs/performance/label-trees.csv are not computed again, so that the same command
resumes. The table in docs/methods/label-tree.md has all rows.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from extreme import FILE as EXTREME
from extreme import SIZES, generate

PROJECT = Path(__file__).parents[1]
TABLE = PROJECT / "docs" / "performance" / "label-trees.csv"
PAGE = PROJECT / "docs" / "methods" / "label-tree.md"
TESTED, BEST = 2000, 5


def tree(n_trees: int, C: float = 1.0) -> Any:
    import mlreduce

    return mlreduce.LabelTreeClassifier(n_estimators=n_trees, C=C, random_state=0)


def chosen(share: int, n_trees: int) -> Any:
    """Keep one in so many features, those of the largest chi-square statistics."""
    from sklearn.pipeline import make_pipeline

    import mlreduce

    return make_pipeline(mlreduce.make("chi2", k=1 / share), tree(n_trees))


class Hashed:
    """A sketch of one in so many columns, to which features are added with random signs; sparse rows stay sparse."""

    def __init__(self, share: int, n_trees: int, C: float = 1.0) -> None:
        self.share, self.model = share, tree(n_trees, C)

    def sketch(self, X: Any) -> sp.csr_array:
        random, width = np.random.default_rng(0), X.shape[1] // self.share
        signs, places = random.choice([-1.0, 1.0], X.shape[1]), random.integers(width, size=X.shape[1])
        return sp.csr_array(X @ sp.csr_array((signs, (np.arange(X.shape[1]), places)), shape=(X.shape[1], width)))

    def fit(self, X: Any, Y: Any) -> Hashed:
        self.model.fit(self.sketch(X), Y)
        return self

    def predict_top(self, X: Any, k: int) -> Any:
        return self.model.predict_top(self.sketch(X), k)


class Embedded:
    """PLST's codes of the labels by ridge regression, decoded to scores."""

    def __init__(self, n_components: int) -> None:
        self.n_components = n_components

    def fit(self, X: Any, Y: Any) -> Embedded:
        import mlreduce
        from mlreduce.labelspace import PLST, CodedClassifier

        coder = PLST(self.n_components, solver="randomized", random_state=0)
        self.model = CodedClassifier(coder, mlreduce.RidgeRegressor(alpha=1.0)).fit(X, Y)
        return self

    def predict_top(self, X: Any, k: int) -> Any:
        return self.model.predict_top(X, k)


class Omikuji:
    """The package's trees with its defaults, from a file that is not timed; it has no seed."""

    def __init__(self, n_trees: int, C: float = 1.0) -> None:
        self.n_trees, self.C = n_trees, C

    def fit(self, X: Any, Y: Any) -> Omikuji:
        import omikuji
        from sklearn.datasets import dump_svmlight_file

        settings = omikuji.Model.default_hyper_param()
        settings.n_trees, self.n_labels = self.n_trees, Y.shape[1]
        settings.linear.c = self.C
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.txt"
            dump_svmlight_file(X, sp.csr_matrix(Y), str(path), multilabel=True)
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
            path.write_text("\n".join([f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}", *lines, ""]), encoding="utf-8")
            self.began = time.process_time()
            self.model = omikuji.Model.train_on_data(str(path), settings, 1)
        return self

    def predict_top(self, X: Any, k: int) -> Any:
        found = []
        for row, (start, stop) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
            pairs = list(zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True))
            found += [(score, row, label) for label, score in self.model.predict(pairs, top_k=k)]
        scores, rows, labels = zip(*found, strict=True)
        return sp.csr_array((scores, (rows, labels)), shape=(X.shape[0], self.n_labels))


class NapkinXC:
    """The package's Parabel trees, probabilities by logistic losses, with its defaults."""

    def __init__(self, n_trees: int) -> None:
        self.n_trees = n_trees

    def fit(self, X: Any, Y: Any) -> NapkinXC:
        from napkinxc.models import PLT

        self.folder, self.n_labels = tempfile.TemporaryDirectory(), Y.shape[1]
        labels = [Y.indices[start:stop].tolist() for start, stop in zip(Y.indptr[:-1], Y.indptr[1:], strict=True)]
        self.model = PLT(self.folder.name, ensemble=self.n_trees if self.n_trees > 1 else 0, threads=1, seed=0)
        self.model.fit(sp.csr_matrix(X), labels)
        return self

    def predict_top(self, X: Any, k: int) -> Any:
        rows = self.model.predict_proba(sp.csr_matrix(X), top_k=k)
        cells = [(score, row, label) for row, found in enumerate(rows) for label, score in found]
        scores, places, labels = zip(*cells, strict=True)
        return sp.csr_array((scores, (places, labels)), shape=(X.shape[0], self.n_labels))


MODELS = {
    "label tree": lambda: tree(1),
    "3 label trees": lambda: tree(3),
    "3 label trees, C=0.1": lambda: tree(3, 0.1),
    "a fifth of the features by chi-square, 3 trees": lambda: chosen(5, 3),
    "half of the features by chi-square, 3 trees": lambda: chosen(2, 3),
    "hashed to a fifth of the features, 3 trees": lambda: Hashed(5, 3),
    "hashed to half of the features, 3 trees": lambda: Hashed(2, 3),
    "hashed to a fifth of the features, 3 trees, C=0.1": lambda: Hashed(5, 3, 0.1),
    "PLST, 100 codes, ridge regression": lambda: Embedded(100),
    "PLST, 500 codes, ridge regression": lambda: Embedded(500),
    "Omikuji, 1 tree": lambda: Omikuji(1),
    "Omikuji, 3 trees": lambda: Omikuji(3),
    "Omikuji, 3 trees, C=0.1": lambda: Omikuji(3, 0.1),
    "napkinXC, 3 trees": lambda: NapkinXC(3),
}


def measured(sizes: str, name: str) -> dict[str, Any]:
    from mlreduce.metrics import evaluate

    X, Y = generate(SIZES[sizes])
    cut = int(0.8 * X.shape[0])
    test = slice(cut, cut + TESTED)
    model = MODELS[name]()
    began = time.process_time()
    model.fit(X[:cut], Y[:cut])
    fitted = time.process_time()
    top = top_of(model, X[test])
    seconds = {"fit": fitted - getattr(model, "began", began), "predict": time.process_time() - fitted}
    precisions = {f"P@{k}": evaluate(f"precision-at-{k}", Y[test], top) for k in (1, 3, 5)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"sizes": sizes, "model": name, **seconds, "megabytes": peak, **precisions}


def top_of(model: Any, X: Any) -> Any:
    if hasattr(model, "steps"):  # a pipeline
        return model[-1].predict_top(model[:-1].transform(X), BEST)
    return model.predict_top(X, BEST)


#: What the models are, by their names.
KINDS = {
    "trees alone": "label tree",
    "fewer features": "features.*3 trees",
    "codes of the labels": "PLST",
    "other programs": "Omikuji|napkinXC",
}


def findings(table: pd.DataFrame) -> list[str]:
    """Return the highest precision of each kind of model on data of each size."""
    lines = []
    for sizes, rows in table.groupby("sizes", sort=False):
        lines.append(f"Highest P@5 on {sizes}:\n")
        for kind, name in KINDS.items():
            of_kind = rows[rows["model"].str.contains(name)]
            if len(of_kind):
                best = of_kind.loc[of_kind["P@5"].idxmax()]
                costs = f"{best['fit'] + best['predict']:.0f} s, {best['megabytes']:,.0f} MB"
                lines.append(f"- {kind}: {best['P@5']:.3f} ({best['model']}; {costs})")
        lines.append("")
    return lines[:-1]


def page_of(table: pd.DataFrame) -> str:
    """Return the page with the table and what follows from it."""
    lines = ["| sizes | model | fit | predict | memory | P@1 | P@3 | P@5 |", "| --- " * 8 + "|"]
    for _, row in table.iterrows():
        costs = f"{row['fit']:.1f} s | {row['predict']:.1f} s | {row['megabytes']:,.0f} MB"
        lines.append(
            f"| {row['sizes']} | {row['model']} | {costs} | {row['P@1']:.3f} | {row['P@3']:.3f} | {row['P@5']:.3f} |"
        )
    lines += ["", *findings(table)]
    from mlreduce_studies.tables.layout import fill_block

    page = fill_block(PAGE.read_text(encoding="utf-8"), "label-trees", lines)
    return fill_block(page, "amazon", amazon_lines(pd.read_csv(EXTREME)))


def amazon_lines(table: pd.DataFrame) -> list[str]:
    """Return the rows of trees at parts of the size of Amazon-670K, by benchmarks/extreme.py."""
    lines = ["| instances | labels | trees | processor | memory | precision, seconds, model |", "| --- " * 6 + "|"]
    for _, row in table[table["name"].str.startswith("label-tree")].iterrows():
        trees = 3 if row["name"].startswith("label-trees") else 1
        costs = f"{row['seconds']:.0f} s | {row['megabytes']:,.0f} MB"
        lines.append(f"| {row['n']:,.0f} | {row['q']:,.0f} | {trees} | {costs} | {row['result']} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["eurlex"])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=[*MODELS])
    parser.add_argument("--one", nargs=2, metavar=("SIZES", "MODEL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        row = measured(*options.one)
        pd.DataFrame([row]).to_csv(TABLE, mode="a", header=not TABLE.exists(), index=False, float_format="%.4g")
        return
    for sizes in options.sizes:
        for name in options.models:
            done = pd.read_csv(TABLE) if TABLE.exists() else pd.DataFrame(columns=["sizes", "model"])
            if not ((done["sizes"] == sizes) & (done["model"] == name)).any():
                print(f"{sizes}: {name}", flush=True)
                subprocess.run([sys.executable, __file__, "--one", sizes, name], stderr=subprocess.DEVNULL, check=False)
    PAGE.write_text(page_of(pd.read_csv(TABLE)), encoding="utf-8")


if __name__ == "__main__":
    main()
