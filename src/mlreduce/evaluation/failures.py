"""Failed cells: a method or predictor that raises on a split is recorded, and the run continues.

A loop passes the calls of estimators, and nothing else, to `Failures.attempt`: an error in the loop's code ends the
job. So does what is no method's doing: a wrong configuration, memory or a disk that gave out.
"""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from mlreduce.evaluation.scores import as_table
from mlreduce.exceptions import ConfigurationError
from mlreduce.validation import out_of_memory
from mlreduce.validation.limits import OVER, within_limits

#: Columns of the failures, one row per missing cell. The step is where it failed: "choose", "reduce", "rank",
#: "predict", "time", "image" or "cost"; what has no value, such as the predictor of a fit that was timed, is empty.
FAILURE_COLUMNS = (
    *("study", "protocol", "dataset", "group", "method", "predictor", "split", "step"),
    *("error", "message", "where"),
)

#: Errors that no method causes.
PASSING = (ConfigurationError, MemoryError, OSError)

# Largest number of characters of a message, and of cells that are named in a sentence.
_LENGTH, _NAMED = 200, 3

_Result = TypeVar("_Result")


class FailedCellWarning(UserWarning):
    """A cell failed; the message holds the traceback."""


@contextmanager
def recorded_warnings() -> Iterator[set[str]]:
    """Give a set that has the names of the classes of a block's warnings, which are not shown, when it ends."""
    names: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield names
    names.update(warning.category.__name__ for warning in caught)


class Failures:
    """Record of the cells that fail in a job.

    The cells have the step and, unless it is "", the predictor of the job. ``before`` is what failed in jobs that this
    one continues, whose cells are missing here too; it has `FAILURE_COLUMNS`. ``limits`` are the ``seconds`` and
    ``gigabytes`` of a call of an estimator: see `mlreduce.validation.limits.within_limits`. With ``record_warnings``
    the names of the classes of warnings are recorded in ``warned``, by split and method, instead of shown.

    Examples
    --------
    >>> failures = Failures("reduce")
    >>> failures.attempt(0, "mine", int, "7")
    7
    >>> (0, "mine") in failures
    False
    """

    def __init__(
        self,
        step: str,
        predictor: str = "",
        before: pd.DataFrame | None = None,
        limits: Mapping[str, float] | None = None,
        record_warnings: bool = False,
    ) -> None:
        self._step, self._predictor, self._limits = step, predictor, limits or {}
        self._record_warnings = record_warnings
        self.warned: dict[tuple[int | None, str], set[str]] = {}
        self._over: dict[str, Exception] = {}
        self._rows: list[dict[Any, Any]] = [] if before is None else before.to_dict("records")
        self._cells = {(row["split"], row["method"]) for row in self._rows}

    def __contains__(self, cell: tuple[int | None, str]) -> bool:
        """Return whether a split and method failed, here or before."""
        return cell in self._cells

    def attempt(self, split: int | None, method: str, work: Callable[..., _Result], *arguments: Any) -> _Result | None:
        """Return what a call of an estimator returns; None and a FailedCellWarning where it raises, which is recorded.

        A method that was over a limit on a split is not called on further ones, which are recorded as this one; the
        split is None for what is done on no split. Raises OutOfMemoryError if the memory runs out.
        """
        if method in self._over:
            self._record(split, method, self._over[method])
            return None
        try:
            with within_limits(self._limits), self._warnings(split, [method]):
                return work(*arguments)
        except MemoryError as error:
            raise out_of_memory(error, method) from error
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 - a method may raise any error
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

        Where it raises, each is tried by itself: so that a method's failure does not count for the others.
        """
        try:
            with self._warnings(split, methods):
                return dict(work(methods))
        except PASSING:
            raise
        except Exception:  # noqa: BLE001 - as above; the errors of single methods are recorded below
            results = {method: self.attempt(split, method, work, [method]) for method in methods}
            return {method: result[method] for method, result in results.items() if result is not None}

    @contextmanager
    def _warnings(self, split: int | None, methods: Sequence[str]) -> Iterator[None]:
        """Record the warnings of a block, if they are recorded, as those of some methods."""
        if not self._record_warnings:
            yield
            return
        with recorded_warnings() as names:
            yield
        for method in methods:
            self.warned.setdefault((split, method), set()).update(names)

    def _record(self, split: int | None, method: str, error: Exception) -> None:
        if type(error).__name__ in OVER:
            self._over[method] = error
        description = {"error": type(error).__name__, "message": _first_line(str(error)), "where": _place(error)}
        self._rows.append({"method": method, "split": split, "step": self._step, **description})
        self._cells.add((split, method))
        place = "" if split is None else f" on split {split}"
        text = "".join(traceback.format_exception(error))
        warnings.warn(f"{self._step}: {method} failed{place}:\n{text}", FailedCellWarning, stacklevel=3)

    def table(self, **job: str) -> pd.DataFrame:
        """Return the failures with `FAILURE_COLUMNS`, sorted; ``job`` is what all cells of the job have in common."""
        cells = [
            {**dict.fromkeys(FAILURE_COLUMNS, ""), **row, "predictor": self._predictor, **job} for row in self._rows
        ]
        return sorted_failures([as_table([tuple(cell.values()) for cell in cells], FAILURE_COLUMNS)])


class _Raise(Failures):
    """Records nothing: errors of methods are raised to the caller."""

    def attempt(self, split: int | None, method: str, work: Callable[..., _Result], *arguments: Any) -> _Result | None:
        return work(*arguments)

    def attempt_all(
        self, split: int | None, methods: Sequence[str], work: Callable[[Sequence[str]], Mapping[str, _Result]]
    ) -> dict[str, _Result]:
        return dict(work(methods))


#: For loops that end at the first failure.
RAISE: Failures = _Raise("")


def sorted_failures(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return failures of several jobs as one table with `FAILURE_COLUMNS`, sorted, each once."""
    parts = [part for part in parts if len(part)]
    return _sorted(pd.concat(parts)) if parts else _no_failures().copy()


