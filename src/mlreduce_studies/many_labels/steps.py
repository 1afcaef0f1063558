"""What the rules of workflow/rules/many_labels.smk do, a function each."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mlreduce.files import replacing
from mlreduce_studies.many_labels import store
from mlreduce_studies.many_labels.data import Data, prepare
from mlreduce_studies.many_labels.models import Piece, compile_trees, fit_piece, join
from mlreduce_studies.many_labels.reduction import Reduced, reduce
from mlreduce_studies.many_labels.settings import ALL, Settings

#: What is measured of the first labels, by the columns of the results.
MEASURES = {
    f"{column}@{k}": f"{name}-at-{k}"
    for column, name in {"P": "precision", "nDCG": "ndcg", "PSP": "psp"}.items()
    for k in (1, 3, 5)
}
MEGABYTE = 1e6
# Of the test rows, from which the standard error of P@5 follows.
BLOCKS = 20


def prepare_data(_: Sequence[str], output: str, settings: Settings, data: str, folder: str | None = None) -> None:
    """Write the rows of a data set."""
    store.write(output, prepare(settings.entry(data), data, folder))


def reduce_features(sources: Sequence[str], output: str, settings: Settings, data: str, reducer: str) -> None:
    """Write the features that a reducer makes."""
    (rows,) = store.read(sources[0], Data)
    store.write(output, reduce(rows, reducer, settings.entry(data)["limits"]))


def fit_pieces(
    sources: Sequence[str],
    output: str,
    settings: Settings,
    data: str,
    reducer: str,
    model: str,
    job: str,
    peers: str | None = None,
) -> None:
    """Write a piece of a model, or all."""
    (rows,), (reduced,) = store.read(sources[0], Data), store.read(sources[1], Reduced)
    entry, common = settings.models(data, reducer)[model], {**settings.entry(data), "peers": peers}
    numbers = range(entry["pieces"]) if job == ALL else [int(job)]
    compile_trees(entry["kind"])
    pieces = [piece for number in numbers for piece in fit_piece(rows, reduced, model, number, entry, common)]
    store.write(output, *pieces)


def measure_rows(sources: Sequence[str], output: str, settings: Settings, data: str, reducer: str, model: str) -> None:
    """Write a row of results for each setting of a model, of which the pieces are joined."""
    (rows,), (reduced,) = store.read(sources[0], Data), store.read(sources[1], Reduced)
    by_setting = defaultdict(list)
    for piece in itertools.chain.from_iterable(store.read(path, Piece) for path in sources[2:]):
        by_setting[piece.setting].append(piece)
    kind, entry = settings.models(data, reducer)[model]["kind"], settings.entry(data)
    joined = [join(pieces, kind) for pieces in by_setting.values()]
    named = {"data": data, "reducer": reducer}
    _write(pd.DataFrame([{**named, **measure(rows, reduced, whole, entry)} for whole in joined]), output)


def measure(data: Data, reduced: Reduced, model: Piece, entry: dict[str, Any]) -> dict[str, Any]:
    """Return a row of results: costs, measures of the test rows, and under ``valid`` P@5 of the validation rows."""
    from mlreduce.metrics import evaluate, propensities

    row: dict[str, Any] = {
        "model": model.model,
        "setting": model.setting,
        "reduce": reduced.seconds,
        "fit": model.fit,
        "predict": reduced.predict + model.predict,
        "megabytes": max(reduced.peak, model.peak) / MEGABYTE,
        "size": (reduced.size + model.size) / MEGABYTE,
        "reason": model.reason,
    }
    if model.reason:
        return row
    first, second = data.starts
    scores = model.scores
    scores = sp.csr_array(
        (scores.data, data.present[scores.indices], scores.indptr), (len(scores.indptr) - 1, data.Y.shape[1])
    )
    Y: Any = data.Y
    given: dict[str, Any] = {"propensity": propensities(Y[:first], **entry.get("propensity", {}))}
    row["valid"] = evaluate("precision-at-5", data.Y[first:second], scores[: second - first])
    row["per_row"] = 1000 * row["predict"] / scores.shape[0]
    true, best = data.Y[second:], scores[second - first :]
    row |= {column: evaluate(name, true, best, **(given if "psp" in name else {})) for column, name in MEASURES.items()}
    blocks = np.array_split(np.arange(true.shape[0]), BLOCKS)
    means = [evaluate("precision-at-5", true[rows], best[rows]) for rows in blocks]
    return row | {"error": np.std(means, ddof=1) / np.sqrt(BLOCKS)}


def gather(sources: Sequence[str], output: str) -> None:
    """Write the rows of all jobs as one table."""
    _write(pd.concat([pd.read_csv(path) for path in sources], ignore_index=True), output)


def _write(table: pd.DataFrame, output: str) -> None:
    with replacing(output) as path:
        table.to_csv(path, index=False, float_format="%.5g")
