"""Choose the parameters of kernel ridge regression for each method on the training part of every split of a batch."""

import json

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures
    from mlreduce.experiments.kernel_choice import choose_on_splits
    from mlreduce.experiments.splitting import load_splits

    settings, failures = json.loads(snakemake.params.settings), Failures("choose")
    choices = choose_on_splits(
        MultiLabelData.load(snakemake.input.data),
        load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch),
        settings["methods"],
        json.loads(snakemake.params.candidates),
        snakemake.params.seed,
        failures,
    )
    with replacing(snakemake.output.choices) as path:
        choices.to_parquet(path, index=False)
    failures.save(snakemake.output.failures, snakemake.wildcards)
