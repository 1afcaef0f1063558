"""Fit the selectors of a group on the training part of every split of a batch."""

import json

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures
    from mlreduce.experiments.selection import rank_features
    from mlreduce.experiments.splitting import load_splits

    settings, failures = json.loads(snakemake.params.settings), Failures("rank")
    rankings = rank_features(
        MultiLabelData.load(snakemake.input.data),
        load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch),
        settings["methods"],
        settings["space"]["scaling"],
        snakemake.params.seed,
        failures,
    )
    rankings.insert(0, "protocol", snakemake.wildcards.protocol)
    rankings.insert(0, "study", snakemake.wildcards.study)
    with replacing(snakemake.output.rankings) as path:
        rankings.to_parquet(path, index=False)
    failures.save(snakemake.output.failures, snakemake.wildcards)
