"""Whether committed numbers come back, and whether files are those of their manifest.

``python -m mlreduce.provenance.verify cells`` draws curves of the reference results, recomputes them from the data and
compares;
``python -m mlreduce.provenance.verify files FOLDER`` checks the files of a finished study against its manifest. Both
end with a status other than 0 where something differs.
"""

from __future__ import annotations

import argparse
import secrets
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import threadpoolctl

from mlreduce.datasets.catalogue import Catalogue, read_catalogue
from mlreduce.exceptions import ConfigurationError, FetchError, MLReduceError, unknown_name
from mlreduce.experiments.recomputation import Curve, DataSource, curve_scores, curve_splits
from mlreduce.provenance.manifest import file_faults
from mlreduce.reporting.reference import (
    CELL,
    Reference,
    compare_cells,
    draw_curves,
    read_reference,
    recomputed_cells,
)

__all__ = ["main"]


# The share of the time that one curve may have, so that a long one does not take it all.
_SHARE_OF_A_CURVE = 1 / 3


class _TimeUp(BaseException):
    """A curve has had its time. No `Exception`: what takes those of methods must let it pass."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds, in the middle of a fit too; where there is no such clock, do not."""
    if seconds == float("inf") or not hasattr(signal, "setitimer"):
        yield
        return

    time_is_up = False

    def interrupt(*_: object) -> None:
        nonlocal time_is_up
        time_is_up = True
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Exception as error:
        if time_is_up:  # compiled code that is interrupted says so with an error of its own
            raise _TimeUp from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Outcome(NamedTuple):
    """What became of a curve: a word, a sentence, numbers of cells, and what differs."""

    word: str
    sentence: str
    cells: int = 0
    equal: int = 0
    differing: pd.DataFrame | None = None


class _Verification:
    """Curves recomputed one after another, each data set read once, until the time is up and one at least is done."""

    def __init__(
        self, references: Mapping[str, Reference], catalogue: Catalogue, options: argparse.Namespace, began: float
    ) -> None:
        self._references, self._catalogue, self._options = references, catalogue, options
        seconds = float("inf") if options.minutes is None else 60 * options.minutes
        self._end, self._longest = began + seconds, _SHARE_OF_A_CURVE * seconds
        self._sources: dict[str, DataSource | FetchError] = {}
        self._some_are_done = False

    def outcome(self, curve: Curve) -> _Outcome:
        """Recompute a curve and compare it."""
        left = self._end - time.monotonic() if self._some_are_done else self._longest
        if left <= 0:
            return _Outcome("not begun", "the time was up")
        seconds = min(left, self._longest)
        try:
            with _limit(seconds):
                return self._recomputed(curve)
        except _TimeUp:
            return _Outcome("cut off", f"it takes longer than {seconds:.1f} s")

    def _recomputed(self, curve: Curve) -> _Outcome:
        reference = self._references[curve.study]
        begun = time.monotonic()
        try:
            number = curve_splits(reference.study, curve)
            source = self._source(curve.dataset)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a study's logs have them
                parts = list(curve_scores(reference.study, curve, source, reference.seed))
        except FetchError as error:
            return _Outcome("skipped", str(error))
        except MLReduceError as error:
            return _Outcome("failed", str(error))
        summary = reference.summary
        of_curve = [summary[name] == value for name, value in zip(Curve._fields[1:], curve[1:], strict=True)]
        old = summary[np.logical_and.reduce(of_curve)]
        new = recomputed_cells(pd.concat(parts), curve, reference.study)
        equal, differing = compare_cells(old, new, self._options.tolerance)
        word = "differs" if len(differing) else "equal" if equal == len(old) else "near"
        seconds = time.monotonic() - begun
        self._some_are_done = True
        sentence = f"{len(old)} cells, means over {number} splits, in {seconds:.1f} s"
        return _Outcome(word, sentence, len(old), equal, differing)

    def _source(self, name: str) -> DataSource:
        if name not in self._sources:
            dataset = self._catalogue[name]
            try:
                paths = dataset.fetch(self._options.mirror, self._options.cache)
                self._sources[name] = DataSource(dataset.read(paths))
            except FetchError as error:
                self._sources[name] = error
        found = self._sources[name]
        if isinstance(found, FetchError):
            raise found
        return found


