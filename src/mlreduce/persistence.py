"""Types of which fitted models consist, for skops, which loads those that are trusted."""

from __future__ import annotations

import inspect

import mlreduce

__all__ = ["trusted_types"]

# What estimators hold other than arrays and estimators.
_PARTS = (
    "mlreduce.linalg.distances.TrainingRows",
    "mlreduce.predictors._tree_models.Tree",
    "mlreduce.predictors.decision.Decision",
    "mlreduce.predictors._set_trees.Forest",
    "mlreduce.predictors.label_powerset._SetModels",
    "mlreduce.predictors.label_tree.LabelTree",
    "mlreduce.predictors.lift._Lines",
    "mlreduce.predictors.ml_knn._Counts",
    "mlreduce.predictors.ml_knn._Rates",
    "mlreduce.predictors.naive_bayes._Gaussians",
    "mlreduce.predictors.neighbours._Tally",
    "mlreduce.predictors.sleec._Cluster",
    "mlreduce.predictors.sleec._Learner",
    "mlreduce.pipeline.Pipeline",
    "scipy.sparse._csr.csr_array",
)


def trusted_types() -> list[str]:
    """Return the types of all fitted estimators of this package, for ``skops.io.load(file, trusted=...)``.

    Returns
    -------
    list of str
        Import paths. Estimators of other packages inside those of this one have types of theirs.

    Examples
    --------
    >>> from mlreduce.persistence import trusted_types
    >>> "mlreduce.projection.mvmd.MVMD" in trusted_types()
    True
    """
    public = [getattr(mlreduce, name) for name in dir(mlreduce)]
    estimators = {
        f"{one.__module__}.{one.__qualname__}" for one in public if inspect.isclass(one) and hasattr(one, "fit")
    }
    return sorted({*estimators, *_PARTS})
