"""A study: data sets, methods, splits and outputs of a paper or comparison, read from its file and checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.configuration import read_yaml, validate
from mlreduce.datasets.catalogue import Catalogue
from mlreduce.evaluation.entries import is_range, others_of, without_search
from mlreduce.exceptions import ConfigurationError, MLReduceError, check_known_name, unknown_name
from mlreduce.metrics.measures import find_measure, in_parts
from mlreduce_studies import programs
from mlreduce_studies.options import FIGURES, TABLES, kind_of, schema_of

#: Folder of the papers, which run where no study is named.
PAPERS = "papers"

_FOLDERS = (PAPERS, "comparisons")
_FILE = "study.yaml"

Methods = Mapping[str, Mapping[str, Any]]

# The families that a study may be about.
_REDUCTIONS = ("labelspace", "projection", "propagation", "selection")

# How features are scaled that stay as they are: see `mlreduce.preprocessing.scaling`.
_UNSCALED = "none"

# Keys that a family has no use for.
_UNUSED = {
    "labelspace": {"relation": "label coders do not see relations"},
    "selection": {"relation": "selectors do not see relations"},
}

# What a study ends in.
_OUTPUTS = (("tables", TABLES), ("figures", FIGURES))


@dataclass(frozen=True)
class Group:
    """Methods that share jobs and the work that they have in common."""

    #: Label to entry. An entry holds a method's parameters, and under ``method`` its registry name if that is
    #: not the label.
    methods: Methods
    #: What is trained on them.
    predictors: Sequence[str]
    #: Data sets, and "default", on which not all splits are run.
    fewer_splits: Mapping[str, int]
    #: Data sets, and "default", of which a job has fewer splits than the configuration allows.
    splits_per_job: Mapping[str, int]
    #: Over which candidates the predictor's parameters are chosen for each method: see `candidates`.
    choice: Mapping[str, Any] | None = None
    #: On which it runs; None for all.
    protocols: Sequence[str] | None = None
    #: How parameters of the methods are searched that have any to search: see `mlreduce.evaluation.search`.
    search: Mapping[str, Any] | None = None
    #: What is measured where its methods are tuned by one of several measures: those that go by it; None for all.
    measures: Sequence[str] | None = None
    #: Whether its methods are fitted for their time alone, and nothing is measured.
    timed_only: bool = False
    #: Of the features that it is timed on, where that is not the study's.
    scaling: str | None = None

    def runs_on(self, protocol: str) -> bool:
        """Say whether the group is run by a protocol."""
        return not self.timed_only and (self.protocols is None or protocol in self.protocols)

    @property
    def chooses(self) -> bool:
        """Whether parameters are chosen, of the predictor or of the methods."""
        return bool(self.choice) or self.search is not None

    def candidates(self, dataset: str) -> dict[str, Any]:
        """Return the numbers of folds and candidates for a data set: ``folds``, ``gammas``, ``alphas``."""
        choice = self.choice or {}
        powers = {name: _of(choice[f"log2_{name}"], dataset, None) for name in ("gamma", "alpha")}
        ranges = {name: range(first, last + 1, *step) for name, (first, last, *step) in powers.items()}
        return {
            "folds": choice["folds"],
            **{f"{name}s": [2.0**power for power in value] for name, value in ranges.items()},
        }

    def chosen_once(self, dataset: str) -> bool:
        """Say whether parameters are chosen on the first split only, for all splits."""
        if self.search is not None:
            return bool(self.search.get("splits", "first") == "first")
        return dataset in (self.choice or {}).get("once", [])


def _of(values: Any, dataset: str, otherwise: Any) -> Any:
    """Return the value of a data set, or else the default of all data sets."""
    return values.get(dataset, values.get("default", otherwise))


@dataclass(frozen=True)
class Study:
    """The content of a study file at one of its scales."""

    name: str
    title: str
    #: One of "labelspace", "projection", "selection". What its methods are.
    family: str
    #: Name to ``{"train": fraction}``, ``{"folds": number}`` or ``{"parts": "validation" or "test"}``, and further
    #: keys; see `rule_of`.
    protocols: Mapping[str, Mapping[str, Any]]
    #: Data sets, and "default", to what is done to the features; see `mlreduce.preprocessing.scaling.scale_parts`.
    scaling: Mapping[str, str]
    #: Data sets, and "default", to the relation to the training rows that takes the place of the features; empty where
    #: features stay what they are. See `mlreduce.preprocessing.relation.RelationFeatures`.
    relation: Mapping[str, str]
    #: Protocol to data sets, and "default", to a number of dimensions, or several, at which methods are measured in
    #: addition to the percentages; parameters are searched at the first.
    dimensions: Mapping[str, Mapping[str, int | Sequence[int]]]
    datasets: Sequence[str]
    #: Data sets of the paper that are not run, since the mirror does not have them.
    left_out: Sequence[str]
    #: The data sets of the paper: what its claims are about, whatever is run.
    claimed_on: Sequence[str]
    #: Number of random splits, or of folds.
    splits: int
    #: Data sets, and "default", to the number of splits on which fitting is timed, alone; see `timed_on`.
    timed: Mapping[str, int]
    #: Data sets measured at every size of 1..n_labels.
    curves: Sequence[str]
    groups: Mapping[str, Group]
    predictors: Methods
    #: Percentages of the labels, or of the features.
    sizes: Sequence[int]
    #: Shares of the eigenvalues' sum.
    energies: Sequence[float]
    measures: Sequence[str]
    #: Which labels are predicted from scores: see `mlreduce.predictors.decision.Decision`.
    decision: str
    #: One of "standard", "expected". How measures of scores count labels that tie: see `mlreduce.metrics.evaluate`.
    ties: str
    tables: Mapping[str, Mapping[str, Any]]
    figures: Mapping[str, Mapping[str, Any]]
    #: What of the features' dependencies is approximated, and how; see `mlreduce_studies.experiments.approximation`.
    approximation: Mapping[str, Any] | None = None
    #: Whose fits are timed at growing sizes; see `mlreduce_studies.experiments.costs`.
    costs: Mapping[str, Any] | None = None
    #: Address by which the paper is cited.
    identifier: str | None = None
    #: Seconds and gigabytes of one call of an estimator, beyond which it fails: see `mlreduce.validation.limits`.
    limits: Mapping[str, float] = field(default_factory=dict)
    #: Whether warnings of fits and predictions are a column of the scores: see `mlreduce.evaluation.loop.Settings`.
    record_warnings: bool = False
    #: Data sets that a benchmark leaves out, each with the reason.
    excluded: Mapping[str, str] = field(default_factory=dict)
    #: Randomised methods with several draws on each split: the name of the mean to those of the draws.
    averages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: The data sets of its scales.
    known_datasets: Sequence[str] = ()
    #: Methods that the paper proposes; the others are what it compares them with.
    proposed: Sequence[str] = ()
    #: The only curves that are computed, to verify them; None for all.
    sample: Sequence[tuple[str, str, str, str]] | None = None
    #: Files in the folder of the study: what a paper claims, the numbers that it prints, and the sizes of its data
    #: sets.
    claims: Path | None = None
    published: Path | None = None
    published_sizes: Path | None = None

    def tasks(self, dataset: str) -> list[tuple[str, str]]:
        """Return protocol and group of everything that is run on a data set."""
        return [
            (protocol, name)
            for protocol in self.protocols
            for name, group in self.groups.items()
            if group.runs_on(protocol) and self.methods_of(dataset, protocol, name)
        ]

    def methods_of(self, dataset: str, protocol: str, group: str) -> Methods:
        """Return the methods of a group that are run: all, or those of a sample."""
        methods = self.groups[group].methods
        if self.sample is None:
            return methods
        chosen = {method for *at, method, _ in self._sampled(dataset, protocol, group) for method in self.draws(method)}
        chosen |= {other for label in chosen for other in others_of(methods[label])}
        return {label: entry for label, entry in methods.items() if label in chosen}

    def predictors_of(self, dataset: str, protocol: str, group: str) -> list[str]:
        """Return the predictors of a group that are trained: all, or those of a sample."""
        predictors = self.groups[group].predictors
        if self.sample is None:
            return list(predictors)
        chosen = {predictor for *_, predictor in self._sampled(dataset, protocol, group)}
        return [name for name in predictors if name in chosen]

    def _sampled(self, dataset: str, protocol: str, group: str) -> list[tuple[str, str, str, str]]:
        members = self.groups[group]
        return [
            curve
            for curve in self.sample or []
            if curve[:2] == (protocol, dataset)
            and self.draws(curve[2])[0] in members.methods
            and curve[3] in members.predictors
        ]

    def draws(self, method: str) -> Sequence[str]:
        """Return the labels of the draws of a method, or its label if it has none."""
        return self.averages.get(method, [method])

    def shown(self, output: str) -> dict[str, list[str]]:
        """Return what a table or figure shows, by its name: its methods and draws, predictors, protocols and datasets.

        All that it does not name it may show; of data sets all where none of those that it names is run.
        """
        kinds, spec = next((kinds, specs[output]) for key, kinds in _OUTPUTS if output in (specs := getattr(self, key)))
        options, names = schema_of(kinds, spec)["properties"], defaultdict(set)
        for key, value in spec.items():
            for kind, name in _named(options[key], value) if key != "leave_out" else ():
                names[kind].add(name)
        datasets = [name for name in self.datasets if name not in spec.get("leave_out", ())]
        if kinds is FIGURES and kinds.find(kind_of(kinds, spec)).per_dataset:
            datasets = list(self.curves[:1])
        return {
            "methods": sorted({label for name in names["method"] for label in (name, *self.draws(name))}),
            "predictors": [name for name in self.predictors if name in names["predictor"] or not names["predictor"]],
            "protocols": [name for name in self.protocols if name in names["protocol"] or not names["protocol"]],
            "datasets": [name for name in datasets if name in names["data set"]] or datasets,
        }

    def only(self, methods: Sequence[str]) -> Study:
        """Return the study with some of its methods, and the tables and figures that still have something to show.

        Labels that this study does not have are another study's.
        """
        known = {*self.methods, *self.averages}
        labels = {label for method in methods if method in known for label in self.draws(method)}
        labels |= {other for label in labels for other in others_of(self.methods[label])}
        shown_methods = {*labels, *(name for name in methods if name in self.averages)}
        groups = {
            name: replace(group, methods=chosen)
            for name, group in self.groups.items()
            if (chosen := {label: entry for label, entry in group.methods.items() if label in labels})
        }
        tables, figures = (
            {name: shown for name, output in outputs.items() if (shown := _shown(output, shown_methods)) is not None}
            for outputs in (self.tables, self.figures)
        )
        costs = self.costs
        if costs is not None:
            chosen = {label: entry for label, entry in costs["methods"].items() if label in shown_methods}
            costs = {**costs, "methods": chosen} if chosen else None
        return replace(self, groups=groups, tables=tables, figures=figures, costs=costs, approximation=None)

    @property
    def image_figure(self) -> Mapping[str, Any]:
        """The figure that shows proximities as images."""
        return next(figure for figure in self.figures.values() if figure.get("kind") == "proximities")

    def figure_files(self, figure: str) -> dict[str, str]:
        """Map the files of a figure, without suffix, to their protocols; the first has the figure's name."""
        protocols = self.figures[figure].get("protocols", self.protocols)
        return {f"{figure}-{name}" if position else figure: name for position, name in enumerate(protocols)}

    def table_spec(self, table: str) -> dict[str, Any]:
        """Return what a table shows, with the ranges of the methods' parameters where it is about their ends."""
        spec = dict(self.tables[table])
        if spec.get("kind") == "ends":
            searched = {method: self.methods.get(method, {}).get("search", {}) for method in spec["methods"]}
            spec["ranges"] = {
                method: {name: values for name, values in value.items() if is_range(values)}
                for method, value in searched.items()
            }
        return spec

    def figure_spec(self, figure: str) -> dict[str, Any]:
        """Return what a figure shows, with what else drawing needs.

        Those of its methods that the study is about, by its name, as ``own``; the values of a parameter on its axis as
        ``points``; and of ranks the registered names.
        """
        spec = dict(self.figures[figure])
        if spec.get("kind") == "near-best":
            entries = {label: self.methods[self.draws(label)[0]] for label in spec["methods"]}
            spec["registered"] = {label: registry.entry_name(label, entry) for label, entry in entries.items()}
        about = self.name.split("-")
        spec["own"] = [label for label in spec["methods"] if label.partition("-")[0] in about]
        if "parameter" in spec:
            spec["points"] = {method: self.methods[method][spec["parameter"]] for method in spec["methods"]}
        return spec

    def rule_of(self, protocol: str, dataset: str) -> dict[str, Any]:
        """Return how a protocol splits a data set: see `mlreduce.evaluation.splitting.take_splits`."""
        rule = dict(self.protocols[protocol])
        sampled: Mapping[str, Any] = rule.pop("sampled", {})
        common = {name: rule.pop(name) for name in ("labelled", "stratify", "duplicates") if name in rule}
        return {**sampled.get(dataset, rule), **common}

    @property
    def costed(self) -> list[str]:
        """The data sets on which costs are measured: those that are named, or the first if none of them is run."""
        named = [name for name in (self.costs or {}).get("datasets", []) if name in self.datasets]
        return named or list(self.datasets[:1])

    def space_of(self, dataset: str) -> dict[str, str | None]:
        """Return what methods see of a data set's features: ``scaling`` and ``relation``."""
        return {"scaling": _of(self.scaling, dataset, _UNSCALED), "relation": _of(self.relation, dataset, None)}

    def dimensions_of(self, protocol: str, dataset: str) -> list[int]:
        """Return the numbers of dimensions at which methods are measured in addition to the percentages."""
        numbers: int | Sequence[int] = _of(self.dimensions.get(protocol, {}), dataset, [])
        return [numbers] if isinstance(numbers, int) else list(numbers)

    @property
    def methods(self) -> dict[str, Mapping[str, Any]]:
        """All methods by label, whatever their group."""
        return {label: entry for group in self.groups.values() for label, entry in group.methods.items()}

    def splits_of(self, group: str, dataset: str) -> int:
        """Return on how many of the splits a group runs on a data set."""
        fewer: int = _of(self.groups[group].fewer_splits, dataset, self.splits)
        return min(self.splits, fewer)

    def timed_on(self, dataset: str) -> int:
        """Return on how many of the splits fitting is timed on a data set; 0 for none."""
        number: int = _of(self.timed, dataset, 0)
        return min(self.splits, number)

    def choice_batches(self, group: str, dataset: str, per_job: int) -> list[str]:
        """Return the names of the batches on which a group's parameters are chosen; none where they are not."""
        members = self.groups[group]
        if not members.chooses:
            return []
        return list(batches(1, 1)) if members.chosen_once(dataset) else self.batches(group, dataset, per_job)

    def batches(self, group: str, dataset: str, per_job: int) -> list[str]:
        """Return the names of the batches of splits that a group's jobs have on a data set: see `batches`."""
        size = min(per_job, _of(self.groups[group].splits_per_job, dataset, per_job))
        return list(batches(self.splits_of(group, dataset), size))


