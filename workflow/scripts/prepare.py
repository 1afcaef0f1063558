"""Bring a data set's files to one form: read them, check them against the catalogue, and write arrays."""

from dataclasses import replace

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.catalogue import Dataset
    from mlreduce.exceptions import DataError, ProjectionWarning, warn
    from mlreduce.files import replacing
    from mlreduce.validation import check_finite

    # The entry as of the start of the run, since the catalogue may have been edited after it.
    dataset = Dataset.from_json(snakemake.params.entry)
    data = dataset.read_copies(snakemake.input.raw[0]) if snakemake.input.raw else dataset.read([])
    try:
        check_finite(data.X, data.feature_names, data.name, missing=data.impute is not None)
    except DataError as error:
        raise DataError(
            f"{error}. In a workflow: fill them in the file, or in its entry leave the columns out by drop: [...], or "
            "fill NaN by the training rows of each split: impute: mean, median or most-frequent"
        ) from error
    if data.sample_weight is not None:
        warn(f"{data.name}: the weights of its instances are not used by the studies", ProjectionWarning)
    data = replace(data, sample_weight=None, texts={})
    with replacing(snakemake.output[0]) as path:
        data.save(path)
