"""Verify that committed numbers are reproduced, and that files match their manifest.

``python -m mlreduce_studies.provenance.verify cells`` draws curves of the reference results, computes them from the
data by the workflow and compares; ``verify files FOLDER`` checks the files of a finished study against its manifest;
``verify runs FIRST SECOND`` compares the cells of two finished runs. All end with a status other than 0 where something
differs.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mlreduce.datasets.catalogue import Catalogue, read_catalogue
from mlreduce.datasets.fetch import CACHE_VARIABLE, MIRROR_VARIABLE
from mlreduce.exceptions import ConfigurationError, DataError, FetchError, MLReduceError, check_known_name
from mlreduce.folders import replacing_files
from mlreduce_studies.provenance.manifest import file_faults
from mlreduce_studies.provenance.reference import (
    CELL,
    CELL_OF_STUDY,
    Curve,
    Reference,
    compare_cells,
    draw_curves,
    read_reference,
    recomputed_cells,
)
from mlreduce_studies.study import study_file

# The share of the time that one curve may be expected to take, so that a long one does not take it all.
_SHARE_OF_A_CURVE = 1 / 3

# Seconds in which the jobs of a curve start, added to what they were measured to take.
_START = 4

# Signals that end the workflow, and seconds to wait after each.
_SIGNALS = ((signal.SIGINT, 20), (signal.SIGTERM, 5))


class _Outcome(NamedTuple):
    """Outcome of a curve: a word, a sentence, numbers of cells, and the cells that differ."""

    word: str
    sentence: str
    cells: int = 0
    equal: int = 0
    differing: pd.DataFrame | None = None


def _verify_cells(options: argparse.Namespace) -> int:
    """Recompute a sample of the reference's cells; return the exit status."""
    began = time.monotonic()
    catalogue = read_catalogue(options.catalogue)
    references = _references(options, catalogue)
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    summaries = {name: reference.summary for name, reference in references.items()}
    curves = draw_curves(summaries, options.share, seed, options.datasets)
    if not curves:
        raise ConfigurationError(f"{options.reference}: no results of these studies and data sets to verify")
    print(f"seed {seed}: {len(curves)} curves drawn, {options.share:g} of the cells of each study", flush=True)
    outcomes = _impossible(curves, references, catalogue, options)
    sample = [curve for curve in curves if curve not in outcomes]
    if options.minutes is not None:
        sample = _affordable(sample, references, 60 * options.minutes)
    if options.keep is not None:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
    scratch = tempfile.TemporaryDirectory() if options.keep is None else nullcontext(options.keep)
    with scratch as name:
        folder = Path(name).resolve()
        runs: dict[str, list[Curve]] = {}
        for curve in sample:
            runs.setdefault(_run_of(references[curve.study]), []).append(curve)
        ended = {}
        for run, value in runs.items():
            left = None if options.minutes is None else max(began + 60 * options.minutes - time.monotonic(), 0)
            wanted = _configuration(value, references, folder, options)
            ended[run] = run_workflow(wanted, folder, ["scores"], options.project, seconds=left)
        for curve in curves:
            if curve in sample:
                reference = references[curve.study]
                in_time = ended[_run_of(reference)]
                outcomes[curve] = _compared(curve, reference, folder, options.tolerance, in_time)
            outcome = outcomes.setdefault(curve, _Outcome("not begun", "earlier runs took longer than the time left"))
            print(f"{outcome.word:12} {curve}: {outcome.sentence}", flush=True)
    return _conclusion(outcomes, options, time.monotonic() - began)


def _references(options: argparse.Namespace, catalogue: Catalogue) -> dict[str, Reference]:
    """Read the reference results of the requested studies."""
    folder = Path(options.reference)
    known = sorted(path.parent.name for path in folder.glob("*/manifest.json"))
    for name in options.studies or []:
        check_known_name("study", name, known, str(folder))
    names = options.studies or known
    return {name: read_reference(folder / name, study_file(name, options.project), catalogue) for name in names}


def _impossible(
    curves: Sequence[Curve], references: Mapping[str, Reference], catalogue: Catalogue, options: argparse.Namespace
) -> dict[Curve, _Outcome]:
    """Return the curves that the study files do not have, and those whose data are not available."""
    outcomes, missing = {}, {}
    for name in sorted({curve.dataset for curve in curves} & set(catalogue)):
        try:
            catalogue[name].fetch(options.mirror, options.cache)
        except FetchError as error:
            missing[name] = str(error)
    for curve in curves:
        try:
            references[curve.study].group_of(curve)
        except ConfigurationError as error:
            outcomes[curve] = _Outcome("failed", str(error))
        else:
            if curve.dataset in missing:
                outcomes[curve] = _Outcome("skipped", missing[curve.dataset])
    return outcomes


