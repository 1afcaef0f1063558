# Loads and checks the configuration, and constrains what names may be. No rules here.
import os
from pathlib import Path

from snakemake.exceptions import WorkflowError

from mlreduce.datasets.readers.configuration import validate
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import MLReduceError
from mlreduce.experiments.study import load_study

# As seen from where it runs: a project that is moved or copied takes its results along.
PROJECT = Path(os.path.relpath(workflow.basedir))
CLAIMS = str(PROJECT / "config" / "claims.yaml")

try:
    validate(config, "config", "configuration")
    CATALOGUE = read_catalogue(config.get("datasets"))
    RUN_ON = config.get("run_on")
    STUDIES = {
        name: load_study(
            PROJECT / "config" / "studies" / f"{name}.yaml",
            config["scale"],
            CATALOGUE,
            splits=config.get("splits"),
            run_on=RUN_ON.split(",") if isinstance(RUN_ON, str) else RUN_ON,
            mirror=config.get("mirror"),
        )
        for name in config["studies"]
    }
except MLReduceError as error:
    raise WorkflowError(str(error))

RESULTS = config["results"]
BASE = f"{RESULTS}/{config['scale']}"


def one_of(names):
    """A wildcard's constraint: exactly these names; one that nothing matches where there are none."""
    return f"({'|'.join(sorted(names))})" if names else "(?!)"


def of_family(*families):
    return one_of({name for name, study in STUDIES.items() if study.family in families})


def variants(study, figure):
    """Suffixes of a figure's files, one a protocol that it shows: none for the first."""
    protocols = (
        STUDIES[study].figures[figure].get("protocols", STUDIES[study].protocols)
    )
    return {
        f"-{protocol}" if position else "": protocol
        for position, protocol in enumerate(protocols)
    }


def all_variants(study):
    figures = STUDIES[study].figures if study in STUDIES else []
    return {figure: variants(study, figure) for figure in figures}


wildcard_constraints:
    study="[a-z0-9-]+",
    dataset="[A-Za-z0-9_-]+",
    protocol="[a-z0-9-]+",
    group="[a-z0-9-]+",
    predictor="[a-z0-9-]+",
    batch=r"\d+-\d+",
    table=one_of({name for study in STUDIES.values() for name in study.tables}),
    details="spectra|rankings",
    figure=one_of({name for study in STUDIES.values() for name in study.figures}),
    variant=one_of(
        {
            variant
            for study in STUDIES
            for own in all_variants(study).values()
            for variant in own
        }
    ),


def study_of(wildcards):
    return STUDIES[wildcards.study]


def group_of(wildcards):
    return study_of(wildcards).groups[wildcards.group]
