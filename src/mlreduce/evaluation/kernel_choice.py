"""Choice of a kernel's width and of the penalty for label coders with kernel ridge regression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.splitting import Split, fold_rows
from mlreduce.evaluation.training import make_coder
from mlreduce.evaluation.view import imputed
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.linalg.compiled import errors_by_size
from mlreduce.linalg.kernel_path import KernelRidgePath, PathStep
from mlreduce.linalg.kernels import check_positive, gaussian_kernel, squared_distances
from mlreduce.linalg.utilities import TIE
from mlreduce.registry import has_shortcut
from mlreduce.validation import FloatArray, check_finite, check_labels, is_sparse

#: Columns of a table of choices: one row per split, method and pair of candidates.
CHOICE_COLUMNS = ("split", "method", "gamma", "alpha", "loss", "chosen")


class KernelChoice(NamedTuple):
    """Result of cross validation for one method."""

    #: Those of the smallest loss.
    gamma: float
    alpha: float
    #: Of shape (n_gammas, n_alphas). Sum over the sizes of the code of the Hamming loss on held-out rows; infinite
    #: where rounding errors are larger than the penalty.
    losses: FloatArray


def choose_kernel(
    X: Any,
    Y: Any,
    methods: Mapping[str, Mapping[str, Any]],
    gammas: Sequence[float],
    alphas: Sequence[float],
    folds: int = 5,
    seed: int = 0,
    max_rows: int | None = None,
) -> dict[str, KernelChoice]:
    """Choose the width of the Gaussian kernel and the penalty for each of several label coders.

    In every fold a coder is fitted on the training rows, kernel ridge regression is trained on its codes, and the wrong
    labels of the held-out rows are counted at every size 1..n_components (at the full size alone for a coder that does
    not reduce). A coder that looks at the features does so with the same kernel and penalty. The smallest sum wins;
    among equal ones the largest penalty and then the smallest gamma, which is the smoothest regression. Chen and Lin
    (2012), section 4.3, leave the candidates open.

    Distances are computed once. Each gamma and fold costs one reduction of the kernel to tridiagonal form, which serves
    every penalty and method. In addition to the features it needs memory for about two matrices of n_samples by
    n_samples numbers.

    ``methods`` are label coders, as in a study: parameters, and under ``method`` the registry name if that is not the
    label. Candidates are > 0, and there are at least two folds. The seed orders the rows, and draws for coders that
    draw. ``max_rows`` chooses on a random sample of so many rows if there are more. The candidates stay as they are: a
    penalty acts on fewer rows then.

    Raises ConfigurationError if a method is unknown, no label coder, or looks at the features through least squares.
    Raises DataError if a feature is not finite, a label is not 0/1 or -1/1, there are too few rows, ``gammas`` or
    ``alphas`` is empty or holds what is no number > 0, or every penalty is smaller than the rounding errors.
    """
    if not len(gammas) or not len(alphas):
        raise DataError("gammas and alphas must hold one candidate each at least")
    widths = [check_positive(gamma, "gamma") for gamma in gammas]
    penalties = [check_positive(alpha, "alpha") for alpha in alphas]
    if folds < 2:
        raise DataError(f"folds must be at least 2, so that something is held out and something trains; got {folds}")
    if max_rows is not None and max_rows < folds:
        raise DataError(f"max_rows must be at least the number of folds, {folds}; got {max_rows}")
    features = sp.csr_array(X) if is_sparse(X) else np.asarray(X, dtype=np.float64)
    check_finite(features)
    labels = check_labels(Y, features.shape[0])
    order = np.random.default_rng(derive_seed(seed, "kernel-choice")).permutation(len(labels))[:max_rows]
    features, labels = features[order], labels[order]
    distances = squared_distances(features)
    errors = {label: np.zeros((len(widths), len(penalties))) for label in methods}
    sorted_already = np.arange(len(order))
    for number in range(folds):
        fold = _Fold(labels, fold_rows(sorted_already, folds, number), methods, seed, number)
        for i, gamma in enumerate(widths):
            path = fold.path(distances, gamma)
            for j, alpha in enumerate(penalties):
                for label, wrong in fold.errors(path.solve(alpha)).items():
                    errors[label][i, j] += wrong
    return {label: _find_smallest(wrong / labels.size, widths, penalties) for label, wrong in errors.items()}


class _Fold:
    """The part of the work that belongs to one fold: its labels and coders."""

    def __init__(
        self, labels: FloatArray, rows: Split, methods: Mapping[str, Mapping[str, Any]], seed: int, number: int
    ) -> None:
        self._rows = rows
        self._statistics = LabelStatistics.from_labels(labels[rows.train])
        self._centred = labels[rows.train] - self._statistics.mean
        self._truth = labels[rows.test].astype(np.int8)
        self._coders: dict[str, LabelCoder] = {}
        for label, entry in methods.items():
            coder = make_coder(label, entry, seed, "kernel-choice", number)
            if not coder.kernelised and (coder.feature_aware or not coder.shares_statistics):
                raise ConfigurationError(
                    f"{label!r} has no kernel to choose: it looks at the features through least squares, or its codes "
                    "are no linear map of the labels; a kernel is chosen for kernel-cplst, kernel-occa and linear "
                    "codes of the labels alone"
                )
            linear = has_shortcut(coder, "linear", "encode", "training_codes")
            if not (linear and has_shortcut(coder, "fit_statistics", "fit")):
                raise ConfigurationError(
                    f"{label!r} overrides fit or encode, and a kernel is chosen by statistics and codes that its class "
                    "shares with the others"
                )
            self._coders[label] = coder if coder.kernelised else coder.fit_statistics(self._statistics)

    def path(self, distances: FloatArray, gamma: float) -> KernelRidgePath:
        """Return the regression of the fold's centred labels for a width and all penalties."""
        train, test = self._rows.train, self._rows.test
        kernel, crossed = (
            gaussian_kernel(distances[np.ix_(train, rows)], gamma, overwrite=True) for rows in (train, test)
        )
        return KernelRidgePath(kernel, self._centred, crossed)

    def errors(self, step: PathStep | None) -> dict[str, float]:
        """Return the number of wrong labels of each method, over all sizes."""
        if step is None:
            return dict.fromkeys(self._coders, np.inf)
        explained = self._statistics.with_centred(self._statistics.gram - step.residual_gram)
        counted: dict[str, float] = {}
        for label, coder in self._coders.items():
            if coder.kernelised:
                coder.fit_statistics(explained)
            # The prediction of the codes is the code of the prediction: the regression is linear in its targets.
            if has_shortcut(coder, "linear", "project"):
                codes = step.predictions @ coder.components_.T
            else:
                codes = coder.project(step.predictions + self._statistics.mean)
            counted[label] = _wrong_labels(coder, codes, self._truth)
        return counted


