"""Tables of a study: tidy, as Markdown and as LaTeX."""

from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing, write_text
    from mlreduce_studies.gathering.job_tables import read_table
    from mlreduce_studies.gathering.summary import write_csv
    from mlreduce_studies.tables import make_table

    sources = {Path(path).stem: read_table(path) for path in snakemake.input}
    folder = Path(snakemake.output[0]).parent
    for name, (spec, source) in snakemake.params.specs.items():
        table, markdown, latex = make_table(sources[source], spec, name)
        with replacing(folder / f"{name}.csv") as path:
            write_csv(table, path)
        for suffix, text in (("md", markdown), ("tex", latex)):
            write_text(folder / f"{name}.{suffix}", text)
