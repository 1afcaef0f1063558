"""Fit the methods of a group on the training part of every split of a batch."""

import json

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures, failures_before
    from mlreduce.experiments.fitted_arrays import save_arrays, save_spectra
    from mlreduce.experiments.label_space import reduce_labels
    from mlreduce.experiments.splitting import load_splits
    from mlreduce.linalg.least_squares import Design

    settings = json.loads(snakemake.params.settings)
    splits = load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch)
    before = failures_before(snakemake.input.failures, splits, snakemake.params.chosen_once)
    failures, chosen = Failures("reduce", before=before), None
    if snakemake.input.choices:
        from mlreduce.experiments.kernel_choice import chosen_parameters

        chosen = chosen_parameters(pd.read_parquet(snakemake.input.choices), splits, snakemake.params.chosen_once)
    fitted = reduce_labels(
        MultiLabelData.load(snakemake.input.data),
        Design.load(snakemake.input.design),
        splits,
        settings["methods"],
        snakemake.params.seed,
        chosen,
        failures,
    )
    with replacing(snakemake.output.reduced) as path:
        save_arrays(path, fitted.items())
    save_spectra(snakemake.output.spectra, fitted.items(), snakemake.wildcards)
    failures.save(snakemake.output.failures, snakemake.wildcards)
