"""What fits cost on relation features and on the features themselves, one thread, nothing running beside it."""

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.costs import measure_costs
    from mlreduce.experiments.failures import Failures
    from mlreduce.reporting.summary import write_csv

    params, failures = snakemake.params, Failures("cost")
    costs = measure_costs(MultiLabelData.load(snakemake.input[0]), params.costs, params.space, params.seed, failures)
    with replacing(snakemake.output.costs) as path:
        write_csv(costs, path)
    failures.save(snakemake.output.failures, snakemake.wildcards)
