"""Train a predictor on the codes of every split of a batch, and measure it on the test part."""

import json

import pandas as pd
import threadpoolctl

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures, read_failures
    from mlreduce.experiments.fitted_arrays import StoredArrays
    from mlreduce.experiments.label_space import score
    from mlreduce.experiments.scores import resolve_sizes
    from mlreduce.experiments.splitting import load_splits
    from mlreduce.linalg.least_squares import Design

    settings = json.loads(snakemake.params.settings)
    splits = load_splits(snakemake.input.splits, settings["protocol"], snakemake.wildcards.batch)
    before = read_failures([snakemake.input.failures])
    failures, chosen = Failures("predict", snakemake.wildcards.predictor, before), None
    if snakemake.input.choices:
        from mlreduce.experiments.kernel_choice import chosen_parameters

        chosen = chosen_parameters(pd.read_parquet(snakemake.input.choices), splits, snakemake.params.chosen_once)
    # The threads are the predictor's; one for BLAS, whose rounding depends on their number.
    threadpoolctl.threadpool_limits(1)
    measured = json.loads(snakemake.params.measured)
    data = MultiLabelData.load(snakemake.input.data)
    scores = score(
        data,
        Design.load(snakemake.input.design),
        splits,
        StoredArrays(snakemake.input.reduced),
        settings["methods"],
        (snakemake.wildcards.predictor, measured["parameters"]),
        resolve_sizes(measured["sizes"], len(data.label_names), measured["every_size"]),
        measured["measures"],
        chosen=chosen,
        threads=snakemake.threads,
        failures=failures,
    )
    scores.insert(0, "protocol", snakemake.wildcards.protocol)
    scores.insert(0, "study", snakemake.wildcards.study)
    with replacing(snakemake.output.scores) as path:
        scores.to_parquet(path, index=False)
    failures.save(snakemake.output.failures, snakemake.wildcards)
