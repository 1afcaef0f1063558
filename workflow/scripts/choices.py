"""The parameters that were chosen, of all jobs, in an order that does not depend on the jobs."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import read_failures
    from mlreduce.reporting.failed_cells import with_failed_rows
    from mlreduce.reporting.summary import write_csv

    parts = []
    for path in snakemake.input.choices:
        choices = pd.read_parquet(path)
        protocol, dataset = path.split("/")[-4:-2]
        parts.append(choices[choices["chosen"]].assign(protocol=protocol, dataset=dataset))
    keys = ["protocol", "dataset", "method", "split"]
    found = pd.concat(parts)
    columns = keys + [name for name in found.columns if name not in (*keys, "chosen")]
    table = with_failed_rows(found[columns], read_failures(snakemake.input.failures))
    with replacing(snakemake.output[0]) as path:
        write_csv(table.sort_values(keys, ignore_index=True), path)
