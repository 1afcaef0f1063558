"""The fit times of all data sets in one table."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.tables import write_csv

    with replacing(snakemake.output[0]) as path:
        write_csv(pd.concat(map(pd.read_csv, snakemake.input), ignore_index=True), path)