def _verify_cells(options: argparse.Namespace) -> int:
    """Recompute a sample of the reference's cells; return the exit status."""
    began = time.monotonic()
    catalogue = read_catalogue(options.catalogue)
    folder = Path(options.reference)
    known = sorted(path.parent.name for path in folder.glob("*/manifest.json"))
    for name in options.studies or []:
        if name not in known:
            raise ConfigurationError(unknown_name("study", name, known, str(folder)))
    files = Path(options.project) / "config" / "studies"
    references = {
        name: read_reference(folder / name, files / f"{name}.yaml", catalogue) for name in options.studies or known
    }
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    summaries = {name: reference.summary for name, reference in references.items()}
    curves = draw_curves(summaries, options.share, seed, options.datasets)
    if not curves:
        raise ConfigurationError(f"{folder}: there are no results to verify, of these studies and data sets")
    print(f"seed {seed}: {len(curves)} curves drawn, {options.share:g} of the cells of each study", flush=True)
    verification = _Verification(references, catalogue, options, began)
    outcomes = {}
    with threadpoolctl.threadpool_limits(1):  # as in the workflow's jobs: rounding depends on their number
        for curve in curves:
            outcomes[curve] = outcome = verification.outcome(curve)
            print(f"{outcome.word:9} {curve}: {outcome.sentence}", flush=True)
    return _conclusion(outcomes, options, time.monotonic() - began)


def _conclusion(outcomes: Mapping[Curve, _Outcome], options: argparse.Namespace, seconds: float) -> int:
    """Say what came of it all, and return the exit status."""
    done = [outcome for outcome in outcomes.values() if outcome.word in ("equal", "near", "differs")]
    wrong = {
        curve: outcome.differing
        for curve, outcome in outcomes.items()
        if outcome.differing is not None and len(outcome.differing)
    }
    cells, equal = sum(outcome.cells for outcome in done), sum(outcome.equal for outcome in done)
    far = sum(len(table.drop_duplicates(list(CELL))) for table in wrong.values())
    print(
        f"{cells} cells on {len(done)} of {len(outcomes)} curves recomputed in {seconds:.0f} s: {equal} equal to the "
        f"last digit, {cells - equal - far} within {options.tolerance:g}, {far} differ"
    )
    for word, what in (
        ("failed", "could not be recomputed"),
        ("skipped", "were skipped, since their data cannot be had"),
        ("cut off", "were cut off by the time, and say nothing"),
        ("not begun", "were not begun"),
    ):
        number = sum(outcome.word == word for outcome in outcomes.values())
        if number:
            print(f"{number} curves {what}")
    if wrong:
        table = pd.concat(rows.assign(curve=str(curve)) for curve, rows in wrong.items())
        print(
            table[["curve", *CELL, "number", "committed", "recomputed"]].to_string(
                index=False, float_format="{:.8g}".format
            )
        )
    if not done:
        print("Nothing was recomputed, and nothing is verified.")
    return int(bool(wrong) or not done or any(outcome.word == "failed" for outcome in outcomes.values()))


def _verify_files(options: argparse.Namespace) -> int:
    """Check the files of finished studies against their manifests; return the exit status."""
    found = {folder: file_faults(folder, options.some) for folder in options.folders}
    for folder, (number, faults) in found.items():
        print(f"{folder}: {number} files looked for that the manifest names, {len(faults)} faults")
        for fault in faults:
            print(f"  {fault}")
    return int(any(faults for _, faults in found.values()))


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"a share is above 0 and at most 1; got {text}")
    return value


def _minutes(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"minutes are above 0; got {text}")
    return value


def _names(text: str) -> list[str]:
    return [name for name in text.replace(",", " ").split() if name]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mlreduce.provenance.verify", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    cells = commands.add_parser("cells", help="recompute a random sample of committed cells and compare")
    cells.add_argument("--share", type=_share, default=0.02, help="of each study's cells (default 0.02)")
    cells.add_argument("--seed", type=int, help="of the sample (default: by chance; it is printed)")
    cells.add_argument(
        "--minutes",
        type=_minutes,
        help="stop after so many and one curve; no curve gets more than a third of it",
    )
    cells.add_argument("--studies", type=_names, help="only these, with commas (default: all of the reference)")
    cells.add_argument("--datasets", type=_names, help="only on these, with commas (default: all)")
    cells.add_argument("--tolerance", type=float, default=1e-6, help="relative difference allowed (default 1e-6)")
    cells.add_argument("--reference", default="results/reference", help="folder of <study>/summary.csv.gz")
    cells.add_argument("--project", default=".", help="folder that holds config/studies (default: this one)")
    cells.add_argument("--mirror", help="folder to read published files from, instead of downloading")
    cells.add_argument("--cache", help="folder in which downloads are kept")
    cells.add_argument("--catalogue", help="a datasets file of your own")
    cells.set_defaults(run=_verify_cells)
    files = commands.add_parser("files", help="check a finished study's files against its manifest")
    files.add_argument("folders", nargs="+", metavar="FOLDER", help="such as results/paper/cplst-2012")
    files.add_argument("--some", action="store_true", help="a copy of some of the files: others may be missing")
    files.set_defaults(run=_verify_files)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        None for those of the command line.
    """
    options: Any = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except MLReduceError as error:
        print(f"mlreduce: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
