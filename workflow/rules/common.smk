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
from mlreduce.study import load_study, tried_first

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


def group_of(wildcards):
    return study_of(wildcards).groups[wildcards.group]


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


def chosen_once(wildcards):
    return group_of(wildcards).chosen_once(wildcards.dataset)


def choice_batches(wildcards, group, dataset):
    per_job = config["splits_per_job"]
    return study_of(wildcards).choice_batches(group, dataset, per_job)


def choices_of_group(wildcards):
    """The file of choices that a batch goes by, in a group that has any."""
    batches = choice_batches(wildcards, wildcards.group, wildcards.dataset)
    of_all = batches if chosen_once(wildcards) else {wildcards.batch} & set(batches)
    pattern = "choices/{protocol}/{dataset}/{group}/{batch}.parquet"
    return [
        f"{BASE}/{wildcards.study}/{pattern}".format(
            **{**dict(wildcards.items()), "batch": batch}
        )
        for batch in of_all
    ]


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


def parts_of(wildcards, pattern, of_group=lambda group: [{}]):
    """The files of all jobs of a study."""
    study = study_of(wildcards)
    per_job = config["splits_per_job"]
    return [
        f"{BASE}/{wildcards.study}/{pattern}".format(
            protocol=protocol, dataset=dataset, group=name, batch=batch, **more
        )
        for protocol in study.protocols
        for name, group in study.groups.items()
        if group.runs_on(protocol)
        for dataset in study.datasets
        for batch in study.batches(name, dataset, per_job)
        for more in of_group(group)
    ]


def score_parts(wildcards):
    """The scores of all predictors, or of the one that is asked for."""
    asked = wildcards.get("predictor")
    return parts_of(
        wildcards,
        "scores/{protocol}/{dataset}/{group}/{predictor}/{batch}.parquet",
        of_group=lambda group: [
            {"predictor": name} for name in group.predictors if asked in (None, name)
        ],
    )


def detail_parts(wildcards):
    """What the fitted methods of a study are seen by: eigenvalues, or rankings of the features."""
    return parts_of(
        wildcards,
        "{details}/{protocol}/{dataset}/{group}/{batch}.parquet",
        of_group=lambda group: [{"details": wildcards.details}],
    )


def details_of(study):
    return "rankings" if study.family == "selection" else "spectra"


def choice_parts(wildcards):
    """The files of choices, which not all batches have."""
    study = study_of(wildcards)
    return [
        f"{BASE}/{wildcards.study}/choices/{protocol}/{dataset}/{group}/{batch}.parquet"
        for protocol in study.protocols
        for group in study.groups
        if study.groups[group].runs_on(protocol)
        for dataset in study.datasets
        for batch in choice_batches(wildcards, group, dataset)
    ]


def timed_parts(wildcards):
    """One file of fit times a data set, by the first protocol."""
    return expand(
        f"{BASE}/{wildcards.study}/times/{{dataset}}.csv",
        dataset=study_of(wildcards).datasets,
    )


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
    return [
        f"{BASE}/{study}/{figure}{variant}.{format}"
        for figure, own in all_variants(study).items()
        for variant in own
        for format in ["svg", "png", "pdf"]
    ]


def source_of(study, file, spec):
    """A file of a study; of a summary, where it will do, the part of one predictor: others need not be trained."""
    if file == "summary.csv" and spec.get("area"):
        return f"{BASE}/{study}/areas.csv"
    if file == "summary.csv" and "predictor" in spec:
        file = f"summaries/{spec['predictor']}.csv"
    return f"{BASE}/{study}/{file}"


def table_source(wildcards):
    spec = study_of(wildcards).tables[wildcards.table]
    return source_of(wildcards.study, TABLE_SOURCES[spec.get("kind", "sizes")], spec)


def figure_source(wildcards):
    spec = study_of(wildcards).figures[wildcards.figure]
    return source_of(wildcards.study, FIGURE_SOURCES[spec.get("kind", "curves")], spec)


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
    if study in STUDIES and any(
        group.chooses for group in STUDIES[study].groups.values()
    ):
        rest.append("choices.csv")
    if study in STUDIES:
        rest.append(f"{details_of(STUDIES[study])}.parquet")
    rest = expand(f"{BASE}/{study}/{{file}}", file=[*rest, "manifest.json"])
    return [*table_files(study), *figure_files(study), *rest]


def printed_tables(wildcards):
    """The tables whose cells may have printed counterparts."""
    tables = study_of(wildcards).tables.items()
    return expand(
        f"{BASE}/{wildcards.study}/{{table}}.csv",
        table=[name for name, spec in tables if spec.get("kind", "sizes") == "sizes"],
    )


def published_of(wildcards):
    """The printed numbers of a paper, where it printed any."""
    path = PROJECT / "config" / "published" / f"{wildcards.study}.csv"
    return [str(path)] if path.is_file() else []


def figure_of_images(wildcards):
    """The figure that shows proximities as images."""
    figures = study_of(wildcards).figures.values()
    return dict(next(spec for spec in figures if spec.get("kind") == "proximities"))


def group_of_method(study, method):
    return next(name for name, own in study.groups.items() if method in own.methods)


def choices_of_images(wildcards):
    """The parameters that were chosen for the methods whose proximities are shown, by the first protocol."""
    study = study_of(wildcards)
    protocol = next(iter(study.protocols))
    groups = {
        group_of_method(study, method)
        for method in figure_of_images(wildcards)["methods"]
    }
    return [
        f"{BASE}/{wildcards.study}/choices/{protocol}/{wildcards.dataset}/{group}/{batch}.parquet"
        for group in sorted(groups)
        for batch in choice_batches(wildcards, group, wildcards.dataset)
    ]


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


def approximated(wildcards, folder, suffix):
    """What is approximated of a study, a file a data set."""
    return expand(
        f"{BASE}/{wildcards.study}/{folder}/{{dataset}}.{suffix}",
        dataset=study_of(wildcards).datasets,
    )


def base_of_ratios(wildcards):
    """By whose fit times a table of ratios divides."""
    tables = study_of(wildcards).tables.values()
    return next(spec["base"] for spec in tables if spec.get("kind") == "time-ratios")


def looked_at_by_claims(wildcards):
    """The tables of a study that its claims are about, beside the summary."""
    study = study_of(wildcards)
    names = ["areas"] if study.family == "selection" else []
    names += ["approximation"] if study.approximation else []
    kinds = {spec.get("kind") for spec in study.tables.values()}
    names += ["times"] if "time-ratios" in kinds else []
    return [f"{BASE}/{wildcards.study}/{name}.csv" for name in names]


def printed_cells_of(wildcards):
    """The printed numbers of a paper, where it printed tables by size."""
    return published_of(wildcards) if printed_tables(wildcards) else []


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
