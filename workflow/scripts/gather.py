"""Put the scores of all jobs together, in an order that does not depend on the jobs, and average them."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import read_failures
    from mlreduce.experiments.scores import SCORE_COLUMNS
    from mlreduce.reporting.areas import averaged_draws
    from mlreduce.reporting.failed_cells import of_draws, with_gaps
    from mlreduce.reporting.summary import summarise, write_csv

    keys = ["study", "protocol", *SCORE_COLUMNS[:-1]]
    averages, failures = snakemake.params.averages, read_failures(snakemake.input.failures)
    scores = pd.concat(map(pd.read_parquet, snakemake.input.scores)).sort_values(keys, ignore_index=True)
    with replacing(snakemake.output.scores) as path:
        scores.to_parquet(path, index=False)
    summary = summarise(averaged_draws(scores, averages, failures))
    with replacing(snakemake.output.summary) as path:
        write_csv(with_gaps(summary, of_draws(failures, averages)), path)
