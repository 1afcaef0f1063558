"""Mean and errors of every cell of one predictor."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.areas import averaged_draws
    from mlreduce.reporting.tables import summarise, write_csv

    with replacing(snakemake.output[0]) as path:
        scores = averaged_draws(pd.concat(map(pd.read_parquet, snakemake.input)), snakemake.params.averages)
        write_csv(summarise(scores), path)
