"""The jobs of a study: their tasks, files and parameters.

A unit of work is one group under one protocol, ``protocol.group``; ``all`` of a study on a data set where data are
small (the setting ``bundle``); or one method, ``protocol.group.method`` (``job_per_fit``), whose parameters are still
chosen with those of its group. Units are cut into batches of splits. Parameters of a job are plain values as text, so
that a change of any of them re-runs the job and logs can show them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from mlreduce import registry
from mlreduce.evaluation.entries import others_of, strategy_module, without_search
from mlreduce_studies.planning.plan import Plan
from mlreduce_studies.provenance.digest import source_digest
from mlreduce_studies.study import Methods, Study

ALL = "all"


def parts_of(unit: str) -> tuple[str, str, str]:
    """Return protocol, group and name of the method of a unit, each "" where it has none."""
    protocol, group, method, *_ = (*("" if unit == ALL else unit).split(".", 2), "", "")
    return protocol, group, method


def _name_of(label: str) -> str:
    """Return the name of a method in files: its label, or a digest where paths or wildcards cannot have the label."""
    return label if re.fullmatch(r"[a-z0-9.-]{1,80}", label) else hashlib.sha256(label.encode()).hexdigest()[:16]


class Jobs:
    """The jobs of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._config = plan, plan.config
        self._bundle = bool(plan.config["bundle"])

    # Tasks

    def tasks(self, study: Study, dataset: str, unit: str, batch: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
        """Yield protocol, group and first and last split of each task of a job."""
        for protocol, group in study.tasks(dataset):
            if unit == ALL or (protocol, group) == parts_of(unit)[:2]:
                if batch == ALL:
                    yield protocol, group, (0, study.splits_of(group, dataset) - 1)
                else:
                    first, last = batch.split("-")
                    yield protocol, group, (int(first), int(last))

    def methods(self, study: Study, dataset: str, protocol: str, group: str, unit: str) -> Methods:
        """Methods of a task of a unit: those of the group that are run, or one of them."""
        methods, chosen = study.methods_of(dataset, protocol, group), parts_of(unit)[2]
        return {label: entry for label, entry in methods.items() if chosen in ("", _name_of(label))}

    def units(self, study: Study, dataset: str, choosing: bool = False) -> list[str]:
        """Names of the units of a study on a data set, or of those in which parameters are chosen."""
        units = [f"{protocol}.{group}" for protocol, group in study.tasks(dataset)]
        if self._config.get("job_per_fit") and not choosing:
            return [
                f"{unit}.{_name_of(label)}"
                for unit in units
                for label in study.methods_of(dataset, *parts_of(unit)[:2])
            ]
        return [ALL] * bool(units) if self._bundle else units

    def batches(self, study: Study, dataset: str, unit: str, choosing: bool = False) -> list[str]:
        """Names of the batches of a unit, or of those in which parameters are chosen."""
        if unit == ALL:
            chooses = any(study.groups[group].chooses for _, group in study.tasks(dataset))
            return [ALL] * bool(chooses or not choosing)
        group = parts_of(unit)[1]
        batches = study.choice_batches if choosing else study.batches
        return batches(group, dataset, self._config["splits_per_job"])

    def predictors(self, study: Study, dataset: str, unit: str) -> list[str]:
        """Names by which the predictions of a unit are cut up."""
        protocol, group, _ = parts_of(unit)
        return [ALL] if unit == ALL else study.predictors_of(dataset, protocol, group)

    # Files

    def folder(self, study: Study | str) -> str:
        """Folder of a study's results."""
        return f"{self._plan.base}/{study if isinstance(study, str) else study.name}"

    def choices(self, study: Study, dataset: str, unit: str, batch: str | None = None) -> list[str]:
        """Files of choices of a unit, or those that one of its batches goes by."""
        batches = self.batches(study, dataset, unit, choosing=True)
        protocol, group, _ = parts_of(unit)
        if batch is not None and group and not study.groups[group].chosen_once(dataset):
            batches = [name for name in batches if name == batch]
        place = f"{protocol}.{group}" if group else ALL
        return [f"{self.folder(study)}/choices/{dataset}/{place}/{name}.parquet" for name in batches]

    def parts(
        self, study: Study, kind: str, suffix: str = "parquet", shown: Mapping[str, Sequence[str]] | None = None
    ) -> list[str]:
        """Files of a kind, "choices", "fitted" or "details", of all jobs of a study, or of those that are shown."""
        return [
            f"{self.folder(study)}/{kind}/{dataset}/{unit}/{batch}.{suffix}"
            for dataset in (shown["datasets"] if shown else study.datasets)
            for unit in self.units(study, dataset, choosing=kind == "choices")
            if self._is_shown(study, unit, shown)
            for batch in self.batches(study, dataset, unit, choosing=kind == "choices")
        ]

    def scores(self, study: Study, shown: Mapping[str, Sequence[str]] | None = None) -> list[str]:
        """Files of scores of all jobs of a study, or of those that are shown: see `Study.shown`."""
        return [
            f"{self.folder(study)}/scores/{dataset}/{unit}/{predictor}/{batch}.parquet"
            for dataset in (shown["datasets"] if shown else study.datasets)
            for unit in self.units(study, dataset)
            if self._is_shown(study, unit, shown)
            for predictor in self.predictors(study, dataset, unit)
            if shown is None or predictor in (ALL, *shown["predictors"])
            for batch in self.batches(study, dataset, unit)
        ]

    @staticmethod
    def _is_shown(study: Study, unit: str, shown: Mapping[str, Sequence[str]] | None) -> bool:
        """Say whether a unit has a protocol and a method that a table or figure shows."""
        if shown is None or unit == ALL:
            return True
        protocol, group, method = parts_of(unit)
        labels = [label for label in study.groups[group].methods if method in ("", _name_of(label))]
        return protocol in shown["protocols"] and not set(labels).isdisjoint(shown["methods"])

    def timed(self, study: Study, shown: Mapping[str, Sequence[str]] | None = None) -> list[str]:
        """Files of the times of fits, a job per data set and group: a user's method times no other again."""
        groups = [ALL] if self._bundle else list(study.groups)
        timed = {group: self._timed_methods(study, group).keys() for group in groups}
        return [
            f"{self.folder(study)}/times/{dataset}/{group}.parquet"
            for dataset in (shown["datasets"] if shown else study.datasets)
            if study.timed_on(dataset)
            for group, methods in timed.items()
            if group == ALL or (methods if shown is None else not methods.isdisjoint(shown["methods"]))
        ]

    def _timed_methods(self, study: Study, group: str) -> dict[str, Any]:
        """Methods of a group, or of all, that are timed in its job.

        A method of several groups is timed in the first; one whose predictor's parameters are chosen, with which it is
        fitted, in none.
        """
        groups: dict[str, str] = {}
        for name, members in study.groups.items():
            if not members.choice:
                groups |= {label: name for label in members.methods if label not in groups}
        return {label: study.methods[label] for label, name in groups.items() if group in (ALL, name)}

    def prepared(self, study: Study, shown: Mapping[str, Sequence[str]] | None = None) -> list[str]:
        """Data sets of a study, or those that are shown, as arrays."""
        return [f"{self._plan.data}/{dataset}.npz" for dataset in (shown["datasets"] if shown else study.datasets)]

    def raw_folder(self, dataset: str) -> list[str]:
        """Folder of the fetched files of a data set; nothing for data that need no file."""
        return [f"{self._plan.data}/raw/{dataset}"] if self._plan.catalogue[dataset].files else []

    def raw(self, study: Study) -> list[str]:
        """Folders of the fetched files of a study; nothing for data that need no file."""
        return [folder for name in study.datasets for folder in self.raw_folder(name)]

    def benchmarks(self, study: Study) -> list[str]:
        """What Snakemake measured of the jobs that a study asks for."""
        folder = self.folder(study)
        parts = [*self.parts(study, "details"), *self.scores(study), *self.timed(study)]
        if any(group.chooses for group in study.groups.values()):
            parts += self.parts(study, "choices")
        steps = {"details": "fit", "scores": "predict", "times": "time", "choices": "choose"}
        files = []
        for part in parts:
            kind, _, rest = part.removeprefix(f"{folder}/").removesuffix(".parquet").partition("/")
            files.append(f"{folder}/benchmarks/{steps[kind]}/{rest}.tsv")
        shared = ["fetch", "prepare", *(["factorise"] if study.family == "labelspace" else [])]
        root = self._config["results"]
        return files + [f"{root}/benchmarks/{step}/{name}.tsv" for step in shared for name in study.datasets]

    # Settings of jobs

    @staticmethod
    def normalisation(study: Study, dataset: str) -> dict[str, str | None]:
        """How a choose, fit or predict job normalises the features of each split, by its training rows."""
        return study.space_of(dataset)

    def settings(self, step: str, study: Study, dataset: str, unit: str, batch: str, predictor: str = ALL) -> str:
        """Settings of a choose, fit or predict job, but for ``space``: see `mlreduce.evaluation.loop.Settings`."""
        tasks = []
        for protocol, name, splits in self.tasks(study, dataset, unit, batch):
            group = study.groups[name]
            if step == "choose" and not group.chooses:
                continue
            once = group.chosen_once(dataset)
            methods = self.methods(study, dataset, protocol, name, unit)
            others = {other: group.methods[other] for entry in methods.values() for other in others_of(entry)}
            task = {
                "protocol": protocol,
                "group": name,
                "rule": study.rule_of(protocol, dataset),
                "splits": (0, 0) if step == "choose" and once else splits,
                "methods": methods,
                "others": {label: entry for label, entry in others.items() if label not in methods},
                "once": once,
            }
            if step == "choose" and group.choice:
                task["candidates"] = group.candidates(dataset)
            elif step == "choose":
                task["search"] = self._search(study, dataset, protocol, name)
            elif step == "predict":
                trained = study.predictors_of(dataset, protocol, name)
                task["predictors"] = {item: study.predictors[item] for item in trained if predictor in (ALL, item)}
                task["dimensions"] = study.dimensions_of(protocol, dataset)
                task |= {} if group.measures is None else {"measures": sorted(group.measures)}
            tasks.append(task)
        settings: dict[str, Any] = {"family": study.family, "tasks": tasks}
        settings |= {"limits": dict(study.limits)} if study.limits else {}
        if step != "choose" and study.record_warnings:
            settings["record_warnings"] = True
        if step in ("choose", "predict") and study.ties != "standard":
            settings["ties"] = study.ties
        if step == "predict":
            settings["measured"] = {
                "sizes": list(study.sizes),
                "energies": list(study.energies),
                "every_size": dataset in study.curves,
                "measures": sorted(study.measures),
                "decision": study.decision,
            }
        return json.dumps(settings, sort_keys=True)

    def _search(self, study: Study, dataset: str, protocol: str, group: str) -> dict[str, Any]:
        """How parameters of methods are searched."""
        predictor = study.groups[group].predictors[0]
        search = {key: value for key, value in (study.groups[group].search or {}).items() if key != "splits"}
        if study.family == "projection":
            search["dimension"] = study.dimensions_of(protocol, dataset)[0]
        if "together" in search:
            search["together"] = [(label, study.predictors[label]) for label in search["together"]]
        return {**search, "predictor": (predictor, study.predictors[predictor])}

    def timing(self, study: Study, dataset: str, group: str) -> str:
        """Settings of a job that times fits."""
        methods = {label: without_search(entry) for label, entry in self._timed_methods(study, group).items()}
        scalings = {label: group.scaling for group in study.groups.values() if group.scaling for label in group.methods}
        return json.dumps(
            {
                "family": study.family,
                "methods": methods,
                "rule": study.rule_of(next(iter(study.protocols)), dataset),
                "scalings": {label: scaling for label, scaling in scalings.items() if label in methods},
                "space": study.space_of(dataset),
                "splits": study.timed_on(dataset),
                **({"limits": dict(study.limits)} if study.limits else {}),
            },
            sort_keys=True,
        )

    def images(self, study: Study, dataset: str) -> dict[str, Any]:
        """Settings of a job that draws proximities, and under ``choices`` the files of choices that it goes by."""
        shown = study.image_figure["methods"]
        protocol = next(iter(study.protocols))
        groups = {next(name for name, group in study.groups.items() if method in group.methods) for method in shown}
        units = [ALL] if self._bundle else [f"{protocol}.{group}" for group in sorted(groups)]
        settings = {
            "methods": {method: study.methods[method] for method in shown},
            "protocol": protocol,
            "rule": study.rule_of(protocol, dataset),
            "space": study.space_of(dataset),
        }
        choices = [file for unit in units for file in self.choices(study, dataset, unit)]
        return {"settings": json.dumps(settings, sort_keys=True), "choices": choices}

    # Digests of the code that jobs run

    def digest(self, script: str, study: Study | None = None, unit: str = ALL, predictor: str | None = None) -> str:
        """Digest of the code behind a script and the methods, or the predictors, of its tasks."""
        names: set[str] = set()
        modules: set[str] = set()
        if study is not None:
            modules.add(strategy_module(study.family))
            _, only, method = parts_of(unit)
            for group in [study.groups[only]] if only else study.groups.values():
                labels = [label for label in group.methods if method in ("", _name_of(label))]
                labels += [other for label in labels for other in others_of(group.methods[label])]
                names |= {name for label in labels for name in registry.names_in(label, group.methods[label])}
                if predictor is not None:
                    trained = group.predictors if predictor == ALL else [predictor]
                    names |= {name for label in trained for name in registry.names_in(label, study.predictors[label])}
        return self.digest_of(script, frozenset(names), frozenset(modules))

    def unit_of(self, study: Study, group: str) -> str:
        """A unit with the methods of a group."""
        return ALL if group == ALL else f"{next(iter(study.protocols))}.{group}"

    def digest_of_costs(self, study: Study) -> str:
        """Digest of the code behind measured costs."""
        entries = (study.costs or {})["methods"].items()
        return self.digest_of("cost", frozenset(registry.entry_name(label, entry) for label, entry in entries))

    def digest_of_images(self, study: Study) -> str:
        """Digest of the code behind images of proximities."""
        shown = study.image_figure["methods"]
        return self.digest_of("images", frozenset(registry.entry_name(name, study.methods[name]) for name in shown))

    def digest_of(self, script: str, names: frozenset[str] = frozenset(), modules: frozenset[str] = frozenset()) -> str:
        """Digest of the code behind a script, some methods by their registry names, and some modules."""
        paths = sorted(name for name in names if registry.is_import_path(name) and not registry.is_readable(name))
        modules |= {registry.home_of(name)[0] for name in names.difference(paths)}
        code = _digest(str(self._plan.project / "workflow" / "scripts" / f"{script}.py"), modules)
        # Another version of their packages runs the jobs again.
        packages = json.dumps([(path, registry.package_of(path)) for path in paths])
        return hashlib.sha256(f"{code}{packages}".encode()).hexdigest()[:16] if paths else code


@cache
def _digest(script: str, modules: frozenset[str]) -> str:
    return source_digest(script, *sorted(modules))
