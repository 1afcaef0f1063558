"""Stored results of an entry: its scores as Parquet, and a file that describes the run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError, from_extra
from mlreduce.files import file_sha256, replacing, write_text
from mlreduce_studies.benchmark.pieces import PIECE_COLUMNS
from mlreduce_studies.leaderboard.entry import SETS, Entry
from mlreduce_studies.leaderboard.run import Outcome, digest_of_study

with from_extra("workflow", "tables of a study"):
    import pyarrow as pa
    import pyarrow.parquet as pq

#: Folder of what is kept, in the project.
RESULTS = "results/leaderboard"

_ABOUT, _SCORES = "entry.json", "scores.parquet"
_COLUMNS = ("dataset", *PIECE_COLUMNS)
# What a value belongs to, and how far a new one may be from it.
_CELL = ("dataset", "method", "fold", "percent", "number", "size", "predictor", "measure")
_TOLERANCE = 1e-9

_TEXTS = ("dataset", "method", "predictor", "measure", "status")


@dataclass(frozen=True)
class KeptEntry:
    """Stored results of an entry."""

    name: str
    #: ``entry`` and ``study``, digests of the entry and the study file; ``sets``, ``seed`` of the checks, ``failed``,
    #: ``versions``, ``minutes``, and ``scores``, the SHA-256 of the scores.
    about: Mapping[str, Any]
    #: Empty where it failed.
    scores: pd.DataFrame

    @property
    def whole(self) -> bool:
        """Whether it was run on all data sets and did not fail."""
        return self.about["failed"] is None and set(self.about["sets"]) >= set(SETS)

    def is_of(self, entry: Entry, project: str | Path) -> bool:
        """Whether the results were made by the current entry and protocol."""
        study = digest_of_study(entry, project, self.about["sets"])
        return (self.about["entry"], self.about["study"]) == (entry.digest, study)


def difference_of(kept: KeptEntry, outcome: Outcome, sets: Sequence[str]) -> str | None:
    """Return how committed scores differ from those of another run, in one sentence; None where they do not.

    Values are equal within 1e-9. Fits beyond the limits of time or memory must be the same in both runs. Seconds depend
    on the machine and are not compared.
    """
    if (kept.about["failed"] is None) != (outcome.failed is None):
        before, now = (failed or "it did not fail" for failed in (kept.about["failed"], outcome.failed))
        return f"committed is: {before}; a new run has: {now}"
    if outcome.scores is None:
        return None
    with tempfile.TemporaryDirectory() as folder:  # written and read, so that both have the types of the file
        path = Path(folder, _SCORES)
        _write(path, outcome.scores)
        new = pq.read_table(path).to_pandas().astype(dict.fromkeys(_TEXTS, object))
    old = kept.scores[kept.scores["dataset"].isin(list(sets))]
    if not len(old):
        return f"no scores of {', '.join(sets)} are committed"
    both = old.merge(new, how="outer", on=list(_CELL), suffixes=("", "_new"), indicator=True, validate="one_to_one")
    near = (both["value"] - both["value_new"]).abs() <= _TOLERANCE
    near |= both["value"].isna() & both["value_new"].isna()
    differing = both[~near | (both["_merge"] != "both")]
    if not len(differing):
        return None
    first = differing.iloc[0]
    cell = " ".join(f"{name} {first[name]}" for name in _CELL)
    values = f"{first['value']:.6g} is committed, and a new run has {first['value_new']:.6g}"
    return f"{len(differing)} of {len(both)} scores differ from those of a new run; the first is of {cell}: {values}"


def keep(
    entry: Entry, project: str | Path, outcome: Outcome, sets: Sequence[str], seed: int | None = None
) -> KeptEntry:
    """Write the outcome of an entry and the seed of its checks into its folder, replacing earlier results."""
    folder = Path(project, RESULTS, entry.name)
    folder.mkdir(parents=True, exist_ok=True)
    path, digest = folder / _SCORES, None
    if outcome.scores is None:
        path.unlink(missing_ok=True)
    else:
        with replacing(path) as temporary:
            _write(temporary, outcome.scores)
        digest = file_sha256(path)
    about = {
        "title": entry.title,
        "family": entry.family,
        "packages": dict(entry.packages),
        "entry": entry.digest,
        "study": digest_of_study(entry, project, sets),
        "sets": list(sets),
        "seed": seed,
        "failed": outcome.failed,
        "versions": dict(outcome.versions),
        "minutes": round(outcome.seconds / 60, 1),
        "scores": digest,
    }
    write_text(folder / _ABOUT, json.dumps(about, indent=1) + "\n")
    return read_kept(entry.name, project)


def _write(path: str | Path, table: pd.DataFrame) -> None:
    ordered = table[list(_COLUMNS)].sort_values(list(_COLUMNS[:7]), ignore_index=True, kind="stable")
    arrays = [
        pa.array(ordered[name].astype(str)).dictionary_encode()
        if name in _TEXTS
        else pa.array(ordered[name], from_pandas=True)
        for name in _COLUMNS
    ]
    pq.write_table(pa.Table.from_arrays(arrays, names=list(_COLUMNS)), path, compression="zstd", compression_level=19)


def read_kept(name: str, project: str | Path) -> KeptEntry:
    """Read the stored results of an entry.

    Raises DataError if a file is missing or damaged, or the SHA-256 of the scores differs from the stored one.
    """
    folder = Path(project, RESULTS, name)
    try:
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        digest = about["scores"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{folder / _ABOUT}: not the results of an entry; run it again: make enter METHOD={name}"
        ) from error
    if digest is None:
        return KeptEntry(name, about, pd.DataFrame(columns=list(_COLUMNS)))
    path = folder / _SCORES
    if not path.is_file() or file_sha256(path) != digest:
        raise DataError(f"{path}: its SHA-256 is not that of {_ABOUT}; run it again: make enter METHOD={name}")
    table = pq.read_table(path).to_pandas()
    return KeptEntry(name, about, table.astype(dict.fromkeys(_TEXTS, object)))
