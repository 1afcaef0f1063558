"""The report of all studies: one HTML file."""

from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.page import render, study_section

    base = Path(snakemake.output[0]).parent
    sections = [study_section(base / name, spec) for name, spec in snakemake.params.studies.items()]
    with replacing(snakemake.output[0]) as path:
        path.write_text(render(snakemake.params.title, snakemake.params.introduction, sections), encoding="utf-8")
