"""Draw the random orders of the rows from which every protocol takes its splits."""

import numpy as np

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.evaluation.splitting import random_orders
    from mlreduce.files import read_arrays, replacing

    n_samples = len(read_arrays(snakemake.input[0], "prepared data set", ("Y",))["Y"])
    orders = random_orders(n_samples, snakemake.params.n_splits, snakemake.params.seed, snakemake.wildcards.dataset)
    with replacing(snakemake.output[0]) as path, path.open("wb") as file:
        np.savez(file, orders=orders)
