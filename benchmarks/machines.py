"""How far scores depend on the machine or on the order of rows and columns: every method of every study.

    python benchmarks/machines.py --mirror FOLDER --datasets emotions,enron --output docs/verdicts/machines.csv

Every group of methods is fitted and measured on the first split, in a separate process with one BLAS thread, and again

columns
    with the features in another order,
rows
    with the training rows, and the test rows, in another order,
threads
    with two BLAS threads,
haswell
    with OpenBLAS's kernels for Haswell (``OPENBLAS_CORETYPE``), which processors of other kinds with AVX2 can use.

The output has one row per method, predictor and variant: the largest difference of a score, and of which measure at
which size (infinite where only one of them has that size); methods that fail have the reason in its place. Parameters
that a study searches take their first candidate, widths and penalties of kernels their defaults. Groups that are
already in the output are skipped: run the command again to resume.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlreduce.datasets.catalogue import load_dataset, read_catalogue
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.entries import without_search
from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.search import candidates_of
from mlreduce.evaluation.splitting import Split
from mlreduce_studies.study import PAPERS, Study, load_study, study_files

ROOT = Path(__file__).resolve().parents[1]
#: Of the papers; the comparison of all methods draws its parameters in each fold and would take as long as these.
STUDIES = study_files(ROOT, [PAPERS])
ENVIRONMENTS = {
    "here": {},
    "columns": {},
    "rows": {},
    "threads": {"OPENBLAS_NUM_THREADS": "2"},
    "haswell": {"OPENBLAS_CORETYPE": "Haswell"},
}
CELL = ["study", "protocol", "group", "method", "predictor", "size_percent", "energy", "size", "measure"]
COLUMNS = ["dataset", "study", "protocol", "group", "method", "predictor", "variant"]
COLUMNS += ["difference", "measure", "size", "value", "failure"]
KEY = ["dataset", "study", "protocol", "group"]


class Reordered(Experiment):
    """An experiment on the same splits of rows that stand in another order."""

    order: NDArray[np.intp]

    def _splits(self, task: Any) -> dict[int, Split]:
        place = np.argsort(self.order)
        data = self._data
        self._data = replace(data, X=data.X[place], Y=data.Y[place])  # as they stood: splits go by the labels
        splits = super()._splits(task)
        self._data = data
        return {
            number: Split(*(None if part is None else np.sort(place[part]) for part in split))
            for number, split in splits.items()
        }


def parts_of(study: Study, dataset: str) -> Iterator[tuple[str, str]]:
    """Yield each group with the first protocol that runs it."""
    seen = set()
    for protocol, group in study.tasks(dataset):
        if group not in seen:
            seen.add(group)
            yield protocol, group


def first_of(label: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first candidate of a method's search; nothing where it is not searched."""
    return candidates_of(label, entry, 12, 2012)[0] if "search" in entry else {}


