"""Normalise the features of a batch of splits, train predictors on what was fitted, and measure on the test parts."""

import json
import tempfile
from contextlib import ExitStack
from pathlib import Path

import threadpoolctl

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake, travels=True):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.fitted_arrays import StoredArrays, saved_arrays
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
    with ExitStack() as stack:
        fitted = stack.enter_context(StoredArrays(source.fitted))
        if not fitted:  # of a finished job that was taken
            again = stack.enter_context(tempfile.NamedTemporaryFile(dir=Path(source.fitted).parent, suffix=".npz"))
            with saved_arrays(again.name) as keep:
                experiment.fit(choices, read_failures(source.choices), keep)
            fitted = stack.enter_context(StoredArrays(again.name))
        scores, failures = experiment.predict(fitted, choices, read_failures([source.details]))
    with replacing(snakemake.output[0]) as path:
        write_table(path, scores, failures)
