"""Which methods suit a data set, by its shape, a budget of time, and the committed studies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin

from mlreduce import registry
from mlreduce.complexity import Sizes
from mlreduce.datasets.data import IMPUTATIONS, MultiLabelData
from mlreduce.exceptions import ConfigurationError, DataError, unknown_name
from mlreduce.methods.calibration import machine_factor
from mlreduce.methods.evidence import (
    Estimate,
    Neighbour,
    Ranking,
    Wanted,
    compared_by,
    complexities,
    estimated,
    foremost,
    nearest_sets,
    rankings_of,
    studies_with_predictor,
)
from mlreduce.methods.facts import Facts, facts_of
from mlreduce.methods.shapes import Shape, shape_of
from mlreduce.validation import MEMORY_SHARE, machine_memory

if TYPE_CHECKING:
    import pandas as pd

#: Methods of a family that are printed.
_PRINTED = 6
#: Data sets that are named.
NEAREST = 3
#: Beyond this factor in instances, features or labels a data set of the studies is little evidence for another.
FAR = 3.0
#: As many labels, and more, are what label trees are for.
MANY = 300
#: Seconds are right to the first of these factors, and to the second where iterations depend on the data or the costs
#: are those of other methods of the family: nine of ten fits to other shapes than these are from (docs/scale.md).
SPREAD, WIDE_SPREAD = 4.0, 30.0
#: What the numbers are worth, printed under every table.
CAUTION = """\
near: in the benchmark or committed study, with the predictor and by the measure that are named above a list, the
probability of being within 0.01 of the best method of its comparison, what reduces nothing and other controls included;
least: the lower end of its 95 % interval. Both are of other data sets, with more weight for similar ones where that was
better advice on sets left out; families are not compared with each other, and methods without a number were not in the
comparison of their family. Methods have their defaults, but where the reason says that parameters were tuned. Seconds
are estimates for one thread of this machine, whose speed is measured in a fraction of a second. Nine of ten fits take
less than what most says: four times as much, or thirty times where iterations depend on the data or costs are those of
others, as the reason then notes. Compare the first few with what reduces nothing on your data: mlreduce.compare."""


@dataclass(frozen=True)
class Recommendation:
    """Methods with the reasons for and against them; printed as a table of the first that fit.

    Attributes
    ----------
    table : DataFrame
        A row per method, indexed by name: whether it ``fits``; its ``family``; estimated ``seconds`` of a fit,
        ``seconds_most``, which nine of ten do not exceed, and ``gigabytes`` (NaN where unknown); ``near``, the
        probability that it is within 0.01 of the best in the comparison that is largest for its family, ``least``, the
        lower end of its 95 % interval, ``nearby``, the same on
        the three ``nearest`` data sets there, and ``rank``, its average rank (NaN where it was not in it), and
        ``data_sets``, on how many; ``searched``, whether its parameters were tuned there, so that these numbers are not
        those of its defaults; the ``comparison``: its study, measure and predictor; the ``reason``. By family,
        what fits first, those of the largest ``near`` first, controls in their place.
    unreduced : DataFrame
        Methods that reduce nothing and are of another family than the comparison, such as all features among
        projections: rows like those of ``table``, with the family that they are printed in.
    sizes : Sizes
        Of the data.
    nearest : DataFrame
        The data sets of these comparisons that are most like the data: ``study``, ``dataset``, ``instances``,
        ``features``, ``labels``, and ``factor``, the largest of the three ratios to the data. Similar are data sets of
        the same order of magnitude in these and in the share of values that are not zero.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> table = mlreduce.recommend(data.X, data.Y, goal="projection").table
    >>> table.loc["fda", "reason"]
    'takes one label per instance; the mesd method of this name takes several'
    """

    table: pd.DataFrame
    unreduced: pd.DataFrame
    sizes: Sizes
    nearest: pd.DataFrame

    def __str__(self) -> str:
        """Return the first methods that fit, by family, the others by reason, and a caution."""
        fit, others = self.table[self.table["fits"]], self.table[~self.table["fits"]]
        sizes = f"{self.sizes.n} instances, {self.sizes.d} features, {self.sizes.q} labels"
        lines = [f"{len(fit)} of {len(self.table)} methods fit {sizes}"]
        for family, rows in fit.groupby("family", sort=False):
            both = self._with_unreduced(rows)
            shown = both.head(_PRINTED).rename(columns={"seconds_most": "most"})
            texts = {
                key: [f"{value:{form}}" for value in shown[key]]
                for keys, form in ((("seconds", "most", "gigabytes"), ".2g"), (("near", "least"), ".2f"))
                for key in keys
            }
            more = f" ({len(rows)}, in .table)" if len(both) > len(shown) else ""
            by = next((f", ranked by {name}" for name in rows["comparison"] if name), "")
            lines += ["", f"{family}{more}{by}"]
            columns = [["", *map(str, shown.index)], *([key, *texts[key]] for key in texts)]
            widths = [max(map(len, column)) for column in columns]
            for name, *cells, text in zip(*columns, ["reason", *map(str, shown["reason"])], strict=True):
                numbers = (f"{cell.replace('nan', ''):>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
                lines.append(f"{name:<{widths[0]}}  {'  '.join(numbers)}  {text}")
        if len(others):
            lines.append("")
        for reason, rows in others.groupby("reason", sort=False):
            lines.append(f"not {', '.join(map(str, rows.index))}: " + str(reason))
        return "\n".join([*lines, "", *self._likeness(), CAUTION])

    def _likeness(self) -> Iterator[str]:
        """Yield what many labels call for, the data sets of the comparisons most like the data, and whether none is."""
        if self.sizes.q >= MANY and "label-tree" in self.table.index and self.table.loc["label-tree", "fits"]:
            tree, ridge = (float(self.table["seconds"][name]) for name in ("label-tree", "ridge"))
            yield (
                f"{self.sizes.q} labels are many: label-tree is made for as many, and takes {tree:.2g} s, ridge "
                f"{ridge:.2g} s"
            )
        same: dict[tuple[str, ...], list[str]] = {}
        for study, sets in self.nearest.groupby("study", sort=False):
            same.setdefault((*sets["dataset"],), []).append(str(study))
        for studies in same.values():
            sets = self.nearest[self.nearest["study"] == studies[0]]
            named = ", ".join(
                f"{row['dataset']} ({row['instances']} x {row['features']}, {row['labels']} labels)"
                for row in sets.to_dict("records")
            )
            yield f"nearest data sets of {', '.join(studies)}: {named}"
            if sets["factor"].min() > FAR:
                yield (
                    f"none of them is within a factor of {FAR:g} in instances, features and labels: what ranks first "
                    f"there need not here. {self._farthest(sets.iloc[0])}"
                )

    def _farthest(self, nearest: Any) -> str:
        """Return in what a data set differs most from the data."""
        pairs = {"instances": self.sizes.n, "features": self.sizes.d, "labels": self.sizes.q or nearest["labels"]}
        ratios = {name: nearest[name] / size for name, size in pairs.items()}
        name = max(ratios, key=lambda one: abs(np.log(ratios[one])))
        return f"{nearest['dataset']} has {ratios[name]:.2g} times as many {name}"

    def _with_unreduced(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows of a family with those of the methods that reduce nothing, in order."""
        import pandas as pd  # slow to import

        unreduced = self.unreduced[self.unreduced["fits"] & self.unreduced["family"].isin(rows["family"])]
        both = pd.concat([part for part in (unreduced, rows) if len(part)])
        keys = ["fits", "near"]
        return both.sort_values(keys, ascending=False, kind="stable", na_position="last")

    def _repr_html_(self) -> str:
        """Return the full table for notebooks, with the methods that reduce nothing in each family."""
        import pandas as pd  # slow to import

        families = [self._with_unreduced(rows) for _, rows in self.table.groupby("family", sort=False)]
        return f"{pd.concat(families).to_html()}<p>{CAUTION}</p>"


