"""Put together what the fitted methods of all jobs are seen by: eigenvalues, or rankings of the features."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import read_failures
    from mlreduce.reporting.failed_cells import with_failed_rows

    parts = [pd.read_parquet(path) for path in snakemake.input.parts]
    # Batches without the first split have no eigenvalues: an empty table has no types, and would spoil the others'.
    details = pd.concat([part for part in parts if len(part)] or parts[:1])
    keys = list(details.columns[:-1])
    details = details.drop_duplicates(keys)  # a method may be in several groups
    failures = read_failures(snakemake.input.failures)
    if snakemake.wildcards.details == "spectra":
        failures = failures[failures["split"] == 0]  # whose eigenvalues are kept
    details = with_failed_rows(details, failures)
    with replacing(snakemake.output[0]) as path:
        details.sort_values(keys, ignore_index=True).to_parquet(path, index=False)
