# What jobs are told: their parameters, as JSON where a log should show them, and digests of the code that they run.
import json
from functools import cache

from mlreduce import registry
from mlreduce.datasets.files import file_sha256
from mlreduce.provenance.digest import source_digest
from mlreduce.experiments.study import tried_first


@cache
def described(dataset):
    return CATALOGUE[dataset].to_json()


def entry_text(wildcards):
    """What is read as a data set, the user's own files by their checksums: a change re-runs what was made of it."""
    return described(wildcards.dataset)


def contents(*paths):
    """The checksums of files: a change re-runs what was made of them, whatever date they have."""
    return [file_sha256(path) for path in paths]


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
    own = chosen.groups[group]
    trained = {name: chosen.predictors[name] for name in own.predictors}
    methods = {
        registry.entry_name(label, entry)
        for label, entry in [*own.methods.items(), *trained.items()]
    }
    stations = {
        "labelspace": ["factorise", "reduce_labels", "predict_labels"],
        "projection": ["reduce_features", "predict_features"],
        "selection": ["rank_features", "predict_ranked"],
    }
    choosing = ["choose_kernel"] if own.choice else []
    choosing += ["search_parameters"] if own.search is not None else []
    return digest(*stations[chosen.family], *choosing, methods=methods)


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
        **({"left_out": list(study.left_out)} if study.left_out else {}),
        **(
            {"spaces": {name: study.space_of(name) for name in study.datasets}}
            if study.family != "labelspace"
            else {}
        ),
        "methods": {
            name: dict(parameters) for name, parameters in sorted(study.methods.items())
        },
        "sizes": list(study.sizes),
        "energies": list(study.energies),
        "measures": sorted(study.measures),
        "groups": {
            name: {
                "predictors": list(group.predictors),
                "splits": {
                    dataset: study.splits_of(name, dataset)
                    for dataset in study.datasets
                },
                **({"choose": dict(group.choice)} if group.choice else {}),
                **({"search": dict(group.search)} if group.search else {}),
            }
            for name, group in sorted(study.groups.items())
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
    settings = {
        "methods": group_of(wildcards).methods,
        "protocol": study_of(wildcards).rule_of(wildcards.protocol, wildcards.dataset),
    }
    if study_of(wildcards).family != "labelspace":
        settings["space"] = study_of(wildcards).space_of(wildcards.dataset)
    return json.dumps(settings, sort_keys=True)


def candidates_of_group(wildcards):
    """Among which parameters of the predictor a choice is made, and how."""
    return json.dumps(group_of(wildcards).candidates(wildcards.dataset), sort_keys=True)


def search_of_group(wildcards):
    """How the parameters of methods are searched."""
    study = study_of(wildcards)
    search = dict(group_of(wildcards).search)
    name = group_of(wildcards).predictors[0]
    search["predictor"] = (name, study.predictors[name])
    search["dimension"] = study.dimension_of(wildcards.protocol, wildcards.dataset)
    return json.dumps(search, sort_keys=True)


def measured(wildcards):
    """What is measured on a data set: sizes, measures, predictor."""
    study = study_of(wildcards)
    settings = {
        "sizes": list(study.sizes),
        "energies": list(study.energies),
        "every_size": wildcards.dataset in study.curves,
        "measures": sorted(study.measures),
        "dimension": study.dimension_of(wildcards.protocol, wildcards.dataset),
        "parameters": study.predictors[wildcards.predictor],
    }
    return json.dumps(settings, sort_keys=True)


def settings_of_times(wildcards):
    study = study_of(wildcards)
    settings = {
        "methods": {
            label: tried_first(entry) for label, entry in study.methods.items()
        },
        "protocol": study.rule_of(next(iter(study.protocols)), wildcards.dataset),
        "splits": study.timed,
        "space": study.space_of(wildcards.dataset),
        "family": study.family,
    }
    return json.dumps(settings, sort_keys=True)


def digest_of_times(wildcards):
    methods = study_of(wildcards).methods.items()
    return digest(
        "time", methods={registry.entry_name(label, entry) for label, entry in methods}
    )


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


def threads_of(wildcards):
    """The rules whose jobs compute with more than one thread."""
    alone = study_of(wildcards).family != "labelspace"
    return {} if alone else {"predict": config["threads_per_job"]}


def names_of(wildcards):
    """What a job of a study may be about that is no batch of splits."""
    study = study_of(wildcards)
    return {
        "datasets": list(study.datasets),
        "predictors": list(study.predictors),
        "outputs": [
            *study.tables,
            *(
                f"{figure}{variant}"
                for figure, own in all_variants(study.name).items()
                for variant in own
            ),
        ],
    }


def figure_of_images(wildcards):
    """The figure that shows proximities as images."""
    figures = study_of(wildcards).figures.values()
    return dict(next(spec for spec in figures if spec.get("kind") == "proximities"))


def settings_of_images(wildcards):
    study = study_of(wildcards)
    shown = figure_of_images(wildcards)["methods"]
    settings = {
        "methods": {method: study.methods[method] for method in shown},
        "protocol": study.rule_of(next(iter(study.protocols)), wildcards.dataset),
        "space": study.space_of(wildcards.dataset),
    }
    return json.dumps(settings, sort_keys=True)


def digest_of_images(wildcards):
    study = study_of(wildcards)
    shown = figure_of_images(wildcards)["methods"]
    names = {registry.entry_name(name, study.methods[name]) for name in shown}
    return digest("image", methods=names)


def digest_of_costs(wildcards):
    methods = study_of(wildcards).costs["methods"].items()
    return digest(
        "cost", methods={registry.entry_name(label, entry) for label, entry in methods}
    )


def base_of_ratios(wildcards):
    """By whose fit times a table of ratios divides."""
    tables = study_of(wildcards).tables.values()
    return next(spec["base"] for spec in tables if spec.get("kind") == "time-ratios")


def shown_on_page(study):
    """What the page needs to know of a study to show its files."""
    return {
        "title": study.title,
        "tables": {key: dict(spec) for key, spec in study.tables.items()},
        "figures": {key: dict(spec) for key, spec in study.figures.items()},
        "protocols": list(study.protocols),
        "variants": all_variants(study.name),
        "datasets": list(study.datasets),
        "left_out": list(study.left_out),
    }