def _affordable(curves: Sequence[Curve], references: Mapping[str, Reference], seconds: float) -> list[Curve]:
    """Return the curves, in their order, that can be expected to end in a time, or else the cheapest."""
    costs = {curve: _START + references[curve.study].seconds_of(curve) for curve in curves}
    chosen: list[Curve] = []
    for curve, cost in costs.items():
        if cost <= _SHARE_OF_A_CURVE * seconds and sum(costs[other] for other in chosen) + cost <= seconds:
            chosen.append(curve)
    return chosen or sorted(curves, key=costs.__getitem__)[:1]


def _configuration(
    curves: Sequence[Curve], references: Mapping[str, Reference], folder: Path, options: argparse.Namespace
) -> dict[str, Any]:
    """Return the configuration with which the workflow computes some curves of one scale and seed."""
    studies = {curve.study: references[curve.study] for curve in curves}
    first = next(iter(studies.values()))
    sample = {
        name: {
            "splits": reference.study.splits,
            "run_on": list(reference.study.datasets),
            "curves": [list(curve[1:]) for curve in curves if curve.study == name],
        }
        for name, reference in studies.items()
    }
    return {
        **configured_places(options),
        **{"scale": first.scale, "seed": first.seed, "studies": list(studies), "sample": sample},
        **{"results": str(folder / "results"), "name": _run_of(first), "bundle": False},
    }


def _run_of(reference: Reference) -> str:
    """Return the name of the run that computes a study: one for all studies of a scale and a seed."""
    return f"verify-{reference.scale}-{reference.seed}"


