"""Fetch the published files of a data set, checked, into one folder."""

import shutil
from pathlib import Path

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.catalogue import read_catalogue

    options = snakemake.config
    dataset = read_catalogue(options.get("datasets"))[snakemake.wildcards.dataset]
    folder = Path(snakemake.output[0])
    paths = dataset.fetch(options.get("mirror"), options.get("cache"))
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        shutil.copyfile(path, folder / path.name)
