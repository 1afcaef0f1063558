"""Mean and errors of the area under every curve."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import read_failures
    from mlreduce.reporting.areas import area_scores, averaged_draws
    from mlreduce.reporting.failed_cells import of_draws, with_gaps
    from mlreduce.reporting.summary import summarise, write_csv

    averages, failures = snakemake.params.averages, read_failures(snakemake.input.failures)
    scores = averaged_draws(pd.read_parquet(snakemake.input.scores), averages, failures)
    with replacing(snakemake.output[0]) as path:
        write_csv(with_gaps(summarise(area_scores(scores)), of_draws(failures, averages)), path)
