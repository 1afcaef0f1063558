"""What benchmarks/peers.py compares: our methods, what a user would take instead, and the least that they compute."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from elsewhere import Elsewhere, Octave, OldPython

import mlreduce
from mlreduce_studies.provenance.digest import source_digest

COMPONENTS = 10
FEW = {"n_components": COMPONENTS}

Fit = Callable[[Any, np.ndarray], Any]

#: Kinds of peers. The results of an exact one are those of our method, which is tested on every data set; those of an
#: approximate one are near them; another definition, or code of another interpreter, is compared by time alone.
EXACT, APPROXIMATE, TIME_ALONE = "exact", "approximate", "time alone"

#: What a fit is given as targets.
TARGETS: dict[str, Callable[[np.ndarray], Any]] = {
    "labels": lambda Y: Y,
    "numbers": lambda Y: Y.astype(float),
    "first": lambda Y: Y[:, 0],
    "first number": lambda Y: Y[:, 0].astype(float),
    "none": lambda Y: None,
}


def dense(X: Any) -> np.ndarray:
    """Return features as an array."""
    return X.toarray() if sp.issparse(X) else X


def _text(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items())


def _sources(*functions: Callable[..., Any] | None) -> str:
    """Return a short digest of the code of functions; empty without one."""
    texts = [inspect.getsource(function) for function in functions if function is not None]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8] if texts else ""


@dataclass(frozen=True)
class Ours:
    """A fit of a method of this library.

    Parameters
    ----------
    name : str
    parameters : dict
    target : str
        Of `TARGETS`.
    predicts : bool
        Whether the training rows are predicted too: of methods that only store them when fitted.
    below_labels : bool
        Whether ``n_components`` is at most the number of labels less one.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    target: str = "labels"
    predicts: bool = False
    below_labels: bool = False

    def __call__(self, X: Any, Y: np.ndarray) -> Any:
        parameters = dict(self.parameters)
        if self.below_labels:
            parameters["n_components"] = min(parameters["n_components"], Y.shape[1] - 1)
        fitted = mlreduce.make(self.name, **parameters).fit(X, TARGETS[self.target](Y))
        return Result(fitted, fitted.predict(X) if self.predicts else None)

    @property
    def code(self) -> str:
        """Digest of the module of the method, of all that it imports here, and of the parameters."""
        module = type(mlreduce.make(self.name)).__module__
        text = f"{source_digest(module)} {self.target} {self.predicts} {self.below_labels} {_text(self.parameters)}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Folds:
    """Folds of this library that keep the shares of the labels."""

    n_splits: int = 10

    def __call__(self, X: Any, Y: np.ndarray) -> Any:
        from mlreduce.model_selection import MultilabelStratifiedKFold

        return list(MultilabelStratifiedKFold(self.n_splits).split(X, Y))

    @property
    def code(self) -> str:
        """Digest of the module."""
        return source_digest("mlreduce.model_selection")


@dataclass(frozen=True)
class Result:
    """A fitted estimator, and its predictions of the training rows where they are a part of the fit."""

    fitted: Any
    predicted: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.fitted, name)


