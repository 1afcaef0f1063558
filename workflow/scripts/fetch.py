"""Fetch the published files of a data set, checked, into one folder."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.catalogue import Dataset

    # As the run began with it: the catalogue may have been edited since.
    dataset = Dataset.from_json(snakemake.params.entry)
    dataset.copy(snakemake.output[0], snakemake.config.get("mirror"), snakemake.config.get("cache"))
