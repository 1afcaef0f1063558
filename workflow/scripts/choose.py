"""Normalise the features of a batch of splits, and choose parameters of predictors or methods on the training parts."""

import json

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake, travels=True):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.loop import Experiment
    from mlreduce.files import replacing
    from mlreduce_studies.gathering.job_tables import write_table

    data = MultiLabelData.load(snakemake.input.data)
    settings = {**json.loads(snakemake.params.settings), "space": snakemake.params.normalisation}
    experiment = Experiment(snakemake.wildcards.study, data, settings, snakemake.params.seed)
    choices, failures = experiment.choose()
    with replacing(snakemake.output[0]) as path:
        write_table(path, choices, failures)