@cache
def _no_failures() -> pd.DataFrame:
    return _sorted(as_table([], FAILURE_COLUMNS))


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    texts = [name for name in FAILURE_COLUMNS if name != "split"]
    table = table.fillna(dict.fromkeys(texts, "")).astype(dict.fromkeys(texts, "str") | {"split": "Int64"})
    return table.drop_duplicates().sort_values(list(FAILURE_COLUMNS[:8]), ignore_index=True)


def read_failures_csv(path: str | Path) -> pd.DataFrame:
    """Read the table of failed cells of a study: with `FAILURE_COLUMNS`, sorted."""
    kinds: Any = dict.fromkeys(FAILURE_COLUMNS, "str") | {"split": "Int64"}
    # A method may be called "nan" or "none".
    return sorted_failures([pd.read_csv(path, dtype=kinds, keep_default_na=False, na_values={"split": [""]})])


def failures_before(failures: pd.DataFrame, splits: Iterable[int], once: bool) -> pd.DataFrame:
    """Return what failed before some splits are worked on, of failures of one protocol and group.

    ``once`` is whether that was done on one split for all: what failed there is missing on each of these.
    """
    if not once:
        return failures[failures["split"].isin(list(splits))]
    of_one = failures.drop_duplicates("method")
    return pd.concat([of_one.assign(split=split) for split in splits], ignore_index=True)


def sentence_on_failures(failures: pd.DataFrame, folder: str | Path) -> str:
    """Return a sentence on what failed and where in the results' folder the reasons are listed; "" without failures."""
    if failures.empty:
        return ""
    cells = failures.to_dict("records")
    firsts = "; ".join(map(_named, cells[:_NAMED]))
    more = f"; and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
    files = sorted({f"{folder}/{cell['study']}/failures.csv" for cell in cells})
    number = f"{len(cells)} cells" if len(cells) > 1 else "1 cell"
    return (
        f"{number} failed: {firsts}{more}. All reasons are in {', '.join(files)} and under the tables; "
        "the next run tries the cells again."
    )


def _named(cell: Mapping[Any, Any]) -> str:
    split = "" if pd.isna(cell["split"]) else f" on split {cell['split']}"
    names = [cell[name] for name in ("study", "protocol", "dataset", "method", "predictor") if cell[name]]
    return f"{' '.join(names)}{split}: {cell['error']}: {cell['message']}"


def _first_line(text: str) -> str:
    """Return the first line of a message that is not empty, in printable characters, cut to a length."""
    lines = (re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in line)) for line in text.splitlines())
    line = next((line.strip() for line in lines if line.strip()), "")
    return line if len(line) <= _LENGTH else f"{line[: _LENGTH - 3]}..."


def _is_of_others(parts: tuple[str, ...]) -> bool:
    """Whether a file belongs to another installed package than this one."""
    return "site-packages" in parts[:-1] and parts[parts.index("site-packages") + 1] != "mlreduce"


def _place(error: Exception) -> str:
    """Return file, line and function in which an error arose: in the method, rather than in a library it calls."""
    frames = traceback.extract_tb(error.__traceback__)
    inner = [frame for frame in frames if not _is_of_others(Path(frame.filename).parts)] or list(frames)
    parts = Path(inner[-1].filename).parts
    # Without the folders above the code: a result does not reveal on whose machine it was made.
    roots = [position for position, part in enumerate(parts) if part in ("src", "site-packages")]
    return f"{'/'.join(parts[roots[-1] + 1 :] if roots else parts[-1:])}:{inner[-1].lineno} ({inner[-1].name})"
