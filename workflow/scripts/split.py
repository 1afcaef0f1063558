"""Draw the random orders of the rows, or their parts, from which every protocol takes its splits."""

import numpy as np

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.evaluation.splitting import random_orders, random_parts
    from mlreduce.files import read_arrays, replacing

    labels = read_arrays(snakemake.input[0], "prepared data set", ("Y",))["Y"]
    drawing = (snakemake.params.n_splits, snakemake.params.seed, snakemake.wildcards.dataset)
    drawn = {"orders": random_orders(len(labels), *drawing)}
    if snakemake.params.in_parts:
        drawn["parts"] = random_parts(labels, *drawing)
    with replacing(snakemake.output[0]) as path, path.open("wb") as file:
        np.savez(file, **drawn)