def recommend(
    X: Any,
    y: Any = None,
    *,
    goal: str | None = None,
    predictor: str | None = None,
    measure: str | None = None,
    tuned: bool = False,
    time_budget: float | None = None,
    impute: str | None = None,
) -> Recommendation:
    """Recommend methods for a data set: those that fit its shape, memory and a budget of time, the best ranked first.

    Nothing is fitted. Costs are estimated from the operations that each method declares, measured fits and the speed of
    this machine, for 100 directions at most; ranks are those of the benchmark, or of a committed study, on other data.

    Parameters
    ----------
    X : MultiLabelData, array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        Features; or a data set, with its labels.
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,), or None, default=None
        Labels in {0, 1} or {-1, 1}, NaN where unknown; or a class per instance. None if there are none.
    goal : {"projection", "embedding", "propagation", "labelspace", "selection", "predictors"} or None, default=None
        A family of methods; None for all of them.
    predictor : {"ridge", "ml-knn"} or None, default=None
        What is to predict the labels from what a method returns: ridge regression, its penalty by exact
        leave-one-out, or ML-kNN, its number of neighbours chosen (of codes, which are numbers, the mean of the nearest
        neighbours). None is ridge regression where methods were compared with it.
    measure : {"average-precision", "micro-f1"} or None, default=None
        What is to be large. None is average precision where methods were compared by it.
    tuned : bool, default=False
        Whether parameters are to be tuned (twenty candidates for the predictor and the measure), not left at their
        defaults. Where no tuned methods were compared, ranks are those of defaults.
    time_budget : float or None, default=None
        Seconds that a fit may take, > 0; None is no limit.
    impute : {"mean", "median", "most-frequent"} or None, default=None
        That missing values of the features (NaN) will be filled, as `mlreduce.compare` does; None refuses them, unless
        a data set declares how.

    Returns
    -------
    Recommendation
        Print it, or take its ``table``.

    Raises
    ------
    DataError
        If X is no table of finite numbers, labels are not as above or of other instances, or ``time_budget`` is not
        above 0.
    ConfigurationError
        If there is no such goal, predictor or measure; the message names the nearest one.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> table = mlreduce.recommend(data.X, goal="projection").table  # without labels
    >>> sorted(table[table["fits"]].index)
    ['lpp', 'lsi', 'npp', 'olpp', 'onpp', 'pca', 'random-projection']
    """
    if goal is not None and goal not in registry.FAMILIES:
        raise ConfigurationError(unknown_name("goal", goal, registry.FAMILIES))
    for kind, name, known in zip(("predictor", "measure"), (predictor, measure), compared_by(), strict=True):
        if name is not None and name not in known:
            raise ConfigurationError(unknown_name(kind, name, known))
    if time_budget is not None and not (isinstance(time_budget, (int, float)) and time_budget > 0):
        raise DataError(f"time_budget must be a number of seconds above 0, or None; got {time_budget!r}")
    if isinstance(X, MultiLabelData):
        if y is not None:
            raise DataError("a data set has its labels with it: leave y out, and name goal=, time_budget=")
        X, y, impute = X.X, X.Y, impute or X.impute
    if impute not in (None, *IMPUTATIONS):
        raise DataError(unknown_name("imputation", impute, IMPUTATIONS))
    shape = shape_of(X, y, missing=impute is not None)
    wanted = Wanted(predictor, measure, tuned, shape.unknown in ("rows", "cells"))
    rows = [_row(name, shape, time_budget, wanted) for name in registry.method_names(goal)]
    unreduced = [
        _row(name, shape, time_budget, wanted, family)
        for family in ([goal] if goal else registry.FAMILIES)
        for name in _unreduced(family, wanted)
    ]
    return Recommendation(_ordered(rows), _ordered(unreduced), shape.sizes, _nearest(rows, shape, wanted))


