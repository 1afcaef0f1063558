"""Pieces of the benchmark: the scores of one study on one data set, small enough to commit, each with its SHA-256."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError, from_extra
from mlreduce.files import file_sha256, replacing
from mlreduce.validation.limits import OVER
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.gathering.job_tables import read_failures, read_table
from mlreduce_studies.study import Study

with from_extra("workflow", "tables of a study"):
    import pyarrow as pa
    import pyarrow.parquet as pq

#: The list of the pieces, in their folder.
LIST = "pieces.csv"

#: Columns of a piece: ``percent`` is 0 where the size is a number, and ``number`` 0 where it is a
#: percentage; ``size`` is what the method had, fewer where it has no more directions. ``seconds`` and ``megabytes``
#: are those of a fit on the first split. ``status`` is "ok", "failed", "time" or "memory"; what has no value is the
#: last of its setting.
PIECE_COLUMNS = (
    *("method", "fold", "percent", "number", "size", "predictor", "measure", "value"),
    *("seconds", "megabytes", "status"),
)

#: Further columns of versions whose studies record warnings: see `mlreduce.evaluation.loop.Experiment.predict`.
WARNING_COLUMNS = ("warnings", "at_edge")

_COSTS = ("seconds", "megabytes")

_TYPES = {
    **dict.fromkeys(("fold", "percent"), pa.int8()),
    **dict.fromkeys(("number", "size"), pa.int32()),
    **dict.fromkeys(("value", "seconds", "megabytes"), pa.float32()),
    **dict.fromkeys(
        ("method", "predictor", "measure", "status", *WARNING_COLUMNS), pa.dictionary(pa.int16(), pa.string())
    ),
}

#: Decimals of values: further ones have no meaning, and take space.
DECIMALS = 5


class Piece(NamedTuple):
    """A piece in the list."""

    study: str
    dataset: str
    #: Number of candidates of a search.
    candidates: int
    rows: int
    bytes: int
    #: Of the file.
    sha256: str
    #: Digest of the protocol that it belongs to.
    protocol: str

    @property
    def file(self) -> str:
        """Path in the folder of pieces."""
        return f"{self.study}/{self.dataset}.{self.candidates}.parquet"


def job_files(study: str, dataset: str) -> dict[str, str]:
    """Return the files that the workflow writes for a study on a data set, in the folder of its results."""
    return {"scores": f"{study}/scores/{dataset}/all/all/all.parquet", "times": f"{study}/times/{dataset}/all.parquet"}


def piece_table(study: Study, dataset: str, base: str | Path) -> pd.DataFrame:
    """Return the scores of a study on a data set with `PIECE_COLUMNS`; failed cells have a row for each value.

    They are in the folder ``base`` of the results of the workflow. Raises DataError if a file is incomplete.
    """
    files = {kind: Path(base, file) for kind, file in job_files(study.name, dataset).items()}
    scores, times = read_table(files["scores"]), read_table(files["times"])
    (protocol,) = study.protocols
    numbers = study.dimensions_of(protocol, dataset)
    scores = scores.rename(columns={"split": "fold", "size_percent": "percent"})
    parts = [scores[scores["percent"] > 0].assign(number=0)]
    alone = scores[scores["percent"] == 0]
    keys = ["method", "fold", "predictor", "measure"]
    most = alone.groupby(keys)["size"].transform("max")
    for number in numbers:
        rows = alone[alone["size"] == number]
        if study.family == "projection":  # with all directions that it has
            rows = pd.concat([rows, alone[(alone["size"] == most) & (most < number)]])
        parts.append(rows.assign(number=number))
    table = pd.concat(parts).assign(status="ok")
    failed = pd.DataFrame(
        _failed_rows(study, dataset, read_failures(files.values()), numbers, set(table["number"])),
        columns=[name for name in PIECE_COLUMNS if name not in _COSTS],
    )
    table = pd.concat([part for part in (table, failed) if len(part)], ignore_index=True)
    costs = times.groupby("method")[list(_COSTS)].mean()
    table[list(_COSTS)] = costs.reindex(table["method"]).to_numpy()
    table["value"] = table["value"].round(DECIMALS)
    order = ["method", "predictor", "measure", "percent", "number", "fold"]
    columns = [*PIECE_COLUMNS, *(WARNING_COLUMNS if study.record_warnings else ())]
    return table.reindex(columns=columns).sort_values(order, ignore_index=True, kind="stable")


def _failed_rows(
    study: Study, dataset: str, failures: pd.DataFrame, numbers: Iterable[int], measured: set[int]
) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each value that failed cells lack, even where a cell failed more than once."""
    seen = set()
    for row in failures[failures["step"] != "time"].to_dict("records"):
        group = study.groups[row["group"]]
        predictors = [row["predictor"]] if row["predictor"] else group.predictors
        sizes = [(percent, 0) for percent in study.sizes] + [(0, number) for number in numbers if number in measured]
        for predictor in predictors:
            for measure in group.measures or study.measures:
                for percent, number in sizes:
                    cell = (row["method"], int(row["split"]), percent, number, number, predictor, measure)
                    if cell not in seen:
                        seen.add(cell)
                        yield (*cell, np.nan, OVER.get(row["error"], "failed"))


