"""Committed results of studies: which of them to look at, and whether numbers computed anew are theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlreduce.datasets.catalogue import Catalogue
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.gathering.study_tables import Gathering
from mlreduce_studies.gathering.summary import SUMMARY_COLUMNS, with_own_size
from mlreduce_studies.study import Study, load_study

#: What a cell of a curve is.
CELL = ("measure", "size_percent", "energy", "own_size")

#: What tells the cells of a study apart.
CELL_OF_STUDY = ("protocol", "dataset", "method", "predictor", *CELL)

# What is compared of it.
_VALUES = ["size", "mean", "se", "sd", "splits"]

# What is used of the times of jobs.
_JOBS = ["protocol", "dataset", "group", "predictor", "seconds"]

# A difference smaller than this is rounding errors: the encoding error of a code that loses nothing is 1e-29.
_NOTHING = 1e-9


class Curve(NamedTuple):
    """All measures and sizes of a method with a predictor, which share their fits."""

    #: The method is a label of the study file, or the name of the mean of several draws.
    study: str
    protocol: str
    dataset: str
    method: str
    predictor: str

    def __str__(self) -> str:
        return " ".join(self)


class Reference(NamedTuple):
    """The committed summary of a study, its file as it is now at their scale, and the jobs where they were kept."""

    summary: pd.DataFrame
    study: Study
    scale: str
    seed: int
    jobs: pd.DataFrame

    def group_of(self, curve: Curve) -> str:
        """Return the group that computes a curve; raise ConfigurationError if the study does not have the curve."""
        study, first = self.study, self.study.draws(curve.method)[0]
        if curve.protocol in study.protocols and curve.dataset in study.datasets:
            for name, group in study.groups.items():
                if group.runs_on(curve.protocol) and first in group.methods and curve.predictor in group.predictors:
                    return name
        raise ConfigurationError(f"{curve}: the study file does not ask for this")

    def cells_of(self, curve: Curve) -> pd.DataFrame:
        """Return the committed cells of a curve."""
        return _of_curve(self.summary, curve)

    def seconds_of(self, curve: Curve) -> float:
        """Estimate how long a curve takes: its method's share of its group's jobs, or all jobs if the group is new."""
        group, jobs = self.group_of(curve), self.jobs
        known = jobs[(jobs["protocol"] == curve.protocol) & (jobs["dataset"] == curve.dataset)]
        of_group = known[
            (known["group"] == group) & (known["predictor"].isna() | (known["predictor"] == curve.predictor))
        ]
        share = len(self.study.draws(curve.method)) / len(self.study.groups[group].methods)
        return float(share * of_group["seconds"].sum() if len(of_group) else known["seconds"].sum())


def _of_curve(summary: pd.DataFrame, curve: Curve) -> pd.DataFrame:
    matches = [summary[name] == value for name, value in zip(Curve._fields[1:], curve[1:], strict=True)]
    return summary.loc[np.logical_and.reduce(matches), list(SUMMARY_COLUMNS)]


def read_reference(folder: str | Path, study_file: str | Path, catalogue: Catalogue) -> Reference:
    """Read the summary, perhaps packed, and the manifest in the folder of a study's results, and its study file.

    Raises ConfigurationError if one of the files is missing or is not what it should be.
    """
    folder = Path(folder)
    try:
        made = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        path = next(path for name in ("summary.csv", "summary.csv.gz") if (path := folder / name).is_file())
        summary = pd.read_csv(path)[list(SUMMARY_COLUMNS)]
        run = {"scale": made["scale"], "splits": made["splits"], "run_on": made["datasets"]}
        scale, seed = str(made["scale"]), int(made["seed"])
        table = folder / "jobs.csv"
        jobs = pd.read_csv(table) if table.is_file() else pd.DataFrame(columns=_JOBS)
    except StopIteration:
        raise ConfigurationError(f"{folder}: there is neither summary.csv nor summary.csv.gz in it") from None
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{folder}: these are not the results of a study ({error!r})") from error
    return Reference(summary, load_study(study_file, catalogue=catalogue, **run), scale, seed, jobs)


def draw_curves(
    summaries: Mapping[str, pd.DataFrame], share: float, seed: int, datasets: Sequence[str] | None = None
) -> list[Curve]:
    """Draw curves at random until they hold a share, in (0, 1], of each study's cells, at least one per study.

    They are drawn from the data sets alone, where these are given, in random order, without regard to what they cost.
    """
    drawn: list[Curve] = []
    for study, summary in sorted(summaries.items()):
        rows = summary if datasets is None else summary[summary["dataset"].isin(list(datasets))]
        cells = rows.groupby(["protocol", "dataset", "method", "predictor"]).size()
        order = np.random.default_rng(derive_seed(seed, "verify", study)).permutation(len(cells))
        before = np.cumsum(cells.to_numpy()[order]) - cells.to_numpy()[order]
        curves = [Curve(study, *map(str, key)) for key in cells.index]
        drawn += [curves[i] for i in order[before < share * len(rows)]]
    order = np.random.default_rng(derive_seed(seed, "verify")).permutation(len(drawn))
    return [drawn[i] for i in order]


def recomputed_cells(files: Sequence[Path], curve: Curve, study: Study) -> tuple[pd.DataFrame, int, str | None]:
    """Average the scores of a curve as the workflow does, with the digits that a summary file has.

    Files are tables of `mlreduce_studies.gathering.job_tables.write_table`. Returns cells with
    `mlreduce_studies.gathering.summary.SUMMARY_COLUMNS`, the number of splits whose scores are there, and why a cell
    failed, if one did.
    """
    draws = list(study.draws(curve.method))
    gathering = Gathering({"scores": [str(file) for file in files]}, {curve.method: draws} if draws[1:] else {})
    failures = gathering.table("failures")
    reasons = failures.loc[failures["method"].isin(draws), "message"]
    scores = gathering.table("scores")
    splits = scores.loc[scores["method"] == draws[0], "split"].nunique()
    summary, _ = gathering.rounded("summary")
    return _of_curve(summary, curve), splits, None if reasons.empty else str(reasons.iloc[0])


def compare_cells(
    committed: pd.DataFrame, recomputed: pd.DataFrame, tolerance: float, cell: Sequence[str] = CELL
) -> tuple[int, pd.DataFrame]:
    """Compare the cells of a curve, or of a study, which have `mlreduce_studies.gathering.summary.SUMMARY_COLUMNS`.

    The tolerance is relative; differences below 1e-9 are rounding errors whatever they are relative to. ``cell`` are
    the columns that tell the cells apart; those of a study are `CELL_OF_STUDY`. Returns how many cells are equal to the
    last digit; and a row for each number that is farther off than the tolerance, or that only one of the two has.
    """
    sides = _by_cell(committed, cell).add_suffix("_committed"), _by_cell(recomputed, cell).add_suffix("_recomputed")
    both = sides[0].join(sides[1], how="outer")
    old, new = (both[[f"{name}_{side}" for name in _VALUES]].to_numpy(float) for side in ("committed", "recomputed"))
    same = is_near(old, new, 0.0)
    cells = both.index.to_frame(index=False)
    rows = [
        {**cells.iloc[i].to_dict(), "number": _VALUES[j], "committed": old[i, j], "recomputed": new[i, j]}
        for i, j in np.argwhere(~is_near(old, new, tolerance))
    ]
    return int(same.all(axis=1).sum()), pd.DataFrame(rows, columns=[*cell, "number", "committed", "recomputed"])


def is_near(old: NDArray[np.float64], new: NDArray[np.float64], tolerance: float) -> NDArray[np.bool_]:
    """Return where numbers are equal to the last bit or both are missing or, with a tolerance above 0, near.

    The tolerance is relative; differences below 1e-9 are rounding errors whatever they are relative to.
    """
    near: NDArray[np.bool_] = (old == new) | (np.isnan(old) & np.isnan(new))
    if tolerance:
        near |= np.abs(old - new) <= np.maximum(tolerance * np.maximum(np.abs(old), np.abs(new)), _NOTHING)
    return near


def _by_cell(summary: pd.DataFrame, cell: Sequence[str]) -> pd.DataFrame:
    """Index a summary by what its cells are; a size that stands for itself is part of that."""
    types = {"energy": float, "size_percent": int, "own_size": float}
    return with_own_size(summary).astype(types).set_index([*cell])[_VALUES]