def approximations(entry: Mapping[str, Any]) -> dict[tuple[str, int], dict[str, str]]:
    """Return which approximations are compared for each discretiser and number of bins of the features.

    In the entry ``approximation`` of a study file ``discretise`` and ``n_bins`` are one value or several. Labels are
    those of the study file; for other bins than the first with a suffix, such as "-frequency-10-bins".
    """
    discretisers, numbers = (
        value if isinstance(value, list) else [value]
        for value in (entry.get("discretise", "equal-width"), entry.get("n_bins", 3))
    )
    found = {}
    for discretiser in discretisers:
        for number in numbers:
            suffix = "" if discretiser == discretisers[0] else f"-{discretiser.removeprefix('equal-')}"
            suffix += "" if number == numbers[0] else f"-{number}-bins"
            found[discretiser, number] = {f"{label}{suffix}": method for label, method in entry["methods"].items()}
    return found


def batches(n_splits: int, per_job: int) -> dict[str, range]:
    """Cut the split numbers into batches: name, such as "000-099", to numbers."""
    ranges = [range(start, min(start + per_job, n_splits)) for start in range(0, n_splits, per_job)]
    return {f"{r.start:03d}-{r.stop - 1:03d}": r for r in ranges}


def study_files(project: str | Path, folders: Sequence[str] = _FOLDERS) -> dict[str, Path]:
    """Return the names of a project's studies with their files, sorted within each folder.

    Raises ConfigurationError if a paper and a comparison have the same name.
    """
    files: dict[str, Path] = {}
    for path in (path for folder in folders for path in sorted(Path(project, folder).glob(f"*/{_FILE}"))):
        former = files.setdefault(study_name(path), path)
        if former != path:
            raise ConfigurationError(f"{path}: {former} is a study of this name too; rename one of the folders")
    return files


