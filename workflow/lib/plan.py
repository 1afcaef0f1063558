"""What a run is: its configuration, studies, data sets and folders."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlreduce.datasets.catalogue import Catalogue, read_catalogue
from mlreduce.datasets.readers.configuration import validate
from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.experiments.study import Study, load_study

# Keys that are true or false, and what the command line may have for these.
_SWITCHES, _WORDS = ("bundle", "job_per_fit", "keep_fitted", "retry_failed"), ("true", "false")


@dataclass(frozen=True)
class Plan:
    """A run of some studies.

    Attributes
    ----------
    config : dict
        See config/README.md.
    project : Path
        Folder of the Snakefile, as seen from where it runs: a project that is moved takes its results along.
    catalogue : Catalogue
    studies : dict of str to Study
    base : str
        Folder of the studies' results.
    own_data : bool
        Whether data sets are run that are not the studies' own: no claim or printed number is about them.
    """

    config: Mapping[str, Any]
    project: Path
    catalogue: Catalogue
    studies: Mapping[str, Study]
    base: str
    own_data: bool

    @property
    def data(self) -> str:
        """Folder of the data sets, which all scales share."""
        return f"{self.config['results']}/data"

    @property
    def claims(self) -> str:
        """File of the papers' claims."""
        return str(self.project / "config" / "claims.yaml")

    def published(self, study: str) -> list[str]:
        """Printed numbers of a paper, where it printed any."""
        return self._published(f"{study}.csv")

    def published_sizes(self, study: str) -> list[str]:
        """Printed sizes of a paper's data sets, where it printed any."""
        return self._published(f"{study}-datasets.csv")

    def _published(self, name: str) -> list[str]:
        path = self.project / "config" / "published" / name
        return [str(path)] if path.is_file() and not self.own_data else []


def words(value: Any) -> list[str] | None:
    """Return a list that may be given as text with commas, as on the command line; None for nothing."""
    if isinstance(value, str):
        return [word for word in value.replace(",", " ").split() if word]
    return None if value is None else list(value)


def make_plan(config: Mapping[str, Any], project: str | Path) -> Plan:
    """Check a configuration and read the studies that it names.

    Parameters
    ----------
    config : dict
        As Snakemake has it.
    project : path
        Folder with ``config/studies``.

    Raises
    ------
    ConfigurationError
        If a key, study, data set or method is unknown; the sentence holds the nearest known name.
    """
    project = Path(os.path.relpath(project))
    lists = {key: words(config[key]) for key in ("studies", "run_on", "methods", "figure_formats") if key in config}
    switches = {key: {"true": True, "false": False}[word] for key in _SWITCHES if (word := config.get(key)) in _WORDS}
    config = {**config, **lists, **switches}
    validate(config, "config", "configuration")
    if config.get("job_per_fit"):
        config |= {"bundle": False, "splits_per_job": 1}
    mirror = config.get("mirror")
    if mirror is not None and not Path(mirror).is_dir():
        raise ConfigurationError(f"mirror: {mirror} is no folder")
    catalogue = read_catalogue(config.get("datasets"))
    run_on = config.get("run_on")
    for name in run_on or []:
        if name not in catalogue:
            raise ConfigurationError(unknown_name("data set", name, catalogue, "run_on"))
    files = [study_file(name, project) for name in config["studies"]]
    sample = config.get("sample", {})
    run = {"splits": config.get("splits"), "run_on": run_on}
    studies = {
        file.stem: load_study(
            file,
            config["scale"],
            catalogue,
            **{key: sample.get(file.stem, run)[key] for key in run},
            mirror=mirror,
            methods=config.get("methods"),
        )
        for file in files
    }
    if config.get("methods") is not None:
        studies = {name: study for name, study in studies.items() if study.groups}
        if not studies:
            raise ConfigurationError(f"methods: no study has any of {', '.join(config['methods'])}")
    studies |= {name: _sampled(studies[name], own["curves"]) for name, own in sample.items() if name in studies}
    own_data = any(name not in study.known_datasets for study in studies.values() for name in study.datasets)
    folder = config.get("name", "own" if own_data else config["scale"])
    return Plan(config, project, catalogue, studies, f"{config['results']}/{folder}", own_data)


def study_file(name: str, project: Path) -> Path:
    """Return the file of a study: a path as it is, or a name of ``config/studies``.

    Raises
    ------
    ConfigurationError
        If there is none; the sentence holds the nearest known name.
    """
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    folder = project / "config" / "studies"
    path = folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted(file.stem for file in folder.glob("*.yaml"))
        raise ConfigurationError(unknown_name("study", name, known, "studies"))
    return path


def _sampled(study: Study, curves: Sequence[Sequence[str]]) -> Study:
    """Return a study that computes only some curves: see `mlreduce.provenance.verify`."""
    datasets = sorted({dataset for _, dataset, _, _ in curves})
    return replace(study, datasets=datasets, sample=tuple((a, b, c, d) for a, b, c, d in curves))
