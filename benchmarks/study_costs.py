"""What each study of a finished run cost: jobs, the processor's hours, the largest job's memory, disk.

    python benchmarks/study_costs.py results/paper         # after snakemake --configfile config/paper.yaml

By the benchmark files that the jobs left; into docs/scale/studies.csv.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from mlreduce_studies.provenance.manifest import costs, read_jobs

TABLE = Path(__file__).parents[1] / "docs" / "scale" / "studies.csv"


def megabytes(folder: Path) -> float:
    """Return what the files below a folder take."""
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the studies' results")
    folder = parser.parse_args().folder
    rows = []
    for study in sorted(path.parent for path in folder.glob("*/benchmarks")):
        jobs = read_jobs(sorted((study / "benchmarks").rglob("*.tsv")), (), (), {})
        found = costs(jobs)
        costliest = max(found["rules"], key=lambda rule: found["rules"][rule]["cpu_seconds"])
        rows.append(
            {
                "study": study.name,
                "jobs": found["total"]["jobs"],
                "core_hours": found["total"]["cpu_seconds"] / 3600,
                "costliest_rule": costliest,
                "its_share": found["rules"][costliest]["cpu_seconds"] / found["total"]["cpu_seconds"],
                "longest_job_minutes": jobs["seconds"].max() / 60,
                "largest_job_mb": found["total"]["peak_mb"],
                "results_mb": megabytes(study),
            }
        )
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame(rows)
    table.to_csv(TABLE, index=False, float_format="%.3g")
    print(table.to_string(index=False, float_format="{:.3g}".format))


if __name__ == "__main__":
    main()
