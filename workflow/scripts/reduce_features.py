"""Fit the projections of a group on the training part of every split of a batch."""

import json

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures, failures_before
    from mlreduce.experiments.feature_space import reduce_features
    from mlreduce.experiments.fitted_arrays import StoredArrays, save_arrays, save_spectra
    from mlreduce.experiments.search import chosen_entries
    from mlreduce.experiments.splitting import load_splits

    settings = json.loads(snakemake.params.settings)
    splits = load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch)
    failures = Failures("reduce", before=failures_before(snakemake.input.failures, splits, once=True))
    choices = pd.read_parquet(snakemake.input.choices[0]) if snakemake.input.choices else None
    methods, data = chosen_entries(settings["methods"], choices), MultiLabelData.load(snakemake.input.data)
    with replacing(snakemake.output.reduced) as path:
        fits = reduce_features(data, splits, methods, settings["space"], snakemake.params.seed, failures)
        save_arrays(path, fits)
    fitted = StoredArrays(snakemake.output.reduced)
    save_spectra(snakemake.output.spectra, fitted.items(), snakemake.wildcards)
    failures.save(snakemake.output.failures, snakemake.wildcards)
