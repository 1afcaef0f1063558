"""Approximate the dependencies of a data set's features from samples of them, and count the cells of the theorem."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake, travels=True):
    import pandas as pd

    from mlreduce.datasets.data import MultiLabelData
    from mlreduce.files import replacing
    from mlreduce_studies.experiments.approximation import (
        approximation_errors,
        dependency,
        dependency_row,
        theorem_cells,
    )
    from mlreduce_studies.gathering.job_tables import write_table

    entry, data = snakemake.params.approximation, MultiLabelData.load(snakemake.input.data)
    errors, described, cells = [], [], None
    for bins, n_bins, methods in snakemake.params.bins:
        matrix = dependency(data, bins, n_bins)
        errors.append(
            approximation_errors(data, matrix, methods, entry["percents"], entry["draws"], snakemake.params.seed)
        )
        described.append(dependency_row(data.name, bins, n_bins, matrix))
        cells = theorem_cells(data.name, matrix) if cells is None else cells  # of the first bins
    for output, table in (
        (snakemake.output.errors, pd.concat(errors, ignore_index=True)),
        (snakemake.output.theorem, cells),
        (snakemake.output.dependencies, pd.concat(described, ignore_index=True)),
    ):
        with replacing(output) as path:
            write_table(path, table)
