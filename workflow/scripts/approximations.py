"""Mean errors of the approximations of all data sets, and the counts of the theorem, each in one table."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.approximation import mean_errors
    from mlreduce.reporting.summary import write_csv

    errors = pd.concat(map(pd.read_parquet, snakemake.input.errors), ignore_index=True)
    with replacing(snakemake.output.errors) as path:
        write_csv(mean_errors(errors), path)
    theorem = pd.concat(map(pd.read_csv, snakemake.input.theorem), ignore_index=True)
    with replacing(snakemake.output.theorem) as path:
        write_csv(theorem.sort_values(["dataset", "nystrom"]), path)
