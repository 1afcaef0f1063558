# Loads and checks the configuration, and says which files it asks for. No rules here.
import json
from pathlib import Path

from snakemake.exceptions import WorkflowError

from mlreduce import registry
from mlreduce.configuration import validate
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import MLReduceError
from mlreduce.provenance import source_digest
from mlreduce.reporting.sources import FIGURE_SOURCES, TABLE_SOURCES
from mlreduce.study import batches, load_study

PROJECT = Path(workflow.basedir)

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


def of_family(family):
    return one_of({name for name, study in STUDIES.items() if study.family == family})


def variants(study):
    """Suffixes of a figure's files, one a protocol: none for the first."""
    protocols = list(STUDIES[study].protocols) if study in STUDIES else []
    return {
        f"-{protocol}" if position else "": protocol
        for position, protocol in enumerate(protocols)
    }


wildcard_constraints:
    study="[a-z0-9-]+",
    dataset="[A-Za-z0-9_-]+",
    protocol="[a-z0-9-]+",
    group="[a-z0-9-]+",
    predictor="[a-z0-9-]+",
    batch=r"\d+-\d+",
    table=one_of({name for study in STUDIES.values() for name in study.tables}),
    figure=one_of({name for study in STUDIES.values() for name in study.figures}),
    variant=one_of({variant for study in STUDIES for variant in variants(study)}),


def study_of(wildcards):
    return STUDIES[wildcards.study]


def entry_text(wildcards):
    """What the catalogue says of a data set: a change re-runs what was read by it."""
    return json.dumps(CATALOGUE[wildcards.dataset].options, sort_keys=True)


def local_files(wildcards):
    """The user's own files of a data set: a change in them re-runs what was made of them."""
    files = CATALOGUE[wildcards.dataset].files
    return [
        str(entry.local)
        for entries in files.values()
        for entry in entries
        if entry.local
    ]


def raw_folder(wildcards):
    """The fetched files of a data set; nothing for an embedded one."""
    return (
        [f"{RESULTS}/data/raw/{wildcards.dataset}"]
        if CATALOGUE[wildcards.dataset].files
        else []
    )


def digest(*scripts, methods=()):
    """The library code behind scripts and methods: what makes a change in src/ re-run what depends on it."""
    paths = [
        str(PROJECT / "workflow" / "scripts" / f"{script}.py") for script in scripts
    ]
    return source_digest(
        *paths, *sorted(registry.module_of(method) for method in methods)
    )


def digest_of_methods(study, group):
    """The code of all stations from the data to the scores: the reduced files between them are temporary."""
    chosen = STUDIES[study]
    methods = {
        registry.entry_name(label, entry)
        for label, entry in [
            *chosen.groups[group].items(),
            *chosen.predictors.items(),
        ]
    }
    stations = {
        "labelspace": ["factorise", "reduce_labels", "predict_labels"],
        "projection": ["reduce_features", "predict_features"],
    }
    return digest(*stations[chosen.family], methods=methods)


def digest_of_group(wildcards):
    return digest_of_methods(wildcards.study, wildcards.group)


def description_of(wildcards):
    """What the manifest says a study was run with."""
    study = study_of(wildcards)
    return {
        "scale": config["scale"],
        "protocols": {name: dict(rule) for name, rule in study.protocols.items()},
        "splits": study.splits,
        "seed": config["seed"],
        "datasets": list(study.datasets),
        "methods": {
            name: dict(parameters) for name, parameters in sorted(study.methods.items())
        },
        "predictors": {
            name: dict(parameters)
            for name, parameters in sorted(study.predictors.items())
        },
        "code": {
            group: digest_of_methods(wildcards.study, group)
            for group in sorted(study.groups)
        },
    }


def settings_of_group(wildcards):
    study = study_of(wildcards)
    settings = {
        "methods": study.groups[wildcards.group],
        "protocol": study.protocols[wildcards.protocol],
    }
    return json.dumps(settings, sort_keys=True)


def measured(wildcards):
    """What is measured on a data set: sizes, measures, predictor."""
    study = study_of(wildcards)
    settings = {
        "sizes": list(study.sizes),
        "energies": list(study.energies),
        "every_size": wildcards.dataset in study.curves,
        "measures": sorted(study.measures),
        "parameters": study.predictors[wildcards.predictor],
    }
    return json.dumps(settings, sort_keys=True)


