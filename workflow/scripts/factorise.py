"""Factorise the design [1 X] of a data set once, for every split, method and protocol."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.files import replacing
    from mlreduce.linalg.least_squares import Design

    data = MultiLabelData.load(snakemake.input.data)
    with replacing(snakemake.output[0]) as path:
        Design.factorise(data.X, rcond=0.0).save(path)
