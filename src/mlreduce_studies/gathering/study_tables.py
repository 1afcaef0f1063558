"""The tables of a study, gathered from the tables of its jobs in an order that does not depend on the jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce_studies.gathering.failed_cells import add_failures_of_draws, with_failed_rows, with_gaps
from mlreduce_studies.gathering.job_tables import read_failures, read_tables
from mlreduce_studies.gathering.summary import at_directions, mean_errors, summarise, write_csv
from mlreduce_studies.options import LONG


class Gathering:
    """Results of the jobs of a study, as tables by name.

    ``files`` has ``data``, ``scores``, ``details``, and where the study has them ``choices``, ``times``, ``costs``,
    ``errors``, ``theorem``, ``dependencies``, ``images`` and ``published``. ``averages`` has the name of the mean of a
    method that draws to the names of the draws; ``base`` is the method by whose times others are divided; ``image`` has
    ``protocol``, ``measure`` and ``predictor`` of the scores shown with images of proximities.
    """

    def __init__(
        self,
        files: Mapping[str, Sequence[str]],
        averages: Mapping[str, Sequence[str]],
        base: str | None = None,
        image: Mapping[str, str] | None = None,
    ) -> None:
        self._files, self._averages, self._base, self._image = files, averages, base, image
        self._tables: dict[str, pd.DataFrame] = {}

    def table(self, name: str) -> pd.DataFrame:
        """Return a table by its name, of those that the study has; it is made once."""
        if name not in self._tables:
            self._tables[name] = _MAKERS[name](self)
        return self._tables[name]

    def rounded(self, name: str) -> tuple[pd.DataFrame, str]:
        """Return a table with the digits that people see, which jobs go on from, and the same as CSV."""
        text = StringIO()
        write_csv(self.table(name), text)
        return pd.read_csv(StringIO(text.getvalue())), text.getvalue()

    def shown(self, name: str) -> pd.DataFrame:
        """Return a table as tables and figures show it: with the digits that people see, but for long ones."""
        return self.table(name) if name in LONG else self.rounded(name)[0]

    def _scores(self) -> pd.DataFrame:
        """Scores of all jobs."""
        columns = ["study", "protocol", *SCORE_COLUMNS]
        return read_tables(self._files["scores"])[columns].sort_values(columns[:-1], ignore_index=True)

    def _failed_scores(self) -> pd.DataFrame:
        return read_failures(self._files["scores"])

    def _averaged(self) -> pd.DataFrame:
        """Scores with the means over the draws of a method."""
        if not self._averages:
            return self.table("scores")
        from mlreduce_studies.gathering.areas import averaged_draws

        return averaged_draws(self.table("scores"), self._averages, self.table("failed_scores"))

    def _with_gaps(self, scores: pd.DataFrame) -> pd.DataFrame:
        return with_gaps(summarise(scores), add_failures_of_draws(self.table("failed_scores"), self._averages))

    def _summary(self) -> pd.DataFrame:
        """Mean and errors of every cell."""
        return self._with_gaps(self.table("averaged"))

    def _areas(self) -> pd.DataFrame:
        from mlreduce_studies.gathering.areas import area_scores

        return self._with_gaps(area_scores(self.table("averaged")))

    def _failures(self) -> pd.DataFrame:
        """Failed cells; what was missing before a job resumed is in another table."""
        kinds = ("scores", "times", "images", "costs")
        return read_failures(file for kind in kinds for file in self._files.get(kind, []))

    def _datasets(self) -> pd.DataFrame:
        return describe_datasets(map(MultiLabelData.load, self._files["data"]))

    def _details(self) -> pd.DataFrame:
        details, failures = read_tables(self._files["details"]), read_failures(self._files["details"])
        keys = list(details.columns[:-1])
        details = details.drop_duplicates(keys)  # a method may be in several groups
        if "eigenvalue" in details:
            failures = failures[failures["split"] == 0]  # whose eigenvalues are kept
        return with_failed_rows(details, failures).sort_values(keys, ignore_index=True)

    def _choices(self) -> pd.DataFrame:
        choices = read_tables(self._files["choices"])
        chosen = choices[choices["chosen"]]
        keys = ["protocol", "dataset", "method", "split"]
        columns = keys + [name for name in chosen.columns if name not in (*keys, "chosen", "group")]
        table = with_failed_rows(chosen[columns], read_failures(self._files["choices"]))
        return table.sort_values(keys, ignore_index=True)

    def _timed(self, kind: str, averages: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        from mlreduce_studies.gathering.times import gathered_times

        return gathered_times(read_tables(self._files[kind]), read_failures(self._files[kind]), averages)

    def _times(self) -> pd.DataFrame:
        """Seconds of fits, and their means over the draws of a method."""
        return self._timed("times", self._averages)

    def _costs(self) -> pd.DataFrame:
        return self._timed("costs", {})

    def _ratios(self) -> pd.DataFrame:
        from mlreduce_studies.gathering.times import time_ratios

        printed = [pd.read_csv(path) for path in self._files["published"]]
        none = pd.DataFrame(columns=["dataset", "method", "seconds"])
        return time_ratios(self.table("times"), pd.concat(printed) if printed else none, str(self._base))

    def _approximation(self) -> pd.DataFrame:
        return mean_errors(self.table("errors"))

    def _errors(self) -> pd.DataFrame:
        return read_tables(self._files["errors"]).sort_values(["dataset", "method", "size_percent", "draw"])

    def _theorem(self) -> pd.DataFrame:
        return read_tables(self._files["theorem"]).sort_values(["dataset", "nystrom"])

    def _dependencies(self) -> pd.DataFrame:
        return read_tables(self._files["dependencies"]).sort_values("dataset", kind="stable")

    def _proximities(self) -> pd.DataFrame:
        from mlreduce_studies.gathering.images import grey_levels

        images, selection = grey_levels(read_tables(self._files["images"])), self._image or {}
        shown = at_directions(self.table("summary"))
        for key, value in selection.items():
            shown = shown[shown[key] == value]
        scores = shown[["dataset", "method", "mean"]].rename(columns={"mean": "score"})
        images = images.merge(scores, on=["dataset", "method"], how="left", validate="m:1")
        return with_failed_rows(images, read_failures(self._files["images"]))


# What makes each table of a study. Other tables are made of "averaged" and "failed_scores".
_MAKERS: dict[str, Callable[[Gathering], pd.DataFrame]] = {
    **{"scores": Gathering._scores, "averaged": Gathering._averaged, "failed_scores": Gathering._failed_scores},
    "summary": Gathering._summary,
    **{"areas": Gathering._areas, "failures": Gathering._failures, "datasets": Gathering._datasets},
    **{"spectra": Gathering._details, "rankings": Gathering._details, "choices": Gathering._choices},
    **{"times": Gathering._times, "ratios": Gathering._ratios, "costs": Gathering._costs},
    **{"approximation": Gathering._approximation, "errors": Gathering._errors, "theorem": Gathering._theorem},
    **{"dependencies": Gathering._dependencies, "proximities": Gathering._proximities},
}


def gathering_of(job: Any) -> Gathering:
    """Return what a job of Snakemake's gathers: its input by kind, and its params averages, base, image, published."""
    files = {kind: [paths] if isinstance(paths, str) else list(paths) for kind, paths in job.input.items()}
    files["published"] = list(job.params.published)
    return Gathering(files, job.params.averages, job.params.base, job.params.image)


def describe_datasets(datasets: Iterable[Any]) -> pd.DataFrame:
    """Return instances, features, labels, cardinality and share of zeros in X of data sets, sorted by name."""
    rows = [(data.name, *data.X.shape, data.Y.shape[1], data.cardinality, data.zeros) for data in datasets]
    columns = ["dataset", "instances", "features", "labels", "cardinality", "zeros"]
    return pd.DataFrame(rows, columns=columns).sort_values("dataset")
