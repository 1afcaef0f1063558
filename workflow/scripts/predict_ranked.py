"""Train a predictor on the best features of every split of a batch, and measure it on the test part."""

import json

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures, read_failures
    from mlreduce.experiments.selection import score_ranked
    from mlreduce.experiments.splitting import load_splits

    settings = json.loads(snakemake.params.settings)
    measured = json.loads(snakemake.params.measured)
    failures = Failures("predict", snakemake.wildcards.predictor, read_failures([snakemake.input.failures]))
    scores = score_ranked(
        MultiLabelData.load(snakemake.input.data),
        load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch),
        pd.read_parquet(snakemake.input.rankings),
        settings["methods"],
        (snakemake.wildcards.predictor, measured["parameters"]),
        measured["sizes"],
        measured["measures"],
        settings["space"]["scaling"],
        failures=failures,
    )
    scores.insert(0, "protocol", snakemake.wildcards.protocol)
    scores.insert(0, "study", snakemake.wildcards.study)
    with replacing(snakemake.output.scores) as path:
        scores.to_parquet(path, index=False)
    failures.save(snakemake.output.failures, snakemake.wildcards)