def study_file(name: str, project: str | Path) -> Path:
    """Return the file of a study of a project by its name.

    Raises ConfigurationError if there is none; the sentence holds the nearest known name.
    """
    files = study_files(project)
    check_known_name("study", name, files, "studies")
    return files[name]


def study_name(path: str | Path) -> str:
    """Return the name of a study: that of its folder for a file ``study.yaml``, otherwise that of the file.

    Examples
    --------
    >>> study_name("papers/mvmd-2016/study.yaml"), study_name("my-study.yaml")
    ('mvmd-2016', 'my-study')
    """
    path = Path(path)
    return path.absolute().parent.name if path.name == _FILE else path.stem


def _beside(path: str | Path, name: str) -> Path | None:
    """Return a file that belongs to a study, in the folder of its ``study.yaml``; None where there is none."""
    path = Path(path)
    sibling = path.with_name(name)
    return sibling if path.name == _FILE and sibling.is_file() else None


def study_content(path: str | Path) -> dict[str, Any]:
    """Return the content of a study file, together with the keys of the file that it includes; its keys come first.

    Raises ConfigurationError if one of the files does not match the schema.
    """
    content = read_yaml(path)
    if isinstance(content, Mapping) and isinstance(content.get("include"), str):
        shared = Path(path).parent / content["include"]
        if not shared.is_file():
            raise ConfigurationError(f"{path}: include: there is no file {content['include']} in the same folder")
        common = read_yaml(shared)
        if not isinstance(common, Mapping):
            raise ConfigurationError(f"{shared}: not keys of a study")
        content = {**common, **{key: value for key, value in content.items() if key != "include"}}
    validate(content, "study", str(path))
    validate(content, _outputs_schema(content), str(path))
    return programs.with_programs(content, path)


