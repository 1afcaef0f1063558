"""Normalise the features of a batch of splits, and fit methods on the training parts."""

import json

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake, travels=True):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.fitted_arrays import saved_arrays
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
    )
    choices = read_tables(source.choices) if source.choices else None
    with replacing(snakemake.output.fitted) as path, saved_arrays(path) as keep:
        details, failures = experiment.fit(choices, read_failures(source.choices), keep)
    with replacing(snakemake.output.details) as path:
        write_table(path, details, failures)