def _unreduced(family: str, wanted: Wanted) -> list[str]:
    """Return the methods of other families that reduce nothing, in the comparison of a family."""
    from mlreduce.stats.ranking import WHOLE  # with pandas, slow to import

    compared = foremost(family, wanted)
    return [one.method for one in compared if one.method in WHOLE and one.family != family]


def _row(name: str, shape: Shape, budget: float | None, wanted: Wanted, family: str | None = None) -> dict[str, Any]:
    """Return the row of a method, ranked in its family or in the given one."""
    facts, estimate = facts_of(name), estimated(name, shape.sizes, shape.sparse)
    if estimate is not None:
        estimate = estimate._replace(seconds=estimate.seconds * machine_factor())
    family = family or facts.family
    place, main = next(
        ((place, one) for place, one in enumerate(foremost(family, wanted, shape.traits)) if one.method == name),
        (np.inf, None),
    )
    against = next(_against(facts, shape, estimate, budget), None)
    return {
        "name": name,
        "fits": against is None,
        "family": family,
        "seconds": np.nan if estimate is None else estimate.seconds,
        "seconds_most": np.nan if estimate is None else _spread(name, estimate) * estimate.seconds,
        "gigabytes": np.nan if estimate is None else estimate.gigabytes,
        "near": np.nan if main is None else main.near,
        "least": np.nan if main is None else main.low,
        "nearby": np.nan if main is None else main.nearby(one.name for one in _nearest_of(main, shape)),
        "rank": np.nan if main is None else main.rank,
        "data_sets": 0 if main is None else main.data_sets,
        "searched": main is not None and main.searched,
        "comparison": "" if main is None else main.comparison,
        "reason": against or _for(facts, main, rankings_of(name, wanted.partly), estimate),
        "chance": main is None and facts.control,
        "order": place,
    }


def reason_against(name: str, shape: Shape) -> str | None:
    """Return why a method does not fit data of a shape; None where it fits."""
    return next(_against(facts_of(name), shape, estimated(name, shape.sizes, shape.sparse), None), None)


def _spread(name: str, estimate: Estimate) -> float:
    """Return the factor by which seconds exceed an estimate at most, in nine of ten fits."""
    return WIDE_SPREAD if _iterates(name) or not estimate.measured else SPREAD


def _iterates(name: str) -> bool:
    return "max_iter" in getattr(registry.method_class(name), "_get_param_names", list)()