def _with_fewer_candidates(content: Mapping[str, Any], candidates: int) -> dict[str, Any]:
    """Return a study's content with fewer candidates of each search; with one the default parameters of methods."""
    if "search" not in content:
        return dict(content)
    if candidates == 1:
        groups = {
            group: {
                label: {key: value for key, value in entry.items() if key != "search"}
                for label, entry in methods.items()
            }
            for group, methods in content["methods"].items()
        }
        return {**content, "methods": groups}
    search = content["search"]
    return {**content, "search": {**search, "candidates": min(candidates, search["candidates"])}}


def load_study(
    path: str | Path,
    scale: str,
    catalogue: Catalogue,
    splits: int | None = None,
    run_on: Sequence[str] | None = None,
    mirror: str | Path | None = None,
    candidates: int | None = None,
    ties: str | None = None,
) -> Study:
    """Read a study file at one of its scales, "demo" or "paper", and check every name in it.

    ``splits``, ``run_on`` and ``ties`` replace the scale's number of splits and data sets and the study's rule for
    ties; folds of consecutive rows are never more than their protocol has. An optional data set of the scale is left
    out if the ``mirror``, where data sets are read from, does not have it. ``candidates`` is how many combinations of
    parameters a search tries at most; with 1 methods have their defaults.

    Raises ConfigurationError if the file does not match its schema, or names an unknown data set, method, parameter or
    measure; the message has the key and the nearest known name.
    """
    content = study_content(path)
    if candidates is not None:
        content = _with_fewer_candidates(content, candidates)
    size = content["scales"].get(scale)
    if size is None:
        raise ConfigurationError(unknown_name("scale", scale, content["scales"], f"{path}: scales"))
    if isinstance(size["splits"], Mapping):
        fewer = dict.fromkeys(content["methods"], size["splits"]) | size.get("fewer_splits", {})
        size = {**size, "splits": max(size["splits"].values()), "fewer_splits": fewer}
    left_out = [name for name in size.get("optional", []) if not catalogue[name].is_at_hand(mirror)]
    datasets = list(run_on) if run_on else [name for name in size["datasets"] if name not in left_out]
    written, averages = _with_draws(content["methods"])
    curves = [name for name in size.get("curves", []) if name in datasets] or datasets[:1]
    # Folds of consecutive rows are fixed by the protocol: the number for all studies can only lower theirs.
    folds = [rule["folds"] for rule in content["protocols"].values() if "shuffle" in rule]
    splits = min(splits, *folds) if splits and folds else splits or size["splits"]
    study = Study(
        name=study_name(path),
        title=content["title"],
        family=_family(content["methods"], str(path)),
        protocols=content["protocols"],
        scaling=_by_dataset(content.get("scaling", _UNSCALED)),
        relation=_by_dataset(content.get("relation", {})),
        dimensions=content.get("dimensions", {}),
        datasets=datasets,
        left_out=left_out,
        claimed_on=[name for name in content["scales"]["paper"]["datasets"] if name not in left_out],
        splits=splits,
        timed=_by_dataset(size.get("timed", 0)),
        curves=curves,
        groups=_groups({**content, "methods": written}, size, str(path)),
        predictors=content["predictors"],
        sizes=content["sizes"],
        energies=content.get("energies", []),
        measures=content["measures"],
        decision=content.get("decision", "half"),
        ties=ties or content.get("ties", "standard"),
        limits=content.get("limits", {}),
        record_warnings=content.get("record_warnings", False),
        excluded=content.get("excluded", {}),
        tables=content["tables"],
        figures=content["figures"],
        approximation=content.get("approximation"),
        costs=content.get("costs"),
        identifier=content.get("identifier"),
        averages=averages,
        known_datasets=sorted({name for scale in content["scales"].values() for name in scale["datasets"]}),
        proposed=content.get("proposed", []),
        claims=_beside(path, "claims.yaml"),
        published=_beside(path, "published.csv"),
        published_sizes=_beside(path, "published-datasets.csv"),
    )
    _check_names(study, str(path), catalogue)
    return study


