"""Gather the tables of a study from those of its jobs."""

from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing, write_text
    from mlreduce_studies.gathering.job_tables import write_table
    from mlreduce_studies.gathering.study_tables import gathering_of

    gathering = gathering_of(snakemake)
    outputs = {Path(path).name: path for path in snakemake.output}
    for name in sorted({Path(path).stem for path in outputs}):
        if f"{name}.csv" in outputs:
            table, text = gathering.rounded(name)
            write_text(outputs[f"{name}.csv"], text)
        else:
            table = gathering.table(name)
        with replacing(outputs[f"{name}.parquet"]) as path:
            write_table(path, table)
