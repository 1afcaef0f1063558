"""One table of a paper: tidy, as Markdown and as LaTeX."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.tables import select_table, table_latex, table_markdown, write_csv

    spec = snakemake.params.spec
    table = select_table(pd.read_csv(snakemake.input[0]), spec["measure"], spec["predictor"], spec["methods"])
    with replacing(snakemake.output.csv) as path:
        write_csv(table, path)
    with replacing(snakemake.output.md) as path:
        path.write_text(table_markdown(table, spec["methods"], spec["caption"]), encoding="utf-8")
    with replacing(snakemake.output.tex) as path:
        text = table_latex(table, spec["methods"], spec["caption"], snakemake.wildcards.table)
        path.write_text(text, encoding="utf-8")
