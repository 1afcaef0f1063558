# From scores to tables, figures, the audit and the report: seconds of work each, and no computation is repeated. Rules
# whose files depend on the study are made in a loop, one per study. All run where Snakemake was started: `localrule` in
# each, since a list under `localrules` names none of them where the workflow is a module of another.


for name, study in STUDIES.items():

    rule:
        name:
            f"gather_{name.replace('-', '_')}"
        input:
            **OUTPUTS.gathered_from(study),
            retry=retry(f"gather_{name.replace('-', '_')}"),
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
            **gathered_with(study, OUTPUTS.gathered_from(study)),
            study=name,
            averages=dict(study.averages),
            code=JOBS.digest("gather"),
        script:
            "../scripts/gather.py"

    # Tables and figures wait only for their jobs: those that are made from the same files share a job.
    for number, (files, sources) in enumerate(
        OUTPUTS.made_together(study, study.tables), start=1
    ):

        rule:
            name:
                f"tables_{name.replace('-', '_')}_{number}"
            input:
                **files,
                retry=retry(f"tables_{name.replace('-', '_')}_{number}"),
            output:
                report(
                    OUTPUTS.table_files(study, *sources),
                    caption="../report/table.rst",
                    category=name,
                    subcategory="tables",
                ),
            log:
                f"{BASE}/{name}/logs/tables-{number}.log",
            priority: 3
            localrule: True
            conda:
                "../../envs/report.yaml"
            resources:
                mem_mb=2000,
            params:
                **gathered_with(study, files),
                specs={
                    key: (study.table_spec(key), source)
                    for key, source in sources.items()
                },
                averages=OUTPUTS.averages(study, sources),
                code=JOBS.digest("tables"),
            script:
                "../scripts/tables.py"

    for number, (files, sources) in enumerate(
        OUTPUTS.made_together(study, study.figures), start=1
    ):

        rule:
            name:
                f"figures_{name.replace('-', '_')}_{number}"
            input:
                **files,
                retry=retry(f"figures_{name.replace('-', '_')}_{number}"),
            output:
                report(
                    OUTPUTS.pictures(study, *OUTPUTS.figures(study, sources)),
                    caption="../report/figure.rst",
                    category=name,
                    subcategory="figures",
                ),
                OUTPUTS.points(study, *OUTPUTS.figures(study, sources)),
            log:
                f"{BASE}/{name}/logs/figures-{number}.log",
            localrule: True
            conda:
                "../../envs/report.yaml"
            resources:
                mem_mb=2000,
            params:
                **gathered_with(study, files),
                specs={
                    file: (study.figure_spec(figure), protocol, sources[figure])
                    for file, (figure, protocol) in OUTPUTS.figures(
                        study, sources
                    ).items()
                },
                dataset=study.curves[0],
                averages=OUTPUTS.averages(study, sources),
                code=JOBS.digest("figures"),
            script:
                "../scripts/figures.py"


rule audit:
    input:
        tables=lambda wildcards: OUTPUTS.printed_tables(study_of(wildcards)),
        datasets=f"{BASE}/{{study}}/datasets.parquet",
        gathered=lambda wildcards: OUTPUTS.claimed_of(study_of(wildcards)),
        ratios=lambda wildcards: OUTPUTS.ratios(study_of(wildcards)),
        retry=retry("audit"),
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
        all_methods=PLAN.config.get("methods") is None,
        # Files of the project by their content, since a checkout changes their dates.
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
        retry=retry("manifest"),
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
        retry=retry("crate"),
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


# Pages of all gathered, drawn and judged results of the run.
rule site:
    input:
        [OUTPUTS.results(study) for study in STUDIES.values()],
        [
            f"{BASE}/{study}/{name}"
            for study in STUDIES
            for name in ("manifest.json", "jobs.csv")
        ],
        sorted({path for study in STUDIES.values() for path in JOBS.prepared(study)}),
        retry=retry("site"),
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


# Targets by name: a study, its tables and figures, and each of these.
for target, files in OUTPUTS.targets().items():

    rule:
        name:
            target
        input:
            files,
