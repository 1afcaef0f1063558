"""A small finished run with known scores, for tests of the pages."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce.stats.margins import wins_ties_losses
from mlreduce_studies.figures import make_figure, save
from mlreduce_studies.gathering.job_tables import write_table
from mlreduce_studies.gathering.summary import summarise, write_csv
from mlreduce_studies.runs import DESCRIPTION
from mlreduce_studies.tables import make_table
from mlreduce_studies.verdicts.audit import audit
from mlreduce_studies.verdicts.columns import CLAIM_COLUMNS, DIFFERENCE_COLUMNS, LINE_COLUMNS
from mlreduce_studies.verdicts.order import audit_order
from mlreduce_studies.verdicts.studies import results_of

DATASETS = ("birds", "scene", "yeast")
METHODS = ("pca", "mvmd", "mine")
SIZES = (20, 50, 100)
MEASURES = ("instance-f1", "hamming-loss")


def planted_scores(
    datasets: Sequence[str], methods: Sequence[str], splits: int = 4, better: float = 0.0, seed: int = 0
) -> pd.DataFrame:
    """Later methods are better by a fiftieth each; ``better`` is added to the last."""
    rng = np.random.default_rng(seed)
    rows = []
    for d, dataset in enumerate(datasets):
        for m, method in enumerate(methods):
            for size in SIZES:
                for split in range(splits):
                    value = 0.4 + 0.1 * d + 0.02 * m + 0.001 * size + 0.01 * rng.random()
                    value += better * (m == len(methods) - 1)
                    cell = (dataset, method, "{}", "ridge", size, 0.0, size // 2, split)
                    rows += [(*cell, "instance-f1", value), (*cell, "hamming-loss", (1 - value) / 2)]
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS)).assign(study="planted", protocol="ten-fold")


def planted_run(
    base: Path,
    datasets: Sequence[str] = DATASETS,
    methods: Sequence[str] = METHODS,
    text: str = "",
    better: float = 0.0,
) -> Path:
    """Write a run of one study, and return its folder; ``text`` stands in every caption, claim and title."""
    for name, content in _made(tuple(datasets), tuple(methods), text, better).items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(content)
    return base


@cache
def _made(datasets: Sequence[str], methods: Sequence[str], text: str, better: float) -> dict[str, bytes]:
    """Return the files of a run, made once: many tests change one of them."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        _make(base, datasets, methods, text, better)
        return {path.relative_to(base).as_posix(): path.read_bytes() for path in base.rglob("*") if path.is_file()}


def _make(base: Path, datasets: Sequence[str], methods: Sequence[str], text: str, better: float) -> None:
    folder = base / "planted"
    folder.mkdir(parents=True)
    scores = planted_scores(datasets, methods, better=better)
    summary = summarise(scores)
    write_table(folder / "scores.parquet", scores)
    write_csv(summary, folder / "summary.csv")
    sizes = {"instances": 300, "features": 40, "labels": 6, "cardinality": 1.5, "zeros": 0.25}
    sets = pd.DataFrame([{"dataset": name, **sizes} for name in datasets])
    write_csv(sets, folder / "datasets.csv")
    write_csv(pd.DataFrame(columns=list(FAILURE_COLUMNS)), folder / "failures.csv")
    table = {"caption": f"Table 3 {text}", "methods": list(methods), "measure": "hamming-loss", "predictor": "ridge"}
    tidy, _, latex = make_table(summary, table, "table3")
    write_csv(tidy, folder / "table3.csv")
    (folder / "table3.tex").write_text(latex)
    printed = tidy[["dataset", "method", "size_percent"]].assign(
        table="table3", printed=tidy["mean"] + np.where(np.arange(len(tidy)) % 3, 0.0, 0.05), printed_se=0.001,
        half_unit=0.00005, note="", bold_within_se=False,
    )  # fmt: skip
    write_csv(audit({"table3": tidy}, printed), folder / "audit.csv")
    rules = {"ten-fold": {name: {"folds": 10} for name in datasets}}
    results = results_of({"averages": {}, "rules": rules}, {"scores": scores, "datasets": sets})
    write_csv(audit_order(printed, {"table3": table}, results), folder / "audit-order.csv")
    figure = {
        **{"kind": "dimensions", "caption": f"Figure 1 {text}", "methods": list(methods)},
        **{"measure": "instance-f1", "predictor": "ridge"},
    }
    save(make_figure(summary, figure, "ten-fold"), [folder / "figure1.svg", folder / "figure1.json"])
    claim = (
        "better",
        f"It is better. {text}",
        "Section 4; Table 3",
        "confirmed",
        "small: confirmed.",
        "plain",
        "better",
        False,
        f"by construction: it is made so {text}",
    )
    write_csv(pd.DataFrame([claim], columns=list(CLAIM_COLUMNS)), folder / "claims.csv")
    line = ("better", f"small {text}", " ".join(datasets), True, "confirmed", 0.001, 0.999, f"3 wins. {text}")
    line += (
        " ".join(methods[::-1]),
        "instance-f1 hamming-loss",
        "ten-fold",
        "ridge",
        "20 %; 50 %",
        "better",
        "most",
        "0.01",
    )
    write_csv(pd.DataFrame([line], columns=list(LINE_COLUMNS)), folder / "claims-lines.csv")
    own = summary[summary["size_percent"].isin(SIZES[:2])]
    signed = own.assign(mean=own["mean"].where(own["measure"] == "instance-f1", -own["mean"]))
    means = signed.groupby(["dataset", "method"])["mean"].mean().unstack()
    found = []
    for other in methods[-2::-1]:
        for name, difference in (means[methods[-1]] - means[other]).items():
            counts = wins_ties_losses([difference], 0.01)
            found.append(("better", f"small {text}", methods[-1], other, name, difference, 0.01, *counts))
    write_csv(pd.DataFrame(found, columns=list(DIFFERENCE_COLUMNS)), folder / "claims-differences.csv")
    made = {
        "study": "planted",
        "scale": "paper",
        "splits": 4,
        "inputs": {},
        "run": {"python": "3", "packages": {"a": "1"}},
    }
    (folder / "manifest.json").write_text(json.dumps(made))
    times = [(name, method, 0, 0.5) for name in datasets for method in methods]
    write_csv(pd.DataFrame(times, columns=["dataset", "method", "split", "seconds"]), folder / "times.csv")
    jobs = [{"rule": "fit", "seconds": 30.0, "cpu_seconds": 20.0, "peak_mb": 100.0}] * 3
    write_csv(pd.DataFrame(jobs), folder / "jobs.csv")
    described = {
        **{"title": f"A planted study {text}", "identifier": "https://example.org/paper", "family": "projection"},
        **{"datasets": list(datasets), "left_out": [], "protocols": ["ten-fold"], "measures": list(MEASURES)},
        **{"curves": datasets[0], "averages": {}, "predictors": {"ridge": {"registered": "ridge", "parameters": {}}}},
        "methods": {method: {"registered": method, "parameters": {"alpha": 1}} for method in methods},
        "rules": rules,
        "tables": {"table3": table},
        "figures": {"figure1": {"spec": figure, "files": {"figure1": "ten-fold"}, "source": "summary"}},
        "shown_in": {"better": ["table3"]},
        "compared": {"better": {f"small {text}": {"cells": "mean", "margin": "0.01"}}},
        "says": f"The paper says that mine is better. {text}",
        "headline": "",
    }
    run = {"title": f"Planted {text}", "introduction": f"What it is. {text}", "studies": {"planted": described}}
    (base / DESCRIPTION).write_text(json.dumps(run))
