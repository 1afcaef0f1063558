"""One table of a study, of its own scores."""

from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing
    from mlreduce_studies.gathering.study_tables import Gathering
    from mlreduce_studies.gathering.summary import write_csv
    from mlreduce_studies.tables import make_table

    params = snakemake.params
    gathering = Gathering({"scores": list(snakemake.input)}, params.averages)
    source, _ = gathering.rounded("areas" if params.spec.get("area") else "summary")
    table, markdown, latex = make_table(source, params.spec, snakemake.wildcards.table)
    for target in map(Path, snakemake.output):
        with replacing(target) as path:
            if target.suffix == ".csv":
                write_csv(table, path)
            else:
                path.write_text(markdown if target.suffix == ".md" else latex, encoding="utf-8")
