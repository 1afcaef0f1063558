"""Scores of the pieces as the ranking reads them: a row per cell, the mean over its folds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from mlreduce import registry
from mlreduce.configuration import read_yaml
from mlreduce.stats.ranking import CONTROLS, FULL, WHOLE, one_variant
from mlreduce_studies.benchmark.pieces import DECIMALS, Pieces
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.gathering.rankings import names_of
from mlreduce_studies.study import Study

__all__ = ["SETS", "Scores", "groups_of", "names_in", "predictor_names", "sized", "whole_size"]

#: What describes the data sets, a row each, from the root of the project: what `MultiLabelData.describe` says.
SETS = "comparisons/benchmark-sets.csv"
#: What needs no features: it predicts how often each label occurs.
MAJORITY = "majority-labels"
#: The one of the predictors that training rows choose, fold by fold, and where the choices are.
CHOSEN, CHOICES = "chosen", "predictors.csv"
#: Groups of related data sets, from the root of the project.
RELATED = "comparisons/related-sets.yaml"


def names_in(study: Study) -> tuple[dict[str, str], dict[str, Sequence[str]]]:
    """Return the labels of a study to names of methods, and the labels of means to those of the draws.

    A label that is the name of a control is that control, whatever class stands for it.
    """
    registered = {
        label: label if label in CONTROLS else registry.entry_name(label, entry)
        for label, entry in study.methods.items()
    }
    averages: dict[str, Sequence[str]] = {label: [*draws] for label, draws in study.averages.items()}
    return names_of(registered, averages), averages


def predictor_names(study: Study) -> dict[str, str]:
    """Return the labels of the predictors of a study to registered names; classes of others keep their label."""
    names = {label: registry.entry_name(label, entry) for label, entry in study.predictors.items()}
    return {label: label if registry.is_import_path(name) else name for label, name in names.items()}


def groups_of(project: str | Path) -> dict[str, str]:
    """Return the related data sets, each with the name of its group."""
    groups = read_yaml(Path(project, RELATED))
    return {name: group for group, names in groups.items() for name in names}


class Scores:
    """The scores of version 2 of the benchmark, as the ranking reads them; by default from the stored pieces."""

    def __init__(self, protocol: Protocol, pieces: Pieces | None = None) -> None:
        self.protocol = protocol
        self.pieces = Pieces(protocol) if pieces is None else pieces
        self.studies = {study.family: study for study in protocol.studies().values()}
        #: Those that methods are tuned for.
        self.measures: list[str] = list(protocol.shared["search"]["tuned"])
        self._folds = cache(self._read)

    def datasets(self, family: str, *, tuned: bool = False) -> list[str]:
        """Return the data sets on which methods with defaults, or tuned ones as well, are run."""
        name, of = self.studies[family].name, {1, *([self.protocol.candidates] if tuned else [])}
        done = {(piece.dataset, piece.candidates) for piece in self.pieces.listed() if piece.study == name}
        return [name for name in self.protocol.datasets if all((name, candidates) in done for candidates in of)]

    def folds(self, family: str, measure: str, *, tuned: bool = False) -> pd.DataFrame:
        """Return the scores of the folds: with defaults, or those that have parameters tuned.

        Columns are dataset, method (a label of the study), predictor, size, fold, value, seconds, megabytes, warnings
        and at_edge. The size is the number of features or codes requested, 0 where nothing is reduced; sizes that
        reduce nothing are left out, and a number that two sizes stand for is there once. What failed has no value.
        """
        table = self._folds(family, 1)
        if tuned:
            searched = self._folds(family, self.protocol.candidates)
            there = set(zip(searched["dataset"], searched["method"], strict=True))
            again = [place in there for place in zip(table["dataset"], table["method"], strict=True)]
            table = pd.concat([table[~pd.Series(again, table.index)], searched], ignore_index=True)
            table = table[table["dataset"].isin(set(searched["dataset"]))]
        table = table[table["measure"] == measure].drop(columns=["measure", "full"])
        return pd.concat([table, self._by_choice(family, measure, table)], ignore_index=True)

    def _by_choice(self, family: str, measure: str, table: pd.DataFrame) -> pd.DataFrame:
        """Return the scores with the predictor that the training rows of each fold choose where nothing is reduced."""
        path = self.pieces.folder / CHOICES
        if not path.is_file():
            return table.iloc[:0]
        choices = pd.read_csv(path).query("family == @family and measure == @measure")
        there = table.merge(choices[["dataset", "fold", "predictor"]], on=["dataset", "fold", "predictor"])
        return there.assign(predictor=CHOSEN)

    def _read(self, family: str, candidates: int) -> pd.DataFrame:
        study, tables = self.studies[family], []
        known = self._full(family) if candidates > 1 else {}
        for piece in self.pieces.listed():
            if (piece.study, piece.candidates) == (study.name, candidates):
                table = self.pieces.read(piece)
                table = table[table["measure"].isin(self.measures)]
                table = table.assign(value=table["value"].astype(float).round(DECIMALS))  # stored in single precision
                full = whole_size(table) if candidates == 1 else known.get(piece.dataset)
                if full is not None:  # otherwise nothing is known of its defaults
                    tables.append(sized(table, full).assign(full=full))
        columns = ["dataset", "method", "predictor", "measure", "size", "fold", "value", "seconds", "megabytes"]
        columns += ["warnings", "at_edge", "full"]
        if not tables:
            return pd.DataFrame(columns=columns)
        return _beside_all(pd.concat(tables, ignore_index=True), study.predictors)[columns]

    def _full(self, family: str) -> dict[str, float]:
        """Return the number of features or labels by data set, which pieces with what reduces nothing have."""
        return dict(self._folds(family, 1).groupby("dataset")["full"].first())

    def seconds(self, family: str) -> pd.DataFrame:
        """Return the processor seconds of a fit with defaults: data sets by methods."""
        table = self._folds(family, 1)
        taken = table.groupby(["dataset", "method"])["seconds"].mean().rename("value").reset_index()
        names = names_in(self.studies[family])
        return one_variant(taken, *names).pivot(index="dataset", columns="method", values="value")

    def cells(self, family: str, measure: str, *, tuned: bool = False) -> pd.DataFrame:
        """Return the means over folds, one variant per method, as `mlreduce.stats.ranking.rank` takes them.

        Columns are dataset, method (a name), predictor, size and value. The size is a number of features or codes, 0
        where nothing is reduced. A cell that failed on a fold has no value.
        """
        study = self.studies[family]
        cells = self.folds(family, measure, tuned=tuned).groupby(["dataset", "method", "predictor", "size"])["value"]
        means = cells.mean().mask(cells.count() < cells.size()).reset_index()
        return one_variant(means, *names_in(study))


def whole_size(table: pd.DataFrame) -> float:
    """Return the number of features or labels: the size of what reduces nothing."""
    return float(table.loc[(table["percent"] == FULL) & table["method"].isin(WHOLE), "size"].max())


def sized(table: pd.DataFrame, full: float, single: Collection[str] = (*WHOLE, MAJORITY)) -> pd.DataFrame:
    """Return the rows of a piece with the number requested as the size; see `Scores.folds`.

    ``full`` is the number of features or labels, see `whole_size`. Methods in ``single`` have one size, that of 100 %,
    and get the size 0: what reduces nothing, and others.
    """
    table = table.astype(dict.fromkeys(table.select_dtypes("category"), str))
    alone, whole = table["method"].isin(list(single)), table["percent"] == FULL
    percent = table[(table["percent"] > 0) & ~whole]
    requested = percent.groupby("percent")["size"].agg(lambda sizes: int(sizes.mode().iloc[0])).to_dict()
    table["size"] = table["number"].where(table["number"] > 0, table["percent"].map(requested)).astype(float)
    keys = ["method", "predictor", "measure", "size", "fold"]
    reduced = table[~alone & ~whole & (table["size"] < full)].drop_duplicates(keys)
    return pd.concat([reduced, table[alone & whole].assign(size=0.0)], ignore_index=True)


def _beside_all(table: pd.DataFrame, predictors: Mapping[str, object]) -> pd.DataFrame:
    """Return the rows with those of the majority of the labels once for each predictor that is there."""
    alone = table["method"] == MAJORITY
    there = {*table.loc[~alone, "predictor"].unique()}
    others = [name for name in predictors if name in there]
    repeated = [table[alone].assign(predictor=name) for name in others]
    return pd.concat([table[~alone], *repeated], ignore_index=True)
