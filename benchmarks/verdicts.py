"""Rates of right, wrong and undecided verdicts on planted differences, into docs/verdicts/simulation.csv.

    python benchmarks/verdicts.py                       # some minutes
    python benchmarks/verdicts.py --repetitions 50      # fewer

Each data set has a true difference of two methods: the planted one, and some variation between data sets. The
differences of its splits are that, noise that they share through their training rows, with the correlation that the
share of the test rows implies (Nadeau and Bengio), and noise of each test part. Where most of some cells are asked for,
each cell has its own difference about that of its data set, and half of the noise is its own.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from mlreduce_studies.verdicts.judging import decided, evidence_of
from mlreduce_studies.verdicts.statements import Line, Statement
from mlreduce_studies.verdicts.weighing import Gathered, difference

OUTPUT = Path(__file__).parents[1] / "docs" / "verdicts" / "simulation.csv"
MARGIN = 0.01

# Planted differences, in margins.
EFFECTS = (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0)
# Number of splits and share of the rows in a test part.
PROTOCOLS = ((5, 1 / 3), (10, 0.1), (100, 0.1))
NOISE, VARIATION = 0.01, 0.003
# Of a data set, of which more than half are asked for.
CELLS = (1, 27)
KINDS = ("better", "no-worse", "similar")


def planted(
    rng: np.random.Generator, statement: Statement, effects: np.ndarray, splits: int, share: float
) -> dict[str, Gathered]:
    """Return differences of two methods on the splits of data sets; true differences are data sets by cells."""
    gathered: dict[str, Gathered] = {}
    for number, own in enumerate(effects):
        parts = (1, len(own)) if len(own) > 1 else (1,)
        noise = sum(
            rng.normal(0, np.sqrt(share), (cells, 1)) + rng.normal(0, np.sqrt(1 - share), (cells, splits))
            for cells in parts
        )
        values = own[:, None] + NOISE / np.sqrt(len(parts)) * noise
        cells = {str(cell): difference(statement, row, MARGIN, share) for cell, row in enumerate(values)}
        gathered[f"d{number}"] = {("mine", "other"): cells}
    return gathered


def truth(kind: str, effects: np.ndarray, holds: str, centre: float) -> bool:
    """Return whether a statement is true of planted differences; a tendency is one of the value they vary about."""
    own = np.array([[centre]]) if holds == "tendency" else effects
    inside = {"better": own > MARGIN, "no-worse": own > -MARGIN, "similar": np.abs(own) <= MARGIN}[kind]
    each = inside.mean(axis=1) > 0.5
    return bool(each.sum() >= (len(own) // 2 + 1 if holds == "most" else len(own)))


def rates(repetitions: int, seed: int) -> pd.DataFrame:
    rows = []
    for datasets, (splits, share), effect, kind, holds, cells in product(
        (3, 8), PROTOCOLS, EFFECTS, KINDS, ("all", "most", "tendency"), CELLS
    ):
        if holds == "tendency" and (datasets < 5 or cells > 1):
            continue
        key = [
            seed,
            datasets,
            splits,
            EFFECTS.index(effect),
            KINDS.index(kind),
            ("all", "most", "tendency").index(holds),
            cells,
        ]
        rng = np.random.default_rng(key)
        counts = dict.fromkeys(("right", "wrong", "undecided"), 0)
        statement = Statement(kind, ("mine",), ("other",), ("macro-f1",), {"protocol": "p"}, "most", MARGIN)
        for _ in range(repetitions):
            effects = effect * MARGIN + rng.normal(0, VARIATION, (datasets, 1))
            if cells > 1:
                effects = effects + rng.normal(0, VARIATION, (datasets, cells))
            gathered = planted(rng, statement, effects, splits, share)
            verdict = decided(evidence_of(Line("", statement, tuple(gathered), holds), gathered))
            true = truth(kind, effects, holds, effect * MARGIN)
            right = {"confirmed": true, "refuted": not true}.get(verdict)
            counts["undecided" if right is None else "right" if right else "wrong"] += 1
        rows.append(
            {
                **{
                    "kind": kind,
                    "holds": holds,
                    "data_sets": datasets,
                    "cells": cells,
                    "splits": splits,
                    "effect_in_margins": effect,
                },
                **{name: number / repetitions for name, number in counts.items()},
            }
        )
        print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    table = rates(options.repetitions, options.seed)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(options.output, index=False, float_format="%.4g")
    print(f"largest rate of wrong verdicts: {table['wrong'].max():.3f}")


if __name__ == "__main__":
    main()
