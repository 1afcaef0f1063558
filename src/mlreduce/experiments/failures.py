"""Failed cells: a method or predictor that raises on a split is written down, and the rest goes on.

A loop passes the calls of estimators, and nothing else, to `Failures.attempt`: an error in the loop's own code ends the
job. So does what is no method's doing: a wrong configuration, memory or a disk that gave out.
"""

from __future__ import annotations

import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from mlreduce.datasets.files import check_files, replacing
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.experiments.scores import as_table

__all__ = [
    "FAILURE_COLUMNS",
    "RAISE",
    "FailedCellWarning",
    "Failures",
    "failures_before",
    "read_failures",
    "sentence_on_failures",
    "set_aside",
]

#: Columns of the failures, one row a cell that is missing. The step is where it failed: "choose", "reduce", "rank",
#: "predict", "time", "image" or "cost"; what has no value, such as the predictor of a fit that was timed, is empty.
FAILURE_COLUMNS = (
    *("study", "protocol", "dataset", "group", "method", "predictor", "split", "step"),
    *("error", "message", "where"),
)

# What is not a method's doing.
_OTHERS = (ConfigurationError, MemoryError, OSError)

# Characters of a message that are kept, and cells that are named in a sentence.
_LENGTH, _NAMED = 200, 3

# Before any file was made, in seconds of a file's time.
_LONG_AGO = 1

_Result = TypeVar("_Result")


class FailedCellWarning(UserWarning):
    """A cell failed; the message holds the traceback."""


class Failures:
    """What fails in a job.

    Parameters
    ----------
    step : str
        Of `FAILURE_COLUMNS`.
    predictor : str, default=""
        Of the cells of this job; "" where they have none.
    before : DataFrame or None, default=None
        With `FAILURE_COLUMNS`: what failed in jobs that this one goes on from. Their cells are missing here too.

    Examples
    --------
    >>> failures = Failures("reduce")
    >>> failures.attempt(0, "mine", int, "7")
    7
    >>> (0, "mine") in failures
    False
    """

    def __init__(self, step: str, predictor: str = "", before: pd.DataFrame | None = None) -> None:
        self._step, self._predictor = step, predictor
        self._rows: list[dict[Any, Any]] = [] if before is None else before.to_dict("records")
        self._cells = {(row["split"], row["method"]) for row in self._rows}

    def __contains__(self, cell: tuple[int | None, str]) -> bool:
        """Say whether a split and method failed, here or before."""
        return cell in self._cells

    def attempt(self, split: int | None, method: str, work: Callable[..., _Result], *arguments: Any) -> _Result | None:
        """Return what a call of an estimator returns; None where it raises, which is recorded.

        Parameters
        ----------
        split, method : int, str
            The cell; None for what is done on no split.
        work : callable
        *arguments
            Of ``work``.

        Warns
        -----
        FailedCellWarning
            If it raises.
        """
        try:
            return work(*arguments)
        except _OTHERS:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a method may raise
            self._record(split, method, error)
            return None

    def attempt_each(self, split: int | None, method: str, items: Iterator[_Result]) -> Iterator[_Result]:
        """Yield what an iterator over an estimator's results yields, until it raises, which is recorded.

        What has been yielded by then is part of a cell that failed.
        """
        while (item := self.attempt(split, method, next, items, None)) is not None:
            yield item

    def attempt_all(
        self, split: int | None, methods: Sequence[str], work: Callable[[Sequence[str]], Mapping[str, _Result]]
    ) -> dict[str, _Result]:
        """Return what a call of several methods together returns, without those that raise.

        Where it raises, each is tried by itself: a method's failure is its own.
        """
        try:
            return dict(work(methods))
        except _OTHERS:
            raise
        except Exception:  # noqa: BLE001 - as above; what is a method's own is recorded below
            found = {method: self.attempt(split, method, work, [method]) for method in methods}
            return {method: own[method] for method, own in found.items() if own is not None}

    def _record(self, split: int | None, method: str, error: Exception) -> None:
        said = {"error": type(error).__name__, "message": _first_line(str(error)), "where": _place(error)}
        self._rows.append({"method": method, "split": split, "step": self._step, **said})
        self._cells.add((split, method))
        place = "" if split is None else f" on split {split}"
        text = "".join(traceback.format_exception(error))
        warnings.warn(f"{self._step}: {method} failed{place}:\n{text}", FailedCellWarning, stacklevel=3)

    def table(self, **job: str) -> pd.DataFrame:
        """Return the failures with `FAILURE_COLUMNS`, sorted.

        Parameters
        ----------
        **job : str
            What all cells of the job have in common: study, protocol, dataset, group.
        """
        cells = [
            {**dict.fromkeys(FAILURE_COLUMNS, ""), **row, "predictor": self._predictor, **job} for row in self._rows
        ]
        return _sorted(as_table([tuple(cell.values()) for cell in cells], FAILURE_COLUMNS))

    def save(self, path: str | Path, job: object) -> None:
        """Write the failures, if only a header, for `read_failures`.

        Parameters
        ----------
        path : path
            Of a CSV file.
        job : object
            With those of the attributes ``study``, ``protocol``, ``dataset`` and ``group`` that the job has.
        """
        table = self.table(**{name: getattr(job, name, "") for name in FAILURE_COLUMNS[:4]})
        with replacing(path) as temporary:
            table.to_csv(temporary, index=False, lineterminator="\n")


