"""Choose the parameters of kernel ridge regression for each method on the training part of every split of a batch."""

import json

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.kernel_choice import choose_on_splits
    from mlreduce.evaluation.splitting import load_splits
    from mlreduce.files import replacing

    settings = json.loads(snakemake.params.settings)
    choices = choose_on_splits(
        MultiLabelData.load(snakemake.input.data),
        load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch),
        settings["methods"],
        json.loads(snakemake.params.candidates),
        snakemake.params.seed,
    )
    with replacing(snakemake.output[0]) as path:
        choices.to_parquet(path, index=False)
