"""Write a finished study as a research object: results, code and provenance in one archive."""

from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce_studies.provenance.crate import Paper, write_crate

    paper = Paper(snakemake.params.title, snakemake.params.identifier)
    project = Path(snakemake.scriptdir).resolve().parents[1]
    folder = Path(snakemake.input.manifest).parent
    write_crate(snakemake.output[0], folder, project, paper, snakemake.params.used)
