"""What the pages of methods and data sets show."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from mlreduce import registry
from mlreduce.methods.evidence import rankings_of
from mlreduce.methods.facts import Method, method_of
from mlreduce.stats.ranking import highlighted
from mlreduce_studies.gathering.rankings import StudyRanking, main_ranking
from mlreduce_studies.runs import Run, StudyResults
from mlreduce_studies.site.examples import example_of, limits_of
from mlreduce_studies.site.ranking import judged_by, ranked, rows_of, rows_on
from mlreduce_studies.site.shapes import catalogued


def page_names(names: Iterable[str]) -> dict[str, str]:
    """Map names to names of files: letters, digits and hyphens alone, and no two the same.

    Examples
    --------
    >>> page_names(["br-knn", "BR kNN", "../x"])
    {'br-knn': 'br-knn', 'BR kNN': 'br-knn-2', '../x': 'x'}
    """
    files: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "unnamed"
        file, number = plain, 1
        while file in files.values():
            number += 1
            file = f"{plain}-{number}"
        files[name] = file
    return files


def _described(name: str) -> Method:
    """Return the description of a method; for a class of another package, or a missing one, only its name."""
    return method_of(name) if name in registry.method_names() else Method(name, module=name)


class Entries:
    """Methods and data sets of a run; ``every`` method of the package has a page, or those of the run."""

    def __init__(self, run: Run, *, every: bool = False) -> None:
        self.every, self.studies = every, run.studies

    @cached_property
    def rankings(self) -> dict[str, list[StudyRanking]]:
        """Studies to all their rankings."""
        return {study.name: ranked(study) for study in self.studies}

    @cached_property
    def judged_by(self) -> dict[str, str]:
        """Studies to the measure by which their methods are judged where one is shown."""
        return {study.name: judged_by(study) for study in self.studies}

    @cached_property
    def foremost(self) -> dict[str, StudyRanking]:
        """Studies to the one ranking that stands for them; those with the most methods times data sets first."""
        main = {study: self._main_ranking(study, self.judged_by[study]) for study in self.rankings}
        there = [(study, one) for study, one in main.items() if one is not None]
        return dict(sorted(there, key=lambda evidence: -evidence[1].ranking.by_set["near"].size))

    def _main_ranking(self, study: str, measure: str) -> StudyRanking | None:
        return main_ranking(one for one in self.rankings[study] if one.measure == measure)

    @cached_property
    def methods(self) -> dict[str, str]:
        """Registered names of methods to names of pages."""
        compared = {self.registered(study, label) for study in self.studies for label in self._labels(study)}
        return page_names(sorted(compared | {*(registry.method_names() if self.every else ())}))

    @cached_property
    def datasets(self) -> dict[str, str]:
        """Data sets to names of pages."""
        return page_names(sorted({name for study in self.studies for name in study.summary["dataset"].unique()}))

    @staticmethod
    def _labels(study: StudyResults) -> list[str]:
        return sorted(study.summary["method"].unique())

    @staticmethod
    def registered(study: StudyResults, label: str) -> str:
        """Return the registered name of a method of a study; of a mean of draws that of the draws."""
        methods, averages = study.description["methods"], study.description["averages"]
        entry = methods.get(label) or methods.get(next(iter(averages.get(label, [""]))))
        return str(entry["registered"]) if entry else label

    @cached_property
    def _of_method(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """For each registered method its ranks by study and by data set, by the measure by which a study judges."""
        found: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: {"by_study": [], "by_dataset": []})
        for study, main in self.foremost.items():
            for one in self.rankings[study]:
                for row in rows_of(study, one) if one.measure == self.judged_by[study] else ():
                    found[row["method"]]["by_study"].append(row)
            for dataset in main.ranking.data_sets:
                for row in rows_on(study, main, dataset):
                    found[row["method"]]["by_dataset"].append(row)
        return found

    @property
    def methods_in_order(self) -> list[str]:
        """Registered names of methods: by family, the best first, by the main ranking or by those of the runs."""
        if self.every:
            main = {name: next(iter(rankings_of(name)), None) for name in self.methods}
            near = {name: -1.0 if one is None else one.near for name, one in main.items()}
            families = [*registry.FAMILIES, ""]
            return sorted(self.methods, key=lambda name: (families.index(_described(name).family), -near[name]))
        family_of = {study.name: study.description["family"] for study in self.studies}
        ranked: dict[str, list[str]] = defaultdict(list)
        for study, one in self.foremost.items():
            ranked[family_of[study]] += [str(name) for name in one.ranking.table.index]
        names = dict.fromkeys(name for item in (*ranked.values(), self.methods) for name in item)
        return [name for name in names if name in self.methods]

    def highlighted(self, study: str) -> dict[str, list[str]]:
        """Return the labels that a picture of a study names, by measure: the best, those it is about, the controls."""
        found = {}
        for measure in {one.measure: None for one in self.rankings[study]}:
            one = self._main_ranking(study, measure)
            assert one is not None
            about = [name for name, label in one.labels.items() if label.partition("-")[0] in study.split("-")]
            found[measure] = [one.labels[name] for name in highlighted(one.ranking.table, own=about)]
        return found

    def method(self, name: str) -> dict[str, Any]:
        """Return what the page of a method shows."""
        known = name in registry.method_names()
        return {
            "name": name,
            "described": _described(name),
            "benchmark": next(iter(rankings_of(name)), None),
            "example": example_of(name) if known else "",
            "limits": limits_of(name) if known else [],
            "labels": [
                self._label(study, label)
                for study in self.studies
                for label in self._labels(study)
                if self.registered(study, label) == name
            ],
            **self._of_method[name],
        }

    def _label(self, study: StudyResults, label: str) -> list[str]:
        draws = study.description["averages"].get(label, [])
        entry = study.description["methods"].get(draws[0] if draws else label, {"parameters": {}})
        parameters = {key: value for key, value in entry["parameters"].items() if key != "random_state"}
        text = ", ".join(f"{key}={json.dumps(value)}" for key, value in parameters.items()) or "defaults"
        return [study.name, label, f"{text}; mean of {len(draws)} draws" if draws else text]

    def dataset(self, name: str) -> dict[str, Any]:
        """Return what the page of a data set shows."""
        studies: dict[tuple[Any, ...], list[str]] = {}
        tables = ((study.name, table) for study in self.studies if (table := study.frame("datasets")) is not None)
        for study, table in tables:
            for row in table[table["dataset"] == name].to_dict("records"):
                studies.setdefault(tuple(row.items()), []).append(study)
        sizes = [dict(row) | {"studies": keys} for row, keys in studies.items()]
        return {
            "name": name,
            "about": catalogued(name, self.datasets),
            "sizes": sizes,
            "ranks": [row for key, one in self.foremost.items() for row in rows_on(key, one, name)],
        }
