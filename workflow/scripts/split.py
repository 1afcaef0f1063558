"""Draw the random orders of the rows, or their parts, from which every protocol takes its splits."""

import numpy as np

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import read_arrays, replacing
    from mlreduce.experiments.splitting import draw_splits

    labels = read_arrays(snakemake.input[0], "prepared data set", ("Y",))["Y"]
    asked = snakemake.params
    drawn = draw_splits(labels, asked.n_splits, asked.seed, snakemake.wildcards.dataset, asked.in_parts)
    with replacing(snakemake.output[0]) as path, path.open("wb") as file:
        np.savez(file, **drawn)