def _nearest(rows: list[dict[str, Any]], shape: Shape, wanted: Wanted) -> pd.DataFrame:
    """Return the data sets most like the data in the comparisons of the families that have methods which fit."""
    import pandas as pd  # slow to import

    families = dict.fromkeys(row["family"] for row in rows if row["fits"])
    compared = {one.study: one for family in families for one in foremost(family, wanted)[:1]}
    nearest = [
        (study, one.name, one.instances, one.features, one.labels, round(one.factor, 2))
        for study, ranking in compared.items()
        for one in _nearest_of(ranking, shape)
    ]
    return pd.DataFrame(nearest, columns=["study", "dataset", "instances", "features", "labels", "factor"])


def _nearest_of(ranking: Ranking, shape: Shape) -> list[Neighbour]:
    return nearest_sets(ranking.study, shape.traits, {one.name for one in ranking.by_set})[:NEAREST]


def _against(facts: Facts, shape: Shape, estimate: Estimate | None, budget: float | None) -> Iterator[str]:
    """Yield why a method does not fit, the plainest reason first."""
    yield from _labels_against(facts, shape)
    if shape.sizes.n < facts.least_instances:
        yield f"needs {facts.least_instances} instances at least"
    if shape.negative and not facts.negative:
        yield "takes no negative features; sklearn.preprocessing.MinMaxScaler scales them to [0, 1]"
    if shape.second_set < facts.least_second_set:
        yield f"needs two label sets of {facts.least_second_set} instances each; a smaller min_count takes rarer ones"
    if shape.sparse and facts.sparse == "no":
        yield "takes no sparse features"
    for part in complexities(facts.name):
        if part.most is not None and shape.sizes.m > part.most and not part.iterates(shape.sizes, shape.sparse):
            yield f"needs dense matrices, for {part.most} instances or features at most; reduce them by PCA first"
    memory = machine_memory()
    if estimate is not None and memory is not None and 1e9 * estimate.gigabytes > MEMORY_SHARE * memory:
        yield f"needs more memory than this machine has ({memory / 1e9:.2g} GB)"
    if estimate is not None and budget is not None and estimate.seconds > budget:
        yield f"takes more than {budget:g} seconds"


def _labels_against(facts: Facts, shape: Shape) -> Iterator[str]:
    if facts.family == "propagation" and shape.unknown == "no":
        yield "predicts labels where they are unknown (NaN), and all are known"
    if not facts.needs_labels:
        return
    if shape.unknown == "all":
        yield "needs labels"
    elif shape.unknown != "no" and facts.unknown_labels == "no":
        yield "needs all labels, and some are unknown (NaN)"
    elif shape.unknown == "cells" and facts.unknown_labels == "rows":
        yield "takes instances without labels, but none of which only some are known"
    if facts.single_label and not shape.single_label:
        yield "takes one label per instance; the mesd method of this name takes several"
    if shape.classes and issubclass(registry.method_class(facts.name), RegressorMixin):
        yield "predicts numbers, and the labels are classes: ThresholdClassifier makes a classifier of it"
    if shape.sizes.q < facts.least_labels and not (facts.single_label or shape.vector):
        yield f"needs {facts.least_labels} labels at least"
    if facts.family == "labelspace" and shape.sizes.q == 1:
        yield "codes several labels, and there is one"


def _for(facts: Facts, main: Ranking | None, others: list[Ranking], estimate: Estimate | None) -> str:
    """Return what speaks for a method that fits."""
    from mlreduce.stats.ranking import CONTROLS  # with pandas, slow to import

    if main is not None:
        parts = [main.text]
    elif others:
        parts = [f"not in the comparison of its family; {others[0]}"]
    else:
        parts = [_as_predictor(facts.name) or "in no study"]
    if facts.name in CONTROLS:
        parts.insert(0, "a control, to compare with")
    if not facts.out_of_sample:
        parts.append("for the training instances only")
    if _iterates(facts.name):
        parts.append("iterations depend on the data")
    if estimate is not None and not estimate.measured:
        parts.append("cost from others of its family")
    return "; ".join(parts)


def _as_predictor(name: str) -> str:
    studies = studies_with_predictor(name)
    return f"a predictor in {', '.join(studies)}; predictors are not compared there" if studies else ""


def _ordered(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the table: by family, what fits first, then as in the comparison; of the others controls last."""
    import pandas as pd  # slow to import

    if not rows:
        return pd.DataFrame({"family": [], "fits": pd.Series(dtype=bool)})
    table = pd.DataFrame(rows).set_index("name")
    families = {family: place for place, family in enumerate(registry.FAMILIES)}
    table["place"] = table["family"].map(lambda family: families.get(family, len(families)))
    keys = {"place": True, "fits": False, "chance": True, "order": True, "seconds": True}
    table = table.sort_values(list(keys), ascending=list(keys.values()), kind="stable", na_position="last")
    return table.drop(columns=["chance", "order", "place"])
