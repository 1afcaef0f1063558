"""Seconds and memory of fits on relation features and on the features themselves, with one thread."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.costs import measure_costs
    from mlreduce.experiments.failures import Failures
    from mlreduce.experiments.results import write_table

    params, failures = snakemake.params, Failures("cost")
    data = MultiLabelData.load(snakemake.input.data)
    costs = measure_costs(data, params.costs, params.space, params.seed, failures)
    with replacing(snakemake.output[0]) as path:
        write_table(path, costs, failures.table(study=snakemake.wildcards.study, dataset=data.name))
