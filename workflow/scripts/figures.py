"""Figures of a study."""

from contextlib import ExitStack
from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.experiments.results import read_table
    from mlreduce.reporting.figures import make_figure, save

    sources = {Path(path).stem: read_table(path) for path in snakemake.input}
    files: dict[str, list[str]] = {}
    for path in snakemake.output:
        files.setdefault(Path(path).stem, []).append(path)
    for name, (spec, protocol, source) in snakemake.params.specs.items():
        figure = make_figure(sources[source], spec, protocol, snakemake.params.dataset)
        with ExitStack() as stack:
            save(figure, [stack.enter_context(replacing(path)) for path in files[name]])
