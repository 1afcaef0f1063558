"""Draw the proximity matrices of some methods on the first split."""

import json

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake, travels=True):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.entries import chosen_entries
    from mlreduce.evaluation.failures import Failures, failures_before
    from mlreduce.evaluation.splitting import take_splits
    from mlreduce.files import replacing
    from mlreduce_studies.experiments.proximities import proximity_images
    from mlreduce_studies.gathering.job_tables import read_failures, read_tables, write_table

    settings, source = json.loads(snakemake.params.settings), snakemake.input
    data = MultiLabelData.load(source.data)
    split = take_splits(data.Y, settings["rule"], [0], snakemake.params.seed, data.name, data.X)[0]
    choices, before = None, read_failures(source.choices)
    if source.choices:
        choices = read_tables(source.choices)
        choices = choices[choices["protocol"] == settings["protocol"]]
        before = before[before["protocol"] == settings["protocol"]]
    failures = Failures("image", before=failures_before(before, [0], once=True))
    settings["methods"] = chosen_entries(settings["methods"], choices)
    images = proximity_images(data, split, settings, failures)
    with replacing(snakemake.output[0]) as path:
        write_table(path, images, failures.table(study=snakemake.wildcards.study, dataset=data.name))
