"""Approximate the dependencies of a data set's features from samples of them, and count the cells of the theorem."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.approximation import approximation_errors, dependency, theorem_cells
    from mlreduce.experiments.results import write_table

    asked, data = snakemake.params.approximation, MultiLabelData.load(snakemake.input[0])
    matrix = dependency(data, asked.get("discretise", "equal-width"), asked.get("n_bins", 3))
    errors = approximation_errors(
        data, matrix, asked["methods"], asked["percents"], asked["draws"], snakemake.params.seed
    )
    with replacing(snakemake.output.errors) as path:
        write_table(path, errors)
    with replacing(snakemake.output.theorem) as path:
        write_table(path, theorem_cells(data.name, matrix))
