"""Programs in other languages, such as MATLAB, R or Java, in the place of methods: they read and write files.

A fit writes its data to a new folder, runs the command there, and reads what it has written. Arrays have names, which
are variables of ``input.mat`` and ``output.mat``, or files without headers (``X.csv``, ``scores.csv``), by the format:

=========================  ==================================================================================
`ProgramSelector`          reads X, Y, k; writes scores, one per feature, or ranking: features from the best on
`ProgramProjection`        reads X, Y, k; writes directions (features x k)
`ProgramTransformer`       reads X, Y, k, X_new; writes transformed (new rows x k)
`ProgramCoder`             reads X, Y, k; writes codes (rows x k) and decoder (k x labels), perhaps mean
`ProgramClassifier`        reads X, Y, X_new; writes scores (new rows x labels), perhaps labels
=========================  ==================================================================================

All read seed too, and the numbers of their `Program`. Features are counted from 1.
"""

from __future__ import annotations

from typing import Any, Self

import joblib
import numpy as np
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.labelspace.factors import FactorCoder
from mlreduce.linalg.features import Features
from mlreduce.programs.run import Program, ProgramError, check_shape, run_program
from mlreduce.projection.base import Projection
from mlreduce.selection.base import Selector
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.solver import Solution
from mlreduce.validation import FloatArray, Size, check_count, check_features, check_labels, one_hot
from mlreduce.validation.estimator import Estimator


class ProgramSelector(Selector):
    r"""A program that scores or ranks features, as a selector.

    It reads X, Y and k, and writes ``scores``, one number per feature, or ``ranking``: the numbers of features from the
    best on, counted from 1, of which the last may be left out.

    Parameters
    ----------
    program : str or dict
        The command, or a `Program`.
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    random_state : int, RandomState instance or None, default=None
        Of the number ``seed`` that the program reads.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The larger, the better the feature.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last: the program
        does not get them.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Raises
    ------
    ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
        By `fit`, see `Program`.

    Examples
    --------
    >>> import sys, tempfile
    >>> from pathlib import Path
    >>> import mlreduce
    >>> script = Path(tempfile.mkdtemp()) / "select.py"
    >>> _ = script.write_text(
    ...     "import numpy as np\n"
    ...     "X, Y = (np.loadtxt(name, delimiter=',') for name in ('X.csv', 'Y.csv'))\n"
    ...     "np.savetxt('scores.csv', np.abs((X - X.mean(0)).T @ (Y - Y.mean(0))).sum(1))\n"
    ... )
    >>> data = mlreduce.load_dataset("planted-300")
    >>> program = mlreduce.Program(command=f"{sys.executable} select.py", files=[str(script)], exchange="csv")
    >>> method = mlreduce.ProgramSelector(program, k=5)
    >>> method.fit_transform(data.X, data.Y).shape
    (300, 5)
    """

    complexity = Complexity("n d", "n d")

    def __init__(self, program: str | Program, k: Size = 0.5, random_state: Any = None) -> None:
        self.program = program
        self.k = k
        self.random_state = random_state

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        n_features = X.shape[1]
        arrays = {"X": X, "Y": labels, "k": self._n_selected}
        written = run_program(self.program, arrays, {"scores": False, "ranking": False}, self.random_state)
        if "scores" in written:
            return check_shape("scores", written["scores"].reshape(1, -1), 1, n_features)[0]
        if "ranking" not in written:
            raise ProgramError("the program wrote neither scores nor ranking")
        ranking = written["ranking"].reshape(-1)
        whole = ranking == np.round(ranking)
        if not whole.all() or ranking.min() < 1 or ranking.max() > n_features or len({*ranking}) < len(ranking):
            raise ProgramError(f"the program wrote a ranking that is not of different features from 1 to {n_features}")
        scores = np.zeros(n_features)
        scores[ranking.astype(np.intp) - 1] = np.arange(len(ranking), 0, -1)
        return scores


