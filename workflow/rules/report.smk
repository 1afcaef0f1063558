# From scores to tables, figures, the audit and the report: seconds of work each, and no computation is repeated. Rules
# whose files depend on the study are made in a loop, one per study. All run where Snakemake was started: `localrule` in
# each, since a list under `localrules` names none of them where the workflow is a module of another.


for name, study in STUDIES.items():

    rule:
        name:
            f"gather_{name.replace('-', '_')}"
        input:
            **OUTPUTS.gathered_from(study),
        output:
            OUTPUTS.gathered_files(study),
        log:
            f"{BASE}/{name}/logs/gather.log",
        priority: 2
        localrule: True
        conda:
            "../../envs/report.yaml"
        resources:
            mem_mb=2000,
        params:
            study=name,
            averages=dict(study.averages),
            base=OUTPUTS.base_of_ratios(study),
            image=OUTPUTS.image_selection(study),
            published=OUTPUTS.printed_times(study),
            content=OUTPUTS.contents(*OUTPUTS.printed_times(study)),
            code=JOBS.digest("gather"),
        script:
            "../scripts/gather.py"

    if OUTPUTS.tables(study):

        rule:
            name:
                f"tables_{name.replace('-', '_')}"
            input:
                OUTPUTS.source_files(study, OUTPUTS.tables(study)),
            output:
                report(
                    OUTPUTS.table_files(study, *OUTPUTS.tables(study)),
                    caption="../report/table.rst",
                    category=name,
                    subcategory="tables",
                ),
            log:
                f"{BASE}/{name}/logs/tables.log",
            priority: 3
            localrule: True
            conda:
                "../../envs/report.yaml"
            params:
                specs={
                    key: (study.table_spec(key), OUTPUTS.sources(study)[key])
                    for key in OUTPUTS.tables(study)
                },
                code=JOBS.digest("tables"),
            script:
                "../scripts/tables.py"

    if OUTPUTS.figures(study):

        rule:
            name:
                f"figures_{name.replace('-', '_')}"
            input:
                OUTPUTS.source_files(
                    study, {figure for figure, _ in OUTPUTS.figures(study).values()}
                ),
            output:
                report(
                    OUTPUTS.pictures(study, *OUTPUTS.figures(study)),
                    caption="../report/figure.rst",
                    category=name,
                    subcategory="figures",
                ),
                OUTPUTS.points(study, *OUTPUTS.figures(study)),
            log:
                f"{BASE}/{name}/logs/figures.log",
            localrule: True
            conda:
                "../../envs/report.yaml"
            params:
                specs={
                    file: (
                        study.figure_spec(figure),
                        protocol,
                        OUTPUTS.sources(study)[figure],
                    )
                    for file, (figure, protocol) in OUTPUTS.figures(study).items()
                },
                dataset=study.curves[0],
                code=JOBS.digest("figures"),
            script:
                "../scripts/figures.py"


# Tables and figures that are targets by themselves (`alone` in a study file): of their own scores only.
rule table:
    input:
        lambda wildcards: JOBS.scores(
            study_of(wildcards), study_of(wildcards).tables[wildcards.table]
        ),
    output:
        expand(f"{BASE}/{{{{study}}}}/{{{{table}}}}.{{suffix}}", suffix=TABLE_FORMATS),
    log:
        f"{BASE}/{{study}}/logs/{{table}}.log",
    wildcard_constraints:
        table=OUTPUTS.alone_tables,
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        spec=lambda wildcards: study_of(wildcards).table_spec(wildcards.table),
        averages=lambda wildcards: dict(study_of(wildcards).averages),
        code=JOBS.digest("table"),
    script:
        "../scripts/table.py"


rule figure:
    input:
        lambda wildcards: JOBS.scores(
            study_of(wildcards),
            study_of(wildcards).figures[OUTPUTS.figure_of(wildcards)[0]],
        ),
    output:
        expand(
            f"{BASE}/{{{{study}}}}/{{{{figure}}}}.{{suffix}}",
            suffix=[*PLAN.config["figure_formats"], "json"],
        ),
    log:
        f"{BASE}/{{study}}/logs/{{figure}}.log",
    wildcard_constraints:
        figure=OUTPUTS.alone_figures,
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        spec=lambda wildcards: study_of(wildcards).figure_spec(
            OUTPUTS.figure_of(wildcards)[0]
        ),
        protocol=lambda wildcards: OUTPUTS.figure_of(wildcards)[1],
        dataset=lambda wildcards: study_of(wildcards).curves[0],
        averages=lambda wildcards: dict(study_of(wildcards).averages),
        code=JOBS.digest("figure"),
    script:
        "../scripts/figure.py"


