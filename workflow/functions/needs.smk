# What jobs need: memory and time by the size of their data, more with each attempt.
from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.experiments.resources import Job, Size, rows_of, size_of


def growing(amount):
    """A resource that doubles with each attempt."""
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)


def job_of(wildcards, input):
    """A job as far as its memory and time go; the data set is the first of its inputs."""
    try:
        size = size_of(input[0])
    except DataError:
        size = Size(0, 0, 0, 0)  # not whole, of which the job itself speaks
    if "study" not in wildcards.keys():
        return Job(size, size.rows, size.columns)
    study = study_of(wildcards)
    protocol = wildcards.get("protocol", next(iter(study.protocols)))
    rows = rows_of(study.rule_of(protocol, wildcards.dataset), size.rows)
    width = rows if study.space_of(wildcards.dataset)["relation"] else size.columns
    if "group" not in wildcards.keys():
        return Job(size, rows, width, fits=len(study.methods) * study.timed)
    first, last = wildcards.batch.split("-")
    return Job(
        size,
        rows,
        width + (rows if group_of(wildcards).choice else 0),
        fits=len(group_of(wildcards).methods) * (int(last) - int(first) + 1),
        codes=study.family == "labelspace",
    )


def memory(wildcards, input, attempt):
    return job_of(wildcards, input).megabytes * 2 ** (attempt - 1)


def minutes(work):
    """The time for a kind of work, or for that of the predictor."""

    def bound(wildcards, input, attempt):
        done = work
        if "predictor" in wildcards.keys():
            name = wildcards.predictor
            done = registry.entry_name(name, study_of(wildcards).predictors[name])
        return job_of(wildcards, input).minutes(done) * 2 ** (attempt - 1)

    return bound