def _shown(output: Mapping[str, Any], names: Collection[str]) -> Mapping[str, Any] | None:
    """Return the entry of a table or figure for some of its methods; None where nothing is left to compare."""
    if output.get("kind") in ("approximation", "errors", "dependencies", "theorem", "time-ratios", "parameter"):
        return None
    shown = dict(output)
    for key in ("methods", "references"):
        listed = output.get(key)
        if listed is not None:
            shown[key] = (
                {name: label for name, label in listed.items() if name in names}
                if isinstance(listed, Mapping)
                else [name for name in listed if name in names]
            )
    for key in ("thin", "families"):
        if key in output:
            lines = {name: [method for method in value if method in names] for name, value in output[key].items()}
            shown[key] = {name: line for name, line in lines.items() if line}
    least = 2 if output.get("kind") in ("average-ranks", "critical-differences") else 1
    return shown if len(shown["methods"]) >= least else None


def _by_dataset(value: Any) -> Mapping[str, Any]:
    """Return a value for all data sets, or values of some, as a mapping."""
    return value if isinstance(value, Mapping) else {"default": value}


def _with_draws(groups: Mapping[str, Methods]) -> tuple[dict[str, Methods], dict[str, list[str]]]:
    """Write out methods that are to be drawn several times, each draw under a separate label."""
    written: dict[str, Methods] = {}
    averages: dict[str, list[str]] = {}
    for group, methods in groups.items():
        entries: dict[str, Mapping[str, Any]] = {}
        for label, entry in methods.items():
            draws = entry.get("draws")
            if draws is None:
                entries[label] = entry
                continue
            plain = {key: value for key, value in entry.items() if key != "draws"}
            averages[label] = [f"{label}-{number}" for number in range(draws)]
            entries |= {name: {**plain, "method": registry.entry_name(label, entry)} for name in averages[label]}
        written[group] = entries
    return written, averages


