"""Fetch the published files of a data set, checked, into one folder."""

import shutil
from pathlib import Path

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.catalogue import read_catalogue
    from mlreduce.files import replacing

    options = snakemake.config
    dataset = read_catalogue(options.get("datasets"))[snakemake.wildcards.dataset]
    folder = Path(snakemake.output[0])
    paths = dataset.fetch(options.get("mirror"), options.get("cache"))
    for path in paths:
        with replacing(folder / path.name) as copy:
            shutil.copyfile(path, copy)