@dataclass(frozen=True)
class Peer:
    """A fit by another package.

    Parameters
    ----------
    path : str
        What is imported, as ``"sklearn.decomposition.PCA"``.
    parameters : dict
    package : str
        Its distribution.
    kind : str
        `EXACT`, `APPROXIMATE` or `TIME_ALONE`.
    target : str
        Of `TARGETS`; of a class.
    sparse : bool
        Whether it takes sparse features.
    predicts : bool
        As of `Ours`.
    call : callable or None
        Called with what is imported, the parameters, features and labels, instead of a class's ``fit``.
    same : tuple of pairs of str
        Attributes of our result and of the peer's that must be equal: the same work.
    sets : tuple of str
        Data sets; empty for all.
    """

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    package: str = "scikit-learn"
    kind: str = EXACT
    target: str = "labels"
    sparse: bool = True
    predicts: bool = False
    call: Callable[[Any, Mapping[str, Any], Any, np.ndarray], Any] | None = None
    same: tuple[tuple[str, str], ...] = ()
    sets: tuple[str, ...] = ()

    def found(self) -> bool:
        """Whether its package is installed."""
        try:
            version(self.package)
            return bool(self.thing)
        except (PackageNotFoundError, ImportError):
            return False

    @property
    def thing(self) -> Any:
        """The class or function."""
        module, _, name = self.path.rpartition(".")
        return getattr(importlib.import_module(module), name)

    @property
    def text(self) -> str:
        """The package, its version, and the call: measured again where it changes."""
        code = _sources(self.call)
        name = self.path.rpartition(".")[2]
        return f"{self.package} {version(self.package)}: {name}({_text(self.parameters)}){code and f' by {code}'}"

    def __call__(self, X: Any, Y: np.ndarray) -> Any:
        if self.call is not None:
            return self.call(self.thing, self.parameters, X, Y)
        fitted = self.thing(**self.parameters).fit(X, TARGETS[self.target](Y))
        return Result(fitted, fitted.predict(X) if self.predicts else None)


@dataclass(frozen=True)
class Agreement:
    """How far the results of two fits are from each other.

    Parameters
    ----------
    name : str
    measure : callable
        Our result, the peer's, features and labels -> a number, 0 where they are the same.
    most : float
        Of an exact peer.
    """

    name: str
    measure: Callable[[Any, Any, Any, np.ndarray], float]
    most: float


@dataclass(frozen=True)
class Case:
    """A method, its peers by name, and the least that it has to compute.

    Parameters
    ----------
    ours : Ours
    peers : dict of str to Peer
    limit : callable or None
    elsewhere : Elsewhere or None
        A peer that another interpreter runs, on dense features.
    agreement : Agreement or None
        None where a result is a draw of random numbers, or no peer is exact.
    """

    ours: Any
    peers: Mapping[str, Peer] = field(default_factory=dict)
    limit: Fit | None = None
    elsewhere: Elsewhere | None = None
    agreement: Agreement | None = None

    @property
    def code(self) -> str:
        """Digest of what is timed besides the peers."""
        return f"{self.ours.code}{_sources(self.limit)}"


def _directions(result: Any) -> np.ndarray:
    for name in ("components_", "x_weights_", "x_rotations_", "weights_"):
        value = getattr(result, name, None)
        if value is not None:
            value = value[0] if isinstance(value, list | tuple) else value
            return np.asarray(value).T if name == "components_" else np.asarray(value)
    raise AttributeError("no directions")


