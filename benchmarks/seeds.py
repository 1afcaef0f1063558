"""Verdicts on the frozen claims under other seeds, into docs/verdicts/seeds.csv.

    for SEED in 26112027 26112028 26112029 26112030; do    # of papers/frozen.yaml; hours each
        snakemake --configfile config/paper.yaml --config seed=$SEED splits=20 results=results/seeds/$SEED
    done
    python benchmarks/seeds.py results/seeds/*/*/*         # folders of studies, with their manifest.json

Nothing is tuned or chosen by these runs: they say how far a verdict depends on the one seed that was run in full.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from mlreduce_studies.provenance.manifest import read_manifest
from mlreduce_studies.verdicts.__main__ import judge_again

PROJECT = Path(__file__).parents[1]
OUTPUT = PROJECT / "docs" / "verdicts" / "seeds.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    parts = []
    for folder in options.folders:
        if not (folder / "manifest.json").is_file():
            continue
        manifest = read_manifest(folder)
        claims = judge_again(folder, PROJECT).claims[["id", "verdict"]]
        columns = {"study": manifest["study"], "seed": manifest["seed"], "splits": manifest["splits"]}
        parts.append(claims.assign(**columns)[[*columns, "id", "verdict"]])
        print(folder, flush=True)
    table = pd.concat(parts).sort_values(["study", "seed", "id"], kind="stable")
    table.to_csv(options.output, index=False)


if __name__ == "__main__":
    main()