def _groups(content: Mapping[str, Any], size: Mapping[str, Any], where: str) -> dict[str, Group]:
    """Combine the settings of each group of a study file at one of its scales.

    A group without settings has the predictors that no other group names.
    """
    settings, fewer = content.get("groups", {}), size.get("fewer_splits", {})
    for key, names in (("groups", settings), ("scales: fewer_splits", fewer)):
        for name in names:
            check_known_name("group", name, content["methods"], f"{where}: {key}")
    taken = {name for setting in settings.values() for name in setting.get("predictors", [])}
    common = [name for name in content["predictors"] if name not in taken]
    groups = {
        name: Group(
            methods=methods,
            predictors=[]
            if settings.get(name, {}).get("timed_only")
            else settings.get(name, {}).get("predictors", common),
            fewer_splits=fewer.get(name, {}),
            splits_per_job=settings.get(name, {}).get("splits_per_job", {}),
            choice=settings.get(name, {}).get("choose"),
            protocols=settings.get(name, {}).get("protocols"),
            search=content.get("search") if any("search" in entry for entry in methods.values()) else None,
            timed_only=settings.get(name, {}).get("timed_only", False),
            scaling=settings.get(name, {}).get("scaling"),
        )
        for name, methods in content["methods"].items()
    }
    return {item: part for name, group in groups.items() for item, part in _tuned(name, group)}


def _tuned(name: str, group: Group) -> Iterator[tuple[str, Group]]:
    """Yield a group as it is, or its methods with nothing to search, and a group by predictor and measure of a search.

    Each of the latter is tuned by the measure with the predictor, and scored by the measures that belong to it.
    """
    if group.search is None or "tuned" not in group.search:
        yield name, group
        return
    search = {key: value for key, value in group.search.items() if key != "tuned"}
    searched = {label: entry for label, entry in group.methods.items() if "search" in entry or others_of(entry)}
    plain = {label: entry for label, entry in group.methods.items() if label not in searched}
    if plain:
        yield name, replace(group, methods=plain, search=None)
    for predictor, (measure, measures) in product(group.predictors, group.search["tuned"].items()):
        label = f"{name}-{predictor}-{measure.replace('@', '-')}"
        tuned = {**search, "measure": measure, "also": list(group.search["tuned"]), "together": list(group.predictors)}
        yield label, replace(group, methods=searched, predictors=[predictor], search=tuned, measures=measures)


def _family(groups: Mapping[str, Methods], where: str) -> str:
    """Return what the methods of a study are; they must be of one family."""
    families: dict[str, str] = {}
    for group, methods in groups.items():
        for label, entry in methods.items():
            name = registry.entry_name(label, entry)
            if registry.is_import_path(name) and name not in programs.FAMILIES:
                continue
            kind = programs.FAMILIES.get(name) or registry.find_kind(name)
            if kind not in _REDUCTIONS:
                known = [name for kind in _REDUCTIONS for name in registry.method_names(kind)]
                raise ConfigurationError(unknown_name("method", name, known, f"{where}: methods.{group}"))
            families["projection" if kind == "propagation" else kind] = name  # both embed the rows
    if len(families) > 1:
        pairs = " and ".join(f"{name!r} ({family})" for family, name in sorted(families.items()))
        raise ConfigurationError(f"{where}: methods: {pairs} cannot be in the same study")
    # A study of import paths alone has transformers.
    return next(iter(families), "projection")


