"""A step of the study of many labels: the function of mlreduce_studies.many_labels.steps that has the rule's name."""

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce_studies.many_labels import steps
    from mlreduce_studies.many_labels.settings import Settings

    params = {key: value for key, value in snakemake.params.items() if key not in ("settings", "code")}
    if "settings" in dict(snakemake.params.items()):
        params["settings"] = Settings(**snakemake.params.settings)
    work = getattr(steps, snakemake.rule)
    work(list(snakemake.input), snakemake.output[0], **dict(snakemake.wildcards.items()), **params)
