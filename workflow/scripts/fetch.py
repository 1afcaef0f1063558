"""Fetch the published files of a data set, checked, into one folder."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.catalogue import Dataset

    # The entry as of the start of the run, since the catalogue may have been edited after it.
    dataset = Dataset.from_json(snakemake.params.entry)
    dataset.copy(snakemake.output[0], snakemake.config.get("mirror"), snakemake.config.get("cache"))
