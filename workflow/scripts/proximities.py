"""The images of all data sets, each with what its embedding scores."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing

    figure = snakemake.params.figure
    images = pd.concat([pd.read_parquet(path) for path in snakemake.input.images], ignore_index=True)
    summary = pd.read_csv(snakemake.input.summary)
    shown = summary[
        (summary["protocol"] == snakemake.params.protocol)
        & (summary["measure"] == figure["measure"])
        & (summary["predictor"] == figure["predictor"])
        & (summary["size_percent"] == 0)
        & (summary["energy"] == 0)
    ]
    scores = shown[["dataset", "method", "mean"]].rename(columns={"mean": "score"})
    with replacing(snakemake.output[0]) as path:
        images.merge(scores, on=["dataset", "method"], how="left", validate="m:1").to_parquet(path, index=False)
