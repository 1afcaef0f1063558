"""The order that a paper prints: which method is the best on a data set and at a size, and whether ours is the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.stats.margins import DECIDED
from mlreduce.stats.posterior import posterior
from mlreduce_studies.verdicts.quantities import Results, sign_of

__all__ = ["COUNT_COLUMNS", "MARKS", "ORDER_COLUMNS", "ORDER_VERDICTS", "audit_order", "order_counts"]

#: What tells the best in print: the best number, with all that equal it; or bold type, where the paper says so.
MARKS = {"best": "the best number and all that equal it", "bold": "within one standard error of the best number"}

#: Verdicts: our best is one that is printed as best, or one that is not, and better than each method on the other side;
#: neither is; all are printed as best; or a side is not run.
ORDER_VERDICTS = ("same best", "other best", "undecided", "all tie", "not run")

# Seconds have no protocol, and no test rows whose share would correct for overlapping training sets.
_TIMES, _INDEPENDENT = "times", 1e-12

#: Columns of the audit of the best, one row per group of printed cells, protocol and mark. Methods that are equal
#: have spaces between them. ``probability`` is that of our best being better than each method on the other side, the
#: smallest of them.
ORDER_COLUMNS = (
    *("table", "protocol", "dataset", "size_percent", "mark", "printed_best", "our_best"),
    *("probability", "splits", "verdict", "note"),
)

#: Columns of its sums; ``same mean`` counts groups in which our best mean is that of a method printed as best.
COUNT_COLUMNS = ("mark", "protocol", "table", "groups", *ORDER_VERDICTS, "same mean")


def audit_order(
    published: pd.DataFrame | None,
    tables: Mapping[str, Mapping[str, Any]],
    results: Results,
    ratios: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Compare the method that is printed as the best with ours.

    The cells of one table, data set and size are a group; where each method of a data set has one size, all of these
    are, so that BR with its code of all labels is compared with the others. Values on the same splits are subtracted;
    the posterior of the correlated t-test says how probable a mean difference above zero is, as for claims.

    ``published`` is from `mlreduce_studies.verdicts.audit.read_published`; None where the paper printed no numbers.
    ``tables`` has, by the name in the paper ("table3"), the ``measure`` and the ``predictor`` of the table. Where the
    paper printed times, ``ratios`` are from `mlreduce_studies.gathering.times.time_ratios`: the fastest of a data set,
    as table and protocol "times" and the size 0. Returns `ORDER_COLUMNS`, sorted; groups of a single method are left
    out.
    """
    shown = []
    if published is not None:
        for name, spec in tables.items():
            printed = published[(published["table"] == name) & published["dataset"].isin(results.datasets["dataset"])]
            shown.append((name, printed, sign_of(spec["measure"]), _values(results.scores, spec)))
    if ratios is not None and results.times is not None:
        printed = ratios.dropna(subset="printed_seconds").rename(columns={"printed_seconds": "printed"})
        printed = printed.assign(size_percent=0, bold_within_se=False)
        shown.append((_TIMES, printed, sign_of("seconds"), _seconds(results.times)))
    rows = []
    for name, printed, sign, values in shown:
        for (dataset, size), group in _groups(printed):
            for protocol in dict.fromkeys(protocol for protocol, *_ in values):
                by_method = {
                    cell["method"]: sign * values[key]
                    for cell in group.to_dict("records")
                    if (key := (protocol, dataset, cell["method"], cell["size_percent"])) in values
                }
                ours = pd.DataFrame(by_method).dropna().round(12)  # what differs by rounding alone is a tie
                share = results.test_share(protocol, dataset) if protocol != _TIMES else _INDEPENDENT
                for mark, best in _marked(group, sign).items():
                    rows.append((name, protocol, dataset, size, mark, *_compared(ours, group, best, share)))
    table = pd.DataFrame(rows, columns=list(ORDER_COLUMNS))
    return table.sort_values(["table", "protocol", "mark", "dataset", "size_percent"], ignore_index=True)


def _values(scores: pd.DataFrame, spec: Mapping[str, Any]) -> dict[Any, pd.Series]:
    """Return what a table shows by protocol, data set, method and size in percent: values by split."""
    rows = scores[(scores["measure"] == spec["measure"]) & (scores["predictor"] == spec["predictor"])]
    rows = rows[(rows["size_percent"] > 0) & (rows["energy"] == 0)]
    cells = rows.groupby(["protocol", "dataset", "method", "size_percent"], observed=True)
    return {key: part.set_index("split")["value"] for key, part in cells}


def _seconds(times: pd.DataFrame) -> dict[Any, pd.Series]:
    """Return the seconds of fits in the same way."""
    fits = times.groupby(["dataset", "method"], observed=True)
    return {(_TIMES, dataset, method, 0): part.set_index("split")["seconds"] for (dataset, method), part in fits}


def _groups(printed: pd.DataFrame) -> Any:
    """Return the cells of a table that the paper compares, by data set and size; at the smallest where each has one."""
    numbers = printed.groupby(["dataset", "method"])["size_percent"].transform("nunique")
    one_each = numbers.groupby(printed["dataset"]).transform("max") == 1
    smallest = printed.groupby("dataset")["size_percent"].transform("min")
    size = printed["size_percent"].mask(one_each, smallest)
    return (found for found in printed.groupby(["dataset", size]) if len(found[1]) > 1)


def _marked(group: pd.DataFrame, sign: int) -> dict[str, list[str]]:
    """Return the methods that are the best in print, by what marks them."""
    values = sign * group["printed"]
    behind = (values.max() - values).round(10)
    best = behind == 0
    marked = {"best": best}
    if group["bold_within_se"].all():
        marked["bold"] = behind <= group.loc[best, "printed_se"].max()
    return {mark: group.loc[chosen, "method"].tolist() for mark, chosen in marked.items()}


def _compared(ours: pd.DataFrame, group: pd.DataFrame, best: list[str], share: float) -> tuple[Any, ...]:
    """Return the columns from ``printed_best`` on; more is better in ``ours``, a row per split."""
    absent = [method for method in group["method"] if method not in ours]
    note = f"not run: {', '.join(absent)}" if absent else ""
    run = [str(name) for name in ours]
    first, others = [name for name in best if name in run], [name for name in run if name not in best]
    if len(best) == len(group) or not first or not others or len(ours) < 2:
        return " ".join(best), "", np.nan, len(ours), "all tie" if len(best) == len(group) else "not run", note
    means = ours.mean().round(12)
    our_best = [name for name in run if means[name] == means.max()]
    against, word = (others, "same best") if our_best[0] in first else (first, "other best")
    probability = min(
        posterior((ours[our_best[0]] - ours[name]).to_numpy(), share).regions(0.0).above for name in against
    )
    verdict = word if probability >= DECIDED else "undecided"
    return " ".join(best), " ".join(our_best), probability, len(ours), verdict, note


def order_counts(order: pd.DataFrame) -> pd.DataFrame:
    """Return how many groups of a table have which verdict, with `COUNT_COLUMNS`."""
    rows = []
    for key, part in order.groupby(["mark", "protocol", "table"], sort=True):
        verdicts = (int((part["verdict"] == word).sum()) for word in ORDER_VERDICTS)
        judged = part[part["verdict"].isin(ORDER_VERDICTS[:3])]
        pairs = zip(judged["our_best"], judged["printed_best"], strict=True)
        same = sum(set(ours.split()) <= set(best.split()) for ours, best in pairs)
        rows.append((*key, len(part), *verdicts, same))
    return pd.DataFrame(rows, columns=list(COUNT_COLUMNS))
