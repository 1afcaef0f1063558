"""Tables of approximated dependencies: their errors, what is approximated, and the weights that come of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from mlreduce_studies.options import APPROXIMATIONS
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part, counted, number

#: Columns of a table of numbers of weights.
WEIGHT_COLUMNS = ("protocol", "dataset", "method", "features", "positive", "splits")


def error_parts(errors: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay errors out: one part per data set, one row per approximation, one column per share of sampled features."""
    for dataset, part in errors.groupby("dataset", sort=True):
        cells = part.pivot(index="method", columns="size_percent", values="mean")
        rows = [
            [name, *(number(error, ".4g") for error in cells.loc[name])]
            for name in spec["methods"]
            if name in cells.index
        ]
        title = f"{dataset}, {counted(part['splits'].max(), 'samples')}"
        yield str(dataset), title, ["approximation", *(f"{percent} %" for percent in cells.columns)], rows


@table(
    "errors",
    source="approximation.csv",
    layout=error_parts,
    required={"methods": APPROXIMATIONS},
    note="Squared Frobenius norm of the error, mean over the samples, by the share of features that is sampled.",
)
def error_table(errors: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Select the approximations of a table of errors."""
    return errors[errors["method"].isin(spec["methods"])].reset_index(drop=True)


def dependency_parts(described: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay `mlreduce_studies.experiments.approximation.DEPENDENCY_COLUMNS` out: one row per data set and bins."""
    rows = []
    for cell in described.to_dict("records"):
        entropy, other = cell["mean_entropy"], cell["mean_dependency"]
        rows.append(
            [
                *(str(cell["dataset"]), str(cell["discretise"]), f"{cell['n_bins']}", f"{cell['features']}"),
                *(f"{cell['smallest_eigenvalue']:.2g}", f"{cell['negative_eigenvalues']}"),
                *(f"{entropy:.3g}", f"{other:.3g}", f"{entropy / other:.3g}" if other > 0 else ""),
            ]
        )
    header = ["dataset", "bins", "number", "features", "smallest eigenvalue", "negative", "entropy", "other", "ratio"]
    yield "dependencies", "all rows of each data set", header, rows


@table(
    "dependencies",
    source="dependencies.csv",
    layout=dependency_parts,
    names=2,
    note="The mutual information of all features: the smallest eigenvalue, how many are negative beyond rounding, the "
    "mean entropy (the diagonal) and the mean of the other entries in nats, and their ratio.",
)
def dependency_table(described: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return the descriptions as they are."""
    return described


def weight_parts(numbers: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay numbers of weights out: one part per protocol, one row per data set, one column per method."""
    for protocol, part in numbers.groupby("protocol", sort=True):
        cells = part.pivot(index="dataset", columns="method", values="positive")
        methods = [method for method in spec["methods"] if method in cells.columns]
        features = part.groupby("dataset")["features"].max()
        rows = [
            [str(name), f"{features[name]:.1f}", *(number(positive, ".1f") for positive in cells.loc[name, methods])]
            for name in cells.index
        ]
        yield str(protocol), str(protocol), ["dataset", "features", *methods], rows


@table(
    "weights",
    source="rankings.parquet",
    layout=weight_parts,
    note="Mean number of features with a weight above 0, over the splits and the draws of a method.",
)
def weight_table(rankings: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return how many features have a positive score, in the mean over splits and draws.

    Rankings have the columns protocol, dataset, method, split and score; a draw that failed is left out. Of the
    ``methods`` one that draws is there as name-0, name-1 and so on. Returns `WEIGHT_COLUMNS`, sorted; ``splits`` counts
    the fits.
    """
    rows = []
    known = rankings.dropna(subset="score")
    for method in spec["methods"]:
        draws = known[known["method"].str.fullmatch(rf"{re.escape(method)}(-\d+)?")]
        fits = draws.assign(positive=draws["score"] > 0).groupby(
            ["protocol", "dataset", "method", "split"], observed=True
        )
        counts = fits["positive"].agg(positive="sum", features="size").reset_index()
        cells = counts.groupby(["protocol", "dataset"], observed=True)
        rows.append(
            cells.agg(features=("features", "mean"), positive=("positive", "mean"), splits=("split", "size"))
            .reset_index()
            .assign(method=method)
        )
    return pd.concat(rows)[list(WEIGHT_COLUMNS)].sort_values(list(WEIGHT_COLUMNS[:3]), ignore_index=True)
