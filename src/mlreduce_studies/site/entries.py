"""What the pages of methods, data sets, predictors and measures show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce import registry
from mlreduce.methods.evidence import choices, foremost, rankings_of
from mlreduce.methods.facts import Method, first_line, method_of
from mlreduce.metrics import find_measure, higher_is_better, measure_label
from mlreduce.plot.colours import colour_of
from mlreduce.stats.ranking import CONTROLS, highlighted
from mlreduce_studies.gathering.rankings import StudyRanking, main_ranking
from mlreduce_studies.site.examples import example_of, limits_of
from mlreduce_studies.site.ranking import judged_by, ranked, rows_of, rows_on, wins_and_losses
from mlreduce_studies.site.runs import Run, StudyResults
from mlreduce_studies.site.shapes import catalogued

#: Labels of a data set whose co-occurrence is shown, at most: the most frequent.
COOCCURRING = 25
# Number of methods that are named for a study, in addition to the controls.
_BEST = 3


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
    """Methods, data sets, predictors and measures of some runs.

    Parameters
    ----------
    every : bool, default=False
        Whether each method of the package has a page, or those of the runs.
    """

    def __init__(self, runs: Sequence[Run], *, every: bool = False) -> None:
        self.every = every
        self.studies = [study for run in runs for study in run.studies]
        self._data = {study.key: run.folder.parent / "data" for run in runs for study in run.studies}

    @cached_property
    def rankings(self) -> dict[str, list[StudyRanking]]:
        """Studies to all their rankings."""
        return {study.key: ranked(study) for study in self.studies}

    @cached_property
    def judged_by(self) -> dict[str, str]:
        """Studies to the measure by which their methods are judged where one is shown."""
        return {study.key: judged_by(study) for study in self.studies}

    @cached_property
    def foremost(self) -> dict[str, StudyRanking]:
        """Studies to the one ranking that stands for them; those with the most methods times data sets first."""
        found = {key: self._main_ranking(key, self.judged_by[key]) for key in self.rankings}
        there = {key: one for key, one in found.items() if one is not None}
        return dict(sorted(there.items(), key=lambda evidence: -evidence[1].ranking.by_set["near"].size))

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
        return self._pages_of("dataset")

    @cached_property
    def predictors(self) -> dict[str, str]:
        """Predictors to names of pages."""
        return self._pages_of("predictor")

    @cached_property
    def measures(self) -> dict[str, str]:
        """Measures to names of pages."""
        return self._pages_of("measure")

    def _pages_of(self, column: str) -> dict[str, str]:
        return page_names(sorted({name for study in self.studies for name in study.summary[column].unique()}))

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
    def _of_method(self) -> dict[str, dict[str, list[dict[Any, Any]]]]:
        """For each registered method its average ranks by data set and by measure, its times and its choices."""
        names = {
            study.key: {label: self.registered(study, label) for label in self._labels(study)} for study in self.studies
        }
        tables = {"times": _stacked(self.studies, _times), "choices": _stacked(self.studies, _choices)}
        ranks = {"by_study": self._main_rows, "by_dataset": self._rows_by_dataset(), "by_measure": self._rows}
        of_name: dict[str, dict[str, list[dict[Any, Any]]]] = {
            name: {key: [] for key in (*ranks, *tables)} for name in self.methods
        }
        for key, rows in ranks.items():
            for row in rows:
                if row["method"] in of_name:
                    of_name[row["method"]][key].append(row)
        for key, table in tables.items():
            for measured in table.to_dict("records"):
                name = names[measured["study"]].get(measured["method"])
                if name is not None:
                    of_name[name][key].append(measured)
        return of_name

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        """The rows of all rankings."""
        return [row for study in self.foremost for one in self.rankings[study] for row in rows_of(study, one)]

    @cached_property
    def _main_rows(self) -> list[dict[str, Any]]:
        """Those of the rankings by the measure by which a study judges."""
        return [row for row in self._rows if row["measure"] == self.judged_by[row["study"]]]

    def _rows_by_dataset(self) -> Iterator[dict[str, Any]]:
        for study, one in self.foremost.items():
            for dataset in one.ranking.data_sets:
                yield from rows_on(study, one, dataset)

    @cached_property
    def _winners(self) -> list[dict[str, Any]]:
        """The best method on each data set in each ranking."""
        return [
            rows_on(study, one, dataset)[0]
            for study in self.foremost
            for one in self.rankings[study]
            for dataset in one.ranking.data_sets
        ]

    def first(self, study: str) -> list[dict[str, Any]]:
        """Return what is named of a study: its best methods and the controls, in order."""
        return _named([*rows_of(study, self.foremost[study])]) if study in self.foremost else []

    @cached_property
    def answers(self) -> dict[str, list[dict[str, Any]]]:
        """Families to what is named of each: its best methods and the controls, in order."""
        return self._by_family({study: self.first(study) for study in self.foremost})

    @cached_property
    def advised(self) -> dict[str, list[dict[str, Any]]]:
        """Families to what `mlreduce.recommend` and the front page name of each: its first methods and the controls."""
        found = {}
        for family in registry.FAMILIES:
            if foremost(family):
                choice = choices(family)
                shown = {one.method: one for one in (choice.first, *choice.then, *choice.controls)}.values()
                found[family] = [
                    {"method": one.method, "near": one.near, "control": one in choice.controls, "of": one.methods}
                    | {"measure": one.measure, "predictor": one.predictor, "study": one.study}
                    for one in sorted(shown, key=lambda one: -one.near)
                ]
        return found

    def _by_family(self, named: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
        """Return what is named of each family: by the study of it with the most methods that names any."""
        found: dict[str, list[dict[str, Any]]] = {}
        for study, rows in named.items():
            if rows:
                found.setdefault(self._families[study], rows)
        return found

    @cached_property
    def _families(self) -> dict[str, str]:
        return {study.key: study.description["family"] for study in self.studies}

    @property
    def methods_in_order(self) -> list[str]:
        """Registered names of methods: by family, the best first, by the main ranking or by those of the runs."""
        if self.every:
            main = {name: next(iter(rankings_of(name)), None) for name in self.methods}
            near = {name: -1.0 if one is None else one.near for name, one in main.items()}
            families = [*registry.FAMILIES, ""]
            return sorted(self.methods, key=lambda name: (families.index(_described(name).family), -near[name]))
        ranked: dict[str, list[str]] = {family: [] for family in self.answers}
        for study, one in self.foremost.items():
            ranked[self._families[study]] += [str(name) for name in one.ranking.table.index]
        names = dict.fromkeys(name for item in (*ranked.values(), self.methods) for name in item)
        return [name for name in names if name in self.methods]

    def ranked_labels(self, study: str) -> dict[str, list[str]]:
        """Return the labels that are ranked in a study, one variant per method, by measure."""
        found: dict[str, dict[str, None]] = {}
        for one in self.rankings[study]:
            found.setdefault(one.measure, {}).update(dict.fromkeys(one.labels.values()))
        return {measure: [*labels] for measure, labels in found.items()}

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
            "colour": colour_of(name),
            "described": _described(name),
            "benchmark": next(iter(rankings_of(name)), None),
            "example": example_of(name) if known else "",
            "limits": limits_of(name) if known else [],
            "answer": next(
                (wins_and_losses(study, one, name) for study, one in self.foremost.items() if name in one.labels), None
            ),
            "labels": [
                self._label(study, label)
                for study in self.studies
                for label in self._labels(study)
                if self.registered(study, label) == name
            ],
            **self._of_method[name],
        }

    def _label(self, study: StudyResults, label: str) -> dict[str, Any]:
        draws = study.description["averages"].get(label, [])
        entry = study.description["methods"].get(draws[0] if draws else label, {"parameters": {}})
        parameters = {key: value for key, value in entry["parameters"].items() if key != "random_state"}
        text = ", ".join(f"{key}={json.dumps(value)}" for key, value in parameters.items())
        return {"study": study.key, "label": label, "parameters": text, "draws": len(draws)}

    def dataset(self, name: str) -> dict[str, Any]:
        """Return what the page of a data set shows."""
        studies: dict[tuple[Any, ...], list[str]] = {}
        for study in self.studies:
            if (table := study.frame("datasets")) is not None:
                for row in table[table["dataset"] == name].to_dict("records"):
                    studies.setdefault(tuple(row.items()), []).append(study.key)
        sizes = [dict(row) | {"studies": keys} for row, keys in studies.items()]
        ranks = {key: rows_on(key, one, name) for key, one in self.foremost.items()}
        answers = self._by_family({key: _named(rows) for key, rows in ranks.items()})
        return {
            "name": name,
            "about": catalogued(name, self.datasets),
            "sizes": sizes,
            "ranks": [row for rows in ranks.values() for row in rows],
            "answers": answers,
            "first": {family: rows[0]["method"] for family, rows in answers.items()},
            "winners": [row for row in self._winners if row["dataset"] == name],
            "cooccurrence": self._cooccurrence(name),
        }

    def _cooccurrence(self, name: str) -> dict[str, Any] | None:
        """Return how often pairs of labels are together, from the prepared data of the run; None without them."""
        path = next((path for folder in self._data.values() if (path := folder / f"{name}.npz").is_file()), None)
        return None if path is None else _cooccurrence(path)

    def predictor(self, name: str) -> dict[str, Any]:
        """Return what the page of a predictor shows."""
        entries = [
            {"study": study.key, **study.description["predictors"][name]}
            for study in self.studies
            if name in study.description["predictors"]
        ]
        registered = entries[0]["registered"] if entries else name
        for entry in entries:
            entry["parameters"] = ", ".join(f"{key}={json.dumps(value)}" for key, value in entry["parameters"].items())
        return {
            "name": name,
            "label": "",
            "described": _described(registered),
            "entries": entries,
            "ranks": [row for row in self._main_rows if row["predictor"] == name],
            "winners": [
                row
                for row in self._winners
                if row["predictor"] == name and row["measure"] == self.judged_by[row["study"]]
            ],
        }

    def measure(self, name: str) -> dict[str, Any]:
        """Return what the page of a measure shows."""
        return {
            "name": name,
            "label": measure_label(name),
            "higher": higher_is_better(name),
            "definition": _definition(name),
            "ranks": [row for row in self._rows if row["measure"] == name],
            "winners": [row for row in self._winners if row["measure"] == name],
        }


def _named(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return those of some rows, the best first, that are named: the best and the controls, each with ``control``."""
    return [
        {**row, "control": row["method"] in CONTROLS}
        for number, row in enumerate(rows)
        if number < _BEST or row["method"] in CONTROLS
    ]


