"""The base of all estimators."""

from __future__ import annotations

import inspect
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
        ("alpha", "ridge", "reg", "gamma", "penalty", "beta"),
    ),
    **dict.fromkeys(("seed", "rng", "random_seed"), ("random_state",)),
    **dict.fromkeys(("n_iter", "n_iterations", "max_iterations", "max_steps", "n_epochs"), ("max_iter", "n_iter")),
    **dict.fromkeys(("eps", "epsilon", "tolerance"), ("tol",)),
    **dict.fromkeys(("sigma", "bandwidth", "width"), ("gamma",)),
    **dict.fromkeys(("classifier", "base_estimator", "learner", "model", "base_classifier"), ("estimator", "coder")),
}


def nearest_parameter(name: str, known: list[str]) -> str:
    """Return "; did you mean 'x'?" for a parameter that an estimator does not have, or the list of those it has."""
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
                    hint = nearest_parameter(name, list(taken)[1:])
                    raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {name!r}{hint}")
        return super().__new__(cls)


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
