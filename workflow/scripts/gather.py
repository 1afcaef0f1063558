"""Put the scores of all jobs together, in an order that does not depend on the jobs, and average them."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.evaluation.scores import SCORE_COLUMNS, SPECTRUM_COLUMNS
    from mlreduce.files import replacing
    from mlreduce.reporting.tables import summarise, write_csv

    keys = ["study", "protocol", *SCORE_COLUMNS[:-1]]
    scores = pd.concat(map(pd.read_parquet, snakemake.input.scores)).sort_values(keys, ignore_index=True)
    with replacing(snakemake.output.scores) as path:
        scores.to_parquet(path, index=False)
    with replacing(snakemake.output.summary) as path:
        write_csv(summarise(scores), path)
    # Batches without the first split have none: an empty table has no types, and would spoil those of the others.
    parts = map(pd.read_parquet, snakemake.input.spectra)
    spectra = pd.concat([part for part in parts if len(part)])
    spectra = spectra.drop_duplicates(list(SPECTRUM_COLUMNS[:-1]))  # a method may be in several groups
    with replacing(snakemake.output.spectra) as path:
        spectra.sort_values(list(SPECTRUM_COLUMNS[:-1]), ignore_index=True).to_parquet(path, index=False)
