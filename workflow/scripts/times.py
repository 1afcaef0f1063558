"""The fit times of all data sets in one table."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import read_failures
    from mlreduce.reporting.summary import write_csv
    from mlreduce.reporting.tables.times import gathered_times

    times = pd.concat(map(pd.read_csv, snakemake.input.times), ignore_index=True)
    failures = read_failures(snakemake.input.failures)
    with replacing(snakemake.output[0]) as path:
        write_csv(gathered_times(times, failures, snakemake.params.averages), path)
