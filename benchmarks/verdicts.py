"""Rates of right, wrong and undecided verdicts on planted differences, into docs/verdicts/simulation.csv.

    python benchmarks/verdicts.py                       # some minutes
    python benchmarks/verdicts.py --repetitions 50      # fewer

Each data set has a true difference of two methods: the planted one, and some variation between data sets. The
differences of its splits are that, noise that they share through their training rows, with the correlation that the
share of the test rows implies (Nadeau and Bengio), and noise of each test part.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from mlreduce.reporting.verdicts.judging import Line, decided, evidence_of
from mlreduce.reporting.verdicts.statements import Gathered, Statement, difference

OUTPUT = Path(__file__).parents[1] / "docs" / "verdicts" / "simulation.csv"
MARGIN = 0.01

# Planted differences, in margins.
EFFECTS = (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0)
# Number of splits and share of the rows in a test part.
PROTOCOLS = ((5, 1 / 3), (10, 0.1), (100, 0.1))
NOISE, VARIATION = 0.01, 0.003
KINDS = ("better", "no-worse", "similar")


def planted(
    rng: np.random.Generator, statement: Statement, effects: np.ndarray, splits: int, share: float
) -> dict[str, Gathered]:
    """Return differences of two methods on the splits of as many data sets as there are true differences."""
    gathered: dict[str, Gathered] = {}
    for number, effect in enumerate(effects):
        common = rng.normal(0, NOISE * np.sqrt(share))
        values = effect + common + rng.normal(0, NOISE * np.sqrt(1 - share), splits)
        gathered[f"d{number}"] = {("mine", "other"): {"mean": difference(statement, values, MARGIN, share)}}
    return gathered


def truth(kind: str, effects: np.ndarray, holds: str, centre: float) -> bool:
    """Return whether a statement is true of the planted differences; a tendency of the value they vary about."""
    own = np.array([centre]) if holds == "tendency" else effects
    each = {"better": own > MARGIN, "no-worse": own > -MARGIN, "similar": np.abs(own) <= MARGIN}[kind]
    return bool(each.sum() >= (len(own) // 2 + 1 if holds == "most" else len(own)))


def rates(repetitions: int, seed: int) -> pd.DataFrame:
    rows = []
    for datasets, (splits, share), effect, kind, holds in product(
        (3, 8), PROTOCOLS, EFFECTS, KINDS, ("all", "most", "tendency")
    ):
        if holds == "tendency" and datasets < 5:
            continue
        key = [
            seed,
            datasets,
            splits,
            EFFECTS.index(effect),
            KINDS.index(kind),
            ("all", "most", "tendency").index(holds),
        ]
        rng = np.random.default_rng(key)
        counts = dict.fromkeys(("right", "wrong", "undecided"), 0)
        statement = Statement(kind, ("mine",), ("other",), ("macro-f1",), {"protocol": "p"}, margin=MARGIN)
        for _ in range(repetitions):
            effects = effect * MARGIN + rng.normal(0, VARIATION, datasets)
            gathered = planted(rng, statement, effects, splits, share)
            verdict = decided(evidence_of(Line("", statement, tuple(gathered), holds), gathered))
            true = truth(kind, effects, holds, effect * MARGIN)
            right = {"confirmed": true, "refuted": not true}.get(verdict)
            counts["undecided" if right is None else "right" if right else "wrong"] += 1
        rows.append(
            {
                **{"kind": kind, "holds": holds, "data_sets": datasets, "splits": splits, "effect_in_margins": effect},
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