def _wrong_labels(coder: LabelCoder, codes: FloatArray, truth: NDArray[np.int8]) -> float:
    """Count the wrong labels that codes decode to, over all sizes that the coder has."""
    if not coder.reduces:
        return float(np.count_nonzero(coder.decode(codes) != truth))
    cls = type(coder)
    plain = not coder.decodes_itself
    if plain and all(
        getattr(cls, name) is getattr(LabelCoder, name) for name in ("scores", "round", "reconstruct_sizes")
    ):
        coordinates, basis = coder._coordinates(codes)
        counted = errors_by_size(*map(np.ascontiguousarray, (coordinates, basis)), coder.mean_, 0.5 + TIE, truth)
        return float(counted.sum())
    sizes = range(1, codes.shape[1] + 1)
    if coder.decodes_itself:
        return float(sum(np.count_nonzero(coder.decode(codes[:, :size]) != truth) for size in sizes))
    guesses = zip(sizes, coder.reconstruct_sizes(codes, sizes), strict=True)
    return float(sum(np.count_nonzero(coder.round(guess, size) != truth) for size, guess in guesses))


def _find_smallest(losses: FloatArray, gammas: Sequence[float], alphas: Sequence[float]) -> KernelChoice:
    least = losses.min()
    if not np.isfinite(least):
        raise DataError(
            f"every penalty of {min(alphas):g} to {max(alphas):g} is smaller than the rounding errors of the kernels; "
            "larger ones are needed"
        )
    # Numbers of wrong labels over one number: equal ones are equal to the last bit.
    alpha, gamma = max((alphas[j], -gammas[i]) for i, j in np.argwhere(losses == least))
    return KernelChoice(-gamma, alpha, losses)


def choose_on_splits(
    data: MultiLabelData,
    splits: Mapping[int, Split],
    methods: Mapping[str, Mapping[str, Any]],
    candidates: Mapping[str, Any],
    seed: int,
    failures: Failures = RAISE,
) -> pd.DataFrame:
    """Choose on the training part of every split.

    Returns `CHOICE_COLUMNS`: the loss of every pair, and which one was chosen. ``candidates`` has ``gammas``,
    ``alphas`` and ``folds``, as for `choose_kernel`. The seed is that of the study, from which those of splits are
    derived. ``failures`` takes what a method, or the regression, raises.
    """
    check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
    rows: list[tuple[Any, ...]] = []
    for number, split in splits.items():
        derived_seed = derive_seed(seed, data.name, number)
        choose = partial(_choose, data, split, methods, candidates, derived_seed)
        for method, choice in sorted(failures.attempt_all(number, list(methods), choose).items()):
            for (i, j), loss in np.ndenumerate(choice.losses):
                gamma, alpha = candidates["gammas"][i], candidates["alphas"][j]
                rows.append((number, method, gamma, alpha, loss, (gamma, alpha) == (choice.gamma, choice.alpha)))
    return as_table(rows, CHOICE_COLUMNS)


def _choose(
    data: MultiLabelData,
    split: Split,
    methods: Mapping[str, Mapping[str, Any]],
    candidates: Mapping[str, Any],
    seed: int,
    labels: Sequence[str],
) -> dict[str, KernelChoice]:
    entries = {label: methods[label] for label in labels}
    X = imputed(data, split.train).X
    return choose_kernel(X[split.train], data.Y[split.train], entries, **candidates, seed=seed)


def chosen_parameters(
    choices: pd.DataFrame, splits: Iterable[int], once: bool
) -> dict[tuple[str, str], dict[str, float]]:
    """Return the parameters that `choose_on_splits` chose by (split number as text, method), as strategies take them.

    With ``once`` the choice of the first split in the table holds for all splits.
    """
    best = choices[choices["chosen"]]
    first = best["split"].min() if once else None
    return {
        (str(number), row["method"]): {"gamma": row["gamma"], "alpha": row["alpha"]}
        for number in splits
        for row in best[best["split"] == (number if first is None else first)].to_dict("records")
    }
