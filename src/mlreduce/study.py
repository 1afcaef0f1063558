"""A study: which data sets, methods, splits and outputs one paper is, read from its file and checked as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.configuration import read_yaml, validate
from mlreduce.datasets.catalogue import Catalogue
from mlreduce.evaluation.measures import find_measure
from mlreduce.exceptions import ConfigurationError, MLReduceError, unknown_name

__all__ = ["Study", "batches", "load_study"]

Methods = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Study:
    """What a study file says, at one of its scales.

    Attributes
    ----------
    name, title : str
    protocols : dict of str to float
        Name to training fraction.
    datasets : list of str
    splits : int
        Number of random splits.
    curves : list of str
        Data sets measured at every size of 1..n_labels.
    groups : dict of str to (dict of method to parameters)
        Methods of one group share a job and the work that they have in common.
    predictors : dict of str to dict
    sizes : list of int
        Percentages of the labels.
    measures : list of str
    tables, figures : dict of str to dict
    """

    name: str
    title: str
    protocols: Mapping[str, float]
    datasets: Sequence[str]
    splits: int
    curves: Sequence[str]
    groups: Mapping[str, Methods]
    predictors: Methods
    sizes: Sequence[int]
    measures: Sequence[str]
    tables: Mapping[str, Mapping[str, Any]]
    figures: Mapping[str, Mapping[str, Any]]

    @property
    def methods(self) -> dict[str, Mapping[str, Any]]:
        """All methods with their parameters, whatever their group."""
        return {name: parameters for group in self.groups.values() for name, parameters in group.items()}


def batches(n_splits: int, per_job: int) -> dict[str, range]:
    """Cut the split numbers into batches: name, such as "000-099", to numbers."""
    ranges = [range(start, min(start + per_job, n_splits)) for start in range(0, n_splits, per_job)]
    return {f"{r.start:03d}-{r.stop - 1:03d}": r for r in ranges}


def load_study(
    path: str | Path,
    scale: str,
    catalogue: Catalogue,
    splits: int | None = None,
    run_on: Sequence[str] | None = None,
) -> Study:
    """Read a study file and check every name in it.

    Parameters
    ----------
    path : path
        Its stem is the study's name.
    scale : {"demo", "paper"}
        Which of the file's sizes.
    catalogue : Catalogue
        The data sets there are.
    splits : int or None, default=None
        Instead of the scale's number of splits.
    run_on : sequence of str or None, default=None
        Instead of the scale's data sets.

    Raises
    ------
    ConfigurationError
        If the file is not as its schema says, or names an unknown data set, method, parameter, measure; the
        sentence says which key, and the nearest known name.
    """
    content = read_yaml(path)
    validate(content, "study", str(path))
    size = content["scales"][scale]
    datasets = list(run_on) if run_on else size["datasets"]
    curves = [name for name in size["curves"] if name in datasets] or datasets[:1]
    study = Study(
        name=Path(path).stem,
        title=content["title"],
        protocols={name: protocol["train"] for name, protocol in content["protocols"].items()},
        datasets=datasets,
        splits=splits or size["splits"],
        curves=curves,
        groups=content["methods"],
        predictors=content["predictors"],
        sizes=content["sizes"],
        measures=content["measures"],
        tables=content["tables"],
        figures=content["figures"],
    )
    _check_names(study, str(path), catalogue)
    return study


def _check_names(study: Study, where: str, catalogue: Catalogue) -> None:
    for dataset in study.datasets:
        if dataset not in catalogue:
            raise ConfigurationError(unknown_name("data set", dataset, catalogue, where))
    seen: set[str] = set()
    for group, methods in study.groups.items():
        for name, parameters in methods.items():
            if name in seen:
                raise ConfigurationError(f"{where}: methods.{group}: {name!r} is in two groups")
            seen.add(name)
            _check_method(name, parameters, "labelspace", f"{where}: methods.{group}")
    for name, parameters in study.predictors.items():
        _check_method(name, parameters, "predictors", f"{where}: predictors")
    for measure in study.measures:
        _check_measure(measure, study.measures, f"{where}: measures")
    for kind, outputs in (("tables", study.tables), ("figures", study.figures)):
        for name, output in outputs.items():
            for method in output["methods"]:
                if method not in seen:
                    raise ConfigurationError(unknown_name("method", method, seen, f"{where}: {kind}.{name}.methods"))
            for measure in output.get("measures") or [output["measure"]]:
                _check_measure(measure, study.measures, f"{where}: {kind}.{name}")
            if output["predictor"] not in study.predictors:
                raise ConfigurationError(
                    unknown_name("predictor", output["predictor"], study.predictors, f"{where}: {kind}.{name}")
                )


def _check_method(name: str, parameters: Mapping[str, Any], kind: str, where: str) -> None:
    known = registry.list_methods(kind)
    if name not in known:
        raise ConfigurationError(unknown_name("method", name, known, where))
    try:
        registry.make(name, **parameters)
    except MLReduceError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def _check_measure(name: str, measured: Sequence[str], where: str) -> None:
    try:
        find_measure(name)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    if name not in measured:
        raise ConfigurationError(unknown_name("measure", name, measured, where))
