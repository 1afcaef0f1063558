"""Fit the methods of a group on the training part of every split of a batch."""

import json

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.experiment import reduce_labels
    from mlreduce.evaluation.splitting import load_splits
    from mlreduce.evaluation.storage import save_arrays, save_spectra
    from mlreduce.files import replacing
    from mlreduce.least_squares import Design

    settings = json.loads(snakemake.params.settings)
    fitted = reduce_labels(
        MultiLabelData.load(snakemake.input.data),
        Design.load(snakemake.input.design),
        load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch),
        settings["methods"],
        snakemake.params.seed,
    )
    with replacing(snakemake.output.reduced) as path:
        save_arrays(path, fitted.items())
    save_spectra(snakemake.output.spectra, fitted.items(), snakemake.wildcards)
