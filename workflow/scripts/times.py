"""The fit times of all data sets in one table."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.tables import write_csv

    times = pd.concat(map(pd.read_csv, snakemake.input), ignore_index=True)
    parts = [times]
    for name, draws in snakemake.params.averages.items():
        own = times[times["method"].isin(draws)].groupby(["dataset", "split"], as_index=False)["seconds"].mean()
        parts.append(own.assign(method=name)[list(times.columns)])
    with replacing(snakemake.output[0]) as path:
        write_csv(pd.concat(parts, ignore_index=True), path)
