"""Normalise the features of a batch of splits, train predictors on what was fitted, and measure on the test parts."""

import json

import threadpoolctl

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.fitted_arrays import StoredArrays
    from mlreduce.evaluation.loop import Experiment
    from mlreduce.files import replacing
    from mlreduce_studies.gathering.job_tables import read_failures, read_tables, write_table

    source = snakemake.input
    experiment = Experiment(
        snakemake.wildcards.study,
        MultiLabelData.load(source.data),
        {**json.loads(snakemake.params.settings), "space": snakemake.params.normalisation},
        snakemake.params.seed,
        design=next(iter(source.design), None),
        threads=snakemake.threads,
    )
    choices = read_tables(source.choices) if source.choices else None
    if snakemake.threads > 1:
        # The threads are the predictor's; one for BLAS, whose rounding depends on their number.
        threadpoolctl.threadpool_limits(1)
    with StoredArrays(source.fitted) as fitted:
        scores, failures = experiment.predict(fitted, choices, read_failures([source.details]))
    with replacing(snakemake.output[0]) as path:
        write_table(path, scores, failures)
