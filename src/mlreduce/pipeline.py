"""A pipeline with the further predictions of the classifiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sklearn.pipeline
from sklearn.utils.metaestimators import available_if

__all__ = ["Pipeline", "make_pipeline"]


def _last_has(verb: str) -> Callable[[Pipeline], bool]:
    """Return what checks that the last step has a method; its ``AttributeError`` is raised where it has not."""
    return lambda pipeline: getattr(pipeline.steps[-1][1], verb) is not None


class Pipeline(sklearn.pipeline.Pipeline):
    """Pipeline of scikit-learn, with ``predict_scores``, ``predict_top`` and ``predict_labels`` of its last step.

    Parameters
    ----------
    steps : list of tuples
        Names and estimators, of which all but the last one transform.
    transform_input : list of str or None, default=None
        Names of parameters of ``fit`` that are transformed as the features are.
    memory : str, object with the joblib.Memory interface or None, default=None
        Where fitted transformers are cached.
    verbose : bool, default=False
        Print the time of each step.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = make_pipeline(StandardScaler(), mlreduce.MVMD(n_components=5), mlreduce.ThresholdClassifier())
    >>> model.fit(data.X, data.Y).predict_top(data.X, k=3).nnz  # three labels of 300 instances
    900
    """

    @available_if(_last_has("predict_scores"))  # type: ignore[untyped-decorator]
    def predict_scores(self, X: Any) -> Any:
        """Transform the features, and return the last step's score per label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Higher for likelier labels.
        """
        return self.steps[-1][1].predict_scores(self._transformed(X))

    @available_if(_last_has("predict_top"))  # type: ignore[untyped-decorator]
    def predict_top(self, X: Any, k: int = 5) -> Any:
        """Transform the features, and return the last step's scores of the k best labels of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        k : int, default=5
            At least 1; all labels where there are fewer.

        Returns
        -------
        csr_array of shape (n_samples, n_labels)
            Stores the k largest of `predict_scores` in each row.
        """
        return self.steps[-1][1].predict_top(self._transformed(X), k)

    @available_if(_last_has("predict_labels"))  # type: ignore[untyped-decorator]
    def predict_labels(self, X: Any, *, as_frame: bool = False) -> Any:
        """Transform the features, and return the names of the labels that the last step predicts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        as_frame : bool, default=False
            Return a DataFrame.

        Returns
        -------
        list of list of str, or DataFrame of shape (n_samples, n_labels)
            For each instance the names of its labels.
        """
        predicted = self.steps[-1][1].predict_labels(self._transformed(X), as_frame=as_frame)
        return predicted.set_index(X.index) if as_frame and hasattr(X, "index") else predicted

    def _transformed(self, X: Any) -> Any:
        """Return the features as the last step takes them."""
        return self[:-1].transform(X) if len(self) > 1 else X


def make_pipeline(*steps: Any, **options: Any) -> Pipeline:
    """Make a `Pipeline` of steps, named as scikit-learn's ``make_pipeline`` does.

    Parameters
    ----------
    *steps : estimators
        The last one a classifier of mlreduce, for its further predictions.
    **options
        ``memory``, ``transform_input`` and ``verbose`` of the pipeline.

    Returns
    -------
    Pipeline
        Not fitted.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.pipeline import make_pipeline
    >>> [name for name, _ in make_pipeline(mlreduce.PCA(), mlreduce.MLKNN()).steps]
    ['pca', 'mlknn']
    """
    return Pipeline(sklearn.pipeline.make_pipeline(*steps).steps, **options)