class Pieces:
    """The stored pieces of a benchmark; by default in the folder of ``results`` that has the name of the protocol."""

    def __init__(self, protocol: Protocol, folder: str | Path | None = None) -> None:
        self._protocol = protocol
        self.folder = Path(protocol.project, "results", protocol.name) if folder is None else Path(folder)

    def listed(self) -> list[Piece]:
        """Return the list; raise DataError if it has other columns."""
        path = self.folder / LIST
        if not path.is_file():
            return []
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != Piece._fields:
                raise DataError(f"{path}: expected the columns {', '.join(Piece._fields)}")
            return [
                Piece(**{**row, **{name: int(row[name]) for name in ("candidates", "rows", "bytes")}})  # type: ignore[arg-type]
                for row in reader
            ]

    def done(self) -> set[tuple[str, str, int]]:
        """Return study, data set and candidates of the pieces that need not be run again, after `check`."""
        self.check()
        return {(piece.study, piece.dataset, piece.candidates) for piece in self.listed()}

    def check(self) -> None:
        """Raise DataError if a piece is missing, was changed, is not in the list, or belongs to another protocol."""
        pieces = self.listed()
        for piece in pieces:
            path = self.folder / piece.file
            if not path.is_file():
                raise DataError(f"{path}: in {LIST}, but missing; take it from the repository, or delete its line")
            if file_sha256(path) != piece.sha256:
                raise DataError(
                    f"{path}: its SHA-256 is not that of {LIST}; take it from the repository, or run it again"
                )
            if piece.protocol != self._protocol.digest:
                raise DataError(
                    f"{path}: made by the protocol {piece.protocol[:8]}, not by {self._protocol.digest[:8]}; restore "
                    "the earlier files of the protocol, or run it again"
                )
            names = self._protocol.budgets.get(piece.candidates, [])
            if piece.dataset not in names or piece.study not in self._protocol.config["studies"]:
                raise DataError(f"{path}: no piece of the benchmark has this study, data set and number of candidates")
        known = {piece.file for piece in pieces}
        for path in sorted(self.folder.glob("*/*.parquet")):
            if str(path.relative_to(self.folder)) not in known:
                raise DataError(f"{path}: not in {LIST}; delete it, or run it again")

    def keep(self, study: Study, dataset: str, candidates: int, base: str | Path) -> Piece:
        """Write the piece of a study on a data set from the results of the workflow, and its line of the list."""
        return self.write(study.name, dataset, candidates, piece_table(study, dataset, base))

    def write(self, study: str, dataset: str, candidates: int, table: pd.DataFrame) -> Piece:
        """Write a piece, a table with `PIECE_COLUMNS`, and its line of the list."""
        piece = Piece(study, dataset, candidates, len(table), 0, "", self._protocol.digest)
        path = self.folder / piece.file
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            _write(temporary, table, {"study": study, "dataset": dataset, "protocol": self._protocol.digest})
        piece = piece._replace(bytes=path.stat().st_size, sha256=file_sha256(path))
        others = [item for item in self.listed() if item.file != piece.file]
        with (
            replacing(self.folder / LIST) as temporary,
            Path(temporary).open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Piece._fields)
            writer.writerows(sorted([*others, piece]))
        return piece

    def read(self, piece: Piece) -> pd.DataFrame:
        """Return the table of a piece, with the columns study, dataset and candidates before `PIECE_COLUMNS`."""
        table: pd.DataFrame = pq.read_table(self.folder / piece.file).to_pandas()
        for place, name in enumerate(("study", "dataset", "candidates")):
            table.insert(place, name, getattr(piece, name))
        return table


def _write(path: str | Path, table: pd.DataFrame, about: Mapping[str, str]) -> None:
    arrays = [pa.array(table[name], from_pandas=True).cast(_TYPES[name]) for name in table]
    fields = [pa.field(name, _TYPES[name]) for name in table]
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=dict(about))),
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in PIECE_COLUMNS if name not in ("value",)],
        column_encoding={"value": "BYTE_STREAM_SPLIT"},
        write_statistics=False,
    )
