"""Seconds to fit every method of a study on its own, one thread, nothing running beside it."""

import json

import threadpoolctl

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.failures import Failures
    from mlreduce.experiments.splitting import load_splits
    from mlreduce.reporting.summary import write_csv

    settings = json.loads(snakemake.params.settings)
    splits = load_splits(snakemake.input.splits, settings["protocol"], f"0-{settings['splits'] - 1}")
    failures = Failures("time")
    data, space = MultiLabelData.load(snakemake.input.data), settings["space"]
    if settings["family"] == "projection":
        from mlreduce.experiments.feature_space import time_fits as timed

        features = space
    else:
        from mlreduce.experiments.selection import time_selectors as timed

        features = space["scaling"]
    with threadpoolctl.threadpool_limits(1):  # now that the libraries with threads are loaded
        times = timed(data, splits, settings["methods"], features, snakemake.params.seed, failures)
    with replacing(snakemake.output.times) as path:
        write_csv(times, path)
    failures.save(snakemake.output.failures, snakemake.wildcards)
