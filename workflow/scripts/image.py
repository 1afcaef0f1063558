"""The proximity matrices of some methods on the first split, as images."""

import json

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures, failures_before
    from mlreduce.experiments.proximities import proximity_images
    from mlreduce.experiments.search import chosen_entries
    from mlreduce.experiments.splitting import load_splits

    settings = json.loads(snakemake.params.settings)
    split = load_splits(snakemake.input.splits, settings["protocol"], "0-0")[0]
    choices = [pd.read_parquet(path) for path in snakemake.input.choices]
    methods = chosen_entries(settings["methods"], pd.concat(choices) if choices else None)
    failures = Failures("image", before=failures_before(snakemake.input.failures, [0], once=True))
    data = MultiLabelData.load(snakemake.input.data)
    images = proximity_images(data, split, methods, settings["space"], failures=failures)
    with replacing(snakemake.output.images) as path:
        images.to_parquet(path, index=False)
    failures.save(snakemake.output.failures, snakemake.wildcards)
