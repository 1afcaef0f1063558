"""Seconds and memory of fits on relation features and on the features themselves, with one thread."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake, travels=True):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.failures import Failures
    from mlreduce.files import replacing
    from mlreduce_studies.experiments.costs import measure_costs
    from mlreduce_studies.gathering.job_tables import write_table

    params, failures = snakemake.params, Failures("cost")
    data = MultiLabelData.load(snakemake.input.data)
    costs = measure_costs(data, params.costs, params.space, params.seed, failures)
    with replacing(snakemake.output[0]) as path:
        write_table(path, costs, failures.table(study=snakemake.wildcards.study, dataset=data.name))
