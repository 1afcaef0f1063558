"""One figure of a study, of its own scores."""

from contextlib import ExitStack

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing
    from mlreduce_studies.figures import make_figure, save
    from mlreduce_studies.gathering.study_tables import Gathering

    params = snakemake.params
    gathering = Gathering({"scores": list(snakemake.input)}, params.averages)
    source, _ = gathering.rounded("areas" if params.spec.get("area") else "summary")
    figure = make_figure(source, params.spec, params.protocol, params.dataset)
    with ExitStack() as stack:
        save(figure, [stack.enter_context(replacing(path)) for path in snakemake.output])
