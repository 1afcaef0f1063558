"""Fit times over those of one method, beside the printed ones."""

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.ratios import time_ratios
    from mlreduce.reporting.tables import write_csv

    printed = pd.read_csv(snakemake.input.published[0])
    ratios = time_ratios(pd.read_csv(snakemake.input.times), printed, snakemake.params.base)
    with replacing(snakemake.output[0]) as path:
        write_csv(ratios, path)
