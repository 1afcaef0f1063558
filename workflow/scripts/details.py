"""Put together what the fitted methods of all jobs are seen by: eigenvalues, or rankings of the features."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing

    parts = [pd.read_parquet(path) for path in snakemake.input]
    # Batches without the first split have no eigenvalues: an empty table has no types, and would spoil the others'.
    details = pd.concat([part for part in parts if len(part)] or parts[:1])
    keys = list(details.columns[:-1])
    details = details.drop_duplicates(keys)  # a method may be in several groups
    with replacing(snakemake.output[0]) as path:
        details.sort_values(keys, ignore_index=True).to_parquet(path, index=False)
