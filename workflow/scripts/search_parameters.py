"""Search the parameters of the methods of a group on the training part of the first split."""

import json

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures
    from mlreduce.experiments.search import Search, search_on_splits
    from mlreduce.experiments.splitting import load_splits

    settings, failures = json.loads(snakemake.params.settings), Failures("choose")
    choices = search_on_splits(
        MultiLabelData.load(snakemake.input.data),
        load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch),
        settings["methods"],
        settings["space"],
        Search(**json.loads(snakemake.params.search)),
        snakemake.params.seed,
        failures,
    )
    with replacing(snakemake.output.choices) as path:
        choices.to_parquet(path, index=False)
    failures.save(snakemake.output.failures, snakemake.wildcards)
