"""Processor seconds to fit each method separately, with one thread."""

import json

import threadpoolctl

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake, travels=True):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.failures import Failures
    from mlreduce.evaluation.splitting import take_splits
    from mlreduce.files import replacing
    from mlreduce_studies.experiments.timing import time_fits
    from mlreduce_studies.gathering.job_tables import write_table

    settings, seed = json.loads(snakemake.params.settings), snakemake.params.seed
    data, failures = MultiLabelData.load(snakemake.input.data), Failures("time", limits=settings.get("limits"))
    splits = take_splits(data.Y, settings["rule"], range(settings["splits"]), seed, data.name, data.X)
    with threadpoolctl.threadpool_limits(1):  # now that the libraries with threads are loaded
        times = time_fits(data, splits, settings, seed, failures)
    with replacing(snakemake.output[0]) as path:
        write_table(path, times, failures.table(study=snakemake.wildcards.study, dataset=data.name))
