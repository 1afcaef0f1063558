"""Tables of a study that are made from the same files: tidy, as Markdown and as LaTeX."""

from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing, write_text
    from mlreduce_studies.gathering.study_tables import gathering_of
    from mlreduce_studies.gathering.summary import write_csv
    from mlreduce_studies.tables import make_table

    params, folder = snakemake.params, Path(snakemake.output[0]).parent
    gathering = gathering_of(snakemake)
    sources = {source: gathering.shown(source) for _, source in params.specs.values()}
    for name, (spec, source) in params.specs.items():
        table, markdown, latex = make_table(sources[source], spec, name)
        with replacing(folder / f"{name}.csv") as path:
            write_csv(table, path)
        for suffix, text in (("md", markdown), ("tex", latex)):
            write_text(folder / f"{name}.{suffix}", text)
