"""Fit the methods of a group on the training part of every split of a batch."""

import json

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.experiment import reduce_labels
    from mlreduce.evaluation.failures import Failures, failures_before
    from mlreduce.evaluation.splitting import load_splits
    from mlreduce.evaluation.storage import save_arrays, save_spectra
    from mlreduce.files import replacing
    from mlreduce.least_squares import Design

    settings = json.loads(snakemake.params.settings)
    splits = load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch)
    before = failures_before(snakemake.input.failures, splits, snakemake.params.chosen_once)
    failures, chosen = Failures("reduce", before=before), None
    if snakemake.input.choices:
        from mlreduce.evaluation.kernel_choice import chosen_parameters

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
