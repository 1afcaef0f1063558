"""Enter a method into the leaderboard: ``python -m mlreduce_studies.enter NAME`` (``make enter METHOD=NAME``).

Reads leaderboard/NAME.yaml, checks the method on a small data set, runs it by the benchmark's protocol on six data
sets, and writes its scores (results/leaderboard/NAME) and the page (docs/leaderboard.md). A method that fails gets a
row with the reason; other rows do not change. Ends with a status other than 0 where it failed or could not be run.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlreduce.exceptions import ConfigurationError, DataError, check_known_name
from mlreduce_studies.leaderboard.apart import missing_protections
from mlreduce_studies.leaderboard.entry import SETS, Entry, entries, read_entry
from mlreduce_studies.leaderboard.kept import RESULTS, difference_of, keep, read_kept
from mlreduce_studies.leaderboard.packages import folder_of_packages, write_lock
from mlreduce_studies.leaderboard.page import PAGE, write_page
from mlreduce_studies.leaderboard.run import MINUTES, Outcome, run_entry
from mlreduce_studies.provenance.verify import add_places, configured_places, exit_status


def _enter(options: Any) -> int:
    project = Path(options.project)
    if options.check:
        write_page(project)
        print(f"{len(entries(project))} entries; {PAGE} is written")
        return 0
    if options.method is None:
        raise ConfigurationError(f"name an entry, one of: {', '.join(entries(project))} (make enter METHOD=NAME)")
    entry = read_entry(options.method, project)
    if options.lock:
        pinned = write_lock(entry, project)
        print(f"{entry.lock}: {', '.join(' '.join(value) for value in pinned.items()) or 'nothing beyond the project'}")
        return 0
    for name in options.sets:
        check_known_name("data set", name, SETS, "--sets")
    if options.verify:
        return _verify(entry, project, options)
    seed, outcome = _run(entry, project, options.to, options)
    keep(entry, project, outcome, options.sets, seed)
    write_page(project)
    place = f"{RESULTS}/{entry.name}, {PAGE}"
    if outcome.failed is not None:
        print(f"mlreduce: {entry.name} {outcome.failed} ({place})", file=sys.stderr)
        return 1
    print(f"{entry.name}: run on {', '.join(options.sets)} in {outcome.seconds / 60:.1f} minutes ({place})")
    return 0


def _run(entry: Entry, project: Path, folder: str, options: Any) -> tuple[int, Outcome]:
    """Run an entry. The seed of its checks is random, so that a method cannot be written for it."""
    for sentence in missing_protections():
        print(f"mlreduce: {sentence} (docs/leaderboard.md)", file=sys.stderr)
    packages = folder_of_packages(entry, project, options.packages)
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    places = configured_places(options)
    return seed, run_entry(entry, project, folder, options.sets, packages, options.minutes, places, seed)


def _verify(entry: Entry, project: Path, options: Any) -> int:
    """Compare the committed scores with those of a new run; write nothing."""
    kept = read_kept(entry.name, project)
    if not kept.is_of(entry, project):
        raise DataError(
            f"{RESULTS}/{entry.name}: made by another version of the entry or the protocol; run it again: make enter "
            f"METHOD={entry.name}"
        )
    with tempfile.TemporaryDirectory() as folder:
        _, outcome = _run(entry, project, folder, options)
    difference = difference_of(kept, outcome, options.sets)
    if difference is not None:
        print(f"mlreduce: {RESULTS}/{entry.name}: {difference}", file=sys.stderr)
        return 1
    print(f"{entry.name}: a new run reproduces the scores on {', '.join(options.sets)} within 1e-9")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an entry, and return the exit status; arguments of None are those of the command line."""
    summary, _, details = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m mlreduce_studies.enter", description=summary, epilog=details)
    parser.add_argument("method", nargs="?", help="name of the entry's file in leaderboard, without .yaml")
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="some of the six data sets, for a trial")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="time limit of the run (default: 30)")
    parser.add_argument(
        "--verify", action="store_true", help="run the entry and compare with the committed scores; write nothing"
    )
    parser.add_argument("--seed", type=int, help="seed of the checks (default: random; it is stored with the results)")
    parser.add_argument("--lock", action="store_true", help="write the lock file: needed packages, with hashes")
    parser.add_argument("--check", action="store_true", help="check all entries and their results, and write the page")
    parser.add_argument("--to", default="results/entries", help="folder for the files of the workflow (default: this)")
    parser.add_argument(
        "--packages", default=str(Path(sys.prefix, "leaderboard")), help="folder for packages that entries pin"
    )
    add_places(parser)
    options = parser.parse_args(arguments)
    return exit_status(_enter, options)


if __name__ == "__main__":
    sys.exit(main())
