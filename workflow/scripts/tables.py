"""Tables of a study: tidy, as Markdown and as LaTeX."""

from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.files import replacing, write_text
    from mlreduce.experiments.results import read_table
    from mlreduce.reporting.summary import write_csv
    from mlreduce.reporting.tables import make_table

    sources = {Path(path).stem: read_table(path) for path in snakemake.input}
    folder = Path(snakemake.output[0]).parent
    for name, (spec, source) in snakemake.params.specs.items():
        table, markdown, latex = make_table(sources[source], spec, name)
        with replacing(folder / f"{name}.csv") as path:
            write_csv(table, path)
        for suffix, text in (("md", markdown), ("tex", latex)):
            write_text(folder / f"{name}.{suffix}", text)
