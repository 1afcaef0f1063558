"""One table of a paper: tidy, as Markdown and as LaTeX."""

from pathlib import Path

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.summary import write_csv
    from mlreduce.reporting.tables import make_table

    path = Path(snakemake.input[0])
    source = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    table, markdown, latex = make_table(source, snakemake.params.spec, snakemake.wildcards.table)
    with replacing(snakemake.output.csv) as path:
        write_csv(table, path)
    with replacing(snakemake.output.md) as path:
        path.write_text(markdown, encoding="utf-8")
    with replacing(snakemake.output.tex) as path:
        path.write_text(latex, encoding="utf-8")