def _sine(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the sine of the largest angle between the spans of the columns."""
    first, second = (np.linalg.qr(table)[0] for table in (ours, theirs))
    return float(np.linalg.norm(second - first @ (first.T @ second), 2))


def _relative(ours: Any, theirs: Any) -> float:
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    known = np.isfinite(ours) & np.isfinite(theirs)
    if not (ours[~known] == theirs[~known]).all():
        return np.inf
    return float(np.abs(ours - theirs)[known].max(initial=0.0) / max(np.abs(theirs[known]).max(initial=0.0), 1e-300))


def _scatter_of_folds(ours: Any, theirs: Any, X: Any, Y: np.ndarray) -> float:
    """Return the mean difference of the shares of labels, of their folds less that of ours."""
    scatter = [np.std([Y[test].mean(axis=0) for _, test in folds], axis=0).mean() for folds in (ours, theirs)]
    return float(scatter[1] - scatter[0])


# The largest disagreement of exact peers follows their tolerance: the lasso stops at a duality gap of 1e-4, and among
# neighbours at equal distance others may be taken.
ANGLE = Agreement("sine of the angle", lambda ours, theirs, X, Y: _sine(_directions(ours), _directions(theirs)), 1e-6)
IMAGES = Agreement(
    "sine of the angle of images",
    lambda ours, theirs, X, Y: _sine(dense(X) @ _directions(ours), dense(X) @ _directions(theirs)),
    1e-6,
)
EMBEDDED = Agreement("sine of the angle", lambda ours, theirs, X, Y: _sine(ours.embedding_, theirs.embedding_), 1e-3)
PREDICTIONS = Agreement(
    "difference of predictions", lambda ours, theirs, X, Y: _relative(ours.predict(X), theirs.predict(X)), 1e-6
)
LABELS = Agreement(
    "labels that differ", lambda ours, theirs, X, Y: float(np.mean(dense(ours.predicted) != theirs.predicted)), 0.02
)
SCORES = Agreement("difference of scores", lambda ours, theirs, X, Y: _relative(ours.scores_, theirs), 1e-8)
NOISY_SCORES = Agreement("difference of scores", SCORES.measure, 0.02)
COEFFICIENTS = Agreement(
    "difference of coefficients", lambda ours, theirs, X, Y: _relative(ours.coef_.T, theirs.coef_), 0.05
)
PLACES = Agreement(
    "features that differ",
    lambda ours, theirs, X, Y: 1.0 - len(set(np.argsort(-ours.scores_)[:COMPONENTS]) & set(theirs)) / COMPONENTS,
    0.0,
)
SHARES = Agreement("scatter of shares, less ours", _scatter_of_folds, 0.0)


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


def _varying(Y: np.ndarray) -> np.ndarray:
    return Y.T[(Y.min(axis=0) < Y.max(axis=0))]


def _of_each_label(score: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> np.ndarray:
    """Return the mean over the labels of a score of features."""
    found = [score(X, label, **parameters) for label in _varying(Y)]
    scores = np.array([each[0] if isinstance(each, tuple) else each for each in found])
    return np.nan_to_num(scores, posinf=np.inf).mean(axis=0)


def _two_views(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    return cls(**parameters).fit([X, Y.astype(float)])


@dataclass(frozen=True)
class _Shifted:
    """Predictions of a fit to centred targets: with the intercept of ours."""

    fitted: Any
    mean: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.fitted.predict(X) + self.mean)


def _with_intercept(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    mean = Y.mean(axis=0)
    return _Shifted(cls(**parameters).fit(X, Y - mean), mean)


def _model_per_label(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    from sklearn.multioutput import MultiOutputClassifier

    return MultiOutputClassifier(cls(**parameters)).fit(X, Y)


def _labels_by_models(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    fitted = _model_per_label(cls, parameters, X, Y)
    return Result(fitted, fitted.predict(X))


def _on_one_thread(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    """Fit by oneDAL, whose threads threadpoolctl does not limit; a classifier predicts the training rows."""
    from daal4py import daalinit

    daalinit(1)
    fitted = cls(**parameters).fit(X, Y)
    return Result(fitted, fitted.predict(X) if hasattr(fitted, "predict_proba") else None)


def _majority(neighbours: np.ndarray, Y: np.ndarray) -> Result:
    return Result(None, (2 * Y[neighbours].sum(axis=1) > neighbours.shape[1]).astype(int))


def _descent(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    """Vote among three neighbours of each training row, found by pynndescent."""
    index = cls(X, **parameters)
    return _majority(index.query(X, k=3)[0], Y)


def _layers(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    """Vote among three neighbours of each training row, found by hnswlib."""
    index = cls(space="l2", dim=X.shape[1])
    index.set_num_threads(1)
    index.init_index(max_elements=len(X), **parameters)
    index.add_items(X, num_threads=1)
    index.set_ef(50)
    return _majority(index.knn_query(X, k=3, num_threads=1)[0].astype(int), Y)


def _all_pairs(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    """Vote among three neighbours of each training row, found by faiss among all rows, in single precision."""
    index, rows = cls(X.shape[1]), np.ascontiguousarray(X, dtype=np.float32)
    index.add(rows)
    return _majority(index.search(rows, **parameters)[1], Y)


def _redundancy(function: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    """Rank features for the first label, which is the only target that it takes."""
    import pandas as pd

    table = pd.DataFrame(X)
    return function(table, pd.Series(Y[:, 0]), K=COMPONENTS, **parameters)


def _one_tree(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    return cls(**parameters).fit(X, Y[:, 0].astype(float))


def _split(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    return list(cls(**parameters).split(X, Y))


def _weka(cls: Any, parameters: Mapping[str, Any], X: Any, Y: np.ndarray) -> Any:
    """Fit Weka's model tree for the first label; its table is made once."""
    from weka import Table

    key = id(X)
    if key not in _TABLES:
        _TABLES[key] = Table(X)
    return cls().fit(_TABLES[key], Y[:, 0])


_TABLES: dict[int, Any] = {}


class Weka(Peer):
    """Weka's classes, by the tests' bridge to Java."""

    def found(self) -> bool:
        """Whether Java and Weka are installed."""
        sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
        from weka import what_is_missing

        return not what_is_missing()


def _projection(
    name: str, limit: Fit, octave: str = "", by_labels: bool = False, agreement: Agreement | None = None, **peers: Peer
) -> Case:
    """Ten directions; ``by_labels`` less than there are labels if these are fewer."""
    elsewhere = Octave.method(octave, COMPONENTS) if octave else None
    return Case(Ours(name, FEW, below_labels=by_labels), peers, limit, elsewhere, agreement)


def _code(name: str, limit: Fit, call: str = "", **parameters: Any) -> Case:
    return Case(Ours(name, parameters), {}, limit, Octave("mlc_lsdr", call, "MLREDUCE_MLC_LSDR") if call else None)


_SK, _INTELEX = "scikit-learn", "scikit-learn-intelex"
_SMALL = ("emotions", "scene", "yeast")
_MEDIUM = (*_SMALL, "medical", "enron")
_BAYES = {"variance_floor": 1e-9, "feature_weight": 1.0}
# Of our regressions by a penalty that leaving rows out chooses; scikit-learn's class takes what it is to try.
_PENALTIES = tuple(float(value) for value in np.logspace(-4, 3, 29))
_SAME_NUMBER = (("n_components_", "n_components"),)
_FITTED = (("n_components_", "n_components_"),)

CASES: dict[str, Case] = {
    "pca": _projection(
        "pca",
        few_directions,
        "PCA",
        agreement=ANGLE,
        **{
            _SK: Peer("sklearn.decomposition.PCA", FEW, target="none", kind=APPROXIMATE, same=_FITTED),
            f"{_SK}, covariance": Peer(
                "sklearn.decomposition.PCA", {**FEW, "svd_solver": "covariance_eigh"}, target="none", same=_FITTED
            ),
            f"{_SK}, ARPACK": Peer(
                "sklearn.decomposition.PCA",
                {**FEW, "svd_solver": "arpack", "random_state": 0},
                target="none",
                same=_FITTED,
            ),
            _INTELEX: Peer(
                "sklearnex.decomposition.PCA",
                {**FEW, "svd_solver": "covariance_eigh"},
                "scikit-learn-intelex",
                sparse=False,
                call=_on_one_thread,
                same=_FITTED,
            ),
        },
    ),
    "lsi": _projection(
        "lsi",
        few_directions,
        agreement=ANGLE,
        **{
            _SK: Peer(
                "sklearn.decomposition.TruncatedSVD",
                {**FEW, "algorithm": "arpack", "random_state": 0},
                target="none",
                same=_SAME_NUMBER,
            ),
            f"{_SK}, randomised": Peer(
                "sklearn.decomposition.TruncatedSVD", FEW, target="none", kind=APPROXIMATE, same=_SAME_NUMBER
            ),
        },
    ),
    "pls": Case(
        Ours("pls", {"n_components": 5}),
        {
            _SK: Peer(
                "sklearn.cross_decomposition.PLSSVD",
                {"n_components": 5, "scale": False},
                sparse=False,
                same=_SAME_NUMBER,
            )
        },
        products_with_labels,
        agreement=ANGLE,
    ),
    "cca": Case(
        Ours("cca", {"n_components": 5}),
        {
            _SK: Peer(
                "sklearn.cross_decomposition.CCA",
                {"n_components": 5, "scale": False},
                kind=APPROXIMATE,
                sparse=False,
                same=_SAME_NUMBER,
            ),
            "cca-zoo": Peer(
                "cca_zoo.linear.CCA", {"n_components": 5}, "cca-zoo", sparse=False, call=_two_views, same=_SAME_NUMBER
            ),
        },
        regression,
        Octave.method("CCA", 5),
        IMAGES,
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
    "mmc": Case(Ours("mmc", FEW, "first"), {}, few_vectors),
    "morp": _projection("morp", few_vectors),
    "dmlda": _projection("dmlda", few_vectors),
    "wmlda": _projection("wmlda", regression, by_labels=True),
    "random-projection": Case(
        Ours("random-projection", FEW),
        {
            _SK: Peer(
                "sklearn.random_projection.GaussianRandomProjection",
                FEW,
                kind=TIME_ALONE,
                target="none",
                same=_SAME_NUMBER,
            )
        },
    ),
    "lpp": Case(
        Ours("lpp", FEW),
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
        Ours("lfda", FEW, "first"),
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
        Ours("isomap", {"n_components": 2}),
        {
            _SK: Peer(
                "sklearn.manifold.Isomap", {"n_components": 2, "n_neighbors": 10}, target="none", same=_SAME_NUMBER
            )
        },
        agreement=EMBEDDED,
    ),
    # Scikit-learn counts an instance among its own neighbours, weights them by one, and takes all pairs of sparse rows.
    "le": Case(
        Ours("le", {"n_components": 2, "proximity": {"weight": "constant", "n_neighbors": 10}}),
        {
            _SK: Peer(
                "sklearn.manifold.SpectralEmbedding",
                {"affinity": "nearest_neighbors", "n_components": 2, "n_neighbors": 11, "random_state": 0},
                kind=APPROXIMATE,
                target="none",
                sparse=False,
                same=_SAME_NUMBER,
            )
        },
        distances,
        agreement=EMBEDDED,
    ),
    "lle": Case(
        Ours("lle", {"n_components": 2}),
        {
            _SK: Peer(
                "sklearn.manifold.LocallyLinearEmbedding",
                {"n_components": 2, "n_neighbors": 10, "random_state": 0},
                target="none",
                sparse=False,
                same=_SAME_NUMBER,
            )
        },
        distances,
        agreement=EMBEDDED,
    ),
    "plst": _code("plst", label_vectors, "[Z, V, shift] = plst_encode(Y, 5);"),
    "cplst": _code("cplst", design_and_labels, "[Z, V, shift] = cplst_encode(Y, 5, X, 0.1);"),
    "cssp": _code("cssp", label_vectors, "[Z, V] = cssp_encode(Y, 5);", n_components=5, random_state=0),
    "faie": _code("faie", few_vectors, "[Z, V] = FaIE_encode(Y, 5, X, 0.1, 10);", n_components=5),
    "mlc-bmad": Case(Ours("mlc-bmad", {"n_components": 5}), {}, None, Octave.method("BMaD", 5)),
    "leml": Case(Ours("leml", {"n_components": 5}), {}, few_vectors),
    "sleec": Case(Ours("sleec", {"n_components": 5}, predicts=True), {}, distances),
    "linear": Case(
        Ours("linear"),
        {
            _SK: Peer("sklearn.linear_model.LinearRegression", sparse=False),
            _INTELEX: Peer(
                "sklearnex.linear_model.LinearRegression",
                package="scikit-learn-intelex",
                sparse=False,
                call=_on_one_thread,
            ),
        },
        regression,
        agreement=PREDICTIONS,
    ),
    # With the penalty, the tolerance and the intercept of ours: iteration on sparse features ends at 1e-4 otherwise.
    "ridge": Case(
        Ours("ridge", {"alpha": 1.0}),
        {
            _SK: Peer("sklearn.linear_model.Ridge", {"alpha": 1.0, "tol": 1e-10}),
            f"{_SK}, Cholesky": Peer("sklearn.linear_model.Ridge", {"alpha": 1.0, "solver": "cholesky"}, sparse=False),
            _INTELEX: Peer(
                "sklearnex.linear_model.Ridge",
                {"alpha": 1.0},
                "scikit-learn-intelex",
                sparse=False,
                call=_on_one_thread,
            ),
        },
        regression,
        agreement=PREDICTIONS,
    ),
    # A penalty between those of a grid is another one.
    "ridge-loo": Case(
        Ours("ridge"),
        {
            _SK: Peer("sklearn.linear_model.RidgeCV", {"alphas": _PENALTIES}, kind=APPROXIMATE, sets=_MEDIUM),
            f"{_SK}, three penalties": Peer("sklearn.linear_model.RidgeCV", kind=APPROXIMATE, sets=_MEDIUM),
        },
        regression,
        agreement=PREDICTIONS,
    ),
    "kernel-ridge": Case(
        Ours("kernel-ridge", {"gamma": 0.01, "alpha": 1.0}),
        {
            _SK: Peer(
                "sklearn.kernel_ridge.KernelRidge", {"kernel": "rbf", "gamma": 0.01, "alpha": 1.0}, call=_with_intercept
            )
        },
        distances,
        agreement=PREDICTIONS,
    ),
    "br-knn": Case(
        Ours("br-knn", predicts=True),
        {
            _SK: Peer(
                "sklearn.neighbors.KNeighborsClassifier",
                {"n_neighbors": 3},
                predicts=True,
                same=(("n_neighbors", "n_neighbors"),),
            ),
            "pynndescent": Peer(
                "pynndescent.NNDescent",
                {"n_neighbors": 15, "random_state": 0, "n_jobs": 1},
                "pynndescent",
                APPROXIMATE,
                predicts=True,
                call=_descent,
            ),
            "hnswlib": Peer(
                "hnswlib.Index",
                {"ef_construction": 200, "M": 16, "random_seed": 0},
                "hnswlib",
                APPROXIMATE,
                sparse=False,
                predicts=True,
                call=_layers,
            ),
            "faiss": Peer(
                "faiss.IndexFlatL2",
                {"k": 3},
                "faiss-cpu",
                APPROXIMATE,
                sparse=False,
                predicts=True,
                call=_all_pairs,
            ),
            _INTELEX: Peer(
                "sklearnex.neighbors.KNeighborsClassifier",
                {"n_neighbors": 3},
                "scikit-learn-intelex",
                sparse=False,
                predicts=True,
                call=_on_one_thread,
                same=(("n_neighbors", "n_neighbors"),),
            ),
        },
        distances,
        OldPython.package(
            "scikit-multilearn",
            "from skmultilearn.adapt import BRkNNaClassifier",
            "BRkNNaClassifier(k=3).fit(X, Y).predict(X)",
        ),
        LABELS,
    ),
    "ml-knn": Case(
        Ours("ml-knn", predicts=True),
        {},
        lambda X, Y: (distances(X, Y), distances(X, Y)),
        OldPython.package(
            "scikit-multilearn", "from skmultilearn.adapt import MLkNN", "MLkNN(k=10).fit(X, Y).predict(X)"
        ),
    ),
    # With the floor of the peer's variances, and nothing chosen by folds; fit with fit, and both with prediction.
    "mlnb": Case(
        Ours("mlnb", _BAYES),
        {_SK: Peer("sklearn.naive_bayes.GaussianNB", kind=TIME_ALONE, sparse=False, call=_model_per_label)},
    ),
    "mlnb-predict": Case(
        Ours("mlnb", _BAYES, predicts=True),
        {
            _SK: Peer(
                "sklearn.naive_bayes.GaussianNB", kind=TIME_ALONE, sparse=False, predicts=True, call=_labels_by_models
            )
        },
    ),
    "m5p": Case(
        Ours("m5p", target="first number"),
        {
            "Weka": Weka("weka.M5P", package="JPype1", kind=TIME_ALONE, call=_weka),
            "LightGBM": Peer(
                "lightgbm.LGBMRegressor",
                {"n_estimators": 1, "linear_tree": True, "n_jobs": 1, "verbose": -1, "random_state": 0},
                "lightgbm",
                TIME_ALONE,
                sparse=False,
                call=_one_tree,
            ),
        },
    ),
    "anova": Case(
        Ours("anova"),
        {_SK: Peer("sklearn.feature_selection.f_classif", sparse=False, call=_of_each_label)},
        products_with_labels,
        agreement=SCORES,
    ),
    "chi2": Case(
        Ours("chi2"),
        {_SK: Peer("sklearn.feature_selection.chi2", call=_of_each_label)},
        products_with_labels,
        agreement=SCORES,
    ),
    "mutual-info": Case(
        Ours("mutual-info", {"random_state": 0}),
        {
            _SK: Peer(
                "sklearn.feature_selection.mutual_info_classif",
                {"discrete_features": False, "random_state": 0, "n_jobs": 1},
                sparse=False,
                call=_of_each_label,
                sets=_SMALL,
            )
        },
        agreement=NOISY_SCORES,
    ),
    "lasso-multitask": Case(
        Ours("lasso-multitask", {"sparsity": 0.01}),
        {
            "skglm": Peer(
                "skglm.MultiTaskLasso", {"alpha": 0.01}, "skglm", target="numbers", sparse=False, sets=_MEDIUM
            ),
        },
        agreement=COEFFICIENTS,
    ),
    "mlrf": Case(Ours("mlrf"), {}, distances),
    "rfs": Case(Ours("rfs", {"sparsity": 1.0, "solver": "reweighted"}), {}, None, Octave.method("RFS", COMPONENTS)),
    "mim": Case(Ours("mim", {"k": COMPONENTS}), {}, None, Octave.method("MLMIM", COMPONENTS)),
    "mrmr": Case(Ours("mrmr", {"k": COMPONENTS}), {}, None, Octave.method("MLMRMR", COMPONENTS)),
    "mrmr-one": Case(
        Ours("mrmr", {"k": COMPONENTS}, target="first"),
        {
            "mrmr-selection": Peer(
                "mrmr.mrmr_classif",
                {"n_jobs": 1, "show_progress": False},
                "mrmr-selection",
                TIME_ALONE,
                sparse=False,
                call=_redundancy,
                sets=_MEDIUM,
            )
        },
    ),
    "jmi": Case(Ours("jmi", {"k": COMPONENTS}), {}, None, Octave.method("MLJMI", COMPONENTS)),
    "mifs": Case(
        Ours("mifs", {"sparsity": 1.0, "tol": 1e-6, "solver": "reweighted"}),
        {},
        None,
        Octave.method("MIFS", COMPONENTS),
    ),
    "pmu": Case(Ours("pmu")),
    "qpfs": Case(Ours("qpfs")),
    "gmba": Case(Ours("gmba", {"n_orders": 1, "visits": "position", "random_state": 0}), {}, distances),
    "stratified folds": Case(
        Folds(),
        {
            "iterative-stratification": Peer(
                "iterstrat.ml_stratifiers.MultilabelStratifiedKFold",
                {"n_splits": 10, "shuffle": True, "random_state": 0},
                "iterative-stratification",
                APPROXIMATE,
                sparse=False,
                call=_split,
            )
        },
        agreement=SHARES,
    ),
}