def _check_names(study: Study, where: str, catalogue: Catalogue) -> None:
    """Check every name in a study, and what its parts say together."""
    _check_protocols(study, where)
    _check_datasets(study, where, catalogue)
    _check_predictors(study, where)
    _check_groups(study, where)
    _check_measures(study, where)
    for key, kinds in _OUTPUTS:
        for name, output in getattr(study, key).items():
            _check_output(study, output, schema_of(kinds, output)["properties"], f"{where}: {key}.{name}", catalogue)


def _check_protocols(study: Study, where: str) -> None:
    for key, names in (("dimensions", study.dimensions), *_group_protocols(study)):
        for name in names:
            check_known_name("protocol", name, study.protocols, f"{where}: {key}")
    for name, rule in study.protocols.items():
        if {"parts", "stratify"} <= rule.keys():
            raise ConfigurationError(f"{where}: protocols.{name}: parts are stratified as they are; leave stratify out")
        if "shuffle" in rule and ("stratify" in rule or study.splits > rule["folds"]):
            raise ConfigurationError(
                f"{where}: protocols.{name}: without shuffle there are {rule['folds']} splits, which are not stratified"
            )


def _check_datasets(study: Study, where: str, catalogue: Catalogue) -> None:
    """Check the data sets, the methods that a paper proposes, and keys that the family of methods does not use."""
    for dataset in study.datasets:
        check_known_name("data set", dataset, catalogue, where)
    for method in study.proposed:
        if method not in study.methods and method not in study.averages:
            known = [*study.methods, *study.averages]
            raise ConfigurationError(unknown_name("method", method, known, f"{where}: proposed"))
    for dataset in study.excluded:
        if dataset in study.claimed_on:
            raise ConfigurationError(f"{where}: excluded: {dataset} is one of the data sets of scales.paper too")
    for key, reason in _UNUSED.get(study.family, {}).items():
        if not {None, _UNSCALED}.issuperset(getattr(study, key).values()):
            raise ConfigurationError(f"{where}: {key}: {reason}; leave it out")


def _check_predictors(study: Study, where: str) -> None:
    for label, entry in study.predictors.items():
        name = registry.entry_name(label, entry)
        if not registry.is_import_path(name) and registry.find_kind(name) != "predictors":
            known = registry.method_names("predictors")
            raise ConfigurationError(unknown_name("method", name, known, f"{where}: predictors"))
        _check_method(label, entry, f"{where}: predictors")
        _check_verb(label, entry, "predict", f"{where}: predictors")


def _check_measures(study: Study, where: str) -> None:
    for measure in study.measures:
        _check_measure(measure, study.measures, f"{where}: measures")
    for group in study.groups.values():
        if group.search is not None:
            _check_measure(group.search["measure"], study.measures, f"{where}: search")
        for measure in group.measures or []:
            _check_measure(measure, study.measures, f"{where}: search: tuned")


def _group_protocols(study: Study) -> list[tuple[str, Sequence[str]]]:
    return [(f"groups.{name}", group.protocols or []) for name, group in study.groups.items()]


def _check_groups(study: Study, where: str) -> None:
    """Check the names in groups, and that no pair of method and predictor would be scored twice."""
    seen: dict[tuple[str, str, str, str], str] = {}
    for name, group in study.groups.items():
        others = {label for other, group in study.groups.items() if other != name for label in group.methods}
        if group.timed_only and not others.isdisjoint(group.methods):
            label = min(others & set(group.methods))
            raise ConfigurationError(
                f"{where}: methods.{name}: {label!r} is in another group too, with which it is timed; leave one out"
            )
        if not group.predictors and not group.timed_only:
            raise ConfigurationError(
                f"{where}: groups.{name}: no predictor is left for it, since others have all for themselves; give it "
                "its own under groups"
            )
        if group.search is not None:
            _check_search(study, group, name, where)
        for predictor in group.predictors:
            check_known_name("predictor", predictor, study.predictors, f"{where}: groups.{name}")
        for label, entry in group.methods.items():
            _check_method(label, entry, f"{where}: methods.{name}")
            if study.family == "labelspace":
                _check_coder(label, entry, f"{where}: methods.{name}")
            _check_verb(
                label, entry, "transform" if study.family == "projection" else "fit", f"{where}: methods.{name}"
            )
            if "search" in entry and group.search is None:
                raise ConfigurationError(f"{where}: methods.{name}: {label!r} has values to try; say how under search")
            for other in others_of(entry):
                if other not in group.methods:
                    place = f"{where}: methods.{name}: {label}"
                    raise ConfigurationError(unknown_name("method of the group", other, group.methods, place))
            cells = product(group.predictors, filter(group.runs_on, study.protocols), group.measures or study.measures)
            for cell in cells:
                former = seen.setdefault((label, *cell), name)
                if former != name:
                    raise ConfigurationError(
                        f"{where}: methods.{name}: {label!r} with {cell[0]!r} is in group {former!r} too"
                    )
            if entry != study.methods[label]:
                raise ConfigurationError(
                    f"{where}: methods.{name}: {label!r} has other parameters in another group; give one of them a "
                    "separate label, and its name under method"
                )


