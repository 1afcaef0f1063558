"""One table of a study, of its own scores."""

from io import StringIO
from pathlib import Path

import pandas as pd

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.gathering import Gathering
    from mlreduce.reporting.summary import write_csv
    from mlreduce.reporting.tables import make_table

    params, text = snakemake.params, StringIO()
    gathering = Gathering({"scores": list(snakemake.input)}, params.averages)
    write_csv(gathering.table("areas" if params.spec.get("area") else "summary"), text)
    source = pd.read_csv(StringIO(text.getvalue()))
    table, markdown, latex = make_table(source, params.spec, snakemake.wildcards.table)
    for target in map(Path, snakemake.output):
        with replacing(target) as path:
            if target.suffix == ".csv":
                write_csv(table, path)
            else:
                path.write_text(markdown if target.suffix == ".md" else latex, encoding="utf-8")