class ProgramProjection(Projection):
    """A program that finds directions, as a projection.

    It reads X, Y and k, and writes ``directions`` of shape (n_features, k), the most important first. The means of the
    training rows are subtracted from rows before they are projected.

    Parameters
    ----------
    program : str or dict
        The command, or a `Program`.
    n_components : int, str or None, default=None
        Number of directions, k: a number of 1..n_features, a percentage such as ``"50%"``, or None for as many as
        there are rows or features.
    random_state : int, RandomState instance or None, default=None
        Of the number ``seed`` that the program reads.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, as they were written.
    eigenvalues_ : ndarray of shape (n_components,)
        Ones: a program says nothing of them.
    objective_ratio_ : ndarray of shape (n_components,)
        Not available.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Raises
    ------
    ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
        By `fit`, see `Program`.

    Examples
    --------
    >>> import mlreduce
    >>> program = mlreduce.Program(command="octave --no-gui project.m", files=["project.m"])
    >>> mlreduce.ProgramProjection(program, n_components=5).n_components
    5
    """

    complexity = Complexity("n d", "n d")

    def __init__(self, program: str | Program, n_components: Size = None, random_state: Any = None) -> None:
        super().__init__(n_components)
        self.program = program
        self.random_state = random_state

    def _solve(self, data: TrainingSet, features: Features, wanted: int | None) -> Solution:
        size = wanted or min(features.shape)
        arrays = {"X": features.X, "Y": data.labels, "k": size}
        written = run_program(self.program, arrays, {"directions": True}, self.random_state)
        directions = check_shape("directions", written["directions"], features.shape[1], size, least=1)
        return Solution(np.ones(directions.shape[1]), directions.T)