class _Raise(Failures):
    """Records nothing: what a method raises goes on to the caller."""

    def attempt(self, split: int | None, method: str, work: Callable[..., _Result], *arguments: Any) -> _Result | None:
        return work(*arguments)

    def attempt_all(
        self, split: int | None, methods: Sequence[str], work: Callable[[Sequence[str]], Mapping[str, _Result]]
    ) -> dict[str, _Result]:
        return dict(work(methods))


#: For loops that are not to go on: the first failure ends them.
RAISE: Failures = _Raise("")


def read_failures(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read failures of several jobs: with `FAILURE_COLUMNS`, sorted, each once."""
    kinds: Any = dict.fromkeys(FAILURE_COLUMNS, "str") | {"split": "Int64"}
    # A method may be called "nan" or "none".
    exactly: Any = {"dtype": kinds, "keep_default_na": False, "na_values": {"split": [""]}}
    parts = [part for path in paths if len(part := pd.read_csv(path, **exactly))]
    table = pd.concat(parts) if parts else as_table([], FAILURE_COLUMNS)
    return _sorted(table.drop_duplicates())


def failures_before(paths: Iterable[str | Path], splits: Iterable[int], once: bool) -> pd.DataFrame:
    """Read what failed before some splits are worked on.

    Parameters
    ----------
    paths : iterable of path
        Of files that `Failures.save` wrote.
    splits : iterable of int
    once : bool
        Whether that was done on one split for all: what failed there is missing on each of these.
    """
    failures = read_failures(paths)
    if not once:
        return failures[failures["split"].isin(list(splits))]
    of_one = failures.drop_duplicates("method")
    return pd.concat([of_one.assign(split=split) for split in splits], ignore_index=True)


def set_aside(folder: str | Path) -> None:
    """Date the records of jobs in which something failed long ago, so that they are out of date and the jobs run again.

    So are records that are damaged: something may have failed. Nothing is removed: what there is stays until something
    takes its place.

    Parameters
    ----------
    folder : path
        Of the results of all studies.
    """
    for record in _records(folder):
        if not _is_whole(record) or len(_own_failures(record, folder)):
            os.utime(record, (_LONG_AGO, _LONG_AGO))


def sentence_on_failures(folder: str | Path) -> str:
    """Say what failed since `set_aside`, and where the reasons stand; "" where nothing did.

    Parameters
    ----------
    folder : path
        Of the results of all studies.
    """
    records = [path for path in _records(folder) if path.stat().st_mtime > _LONG_AGO and _is_whole(path)]
    failures = [own for path in records if len(own := _own_failures(path, folder))]
    if not failures:
        return ""
    cells = pd.concat(failures, ignore_index=True).drop_duplicates().to_dict("records")
    firsts = "; ".join(map(_named, cells[:_NAMED]))
    more = f"; and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
    folders = sorted({f"{folder}/{cell['study']}/failures" for cell in cells})
    number = f"{len(cells)} cells" if len(cells) > 1 else "1 cell"
    return (
        f"{number} failed: {firsts}{more}. All reasons stand in {', '.join(folders)}, and under the tables; "
        "the next run tries the cells again."
    )


def _named(cell: Mapping[Any, Any]) -> str:
    split = "" if pd.isna(cell["split"]) else f" on split {cell['split']}"
    names = [cell[name] for name in ("study", "protocol", "dataset", "method", "predictor") if cell[name]]
    return f"{' '.join(names)}{split}: {cell['error']}: {cell['message']}"


def _records(folder: str | Path) -> list[Path]:
    """Return the records of jobs that are more, or less, than a header."""
    header = len(",".join(FAILURE_COLUMNS)) + 1
    return [path for path in sorted(Path(folder).glob("*/failures/*/**/*.csv")) if path.stat().st_size != header]


def _own_failures(record: Path, folder: str | Path) -> pd.DataFrame:
    """Return what failed in a job, by its record; not what had failed before it."""
    failures, step = read_failures([record]), record.relative_to(folder).parts[2]
    return failures[failures["step"] == step]


def _is_whole(record: Path) -> bool:
    try:
        check_files([record])
    except DataError:
        return False
    return True


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(list(FAILURE_COLUMNS[:8]), ignore_index=True).astype({"split": "Int64"})


def _first_line(text: str) -> str:
    """Return the first line of a message that says anything, in printable characters, cut to a length."""
    lines = (re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in line)) for line in text.splitlines())
    line = next((line.strip() for line in lines if line.strip()), "")
    return line if len(line) <= _LENGTH else f"{line[: _LENGTH - 3]}..."


def _place(error: Exception) -> str:
    """Return file, line and function in which an error arose: in the method, rather than in a library it calls."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in Path(frame.filename).parts] or list(frames)
    parts = Path(own[-1].filename).parts
    # Without the folders above the code: a result does not say on whose machine it was made.
    roots = [position for position, part in enumerate(parts) if part in ("src", "site-packages")]
    return f"{'/'.join(parts[roots[-1] + 1 :] if roots else parts[-1:])}:{own[-1].lineno} ({own[-1].name})"