def _check_search(study: Study, group: Group, name: str, where: str) -> None:
    """Check that a search has one size at which candidates are measured."""
    if group.choice is not None:
        raise ConfigurationError(f"{where}: groups.{name}: leave `choose` out: its methods' parameters are searched")
    if study.family != "projection":
        if "size_percent" not in (group.search or {}):
            raise ConfigurationError(f"{where}: search: size_percent is missing, at which candidates are measured")
        return
    without = [protocol for protocol in study.protocols if not study.dimensions.get(protocol)]
    if without:
        raise ConfigurationError(f"{where}: search: the protocol {without[0]!r} needs a number under dimensions")


def _outputs_schema(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the tables and figures of a study file, each by its kind."""
    schemas_by_key = {
        key: {name: schema_of(kinds, entry) for name, entry in content[key].items()} for key, kinds in _OUTPUTS
    }
    return {"properties": {key: {"properties": schemas} for key, schemas in schemas_by_key.items()}}


def _check_output(
    study: Study, output: Mapping[str, Any], options: Mapping[str, Any], where: str, catalogue: Catalogue
) -> None:
    """Check that the names and sizes in a table or figure are those of the study."""
    known: dict[str, Iterable[Any]] = {
        "method": [*study.methods, *study.averages],
        "approximation": [
            label
            for approximation in approximations(study.approximation or {"methods": {}}).values()
            for label in approximation
        ],
        "data set": catalogue,
        "energy": study.energies,
        "predictor": study.predictors,
        "protocol": study.protocols,
        "size": study.sizes,
    }
    for key, value in output.items():
        for kind, name in _named(options[key], value):
            if kind == "measure":
                _check_measure(name, study.measures, f"{where}.{key}")
            elif name not in known[kind]:
                if not isinstance(name, str):
                    raise ConfigurationError(f"{where}.{key}: {name} is not measured; known: {list(known[kind])}")
                kind = "method" if kind == "approximation" else kind
                raise ConfigurationError(unknown_name(kind, name, known[kind], f"{where}.{key}"))


def _named(schema: Mapping[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the kind of each name in an option, from the keyword ``names`` of its schema, and the name."""
    if "names" in schema:
        yield schema["names"], value
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _named(schema.get("propertyNames", {}), key)
            yield from _named(schema.get("additionalProperties", {}), part)
    elif isinstance(value, list):
        items: list[Mapping[str, Any]] = schema.get("prefixItems", [])
        for number, part in enumerate(value):
            yield from _named(items[number] if number < len(items) else schema.get("items", {}), part)


def _check_method(label: str, entry: Mapping[str, Any], where: str) -> None:
    searched = [key.partition(".")[0] for key in entry.get("search", {})]
    parts = [root for root, key in zip(searched, entry.get("search", {}), strict=True) if root != key]
    # A given value of a parameter that is searched as well is the default where nothing is searched.
    for key in (*parts, *entry.get("parts", {})):
        if key in entry:
            raise ConfigurationError(f"{where}: {label}: {key!r} is both given and searched; leave one of them out")
    try:
        registry.check_entry(label, dict.fromkeys((*searched, *entry.get("parts", {}))) | without_search(entry))
    except MLReduceError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def _check_verb(label: str, entry: Mapping[str, Any], verb: str, where: str) -> None:
    """Check that a class named by its import path has the method that its place in a study requires."""
    name = registry.entry_name(label, entry)
    if registry.is_import_path(name) and not registry.can(name, verb):
        raise ConfigurationError(f"{where}: {label}: {name} cannot be used here: it has no {verb}")


def _check_coder(label: str, entry: Mapping[str, Any], where: str) -> None:
    """Check that a class named by its import path is a label coder."""
    name = registry.entry_name(label, entry)
    if registry.is_import_path(name):
        from mlreduce.labelspace.base import LabelCoder  # planning imports no methods

        if not issubclass(registry.method_class(name), LabelCoder):
            raise ConfigurationError(
                f"{where}: {label!r} is a class of another package, and is no label coder; give a method of "
                "mlreduce.labelspace, or a class that derives from mlreduce.labelspace.LabelCoder"
            )


def _check_measure(name: str, measured: Sequence[str], where: str) -> None:
    try:
        plain, decision = in_parts(name)
        registry.MEASURES.check(plain)
        if decision is not None:
            find_measure(name)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    check_known_name("measure", name, measured, where)
