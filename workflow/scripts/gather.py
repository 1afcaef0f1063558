"""Gather the tables of a study from those of its jobs."""

from io import StringIO
from pathlib import Path

import pandas as pd

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.results import write_table
    from mlreduce.reporting.gathering import Gathering
    from mlreduce.reporting.summary import write_csv

    params = snakemake.params
    files = {kind: [paths] if isinstance(paths, str) else list(paths) for kind, paths in snakemake.input.items()}
    gathering = Gathering(files, params.averages, params.base, params.image)
    outputs = {Path(path).name: path for path in snakemake.output}
    for name in sorted({Path(path).stem for path in outputs}):
        table = gathering.table(name)
        if f"{name}.csv" in outputs:
            # What jobs go on from are the digits that people see.
            text = StringIO()
            write_csv(table, text)
            with replacing(outputs[f"{name}.csv"]) as path:
                path.write_text(text.getvalue(), encoding="utf-8")
            table = pd.read_csv(StringIO(text.getvalue()))
        with replacing(outputs[f"{name}.parquet"]) as path:
            write_table(path, table)
