"""What stands beside docs/deviations.md as a table, made anew.

python benchmarks/deviations.py                        # all tables, into docs/deviations
python benchmarks/deviations.py pmu-informations       # one
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from mlreduce.experiments.scores import percent_size

PROJECT = Path(__file__).parents[1]
FOLDER = PROJECT / "docs" / "deviations"
STUDY = "qpfs-lowrank-2016"


def informations() -> pd.DataFrame:
    """Return how many informations of pairs and triples of variables the methods of Table II need on its data sets.

    With d features, q labels and a fifth of the features sampled, s:

    - all: d q, each feature with each label;
    - PMU, which ranks all features: also d (d - 1) / 2 q of two features and a label and d q (q - 1) / 2 of a feature
      and two labels;
    - QPFS: also d (d + 1) / 2, each feature with each and with itself;
    - the approximation: also s d, each sampled feature with each.
    """
    sizes = pd.read_csv(PROJECT / "results" / "reference" / STUDY / "datasets.csv")
    printed = pd.read_csv(PROJECT / "config" / "published" / f"{STUDY}.csv").pivot(
        index="dataset", columns="method", values="seconds"
    )
    rows = []
    for cell in sizes.to_dict("records"):
        d, q = cell["features"], cell["labels"]
        relevance = d * q
        pmu = relevance + d * (d - 1) // 2 * q + d * (q * (q - 1) // 2)
        qpfs = relevance + d * (d + 1) // 2
        approximated = relevance + percent_size(20, d) * d
        seconds = printed.loc[cell["dataset"]]
        rows.append(
            {
                **{"dataset": cell["dataset"], "features": d, "labels": q},
                **{"pmu": pmu, "qpfs": qpfs, "qpfs_approx": approximated},
                **{"pmu_ratio": pmu / approximated, "qpfs_ratio": qpfs / approximated},
                "printed_pmu_time_ratio": seconds["pmu"] / seconds["qpfs-approx"],
            }
        )
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[], pd.DataFrame]] = {"pmu-informations": informations}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", help=f"which of {', '.join(TABLES)}; all by default")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in parser.parse_args().tables or TABLES:
        table = TABLES[name]()
        table.to_csv(FOLDER / f"{name}.csv", index=False, float_format="%.3g")
        print(f"{name}\n{table.to_string(index=False, float_format='{:.3g}'.format)}")


if __name__ == "__main__":
    main()
