"""Figures of a study."""

from contextlib import ExitStack
from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing
    from mlreduce_studies.figures import make_figure, save
    from mlreduce_studies.gathering.job_tables import read_table

    sources = {Path(path).stem: read_table(path) for path in snakemake.input}
    files: dict[str, list[str]] = {}
    for path in snakemake.output:
        files.setdefault(Path(path).stem, []).append(path)
    for name, (spec, protocol, source) in snakemake.params.specs.items():
        figure = make_figure(sources[source], spec, protocol, snakemake.params.dataset)
        with ExitStack() as stack:
            save(figure, [stack.enter_context(replacing(path)) for path in files[name]])