def scores_of(
    study: Study,
    data: MultiLabelData,
    protocol: str,
    group: str,
    variant: str,
    seed: int = 1,
    sizes: list[int] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the scores of a group's methods on the first split, with `CELL` and value, and what failed."""
    if variant == "columns":
        order = np.random.default_rng(seed).permutation(data.X.shape[1])
        data = replace(data, X=data.X[:, order], feature_names=[data.feature_names[i] for i in order])
    rows = np.arange(len(data.Y))
    if variant == "rows":
        rows = np.random.default_rng(seed).permutation(rows)
        data = replace(data, X=data.X[rows], Y=data.Y[rows])
    own = study.groups[group]
    task = {
        "protocol": protocol,
        "group": group,
        "rule": study.rule_of(protocol, data.name),
        "splits": (0, 0),
        "methods": {label: without_search(entry) | first_of(label, entry) for label, entry in own.methods.items()},
        "once": False,
        "predictors": {name: study.predictors[name] for name in own.predictors},
        "dimensions": study.dimensions_of(protocol, data.name),
    }
    measured = {
        "sizes": list(study.sizes) if sizes is None else sizes,
        "energies": list(study.energies),
        "every_size": False,
        "measures": sorted(study.measures),
    }
    settings = {"family": study.family, "space": study.space_of(data.name), "tasks": [task], "measured": measured}
    experiment = Reordered(study.name, data, settings, seed=1)
    experiment.order = rows
    arrays = {}
    _, failed = experiment.fit(None, pd.DataFrame(columns=FAILURE_COLUMNS), arrays.__setitem__)
    scores, also = experiment.predict(arrays, None, failed)
    scores = scores.assign(group=group)
    return scores[[*CELL, "value"]], pd.concat([failed, also]).drop_duplicates()


def compared(here: pd.DataFrame, there: pd.DataFrame) -> pd.DataFrame:
    """Return the largest difference of each method with each predictor, its measure, size and value."""
    both = here.merge(there, on=CELL, how="outer", suffixes=("", "_there"))
    # A size that only one of them has is a difference: the number of directions depends on the machine.
    missing = both["value"].isna() != both["value_there"].isna()
    both["difference"] = (both["value"] - both["value_there"]).abs().where(~missing, np.inf).fillna(0.0)
    worst = both.groupby(["method", "predictor"])["difference"].idxmax()
    return both.loc[worst, ["method", "predictor", "difference", "measure", "size", "value"]]


def in_a_process(study: str, dataset: str, protocol: str, group: str, variant: str, mirror: str | None) -> Any:
    """Return the scores and failures of a group, computed in another process."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"} | ENVIRONMENTS[variant]
        part = [study, dataset, protocol, group, variant, folder]
        command = [sys.executable, __file__, "--part", *part, *(["--mirror", mirror] if mirror else [])]
        subprocess.run(command, check=True, env=environment)
        return pd.read_parquet(f"{folder}/scores"), pd.read_parquet(f"{folder}/failures")


def one_part(part: list[str], mirror: str | None) -> None:
    """Write the scores and failures of one group to a folder."""
    study, dataset, protocol, group, variant, folder = part
    data = load_dataset(dataset, mirror=mirror)
    scores, failures = scores_of(study_of(study, dataset), data, protocol, group, variant)
    scores.to_parquet(f"{folder}/scores")
    failures.astype(str).to_parquet(f"{folder}/failures")


def study_of(study: str, dataset: str) -> Study:
    """Return a study of the project that runs on a data set."""
    return load_study(STUDIES[study], "demo", read_catalogue(), run_on=[dataset])


def measure(output: Path, datasets: list[str], studies: list[str], variants: list[str], mirror: str | None) -> None:
    """Complete the table of differences, a group at a time."""
    for dataset in datasets:
        for study in studies:
            for protocol, group in parts_of(study_of(study, dataset), dataset):
                known = pd.read_csv(output) if output.is_file() else pd.DataFrame(columns=COLUMNS)
                key = dict(zip(KEY, (dataset, study, protocol, group), strict=True))
                own = known[(known[KEY] == list(key.values())).all(axis=1)]
                wanted = [variant for variant in variants if variant not in set(own["variant"])]
                if not wanted:
                    continue
                here, failed = in_a_process(study, dataset, protocol, group, "here", mirror)
                rows = [known]
                for variant in wanted:
                    there, also = in_a_process(study, dataset, protocol, group, variant, mirror)
                    reasons = pd.concat([failed, also]).drop_duplicates(["method", "predictor"])
                    reasons = reasons[["method", "predictor", "message"]].rename(columns={"message": "failure"})
                    rows += [part.assign(**key, variant=variant) for part in (compared(here, there), reasons)]
                table = pd.concat([part for part in rows if len(part)]).reindex(columns=COLUMNS)
                output.parent.mkdir(parents=True, exist_ok=True)
                table.sort_values(COLUMNS[:7], ignore_index=True).to_csv(output, index=False)
                print(dataset, study, group, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", help="folder of the data sets")
    parser.add_argument("--datasets", default="emotions,enron")
    parser.add_argument("--studies", default=",".join(STUDIES))
    parser.add_argument("--variants", default=",".join(list(ENVIRONMENTS)[1:]))
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "verdicts" / "machines.csv")
    parser.add_argument("--part", nargs=6, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        one_part(options.part, options.mirror)
    else:
        lists = (options.datasets.split(","), options.studies.split(","), options.variants.split(","))
        measure(options.output, *lists, options.mirror)


if __name__ == "__main__":
    main()
