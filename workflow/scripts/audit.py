"""Every printed number beside ours, with a verdict."""

from pathlib import Path

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.audit import audit, audit_markdown, read_published
    from mlreduce.reporting.tables import write_csv

    printed = list(snakemake.input.published)  # none where the paper printed no numbers
    published = read_published(printed[0]) if printed else None
    cells = audit({Path(path).stem: pd.read_csv(path) for path in snakemake.input.tables}, published)
    with replacing(snakemake.output.csv) as path:
        write_csv(cells, path)
    with replacing(snakemake.output.md) as path:
        path.write_text(audit_markdown(cells, snakemake.wildcards.study), encoding="utf-8")
