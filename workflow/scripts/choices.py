"""The parameters that were chosen, of all jobs, in an order that does not depend on the jobs."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.tables import write_csv

    parts = []
    for path in snakemake.input:
        choices = pd.read_parquet(path)
        protocol, dataset = path.split("/")[-4:-2]
        parts.append(choices[choices["chosen"]].assign(protocol=protocol, dataset=dataset))
    columns = ["protocol", "dataset", "method", "split", "gamma", "alpha", "loss"]
    with replacing(snakemake.output[0]) as path:
        write_csv(pd.concat(parts)[columns].sort_values(columns[:4], ignore_index=True), path)
