"""One figure of a paper, in three formats."""

from contextlib import ExitStack
from pathlib import Path

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.figures import make_figure, save

    path = Path(snakemake.input[0])
    source = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    params = snakemake.params
    figure = make_figure(source, params.spec, params.protocol, params.dataset)
    with ExitStack() as stack:
        save(figure, [stack.enter_context(replacing(path)) for path in snakemake.output])
