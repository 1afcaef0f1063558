"""One figure of a paper, in three formats."""

from contextlib import ExitStack

import pandas as pd

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.reporting.figures import curves, save

    spec, dataset, protocol = snakemake.params.spec, snakemake.params.dataset, snakemake.params.protocol
    summary = pd.read_csv(snakemake.input[0])
    chosen = summary[
        (summary["dataset"] == dataset)
        & (summary["protocol"] == protocol)
        & (summary["predictor"] == spec["predictor"])
    ]
    title = f"{dataset}, {protocol}: mean over {chosen['splits'].max()} random splits"
    figure = curves(chosen, spec["measures"], spec["methods"], spec.get("labels", {}), title)
    with ExitStack() as stack:
        save(figure, [stack.enter_context(replacing(path)) for path in snakemake.output])