def parts_of(wildcards, pattern, **more):
    """The files of all jobs of a study."""
    study = study_of(wildcards)
    return expand(
        f"{BASE}/{wildcards.study}/{pattern}",
        protocol=study.protocols,
        dataset=study.datasets,
        group=study.groups,
        batch=batches(study.splits, config["splits_per_job"]),
        **more,
    )


def score_parts(wildcards):
    return parts_of(
        wildcards,
        "scores/{protocol}/{dataset}/{group}/{predictor}/{batch}.parquet",
        predictor=study_of(wildcards).predictors,
    )


def spectrum_parts(wildcards):
    return parts_of(wildcards, "spectra/{protocol}/{dataset}/{group}/{batch}.parquet")


def timed_parts(wildcards):
    """One file of fit times a data set, by the first protocol."""
    return expand(
        f"{BASE}/{wildcards.study}/times/{{dataset}}.csv",
        dataset=study_of(wildcards).datasets,
    )


def settings_of_times(wildcards):
    study = study_of(wildcards)
    settings = {
        "methods": study.methods,
        "protocol": next(iter(study.protocols.values())),
        "splits": study.timed,
    }
    return json.dumps(settings, sort_keys=True)


def digest_of_times(wildcards):
    methods = study_of(wildcards).methods.items()
    return digest(
        "time", methods={registry.entry_name(label, entry) for label, entry in methods}
    )


def prepared_of(wildcards):
    return expand(
        f"{RESULTS}/data/{{dataset}}.npz", dataset=study_of(wildcards).datasets
    )


def table_files(study):
    tables = STUDIES[study].tables if study in STUDIES else []
    return expand(
        f"{BASE}/{study}/{{table}}.{{format}}",
        table=tables,
        format=["csv", "md", "tex"],
    )


def figure_files(study):
    figures = STUDIES[study].figures if study in STUDIES else []
    return expand(
        f"{BASE}/{study}/{{figure}}{{variant}}.{{format}}",
        figure=figures,
        variant=variants(study),
        format=["svg", "png", "pdf"],
    )


def table_source(wildcards):
    kind = study_of(wildcards).tables[wildcards.table].get("kind", "sizes")
    return f"{BASE}/{wildcards.study}/{TABLE_SOURCES[kind]}"


def figure_source(wildcards):
    kind = study_of(wildcards).figures[wildcards.figure].get("kind", "curves")
    return f"{BASE}/{wildcards.study}/{FIGURE_SOURCES[kind]}"


def figure_spec(wildcards):
    """What a figure shows, with the values of the parameter that it may have on its axis."""
    study = study_of(wildcards)
    spec = dict(study.figures[wildcards.figure])
    if "parameter" in spec:
        spec["points"] = {
            method: study.methods[method][spec["parameter"]]
            for method in spec["methods"]
        }
    return spec


def outputs_of(study):
    """Everything that a study ends in."""
    rest = ["summary.csv", "datasets.csv", "audit.csv", "claims.csv", "audit.md"]
    rest = expand(f"{BASE}/{study}/{{file}}", file=[*rest, "manifest.json"])
    return [*table_files(study), *figure_files(study), *rest]


def printed_tables(wildcards):
    """The tables that may have printed counterparts."""
    tables = study_of(wildcards).tables.items()
    return expand(
        f"{BASE}/{wildcards.study}/{{table}}.csv",
        table=[name for name, spec in tables if spec.get("kind", "sizes") == "sizes"],
    )


def published_of(wildcards):
    """The printed numbers of a paper, where it printed any."""
    path = PROJECT / "config" / "published" / f"{wildcards.study}.csv"
    return [str(path)] if path.is_file() else []


def shown_on_page(study):
    """What the page needs to know of a study to show its files."""
    return {
        "title": study.title,
        "tables": {key: dict(spec) for key, spec in study.tables.items()},
        "figures": {key: dict(spec) for key, spec in study.figures.items()},
        "protocols": list(study.protocols),
        "variants": variants(study.name),
        "datasets": list(study.datasets),
    }
