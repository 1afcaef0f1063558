"""Judge the claims on a study again from its stored scores: ``python -m mlreduce_studies.verdicts FOLDER ...``.

A folder is one of ``results/reference``, or of the results of a run, with its manifest. Prints the number of claims
with each verdict, and every claim whose verdict in ``claims.csv`` differs; the exit status is 1 where one differs. The
claims and the study files are those of the working directory.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import DataError, MLReduceError
from mlreduce.files import replacing
from mlreduce_studies.gathering.job_tables import read_failures, read_table
from mlreduce_studies.gathering.summary import write_csv
from mlreduce_studies.study import load_study, study_file
from mlreduce_studies.verdicts.claims import Judged, judge_claims, verdicts_sentence
from mlreduce_studies.verdicts.quantities import Results
from mlreduce_studies.verdicts.reading import Claim, Known, read_claims
from mlreduce_studies.verdicts.sensitivity import sensitivity
from mlreduce_studies.verdicts.settings import claim_settings
from mlreduce_studies.verdicts.statements import TABLES
from mlreduce_studies.verdicts.studies import results_of

__all__ = ["judge_again", "kept", "main"]


def judge_again(folder: Path, project: Path) -> Judged:
    """Return the claims with their verdicts, from the tables of a study: see `kept`."""
    return judge_claims(*kept(folder, project))


def kept(folder: Path, project: Path) -> tuple[list[Claim], Results, list[str]]:
    """Return the claims on a study, its results, and the data sets of the paper that were run.

    The folder has ``manifest.json``, ``scores.parquet``, ``datasets.csv``, and the other tables of the study, if any;
    the project has ``papers`` and ``comparisons``. Raises DataError if a file is missing.
    """
    scores = folder / "scores.parquet"
    for path in (folder / "manifest.json", scores, folder / "datasets.csv"):
        if not path.is_file():
            raise DataError(f"{path}: no such file; a folder of results has it, such as results/reference/mvmd-2016")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    study = load_study(study_file(manifest["study"], project), "paper", read_catalogue())
    settings = claim_settings(study)
    claims = [] if study.claims is None else read_claims(study.claims, Known(**settings["names"]))
    tables = {"scores": read_table(scores)}
    for name in ("times", "errors", *TABLES):
        if (folder / f"{name}.parquet").is_file():
            tables[name] = read_table(folder / f"{name}.parquet")
        elif (folder / f"{name}.csv").is_file():
            tables[name] = pd.read_csv(folder / f"{name}.csv")
    datasets = [name for name in settings["datasets"] if name not in manifest.get("left_out", [])]
    printed = [
        pd.read_csv(folder / f"{name}.csv") if (folder / f"{name}.csv").is_file() else None
        for name in ("audit", "ratios")
    ]
    return claims, results_of(settings, tables, read_failures([scores]), *printed), datasets


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the claims on some studies again, and compare."""
    summary, _, details = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m mlreduce_studies.verdicts", description=summary, epilog=details)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--project", type=Path, default=Path())
    parser.add_argument("--sensitivity", type=Path, metavar="FILE", help="judge in other ways too, into a table")
    options = parser.parse_args(arguments)
    differing, ways = 0, []
    for folder in options.folders:
        try:
            found = kept(folder, options.project)
            judged = judge_claims(*found).claims
            if options.sensitivity:
                ways.append(sensitivity(*found))
            committed = pd.read_csv(folder / "claims.csv").set_index("id")["verdict"]
        except (MLReduceError, OSError) as error:
            parser.exit(1, f"{error}\n")
        print(f"{folder.name}: {verdicts_sentence(judged) if len(judged) else 'no claim is judged on it'}")
        for claim, verdict in zip(judged["id"], judged["verdict"], strict=True):
            if verdict != committed.get(claim):
                differing += 1
                print(f"  {claim}: {verdict}, but {folder / 'claims.csv'} has {committed.get(claim, 'no such claim')}")
    if ways:
        with replacing(options.sensitivity) as path:
            write_csv(pd.concat(ways), path)
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
