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
    family : {"labelspace", "projection"}
        What its methods are.
    protocols : dict of str to dict
        Name to ``{"train": fraction}`` or ``{"folds": number}``.
    datasets : list of str
    claimed_on : list of str
        The data sets of the paper: what its claims are about, whatever is run.
    splits : int
        Number of random splits, or of folds.
    timed : int
        Number of splits on which fitting is timed, alone; 0 for none.
    curves : list of str
        Data sets measured at every size of 1..n_labels.
    groups : dict of str to (dict of label to entry)
        Methods of one group share a job and the work that they have in common. An entry holds a method's parameters,
        and under ``method`` its registry name if that is not the label.
    predictors : dict of str to dict
    sizes : list of int
        Percentages of the labels, or of the features.
    energies : list of float
        Shares of the eigenvalues' sum.
    measures : list of str
    tables, figures : dict of str to dict
    """

    name: str
    title: str
    family: str
    protocols: Mapping[str, Mapping[str, Any]]
    datasets: Sequence[str]
    claimed_on: Sequence[str]
    splits: int
    timed: int
    curves: Sequence[str]
    groups: Mapping[str, Methods]
    predictors: Methods
    sizes: Sequence[int]
    energies: Sequence[float]
    measures: Sequence[str]
    tables: Mapping[str, Mapping[str, Any]]
    figures: Mapping[str, Mapping[str, Any]]

    @property
    def methods(self) -> dict[str, Mapping[str, Any]]:
        """All methods by label, whatever their group."""
        return {label: entry for group in self.groups.values() for label, entry in group.items()}


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
    curves = [name for name in size.get("curves", []) if name in datasets] or datasets[:1]
    study = Study(
        name=Path(path).stem,
        title=content["title"],
        family=_family(content["methods"], str(path)),
        protocols=content["protocols"],
        datasets=datasets,
        claimed_on=content["scales"]["paper"]["datasets"],
        splits=splits or size["splits"],
        timed=min(size.get("timed", 0), splits or size["splits"]),
        curves=curves,
        groups=content["methods"],
        predictors=content["predictors"],
        sizes=content["sizes"],
        energies=content.get("energies", []),
        measures=content["measures"],
        tables=content["tables"],
        figures=content["figures"],
    )
    _check_names(study, str(path), catalogue)
    return study


def _family(groups: Mapping[str, Methods], where: str) -> str:
    """Return what the methods of a study are; they must be of one family."""
    families: dict[str, str] = {}
    for group, methods in groups.items():
        for label, entry in methods.items():
            name = registry.entry_name(label, entry)
            known = [*registry.list_methods("labelspace"), *registry.list_methods("projection")]
            if name not in known:
                raise ConfigurationError(unknown_name("method", name, known, f"{where}: methods.{group}"))
            families[registry.kind_of(name)] = name
    if len(families) > 1:
        pairs = " and ".join(f"{name!r} ({family})" for family, name in sorted(families.items()))
        raise ConfigurationError(f"{where}: methods: {pairs} cannot stand in one study")
    return next(iter(families))


def _check_names(study: Study, where: str, catalogue: Catalogue) -> None:
    for dataset in study.datasets:
        if dataset not in catalogue:
            raise ConfigurationError(unknown_name("data set", dataset, catalogue, where))
    seen: set[str] = set()
    for group, methods in study.groups.items():
        for label, entry in methods.items():
            if label in seen:
                raise ConfigurationError(f"{where}: methods.{group}: {label!r} is in two groups")
            seen.add(label)
            _check_method(label, entry, f"{where}: methods.{group}")
    known = registry.list_methods("predictors")
    for label, entry in study.predictors.items():
        if registry.entry_name(label, entry) not in known:
            raise ConfigurationError(
                unknown_name("method", registry.entry_name(label, entry), known, f"{where}: predictors")
            )
        _check_method(label, entry, f"{where}: predictors")
    for measure in study.measures:
        _check_measure(measure, study.measures, f"{where}: measures")
    for kind, outputs in (("tables", study.tables), ("figures", study.figures)):
        for name, output in outputs.items():
            _check_output(study, output, f"{where}: {kind}.{name}")


def _check_output(study: Study, output: Mapping[str, Any], where: str) -> None:
    """Check that what a table or figure shows is computed."""
    for method in [*output["methods"], *output.get("references", {})]:
        if method not in study.methods:
            raise ConfigurationError(unknown_name("method", method, study.methods, f"{where}.methods"))
    for measure in output.get("measures") or ([output["measure"]] if "measure" in output else []):
        _check_measure(measure, study.measures, where)
    if "predictor" in output and output["predictor"] not in study.predictors:
        raise ConfigurationError(unknown_name("predictor", output["predictor"], study.predictors, where))
    for key, computed in (("energy", study.energies), ("size_percent", study.sizes)):
        if key in output and output[key] not in computed:
            raise ConfigurationError(f"{where}.{key}: {output[key]} is not measured; known: {list(computed)}")


def _check_method(label: str, entry: Mapping[str, Any], where: str) -> None:
    try:
        registry.make_entry(label, entry)
    except MLReduceError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def _check_measure(name: str, measured: Sequence[str], where: str) -> None:
    try:
        find_measure(name)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    if name not in measured:
        raise ConfigurationError(unknown_name("measure", name, measured, where))
