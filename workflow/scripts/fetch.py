"""Fetch the published files of a data set, checked, into one folder."""

import shutil

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.catalogue import read_catalogue
    from mlreduce.files import replacing

    options = snakemake.config
    dataset = read_catalogue(options.get("datasets"))[snakemake.wildcards.dataset]
    paths = dataset.fetch(options.get("mirror"), options.get("cache"))
    for path, place in zip(paths, dataset.copies(snakemake.output[0]), strict=True):
        with replacing(place) as copy:
            shutil.copyfile(path, copy)
