"""Fit times over those of one method, beside the printed ones."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.summary import write_csv
    from mlreduce.reporting.tables.ratios import time_ratios

    printed = pd.read_csv(snakemake.input.published[0])
    ratios = time_ratios(pd.read_csv(snakemake.input.times), printed, snakemake.params.base)
    with replacing(snakemake.output[0]) as path:
        write_csv(ratios, path)
