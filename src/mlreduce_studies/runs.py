"""A finished run as its folder holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.evaluation.failures import read_failures_csv
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.description import describe_study
from mlreduce_studies.study import load_study, study_file

#: File of a run's folder with what `mlreduce_studies.description.describe_study` says of its studies.
DESCRIPTION = "studies.json"


class StudyResults:
    """The results of a study in a run, with the description of `mlreduce_studies.description.describe_study`."""

    def __init__(self, name: str, folder: Path, description: Mapping[str, Any]) -> None:
        self.name, self.folder, self.description = name, folder, description
        self._frames: dict[str, pd.DataFrame | None] = {}

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Inputs, code, packages and cost."""
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))

    def frame(self, stem: str) -> pd.DataFrame | None:
        """Return a gathered table, or None where the run has none of this name."""
        if stem not in self._frames:
            paths = (self.folder / f"{stem}{suffix}" for suffix in (".parquet", ".csv", ".csv.gz"))
            path = next(filter(Path.is_file, paths), None)
            self._frames[stem] = None if path is None else _read(path)
        return self._frames[stem]

    @cached_property
    def draws(self) -> set[str]:
        """Labels of single draws of methods that draw, of which means are shown."""
        return {name for average in self.description["averages"].values() for name in average}

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Means over splits, without the single draws of methods that draw."""
        found = self.frame("summary")
        if found is None:
            raise ConfigurationError(f"{self.folder}: there is neither summary.parquet nor summary.csv in it")
        return found[~found["method"].isin(self.draws) & (found["splits"] > 0)].reset_index(drop=True)

    @cached_property
    def by_measure(self) -> dict[tuple[str, str], pd.DataFrame]:
        """Rows of the summary by protocol and measure."""
        groups = self.summary.groupby(["protocol", "measure"], sort=False)
        return {(str(protocol), str(measure)): rows for (protocol, measure), rows in groups}

    @cached_property
    def methods(self) -> list[str]:
        """Methods that have results, in the order of the study file; the mean of draws where the first draw is."""
        means = {draws[0]: name for name, draws in self.description["averages"].items()}
        order = [means.get(label, label) for label in self.description["methods"]]
        there = set(self.summary["method"])
        return [label for label in order if label in there] + sorted(there - set(order))

    @cached_property
    def failures(self) -> pd.DataFrame:
        """Failed cells."""
        return read_failures_csv(self.folder / "failures.csv")

    @cached_property
    def audit(self) -> pd.DataFrame:
        """Printed and reproduced cells."""
        return pd.read_csv(self.folder / "audit.csv", dtype={"note": str}).fillna({"note": ""})

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Claims with verdicts, as texts, but for ``own``."""
        table = pd.read_csv(self.folder / "claims.csv", dtype=str, keep_default_na=False)
        return table.assign(own=table["own"] == "True")

    @property
    def is_of_a_paper(self) -> bool:
        """Whether it reproduces a paper: its file names one, or claims are checked; others compare methods by us."""
        return bool(self.description["identifier"]) or not self.claims.empty

    @cached_property
    def seconds(self) -> float:
        """Seconds of its jobs, one after the other."""
        jobs = self.frame("jobs")
        return 0.0 if jobs is None else float(jobs["seconds"].sum())


def _read(path: Path) -> pd.DataFrame:
    if path.suffix != ".parquet":
        return pd.read_csv(path)
    from mlreduce_studies.gathering.job_tables import read_table

    return read_table(path)


class Run(NamedTuple):
    """A run: the results of its studies, and what its front page begins with."""

    studies: list[StudyResults]
    title: str
    introduction: str


def read_run(folder: str | Path, described: Mapping[str, Any] | None = None) -> Run:
    """Read the studies of a run from its folder, such as results/demo.

    ``described`` has its ``title``, ``introduction`` and ``studies``, which are names to descriptions; None reads them
    from the file `DESCRIPTION`. Raises ConfigurationError if the folder holds no finished run.
    """
    folder = Path(folder)
    if described is None:
        path = folder / DESCRIPTION
        if not path.is_file():
            raise ConfigurationError(
                f"{folder}: there is no {DESCRIPTION} in it; name the folder of a finished run, such as results/demo"
            )
        described = json.loads(path.read_text(encoding="utf-8"))
    studies = [StudyResults(name, folder / name, study) for name, study in described["studies"].items()]
    return Run(studies, described["title"], described["introduction"])


def open_run(folder: Path, project: Path) -> Run:
    """Return the run of a folder; where the folder does not describe its studies, their files in the project do.

    Raises ConfigurationError if the folder holds no results of a study.
    """
    if (folder / DESCRIPTION).is_file():
        return read_run(folder)
    manifests = sorted(folder.glob("*/manifest.json"))
    if not manifests:
        raise ConfigurationError(f"{folder}: there are no results of a study in it; name such as results/demo")
    catalogue, studies = read_catalogue(), {}
    for path in manifests:
        made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        study = load_study(
            study_file(made["study"], project), made["scale"], catalogue, splits=made["splits"], run_on=made["datasets"]
        )  # fmt: skip
        studies[study.name] = describe_study(study) | {"left_out": made.get("left_out", [])}
    text = "Every table and figure computed from the published data, with the numbers that the papers print."
    return read_run(folder, {"title": "mlreduce: the papers", "introduction": text, "studies": studies})
