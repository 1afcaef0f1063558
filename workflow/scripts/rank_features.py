"""Fit the selectors of a group on the training part of every split of a batch."""

import json

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.selection_experiment import rank_features
    from mlreduce.evaluation.splitting import load_splits
    from mlreduce.files import replacing

    settings = json.loads(snakemake.params.settings)
    rankings = rank_features(
        MultiLabelData.load(snakemake.input.data),
        load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch),
        settings["methods"],
        settings["space"]["scaling"],
        snakemake.params.seed,
    )
    rankings.insert(0, "protocol", snakemake.wildcards.protocol)
    rankings.insert(0, "study", snakemake.wildcards.study)
    with replacing(snakemake.output[0]) as path:
        rankings.to_parquet(path, index=False)
