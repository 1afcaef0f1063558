"""One figure of a study, of its own scores."""

from contextlib import ExitStack
from io import StringIO

import pandas as pd

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.figures import make_figure, save
    from mlreduce.reporting.gathering import Gathering
    from mlreduce.reporting.summary import write_csv

    params, text = snakemake.params, StringIO()
    gathering = Gathering({"scores": list(snakemake.input)}, params.averages)
    write_csv(gathering.table("areas" if params.spec.get("area") else "summary"), text)
    figure = make_figure(pd.read_csv(StringIO(text.getvalue())), params.spec, params.protocol, params.dataset)
    with ExitStack() as stack:
        save(figure, [stack.enter_context(replacing(path)) for path in snakemake.output])
