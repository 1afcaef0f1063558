"""The cells of a study that failed, of all jobs, with their reasons."""

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import read_failures
    from mlreduce.reporting.summary import write_csv

    with replacing(snakemake.output[0]) as path:
        write_csv(read_failures(snakemake.input), path)
