"""The data sets of a study: how many instances, features and labels."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.summary import write_csv

    rows = []
    for path in snakemake.input:
        data = MultiLabelData.load(path)
        rows.append((data.name, *data.X.shape, data.Y.shape[1], data.cardinality))
    columns = ["dataset", "instances", "features", "labels", "cardinality"]
    with replacing(snakemake.output[0]) as path:
        write_csv(pd.DataFrame(rows, columns=columns).sort_values("dataset"), path)