def run_workflow(
    configuration: Mapping[str, Any],
    folder: Path,
    targets: Sequence[str],
    project: str | Path,
    below: Sequence[Path] = (),
    seconds: float | None = None,
) -> bool:
    """Compute targets of the workflow in a folder; return whether it ended before the time limit, if there is one.

    The project is the folder of the Snakefile. ``below`` are configuration files, whose keys the configuration, see
    config/README.md, overrides.
    """
    file = folder / "config.yaml"  # JSON is YAML
    with replacing_files(folder, [file.name]) as (path,):
        path.write_text(json.dumps(configuration, indent=1), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "snakemake", *targets, "--cores", "all", "--keep-going"),
        *("--snakefile", str(Path(project).resolve() / "Snakefile"), "--directory", str(folder)),
        *("--configfile", *(str(path.resolve()) for path in below), str(file)),
    ]
    process = subprocess.Popen(command, start_new_session=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    finally:
        _end(process)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it has started."""
    for number, patience in _SIGNALS:
        if process.poll() is None:
            os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(patience)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _compared(curve: Curve, reference: Reference, folder: Path, tolerance: float, ended: bool) -> _Outcome:
    """Compare the recomputed cells of a curve with the committed ones."""
    group = reference.group_of(curve)
    scores = folder / "results" / _run_of(reference) / curve.study / "scores" / curve.dataset
    files = sorted((scores / f"{curve.protocol}.{group}" / curve.predictor).glob("*.parquet"))
    wanted = reference.study.splits_of(group, curve.dataset)
    unfinished = _Outcome("failed", "its jobs failed") if ended else _Outcome("not finished", "no time was left")
    if not files:
        return unfinished
    try:
        new, splits, reason = recomputed_cells(files, curve, reference.study)
    except DataError:  # killed while it was written
        return unfinished
    if reason is not None:
        return _Outcome("failed", reason)
    if splits < wanted:
        return unfinished
    old = reference.cells_of(curve)
    equal, differing = compare_cells(old, new, tolerance)
    word = "differs" if len(differing) else "equal" if equal == len(old) else "near"
    return _Outcome(word, f"{len(old)} cells, means over {splits} splits", len(old), equal, differing)


def _conclusion(outcomes: Mapping[Curve, _Outcome], options: argparse.Namespace, seconds: float) -> int:
    """Print a summary of the outcomes, and return the exit status."""
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
        ("skipped", "were skipped, since their data are not available"),
        ("not finished", "were not finished within the time limit"),
        ("not begun", "were not begun"),
    ):
        number = sum(outcome.word == word for outcome in outcomes.values())
        if number:
            print(f"{number} curves {what}")
    if wrong:
        table = pd.concat(rows.assign(curve=str(curve)) for curve, rows in wrong.items())
        print(_as_text(table[["curve", *CELL, "number", "committed", "recomputed"]]))
    if not done:
        print("Nothing was recomputed, so nothing is verified.")
    return int(bool(wrong) or not done or any(outcome.word == "failed" for outcome in outcomes.values()))


def _as_text(cells: pd.DataFrame) -> str:
    """Return cells as lines."""
    return str(cells.to_string(index=False, float_format="{:.8g}".format))


def _verify_files(options: argparse.Namespace) -> int:
    """Check the files of finished studies against their manifests; return the exit status."""
    checked = {folder: file_faults(folder, options.some) for folder in options.folders}
    for folder, (number, faults) in checked.items():
        print(f"{folder}: {number} files of the manifest checked, {len(faults)} faults")
        for fault in faults:
            print(f"  {fault}")
    return int(any(faults for _, faults in checked.values()))


def _verify_runs(options: argparse.Namespace) -> int:
    """Compare the cells of two finished runs; return the exit status."""
    first, second = (
        {path.parent.name: path for path in sorted(Path(folder).glob("*/summary.csv*"))}
        for folder in (options.first, options.second)
    )
    if not first.keys() & second.keys():
        raise DataError(
            f"{options.first}, {options.second}: no study is finished in both; a run is a folder such as results/demo"
        )
    for folder, names in (
        (options.first, first.keys() - second.keys()),
        (options.second, second.keys() - first.keys()),
    ):
        if names:
            print(f"only in {folder}: {', '.join(sorted(names))}")
    wrong = 0
    for study in sorted(first.keys() & second.keys()):
        one, other = (pd.read_csv(paths[study]) for paths in (first, second))
        equal, differing = compare_cells(one, other, options.tolerance, CELL_OF_STUDY)
        far = differing.drop_duplicates(list(CELL_OF_STUDY))
        print(f"{study}: {equal} cells are equal to the last digit, {len(far)} differ")
        if len(differing):
            columns = {"committed": options.first, "recomputed": options.second}
            print(_as_text(differing.head(options.rows).rename(columns=columns)))
        wrong += len(far)
    return int(bool(wrong) or first.keys() != second.keys())


def share(text: str) -> float:
    """Return a share from the command line."""
    if 0 < float(text) <= 1:
        return float(text)
    raise argparse.ArgumentTypeError(f"a share is above 0 and at most 1; got {text}")


def _minutes(text: str) -> float:
    if float(text) > 0:
        return float(text)
    raise argparse.ArgumentTypeError(f"minutes are above 0; got {text}")


def _names(text: str) -> list[str]:
    return [name for name in text.replace(",", " ").split() if name]


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the reference, the project and the data are."""
    parser.add_argument(
        "--reference", default="results/reference", help="folder of the committed results (default: this)"
    )
    parser.add_argument("--project", default=".", help="folder of the Snakefile (default: this one)")
    for name, variable, what in (
        ("--mirror", MIRROR_VARIABLE, "folder to read published files from, instead of downloading"),
        ("--cache", CACHE_VARIABLE, "folder in which downloads are stored"),
    ):
        parser.add_argument(name, default=os.environ.get(variable) or None, help=f"{what} (default: {variable})")
    parser.add_argument("--catalogue", help="a datasets file")


def configured_places(options: argparse.Namespace) -> dict[str, str]:
    """Return where the data are, as keys of the configuration: the workflow runs in a separate folder."""
    files = {"mirror": options.mirror, "cache": options.cache, "datasets": options.catalogue}
    return {key: str(Path(path).resolve()) for key, path in files.items() if path is not None}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mlreduce_studies.provenance.verify", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    cells = commands.add_parser("cells", help="recompute a random sample of committed cells and compare")
    cells.add_argument("--share", type=share, default=0.02, help="of each study's cells (default 0.02)")
    cells.add_argument("--seed", type=int, help="of the sample (default: by chance; it is printed)")
    cells.add_argument(
        "--minutes", type=_minutes, help="time limit; curves that took more than a third of it before are left out"
    )
    cells.add_argument("--studies", type=_names, help="only these, with commas (default: all of the reference)")
    cells.add_argument("--datasets", type=_names, help="only on these, with commas (default: all)")
    cells.add_argument("--tolerance", type=float, default=1e-6, help="relative difference allowed (default 1e-6)")
    cells.add_argument("--keep", metavar="FOLDER", help="store what is computed in this folder (default: not stored)")
    add_places(cells)
    cells.set_defaults(run=_verify_cells)
    files = commands.add_parser("files", help="check a finished study's files against its manifest")
    files.add_argument("folders", nargs="+", metavar="FOLDER", help="such as results/paper/cplst-2012")
    files.add_argument("--some", action="store_true", help="allow missing files, as in a copy of some of the files")
    files.set_defaults(run=_verify_files)
    runs = commands.add_parser("runs", help="compare the cells of two finished runs")
    runs.add_argument("first", help="folder of a run, such as results/demo")
    runs.add_argument("second", help="of another one")
    runs.add_argument("--tolerance", type=float, default=1e-6, help="relative difference allowed (default 1e-6)")
    runs.add_argument("--rows", type=int, default=20, help="of differences to print for each study (default 20)")
    runs.set_defaults(run=_verify_runs)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; arguments of None are those of the command line."""
    options: Any = _parser().parse_args(arguments)
    return exit_status(options.run, options)


def exit_status(command: Callable[[Any], int], options: Any) -> int:
    """Run a command, and return its exit status: 1 after an error of the package, whose message is printed."""
    try:
        return command(options)
    except MLReduceError as error:
        print(f"mlreduce: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
