"""Rates of right, wrong and undecided verdicts on planted differences, into docs/verdicts/simulation.csv.

    python benchmarks/verdicts.py                       # some minutes
    python benchmarks/verdicts.py --repetitions 50      # fewer
    python benchmarks/verdicts.py --tendency            # tendencies at the margin, two thousand times: tendency.csv
    python benchmarks/verdicts.py --page                # docs/verdicts.md from these, sensitivity.csv and seeds.csv

Each data set has a true difference of two methods: the planted one, and some variation between data sets. The
differences of its splits are that, noise that they share through their training rows, with the correlation that the
share of the test rows implies (Nadeau and Bengio), and noise of each test part. Where a claim is about most of several
cells, differences vary between cells of a data set, and half of the noise is independent between cells. At the "border"
just too few, or just enough, data sets are clearly inside, and the others a twentieth of the margin from its end.

In addition to our way to combine data sets ("lancaster") others are judged: Bonferroni's ("bonferroni"), and the
probability that enough statements are true where each is so with its posterior probability ("posterior").
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from mlreduce.stats.combination import Evidence, at_least, needed
from mlreduce_studies.tables.layout import fill_block, to_markdown
from mlreduce_studies.verdicts.columns import CLASSES
from mlreduce_studies.verdicts.judging import LEVEL, decided, evidence_of
from mlreduce_studies.verdicts.sensitivity import Variant, stays
from mlreduce_studies.verdicts.statements import Line, Statement
from mlreduce_studies.verdicts.weighing import Gathered, difference, weigh

PROJECT = Path(__file__).parents[1]
PAGE, FOLDER = PROJECT / "docs" / "verdicts.md", PROJECT / "docs" / "verdicts"
OUTPUT = FOLDER / "simulation.csv"
#: The retrospective edition, whose scores have a seed of their own.
RETROSPECTIVE = PROJECT / "results" / "retrospective"
MARGIN = 0.01

# Planted differences, in margins.
EFFECTS = (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0)
# Number of splits and share of the rows in a test part.
PROTOCOLS = ((5, 1 / 3), (10, 0.1), (100, 0.1))
NOISE = 0.01
# Of true differences between data sets: nearly equal ones, and very different ones.
VARIATIONS = (0.003, 0.02)
# Of a data set, of which more than half are asked for.
CELLS = (1, 27)
KINDS = ("better", "no-worse", "similar")
HOLDS = ("all", "most", 1, "tendency")


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


def inside(kind: str, effects: np.ndarray) -> np.ndarray:
    """Return which true differences are where a kind asks them to be."""
    return {"better": effects > MARGIN, "no-worse": effects > -MARGIN, "similar": np.abs(effects) <= MARGIN}[kind]


def at_the_border(rng: np.random.Generator, kind: str, datasets: int) -> np.ndarray:
    """Return true differences of which just enough, or just too few, for most are clearly inside."""
    end = -MARGIN if kind == "no-worse" else MARGIN
    outwards = MARGIN if kind == "similar" else -MARGIN
    clear, near = (-0.5, 0.05) if kind == "similar" else (-5.0, 0.05)
    enough = rng.random() < 0.5
    number = datasets // 2 + 1
    effects = np.full(datasets, end + (6.0 if enough else near) * outwards)
    effects[: number if enough else number - 1] = end + (-near if enough else clear) * outwards
    return effects[:, None]


def combined_otherwise(line: Line, gathered: dict[str, Gathered]) -> dict[str, Evidence]:
    """Return the evidence where data sets are combined in other ways."""
    parts = [weigh(line.statement, own) for own in gathered.values()]
    number = needed(len(parts), line.holds)

    def enough(probabilities: list[float]) -> float:
        counts = np.ones(1)
        for probability in probabilities:
            counts = np.convolve(counts, [1 - probability, probability])
        return float(counts[number:].sum())

    posterior = Evidence(1 - enough([1 - own.p_for for own in parts]), enough([own.p_against for own in parts]))
    return {"bonferroni": at_least(number, parts), "posterior": posterior}


def cases() -> Iterator[tuple[object, ...]]:
    """Yield the kind, what it holds on, cells, data sets, protocol, variation and effect of each case."""
    for kind, holds, datasets, protocol, variation, effect in product(
        KINDS, HOLDS, (3, 8, 14), PROTOCOLS, VARIATIONS, EFFECTS
    ):
        for cells in CELLS:
            if (holds != "tendency" or (datasets >= 5 and cells == 1)) and (cells == 1 or holds in ("all", "most")):
                yield kind, holds, cells, datasets, protocol, variation, effect
    for kind, datasets, protocol in product(KINDS, (3, 8, 14), PROTOCOLS):
        yield kind, "most", 1, datasets, protocol, "border", np.nan


def rates(repetitions: int, seed: int, *, tendency: bool = False) -> pd.DataFrame:
    """Return the rates of all cases, or of tendencies on ten splits at an end of the interval."""
    rows = []
    for number, (kind, holds, cells, datasets, (splits, share), variation, effect) in enumerate(cases()):
        end = -1.0 if kind == "no-worse" else 1.0
        if tendency and (holds, effect, splits) != ("tendency", end, 10):
            continue
        rng = np.random.default_rng([seed, number])
        statement = Statement(kind, ("mine",), ("other",), ("macro-f1",), {"protocol": "p"}, "most", MARGIN)
        counts: dict[str, Counter[str]] = {}
        for _ in range(repetitions):
            if variation == "border":
                effects = at_the_border(rng, kind, datasets)
            else:
                effects = effect * MARGIN + rng.normal(0, variation, (datasets, 1))
            if cells > 1:
                effects = effects + rng.normal(0, VARIATIONS[0], (datasets, cells))
            gathered = planted(rng, statement, effects, splits, share)
            line = Line("", statement, tuple(gathered), holds)
            evidence = {"lancaster": evidence_of(line, gathered)}
            if holds == "tendency":
                true = bool(inside(kind, np.array(effect * MARGIN)))
            else:
                evidence |= combined_otherwise(line, gathered)
                each = inside(kind, effects).mean(axis=1) > 0.5
                true = bool(each.sum() >= needed(datasets, holds))
            for name, found in evidence.items():
                verdict = decided(found)
                right = {"confirmed": true, "refuted": not true}.get(verdict)
                counts.setdefault(name, Counter())["undecided" if right is None else "right" if right else "wrong"] += 1
        case = {"kind": kind, "holds": holds, "data_sets": datasets, "cells": cells, "splits": splits}
        case |= {"variation": variation, "effect_in_margins": effect}
        for name, own in counts.items():
            shares = {what: own[what] / repetitions for what in ("right", "wrong", "undecided")}
            rows.append({**case, "combined_by": name, **shares})
    return pd.DataFrame(rows)


def simulation() -> str:
    """Return the rates of right and wrong verdicts on planted differences, by scope and by way to combine data sets."""
    rates = pd.read_csv(FOLDER / "simulation.csv", dtype={"holds": str}).query("cells == 1")
    selected = rates[(rates["combined_by"] == "lancaster") & (rates["variation"] != "border")]
    rows = []
    for holds, name in {"all": "all", "most": "most", "1": "one", "tendency": "a tendency"}.items():
        part = selected[selected["holds"] == holds]
        far = part[part["effect_in_margins"].abs() == 2].groupby("splits")["right"].mean()
        right = [f"{100 * far[splits]:.0f}" for splits in (5, 10, 100)]
        rows.append([name, f"{100 * part['wrong'].max():.1f}", f"{100 * part['wrong'].mean():.2f}", *right])
    header = ["holds on", "wrong, at most", "wrong, mean", *(f"right, {n} splits" for n in (5, 10, 100))]
    others = rates[rates["holds"] != "tendency"].groupby("combined_by")["wrong"].max()
    at_margin = 100 * pd.read_csv(FOLDER / "tendency.csv")["wrong"]
    return (
        f"In percent; right where the difference is twice the margin:\n\n{to_markdown(header, rows)}\n"
        f"The level is {100 * LEVEL:.0f} %, and a rate is of 200 repetitions. Tendencies whose difference is the "
        f"margin itself, repeated 2,000 times, are wrong in {at_margin.mean():.1f} % of the cases, at most "
        f"{at_margin.max():.1f} % ([table](verdicts/tendency.csv)). Where just enough data sets are inside, at most "
        f"{100 * others['lancaster']:.1f} % are wrong; with Bonferroni's method {100 * others['bonferroni']:.1f} %, by "
        f"the posterior probability {100 * others['posterior']:.1f} %.\n"
    )


def sensitivity() -> str:
    """Return which share of the verdicts stays where claims are judged in other ways."""
    ways = stays(pd.read_csv(FOLDER / "sensitivity.csv"))
    single = ways[(ways[["margin", "scope", "settings", "combination"]] != list(Variant())).sum(axis=1) == 1]
    words = {"margin": "margins times {:g}", "scope": "each claim as `{}`"}
    words |= {"settings": "settings: {}", "combination": "data sets combined as {}"}
    rows = []
    for row in single.to_dict("records"):
        key = next(name for name in words if row[name] != getattr(Variant(), name))
        rows.append([words[key].format(row[key]), f"{100 * row['stay']:.0f} %", str(int(row["turned"]))])
    in_all = f"{100 * ways['stay'].mean():.0f} % of the verdicts stay, at least {100 * ways['stay'].min():.0f} %"
    header = ["changed", "verdicts that stay", "turned from confirmed to refuted, or back"]
    return (
        f"We judged {ways['claims'].iloc[0]} claims in {len(ways)} other ways: with the margin halved or doubled, "
        "every scope for every claim, fewer or more settings, and data sets combined without independence. "
        f"On average {in_all}. One change at a time:\n\n{to_markdown(header, rows, marked=True)}"
    )


def seeds() -> str:
    """Return how many verdicts are the same under other seeds; the first is that of the retrospective scores."""
    frozen = [pd.read_csv(path).assign(seed=2012) for path in sorted(RETROSPECTIVE.glob("*/frozen.csv"))]
    judged = pd.concat([*frozen, pd.read_csv(FOLDER / "seeds.csv")])
    judged["now"] = judged["id"].map(pd.read_csv(FOLDER / "as-frozen.csv").set_index("id")["verdict"])
    judged = judged[judged[["verdict", "now"]].isin(CLASSES["experiments"]).all(axis=1)]
    same, decided = judged["verdict"] == judged["now"], judged[["verdict", "now"]].ne("undecided").all(axis=1)
    by_seed = judged.assign(same=same, turned=decided & ~same).groupby("seed")
    claims, shares, turned = by_seed.size(), 100 * by_seed["same"].mean(), by_seed["turned"].sum().sum()
    return (
        f"With {len(claims)} other seeds, of {claims.min()} to {claims.max()} claims that results judge, "
        f"{shares.min():.0f} to {shares.max():.0f} % have the same verdict, and "
        f"{turned} turned from confirmed to refuted or back.\n"
    )


def page_of(text: str) -> str:
    """Return docs/verdicts.md with what the stored tables say."""
    for write in (simulation, sensitivity, seeds):
        text = fill_block(text, write.__name__, [write().removesuffix("\n")])
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tendency", action="store_true", help="tendencies at the margin alone")
    parser.add_argument("--repetitions", type=int, help="200, or 2,000 of tendencies at the margin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--page", action="store_true", help="update docs/verdicts.md from the stored tables")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return
    table = rates(options.repetitions or (2_000 if options.tendency else 200), options.seed, tendency=options.tendency)
    output = options.output or (OUTPUT.with_name("tendency.csv") if options.tendency else OUTPUT)
    output.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(output, index=False, float_format="%.4g")
    print(table.groupby("combined_by")["wrong"].max())


if __name__ == "__main__":
    main()