rule audit:
    input:
        tables=lambda wildcards: OUTPUTS.printed_tables(study_of(wildcards)),
        datasets=f"{BASE}/{{study}}/datasets.parquet",
        gathered=lambda wildcards: OUTPUTS.claimed_of(study_of(wildcards)),
        ratios=lambda wildcards: OUTPUTS.ratios(study_of(wildcards)),
    output:
        csv=f"{BASE}/{{study}}/audit.csv",
        sizes=f"{BASE}/{{study}}/audit-sizes.csv",
        order=f"{BASE}/{{study}}/audit-order.csv",
        claims=f"{BASE}/{{study}}/claims.csv",
        lines=f"{BASE}/{{study}}/claims-lines.csv",
        differences=f"{BASE}/{{study}}/claims-differences.csv",
        md=report(
            f"{BASE}/{{study}}/audit.md",
            caption="../report/audit.rst",
            category="{study}",
        ),
    log:
        f"{BASE}/{{study}}/logs/audit.log",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings=lambda wildcards: claim_settings(study_of(wildcards)),
        left_out=lambda wildcards: list(study_of(wildcards).left_out),
        own_data=lambda wildcards: PLAN.own_data(study_of(wildcards)),
        printed=lambda wildcards: OUTPUTS.printed_specs(study_of(wildcards)),
        all_methods=PLAN.config.get("methods") is None,
        # Files of the project by their content, whatever date they have.
        published=lambda wildcards: OUTPUTS.printed_cells(study_of(wildcards)),
        sizes=lambda wildcards: OUTPUTS.printed_sizes(study_of(wildcards)),
        claims=lambda wildcards: PLAN.claims(study_of(wildcards)),
        content=lambda wildcards: OUTPUTS.contents(
            *PLAN.claims(study_of(wildcards)),
            *OUTPUTS.printed_cells(study_of(wildcards)),
            *OUTPUTS.printed_sizes(study_of(wildcards)),
        ),
        code=JOBS.digest("audit"),
    script:
        "../scripts/audit.py"


rule manifest:
    input:
        results=lambda wildcards: OUTPUTS.results(study_of(wildcards)),
        data=lambda wildcards: JOBS.prepared(study_of(wildcards)),
        raw=lambda wildcards: JOBS.raw(study_of(wildcards)),
    output:
        manifest=f"{BASE}/{{study}}/manifest.json",
        jobs=f"{BASE}/{{study}}/jobs.csv",
    log:
        f"{BASE}/{{study}}/logs/manifest.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        study=lambda wildcards: manifest_description(PLAN, JOBS, study_of(wildcards)),
        timed=lambda wildcards: OUTPUTS.timed_results(study_of(wildcards)),
        benchmarks=lambda wildcards: JOBS.benchmarks(study_of(wildcards)),
        threads=lambda wildcards: {"predict": threads_of(wildcards)},
        code=JOBS.digest("manifest"),
    script:
        "../scripts/manifest.py"


rule crate:
    input:
        results=lambda wildcards: OUTPUTS.results(study_of(wildcards)),
        manifest=f"{BASE}/{{study}}/manifest.json",
        jobs=f"{BASE}/{{study}}/jobs.csv",
    output:
        f"{BASE}/{{study}}.crate.zip",
    log:
        f"{BASE}/{{study}}/logs/crate.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        title=lambda wildcards: study_of(wildcards).title,
        identifier=lambda wildcards: study_of(wildcards).identifier,
        used=lambda wildcards: manifest_description(PLAN, JOBS, study_of(wildcards)),
        code=JOBS.digest("crate"),
    script:
        "../scripts/crate.py"


# Pages to explore: of everything that the run has gathered, drawn and judged.
rule site:
    input:
        [OUTPUTS.results(study) for study in STUDIES.values()],
        [
            f"{BASE}/{study}/{name}"
            for study in STUDIES
            for name in ("manifest.json", "jobs.csv")
        ],
        sorted({path for study in STUDIES.values() for path in JOBS.prepared(study)}),
    output:
        # The earlier site stays where the job fails.
        update(OUTPUTS.site()),
    log:
        f"{BASE}/logs/site.log",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        content=lambda wildcards: OUTPUTS.described,
        code=JOBS.digest("site"),
    script:
        "../scripts/site.py"