class ProgramTransformer(TransformerMixin, Estimator):
    """A program that transforms new rows, as a transformer.

    It reads X, Y, k and X_new, and writes ``transformed`` of shape (new rows, k). It is run by `transform`, with the
    training rows and the new ones: a method that has to transform training rows as others gets them as X_new.

    Parameters
    ----------
    program : str or dict
        The command, or a `Program`.
    n_components : int, default=2
        Number of columns, k.
    random_state : int, RandomState instance or None, default=None
        Of the number ``seed`` that the program reads.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.

    Raises
    ------
    ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
        By `transform`, see `Program`.

    Examples
    --------
    >>> import mlreduce
    >>> program = mlreduce.Program(command="java Embed.java", files=["Embed.java"], exchange="csv")
    >>> mlreduce.ProgramTransformer(program).n_components
    2
    """

    def __init__(self, program: str | Program, n_components: int = 2, random_state: Any = None) -> None:
        self.program = program
        self.n_components = n_components
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Check and keep the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Labels in {0, 1} or {-1, 1}.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, or ``n_components`` is below 1.
        """
        check_count(self.n_components, "n_components")
        self._X = check_features(self, X, reset=True)
        self._Y = check_labels(one_hot(y)[0], self._X.shape[0])
        return self

    def transform(self, X: Any) -> FloatArray:
        """Run the program on the training rows and new ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            What the program writes as ``transformed``.

        Raises
        ------
        ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
            See `Program`.
        """
        check_is_fitted(self, "n_features_in_")
        new = check_features(self, X, reset=False)
        arrays = {"X": self._X, "Y": self._Y, "k": self.n_components, "X_new": new}
        written = run_program(self.program, arrays, {"transformed": True}, self.random_state)
        return check_shape("transformed", written["transformed"], new.shape[0], self.n_components)


class ProgramCoder(FactorCoder):
    """A program that encodes labels, as a label coder.

    It reads X, Y and k, and writes ``codes`` of shape (n_samples, k) and ``decoder`` of shape (k, n_labels), perhaps
    ``mean`` of shape (1, n_labels), so that Y is about ``codes decoder + mean``. A predictor learns the codes.

    Parameters
    ----------
    program : str or dict
        The command, or a `Program`.
    n_components : int, str or None, default=None
        Length of the code, k: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    random_state : int, RandomState instance or None, default=None
        Of the number ``seed`` that the program reads.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_components)
        Of the training rows, as they were written.
    components_ : ndarray of shape (n_components, n_labels)
        The decoder.
    eigenvalues_ : ndarray of shape (n_components,)
        Ones: a program says nothing of them.
    mean_ : ndarray of shape (n_labels,)
        What is added to decoded codes; zeros where the program writes none.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Raises
    ------
    ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
        By `fit`, see `Program`.

    Examples
    --------
    >>> import mlreduce
    >>> program = mlreduce.Program(command="octave --no-gui encode.m", files=["encode.m"])
    >>> mlreduce.ProgramCoder(program, n_components=4).n_components
    4
    """

    complexity = Complexity("n d", "n d")

    def __init__(self, program: str | Program, n_components: int | str | None = None, random_state: Any = None) -> None:
        super().__init__(n_components)
        self.program = program
        self.random_state = random_state

    def _factorise(
        self, features: Any, labels: Any, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        if weights is not None:
            raise DataError("ProgramCoder takes no weights of rows: its program does not read them")
        size, arrays = self.n_components_, {"X": features, "Y": labels, "k": self.n_components_}
        written = run_program(self.program, arrays, {"codes": True, "decoder": True, "mean": False}, self.random_state)
        codes = check_shape("codes", written["codes"], labels.shape[0], size)
        decoder = check_shape("decoder", written["decoder"], size, self.n_labels_)
        mean = written.get("mean", np.zeros(self.n_labels_)).reshape(1, -1)
        self.mean_ = check_shape("mean", mean, 1, self.n_labels_)[0]
        return codes, decoder, np.ones(size)


class ProgramClassifier(ClassifierMixin, Estimator):
    """A program that predicts labels, as a multi-label classifier.

    It reads X, Y and X_new, and writes ``scores`` of shape (new rows, n_labels), perhaps ``labels`` of the same shape,
    with 1 for the labels that it predicts; otherwise these are those with scores above 0.5. It is run by `predict` and
    `decision_function`, once for the same rows.

    Parameters
    ----------
    program : str or dict
        The command, or a `Program`.
    random_state : int, RandomState instance or None, default=None
        Of the number ``seed`` that the program reads.

    Attributes
    ----------
    classes_ : list of ndarray
        0 and 1 for each label.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.

    Raises
    ------
    ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
        By `predict`, see `Program`.

    Examples
    --------
    >>> import mlreduce
    >>> program = mlreduce.Program(command="Rscript predict.R", files=["predict.R"], exchange="csv")
    >>> mlreduce.ProgramClassifier(program, random_state=0).random_state
    0
    """

    def __init__(self, program: str | Program, random_state: Any = None) -> None:
        self.program = program
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Check and keep the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Labels in {0, 1} or {-1, 1}.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, or a label is not 0/1 or -1/1.
        """
        self._X = check_features(self, X, reset=True)
        self._Y = check_labels(y, self._X.shape[0])
        self.classes_ = [np.array([0, 1])] * self._Y.shape[1]
        self._last: tuple[str, dict[str, FloatArray]] | None = None
        return self

    def _written(self, X: Any) -> dict[str, FloatArray]:
        check_is_fitted(self, "classes_")
        new = check_features(self, X, reset=False)
        key = str(joblib.hash(new))
        if self._last is None or self._last[0] != key:
            arrays = {"X": self._X, "Y": self._Y, "X_new": new}
            written = run_program(self.program, arrays, {"scores": True, "labels": False}, self.random_state)
            shape = new.shape[0], self._Y.shape[1]
            self._last = key, {name: check_shape(name, value, *shape) for name, value in written.items()}
        return self._last[1]

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of the labels of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_rows, n_labels)
            What the program writes as ``scores``.

        Raises
        ------
        ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
            See `Program`.
        """
        return self._written(X)["scores"]

    def predict(self, X: Any) -> Any:
        """Return the labels of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_rows, n_labels)
            What the program writes as ``labels``; without these, where its scores are larger than 0.5.

        Raises
        ------
        ProgramError, TimeLimitError, MemoryLimitError, ConfigurationError
            See `Program`.
        """
        written = self._written(X)
        if "labels" in written:
            return (written["labels"] > 0).astype(np.int8)
        return (written["scores"] > 0.5).astype(np.int8)
