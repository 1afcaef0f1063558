# Which files the jobs of a study make, a batch of splits each, and what failed in them.


def raw_folders(datasets):
    """The fetched files of data sets; nothing for an embedded one."""
    return [f"{RESULTS}/data/raw/{name}" for name in datasets if CATALOGUE[name].files]


def raw_folder(wildcards):
    return raw_folders([wildcards.dataset])


def chosen_once(wildcards):
    return group_of(wildcards).chosen_once(wildcards.dataset)


def all_batches(wildcards, group, dataset):
    return study_of(wildcards).batches(group, dataset, config["splits_per_job"])


def choice_batches(wildcards, group, dataset):
    per_job = config["splits_per_job"]
    return study_of(wildcards).choice_batches(group, dataset, per_job)


CHOICES = "choices/{protocol}/{dataset}/{group}/{batch}.parquet"
FAILED_CHOICES = "failures/choose/{protocol}/{dataset}/{group}/{batch}.csv"
FAILED_SCORES = "failures/predict/{protocol}/{dataset}/{group}/{predictor}/{batch}.csv"


def choices_of_group(wildcards, pattern=CHOICES):
    """The file of choices that a batch goes by, in a group that has any."""
    batches = choice_batches(wildcards, wildcards.group, wildcards.dataset)
    of_all = batches if chosen_once(wildcards) else {wildcards.batch} & set(batches)
    return [
        f"{BASE}/{wildcards.study}/{pattern}".format(
            **{**dict(wildcards.items()), "batch": batch}
        )
        for batch in of_all
    ]


def failed_choices_of_group(wildcards):
    """What failed where they were made."""
    return choices_of_group(wildcards, FAILED_CHOICES)


def parts_of(wildcards, pattern, of_group=lambda group: [{}], batches_of=all_batches):
    """The files of all jobs of a study."""
    study = study_of(wildcards)
    return [
        f"{BASE}/{wildcards.study}/{pattern}".format(
            protocol=protocol, dataset=dataset, group=name, batch=batch, **more
        )
        for protocol in study.protocols
        for name, group in study.groups.items()
        if group.runs_on(protocol)
        for dataset in study.datasets
        for batch in batches_of(wildcards, name, dataset)
        for more in of_group(group)
    ]


def each_predictor(group, asked=None):
    """The predictors of a group, or the one of them that is asked for."""
    return [{"predictor": name} for name in group.predictors if asked in (None, name)]


def score_parts(
    wildcards,
    pattern="scores/{protocol}/{dataset}/{group}/{predictor}/{batch}.parquet",
):
    """The scores of all predictors, or of the one that is asked for."""
    asked = wildcards.get("predictor")
    return parts_of(
        wildcards,
        pattern,
        of_group=lambda group: each_predictor(group, asked),
    )


def failed_scores(wildcards):
    """The cells that are missing in them."""
    return score_parts(wildcards, FAILED_SCORES)


def failed_details(wildcards):
    """What failed where methods were fitted."""
    step = "rank" if wildcards.details == "rankings" else "reduce"
    pattern = f"failures/{step}/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.csv"
    return parts_of(wildcards, pattern)


def detail_parts(wildcards):
    """What the fitted methods of a study are seen by: eigenvalues, or rankings of the features."""
    return parts_of(
        wildcards,
        "{details}/{protocol}/{dataset}/{group}/{batch}.parquet",
        of_group=lambda group: [{"details": wildcards.details}],
    )


def choice_parts(wildcards, pattern=CHOICES):
    """The files of choices, which not all batches have."""
    return parts_of(wildcards, pattern, batches_of=choice_batches)


def failed_choices(wildcards):
    """What failed where they were made."""
    return choice_parts(wildcards, FAILED_CHOICES)


def of_datasets(wildcards, pattern, datasets=None):
    """A file a data set, of all or some."""
    return expand(
        f"{BASE}/{wildcards.study}/{pattern}",
        dataset=study_of(wildcards).datasets if datasets is None else datasets,
    )


def failure_parts(wildcards):
    """What failed in all jobs of a study; what was missing before a job went on is in its own file."""
    sources = set(sources_of(wildcards.study))
    parts = failed_scores(wildcards)
    if sources & {"times.csv", "ratios.csv"}:
        parts += of_datasets(wildcards, "failures/time/{dataset}.csv")
    if "proximities.parquet" in sources:
        parts += of_datasets(wildcards, "failures/image/{dataset}.csv")
    if "costs.csv" in sources:
        parts += of_datasets(
            wildcards, "failures/cost/{dataset}.csv", study_of(wildcards).costed
        )
    return parts


def prepared_of(wildcards):
    return expand(
        f"{RESULTS}/data/{{dataset}}.npz", dataset=study_of(wildcards).datasets
    )


def raw_folders_of(wildcards):
    return raw_folders(study_of(wildcards).datasets)


def jobs_of(wildcards):
    """The benchmarks of a study's jobs that are batches of splits, whose names say how the study was cut up."""
    study = study_of(wildcards)
    fitted = "rank" if study.family == "selection" else "reduce"
    chosen = "choose" if study.family == "labelspace" else "search"
    batch = "{protocol}/{dataset}/{group}/{batch}.tsv"
    batch_of_predictor = "{protocol}/{dataset}/{group}/{predictor}/{batch}.tsv"
    return [
        *choice_parts(wildcards, f"benchmarks/{chosen}/{batch}"),
        *parts_of(wildcards, f"benchmarks/{fitted}/{batch}"),
        *parts_of(
            wildcards,
            f"benchmarks/predict/{batch_of_predictor}",
            of_group=each_predictor,
        ),
    ]


def shared_benchmarks(wildcards):
    """The benchmarks of jobs that all studies share."""
    study = study_of(wildcards)
    stations = ["fetch", "prepare"]
    stations += ["factorise"] if study.family == "labelspace" else []
    return expand(
        f"{RESULTS}/benchmarks/{{station}}/{{dataset}}.tsv",
        station=stations,
        dataset=study.datasets,
    )


def group_of_method(study, method):
    return next(name for name, own in study.groups.items() if method in own.methods)


def choices_of_images(wildcards, pattern=CHOICES):
    """The parameters that were chosen for the methods whose proximities are shown, by the first protocol."""
    study = study_of(wildcards)
    protocol = next(iter(study.protocols))
    groups = {
        group_of_method(study, method)
        for method in figure_of_images(wildcards)["methods"]
    }
    return [
        f"{BASE}/{wildcards.study}/{pattern}".format(
            protocol=protocol, dataset=wildcards.dataset, group=group, batch=batch
        )
        for group in sorted(groups)
        for batch in choice_batches(wildcards, group, wildcards.dataset)
    ]


def failed_choices_of_images(wildcards):
    """What failed where they were made."""
    return choices_of_images(wildcards, FAILED_CHOICES)
