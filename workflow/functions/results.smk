# Which files a study ends in, and of which of its files they are made.
from mlreduce.reporting import figures as figure_kinds
from mlreduce.reporting import tables as table_kinds

TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("svg", "png", "pdf")


def details_of(study):
    return "rankings" if study.family == "selection" else "spectra"


def table_files(study):
    tables = STUDIES[study].tables if study in STUDIES else []
    return expand(
        f"{BASE}/{study}/{{table}}.{{format}}",
        table=tables,
        format=TABLE_FORMATS,
    )


def figure_files(study):
    return [
        f"{BASE}/{study}/{figure}{variant}.{format}"
        for figure, own in all_variants(study).items()
        for variant in own
        for format in FIGURE_FORMATS
    ]


def source_of(study, file, spec):
    """A file of a study; of a summary, where it will do, the part of one predictor: others need not be trained."""
    if file == "summary.csv" and "predictor" in spec:
        file = f"summaries/{spec['predictor']}.csv"
    return f"{BASE}/{study}/{file}"


def table_source(wildcards):
    spec = study_of(wildcards).tables[wildcards.table]
    return source_of(wildcards.study, table_kinds.table_source(spec), spec)


def figure_source(wildcards):
    spec = study_of(wildcards).figures[wildcards.figure]
    return source_of(wildcards.study, figure_kinds.figure_source(spec), spec)


def results_of(study):
    """Everything that a study ends in, but for what describes it."""
    rest = {"scores.parquet", "summary.csv", "datasets.csv", "failures.csv"}
    rest |= {"audit.csv", "claims.csv", "audit.md"}
    if study in STUDIES:
        rest |= {f"{details_of(STUDIES[study])}.parquet", *sources_of(study)}
        if any(group.chooses for group in STUDIES[study].groups.values()):
            rest.add("choices.csv")
    rest = expand(f"{BASE}/{study}/{{file}}", file=sorted(rest))
    return [*table_files(study), *figure_files(study), *rest]


def outputs_of(study):
    return [*results_of(study), f"{BASE}/{study}/manifest.json"]


def sources_of(study):
    """Names of the files of a study that its tables and figures are made from."""
    tables, figures = STUDIES[study].tables, STUDIES[study].figures
    sources = {
        source_of(study, file_behind(spec), spec)
        for file_behind, specs in (
            (table_kinds.table_source, tables),
            (figure_kinds.figure_source, figures),
        )
        for spec in specs.values()
    }
    folder = Path(BASE) / study
    return sorted(Path(path).name for path in sources if Path(path).parent == folder)


# What is measured anew in every run: seconds.
TIMED = ("times.csv", "ratios.csv", "costs.csv")


def timed_results(wildcards):
    """The results of a study that hold measured times, and so differ from run to run."""
    study, found = study_of(wildcards), list(TIMED)
    for name, spec in study.tables.items():
        if table_kinds.table_source(spec) in TIMED:
            found += [f"{name}.{suffix}" for suffix in TABLE_FORMATS]
    for name, spec in study.figures.items():
        if figure_kinds.figure_source(spec) in TIMED:
            found += [
                f"{name}{variant}.{suffix}"
                for variant in variants(study.name, name)
                for suffix in FIGURE_FORMATS
            ]
    if any(Path(path).name in TIMED for path in looked_at_by_claims(wildcards)):
        found += ["claims.csv", "audit.md"]
    there = {Path(path).name for path in results_of(wildcards.study)}
    return sorted(there & set(found))


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
