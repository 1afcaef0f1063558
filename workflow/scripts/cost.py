"""What fits cost on relation features and on the features themselves, one thread, nothing running beside it."""

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.evaluation.costs import measure_costs
    from mlreduce.files import replacing
    from mlreduce.reporting.tables import write_csv

    params = snakemake.params
    costs = measure_costs(MultiLabelData.load(snakemake.input[0]), params.costs, params.space, params.seed)
    with replacing(snakemake.output[0]) as path:
        write_csv(costs, path)
