"""Committed results of studies: a random sample of them, and its comparison with recomputed numbers."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mlreduce.datasets.catalogue import Catalogue
from mlreduce.exceptions import ConfigurationError
from mlreduce.experiments.recomputation import Curve
from mlreduce.experiments.scores import SCORE_COLUMNS
from mlreduce.experiments.seeds import derive_seed
from mlreduce.experiments.study import Study, load_study
from mlreduce.reporting.areas import averaged_draws
from mlreduce.reporting.summary import SUMMARY_COLUMNS, summarise, write_csv

__all__ = ["CELL", "Reference", "compare_cells", "draw_curves", "read_reference", "recomputed_cells"]

#: What a cell of a curve is.
CELL = ("measure", "size_percent", "energy", "own_size")

# What is compared of it.
_VALUES = ["size", "mean", "se", "sd", "splits"]

# A difference smaller than this is rounding errors: the encoding error of a code that loses nothing is 1e-29.
_NOTHING = 1e-9


class Reference(NamedTuple):
    """The committed results of a study.

    Attributes
    ----------
    summary : DataFrame
        With `mlreduce.reporting.summary.SUMMARY_COLUMNS`.
    study : Study
        As its file says now, with the data sets and the number of splits of the results.
    seed : int
    """

    summary: pd.DataFrame
    study: Study
    seed: int


def read_reference(folder: str | Path, study_file: str | Path, catalogue: Catalogue) -> Reference:
    """Read the summary and the manifest of a study's results, and its study file.

    Parameters
    ----------
    folder : path
        With ``manifest.json``, and ``summary.csv`` or ``summary.csv.gz``.
    study_file : path
    catalogue : Catalogue

    Raises
    ------
    ConfigurationError
        If one of the files is missing or is not what it should be.
    """
    folder = Path(folder)
    try:
        made = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        path = next(path for name in ("summary.csv", "summary.csv.gz") if (path := folder / name).is_file())
        summary = pd.read_csv(path)[list(SUMMARY_COLUMNS)]
        run = {"scale": made["scale"], "splits": made["splits"], "run_on": made["datasets"]}
        seed = int(made["seed"])
    except StopIteration:
        raise ConfigurationError(f"{folder}: there is neither summary.csv nor summary.csv.gz in it") from None
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{folder}: these are not the results of a study ({error!r})") from error
    return Reference(summary, load_study(study_file, catalogue=catalogue, **run), seed)


def draw_curves(
    summaries: Mapping[str, pd.DataFrame], share: float, seed: int, datasets: Sequence[str] | None = None
) -> list[Curve]:
    """Draw curves at random until they hold a share of each study's cells, at least one per study.

    Parameters
    ----------
    summaries : dict of study to DataFrame
        With `mlreduce.reporting.summary.SUMMARY_COLUMNS`.
    share : float
        In (0, 1], of the cells.
    seed : int
    datasets : sequence of str or None, default=None
        Draw from these alone; None for all.

    Returns
    -------
    list of Curve
        In random order, whatever their cost, so that those that are reached in a given time are a random sample too.
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


def recomputed_cells(scores: pd.DataFrame, curve: Curve, study: Study) -> pd.DataFrame:
    """Return the summary of a curve's scores, rounded as in its file.

    Parameters
    ----------
    scores : DataFrame
        Of all splits, from `mlreduce.experiments.recomputation.curve_scores`.
    curve : Curve
    study : Study

    Returns
    -------
    DataFrame
        With `mlreduce.reporting.summary.SUMMARY_COLUMNS`.
    """
    scores = scores.sort_values(["study", "protocol", *SCORE_COLUMNS[:-1]], ignore_index=True)
    averages = {name: draws for name, draws in study.averages.items() if name == curve.method}
    scores = averaged_draws(scores, averages)
    text = io.StringIO()
    write_csv(summarise(scores[scores["method"] == curve.method]), text)
    text.seek(0)
    return pd.read_csv(text)


def compare_cells(committed: pd.DataFrame, recomputed: pd.DataFrame, tolerance: float) -> tuple[int, pd.DataFrame]:
    """Compare the cells of a curve.

    Parameters
    ----------
    committed, recomputed : DataFrame
        With `mlreduce.reporting.summary.SUMMARY_COLUMNS`.
    tolerance : float
        Relative; differences below 1e-9 are rounding errors whatever they are relative to.

    Returns
    -------
    (int, DataFrame)
        How many cells are equal to the last digit; and a row for each number that is farther off than the tolerance,
        or that only one of the two has.
    """
    sides = _by_cell(committed).add_suffix("_committed"), _by_cell(recomputed).add_suffix("_recomputed")
    both = sides[0].join(sides[1], how="outer")
    old, new = (both[[f"{name}_{side}" for name in _VALUES]].to_numpy(float) for side in ("committed", "recomputed"))
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    near = np.abs(old - new) <= np.maximum(tolerance * np.maximum(np.abs(old), np.abs(new)), _NOTHING)
    cells = both.index.to_frame(index=False)
    rows = [
        {**cells.iloc[i].to_dict(), "number": _VALUES[j], "committed": old[i, j], "recomputed": new[i, j]}
        for i, j in np.argwhere(~(same | near))
    ]
    return int(same.all(axis=1).sum()), pd.DataFrame(rows, columns=[*CELL, "number", "committed", "recomputed"])


def _by_cell(summary: pd.DataFrame) -> pd.DataFrame:
    """Index a summary by its cells; a number of dimensions that was asked for is part of the index."""
    of_a_size = (summary["size_percent"] == 0) & (summary["energy"] == 0)
    rows = summary.assign(own_size=summary["size"].where(of_a_size, 0.0).astype(float))
    return rows.astype({"energy": float, "size_percent": int}).set_index(list(CELL))[_VALUES]
