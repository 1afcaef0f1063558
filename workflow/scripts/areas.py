"""Mean and errors of the area under every curve."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.areas import area_scores, averaged_draws
    from mlreduce.reporting.tables import summarise, write_csv

    scores = averaged_draws(pd.read_parquet(snakemake.input[0]), snakemake.params.averages)
    with replacing(snakemake.output[0]) as path:
        write_csv(summarise(area_scores(scores)), path)
