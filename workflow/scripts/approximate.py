"""Approximate the dependencies of a data set's features from samples of them, and count the cells of the theorem."""

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.approximation import approximation_errors, dependency, theorem_cells
    from mlreduce.reporting.summary import write_csv

    asked, data = snakemake.params.approximation, MultiLabelData.load(snakemake.input[0])
    matrix = dependency(data, asked.get("discretise", "equal-width"), asked.get("n_bins", 3))
    errors = approximation_errors(
        data, matrix, asked["methods"], asked["percents"], asked["draws"], snakemake.params.seed
    )
    with replacing(snakemake.output.errors) as path:
        errors.to_parquet(path, index=False)
    with replacing(snakemake.output.theorem) as path:
        write_csv(theorem_cells(data.name, matrix), path)
