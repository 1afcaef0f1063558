"""The base of all estimators."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning

import mlreduce
from mlreduce.exceptions import nearest, warn

#: Names of parameters in other packages and in papers, with those that mean the same here.
_SYNONYMS = {
    **dict.fromkeys(("k", "n_neighbours", "num_neighbors"), ("n_neighbors", "n_components")),
    **dict.fromkeys(("n_features_to_select", "n_selected_features", "n_features", "top_k"), ("k", "n_components")),
    **dict.fromkeys(("dim", "n_dims", "n_dimensions", "rank", "n_codes"), ("n_components", "k")),
    **dict.fromkeys(
        ("alpha", "reg", "lam", "lambda_", "l2", "penalty", "shrinkage", "C", "ridge"),
        ("alpha", "ridge", "reg", "sparsity", "penalty", "C"),
    ),
    **dict.fromkeys(("seed", "rng", "random_seed"), ("random_state",)),
    **dict.fromkeys(("n_iter", "n_iterations", "max_iterations", "max_steps", "n_epochs"), ("max_iter",)),
    **dict.fromkeys(("eps", "epsilon", "tolerance"), ("tol",)),
    **dict.fromkeys(("sigma", "bandwidth", "width"), ("gamma",)),
    **dict.fromkeys(("classifier", "base_estimator", "learner", "model", "base_classifier"), ("estimator", "coder")),
}

#: Names that parameters of a class had when the studies were run, with those that they have now. Study files and their
#: results keep them: the candidates of a search depend on the names, and what was frozen does not change.
FORMER_NAMES: dict[str, dict[str, str]] = {
    # projections
    **{name: {"gamma": "ridge"} for name in ("HSL1", "HSL2", "HSL3", "MLSI")},
    **{name: {"beta": "repulsion"} for name in ("DLA", "DONPP", "OLPPR", "ONPPR")},
    **{name: {"beta": "repulsion"} for name in ("MESDDLA", "MESDDONPP", "MESDOLPPR", "MESDONPPR")},
    "MDDMf": {"beta": "scatter_weight"},
    "SSFDA": {"beta1": "smoothness", "beta2": "ridge"},
    "SSMMC": {"beta1": "within_weight", "beta2": "smoothness"},
    "SemiSupervised": {"weight": "unsupervised_weight"},
    "CombinedProximity": {"gamma": "priority_share"},
    "Proximity": {"threshold": "radius"},
    "LabelPropagation": {"lambda1": "smoothness", "lambda2": "label_smoothness"},
    # label coders and predictors
    "FaIE": {"alpha": "predictability"},
    "MLCBMaD": {"tau": "min_confidence"},
    "PLST": {"centre": "centred"},
    "SLEEC": {"max_steps": "max_iter", "n_learners": "n_estimators"},
    "LabelTreeClassifier": {"n_trees": "n_estimators"},
    "RAkEL": {"n_models": "n_estimators"},
    "M5PRegressor": {"min_instances": "min_samples_split"},
    **{name: {"smoothing": "pseudocount"} for name in ("MLKNN", "MLNB")},
    # selectors
    **{name: {"gamma": "sparsity"} for name in ("RowSparseSelector", "ProximalSelector")},
    **{name: {"alpha": "smoothness"} for name in ("MLMLFS", "MSSL")},
    **{name: {"n_iter": "max_iter"} for name in ("GMBA", "RFS")},
    **{name: {"ridge": "alpha"} for name in ("MFSMCDM", "PMFS")},
    "MRDM": {"alpha": "smoothness", "beta": "dependence"},
    "MDFS": {"alpha": "label_error", "beta": "label_smoothness"},
    "MIFS": {"alpha": "label_error", "beta": "smoothness"},
    "SCMFS": {"alpha": "feature_error", "beta": "label_error"},
    "SFUS": {"beta": "subspace_error"},
    "PNC": {"alpha": "label_smoothness", "beta": "subspace_error"},
    "LLSF": {"alpha": "label_smoothness"},
    "LRLSF": {"alpha": "smoothness", "beta": "label_error", "delta": "relevance"},
    "SCNMF": {"alpha": "feature_similarity", "beta": "label_smoothness"},
    "GRRO": {"alpha": "redundancy", "beta": "label_smoothness"},
    "MFSMFR": {"alpha": "sparsity", "beta": "row_sparsity"},
    "LassoMultiTask": {"alpha": "sparsity"},
}


def nearest_parameter(name: str, known: list[str], former: Mapping[str, str] | None = None) -> str:
    """Return "; did you mean 'x'?" for a parameter that an estimator does not have, or the list of those it has."""
    if former and former.get(name) in known:
        return f"; it is named {former[name]!r}"
    synonym = next((other for other in _SYNONYMS.get(name, ()) if other in known), None)
    if synonym is not None:
        return f"; did you mean {synonym!r}?"
    return nearest(name, known) or (f"; its parameters: {', '.join(known)}" if known else "; it has no parameters")


class _KnownParameters(BaseEstimator):
    """Refuses parameters that ``__init__`` does not take."""

    def __new__(cls, *arguments: Any, **parameters: Any) -> Self:
        """Make an estimator whose ``__init__`` takes these parameters."""
        if parameters:
            taken = inspect.signature(cls.__init__).parameters
            if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
                for name in [name for name in parameters if name not in taken]:
                    hint = nearest_parameter(name, list(taken)[1:], cls._former_names())
                    raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {name!r}{hint}")
        return super().__new__(cls)

    @classmethod
    def _former_names(cls) -> dict[str, str]:
        """Return former names of parameters with the present ones, which study files may have."""
        return {old: new for base in reversed(cls.__mro__) for old, new in FORMER_NAMES.get(base.__name__, {}).items()}


class OtherVersionWarning(InconsistentVersionWarning):
    """An estimator was saved by another version of mlreduce than the one that loads it.

    It is scikit-learn's ``InconsistentVersionWarning``, so that one filter serves both packages.

    Parameters
    ----------
    estimator_name : str
        The class.
    current_sklearn_version : str
        The version of mlreduce that loads; scikit-learn's name of the parameter.
    original_sklearn_version : str or None
        The version of mlreduce that saved; None where none was stored.

    Examples
    --------
    >>> import warnings
    >>> from mlreduce.validation.estimator import OtherVersionWarning
    >>> warnings.simplefilter("error", OtherVersionWarning)  # models of other versions are refused
    """

    def __str__(self) -> str:
        saved, loads = self.original_sklearn_version, self.current_sklearn_version
        by = "another version of mlreduce" if saved is None else f"mlreduce {saved}"
        return (
            f"{self.estimator_name} was saved by {by} and is loaded by mlreduce {loads}: it may fail or predict "
            "otherwise; fit it again, or load it with the version that saved it"
        )


class Estimator(_KnownParameters):
    """Base of the estimators: scikit-learn's, and a wrong parameter is answered by the nearest right one.

    Pickles hold the version of mlreduce; loading those of another one is an `OtherVersionWarning`.

    Raises
    ------
    TypeError
        If a parameter is unknown.

    Examples
    --------
    >>> import mlreduce
    >>> mlreduce.MLKNN(k=5)
    Traceback (most recent call last):
    TypeError: MLKNN() got an unexpected keyword argument 'k'; did you mean 'n_neighbors'?
    """

    def __init__(self) -> None:  # the signature of estimators without parameters, rather than that of __new__
        pass

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__(), _mlreduce_version=mlreduce.__version__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        saved = state.pop("_mlreduce_version", None)
        if saved != mlreduce.__version__:
            names = {"estimator_name": type(self).__name__, "current_sklearn_version": mlreduce.__version__}
            warn(OtherVersionWarning(**names, original_sklearn_version=saved), OtherVersionWarning)
        super().__setstate__(state)
