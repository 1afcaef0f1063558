"""Figures of a study that are made from the same files."""

from contextlib import ExitStack
from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing
    from mlreduce_studies.figures import make_figure, save
    from mlreduce_studies.gathering.study_tables import gathering_of

    params, gathering = snakemake.params, gathering_of(snakemake)
    sources = {source: gathering.shown(source) for *_, source in params.specs.values()}
    files: dict[str, list[str]] = {}
    for path in snakemake.output:
        files.setdefault(Path(path).stem, []).append(path)
    for name, (spec, protocol, source) in params.specs.items():
        figure = make_figure(sources[source], spec, protocol, params.dataset)
        with ExitStack() as stack:
            save(figure, [stack.enter_context(replacing(path)) for path in files[name]])