def _definition(measure: str) -> str:
    """Return the definition of a measure: the first line of its formula's docstring, as a noun phrase."""
    text = first_line(find_measure(measure).formula).removeprefix("Return ")
    return text[:1].upper() + text[1:]


def _stacked(studies: Sequence[StudyResults], of_study: Callable[[StudyResults], pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([of_study(study).assign(study=study.key) for study in studies], ignore_index=True)


def _times(study: StudyResults) -> pd.DataFrame:
    """Return mean seconds of fits by data set and method."""
    times = study.frame("times")
    if times is None:
        return pd.DataFrame()
    timed = times.dropna(subset="seconds")
    return timed.groupby(["dataset", "method"], observed=True)["seconds"].mean().reset_index()


def _choices(study: StudyResults) -> pd.DataFrame:
    """Return how often each value of a parameter was chosen."""
    choices = study.frame("choices")
    if choices is None:
        return pd.DataFrame()
    if "parameters" in choices:
        chosen = choices["parameters"].astype(str)
    else:
        names = [name for name in ("gamma", "alpha") if name in choices]
        chosen = choices[names].apply(lambda row: ", ".join(f"{name}={row[name]:g}" for name in names), axis=1)
    keys = ["protocol", "dataset", "method", "chosen"]
    return choices.assign(chosen=chosen).groupby(keys, observed=True).size().rename("splits").reset_index()


def _cooccurrence(path: Path) -> dict[str, Any]:
    from mlreduce.datasets.data import MultiLabelData

    data = MultiLabelData.load(path)
    labels = (data.Y > 0).astype(float)
    counts = labels.T @ labels
    matrix = counts.toarray() if hasattr(counts, "toarray") else counts
    order = sorted(range(len(matrix)), key=lambda label: (-matrix[label, label], label))[:COOCCURRING]
    shares = [
        [float(matrix[row, column] / matrix[row, row]) if matrix[row, row] else 0.0 for column in order]
        for row in order
    ]
    names: Mapping[int, str] = dict(enumerate(data.label_names))
    return {
        "names": [names[label] for label in order],
        "counts": [int(matrix[label, label]) for label in order],
        "shares": shares,
        "of": len(matrix),
    }
