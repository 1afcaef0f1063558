# From scores to tables, figures, the audit and the page: re-drawing never re-computes.


# Seconds of work each: on a cluster, submitting them would cost more.
localrules:
    gather,
    details,
    areas,
    summarise,
    choices,
    failures,
    table,
    figure,
    audit,
    describe,
    manifest,
    crate,
    page,


rule gather:
    input:
        scores=score_parts,
        failures=failed_scores,
    output:
        scores=f"{BASE}/{{study}}/scores.parquet",
        summary=report(
            f"{BASE}/{{study}}/summary.csv",
            caption="../report/summary.rst",
            category="{study}",
        ),
    log:
        f"{BASE}/{{study}}/logs/gather.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/gather.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        averages=lambda wildcards: dict(study_of(wildcards).averages),
        code=digest("gather"),
    script:
        "../scripts/gather.py"


rule details:
    input:
        parts=detail_parts,
        failures=failed_details,
    output:
        f"{BASE}/{{study}}/{{details}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/{{details}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/{{details}}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=digest("details"),
    script:
        "../scripts/details.py"


rule areas:
    input:
        scores=f"{BASE}/{{study}}/scores.parquet",
        failures=failed_scores,
    output:
        f"{BASE}/{{study}}/areas.csv",
    log:
        f"{BASE}/{{study}}/logs/areas.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/areas.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        averages=lambda wildcards: dict(study_of(wildcards).averages),
        code=digest("areas"),
    script:
        "../scripts/areas.py"


rule summarise:
    input:
        scores=score_parts,
        failures=failed_scores,
    output:
        f"{BASE}/{{study}}/summaries/{{predictor}}.csv",
    log:
        f"{BASE}/{{study}}/logs/summarise/{{predictor}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/summarise/{{predictor}}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        averages=lambda wildcards: dict(study_of(wildcards).averages),
        code=digest("summarise"),
    script:
        "../scripts/summarise.py"


rule choices:
    input:
        choices=choice_parts,
        failures=failed_choices,
    output:
        f"{BASE}/{{study}}/choices.csv",
    log:
        f"{BASE}/{{study}}/logs/choices.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/choices.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=digest("choices"),
    script:
        "../scripts/choices.py"


rule failures:
    input:
        failure_parts,
    output:
        report(
            f"{BASE}/{{study}}/failures.csv",
            caption="../report/failures.rst",
            category="{study}",
        ),
    log:
        f"{BASE}/{{study}}/logs/failures.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=digest("failures"),
    script:
        "../scripts/failures.py"


rule table:
    input:
        table_source,
    output:
        csv=report(
            f"{BASE}/{{study}}/{{table}}.csv",
            caption="../report/table.rst",
            category="{study}",
        ),
        md=f"{BASE}/{{study}}/{{table}}.md",
        tex=f"{BASE}/{{study}}/{{table}}.tex",
    log:
        f"{BASE}/{{study}}/logs/{{table}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/table/{{table}}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        spec=lambda wildcards: dict(study_of(wildcards).tables[wildcards.table]),
        code=digest("table"),
    script:
        "../scripts/table.py"


rule figure:
    input:
        figure_source,
    output:
        svg=f"{BASE}/{{study}}/{{figure}}{{variant}}.svg",
        png=report(
            f"{BASE}/{{study}}/{{figure}}{{variant}}.png",
            caption="../report/figure.rst",
            category="{study}",
        ),
        pdf=f"{BASE}/{{study}}/{{figure}}{{variant}}.pdf",
    log:
        f"{BASE}/{{study}}/logs/{{figure}}{{variant}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/figure/{{figure}}{{variant}}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        spec=figure_spec,
        protocol=lambda wildcards: variants(wildcards.study, wildcards.figure)[
            wildcards.variant
        ],
        dataset=lambda wildcards: study_of(wildcards).curves[0],
        code=digest("figure"),
    script:
        "../scripts/figure.py"


rule audit:
    input:
        tables=printed_tables,
        published=printed_cells_of,
        summary=f"{BASE}/{{study}}/summary.csv",
        datasets=f"{BASE}/{{study}}/datasets.csv",
        others=looked_at_by_claims,
        claims=CLAIMS,
    output:
        csv=report(
            f"{BASE}/{{study}}/audit.csv",
            caption="../report/audit.rst",
            category="{study}",
        ),
        claims=report(
            f"{BASE}/{{study}}/claims.csv",
            caption="../report/audit.rst",
            category="{study}",
        ),
        md=f"{BASE}/{{study}}/audit.md",
    log:
        f"{BASE}/{{study}}/logs/audit.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/audit.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        claimed_on=lambda wildcards: list(study_of(wildcards).claimed_on),
        left_out=lambda wildcards: list(study_of(wildcards).left_out),
        content=lambda wildcards: contents(CLAIMS, *printed_cells_of(wildcards)),
        code=digest("audit"),
    script:
        "../scripts/audit.py"


rule describe:
    input:
        prepared_of,
    output:
        f"{BASE}/{{study}}/datasets.csv",
    log:
        f"{BASE}/{{study}}/logs/describe.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/describe.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=digest("describe"),
    script:
        "../scripts/describe.py"


rule manifest:
    input:
        results=lambda wildcards: results_of(wildcards.study),
        data=prepared_of,
        raw=raw_folders_of,
    output:
        manifest=f"{BASE}/{{study}}/manifest.json",
        jobs=f"{BASE}/{{study}}/jobs.csv",
    log:
        f"{BASE}/{{study}}/logs/manifest.log",
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        study=description_of,
        timed=timed_results,
        jobs=jobs_of,
        names=names_of,
        threads=threads_of,
        shared=shared_benchmarks,
        code=digest("manifest"),
    script:
        "../scripts/manifest.py"


rule crate:
    input:
        results=lambda wildcards: results_of(wildcards.study),
        manifest=f"{BASE}/{{study}}/manifest.json",
        jobs=f"{BASE}/{{study}}/jobs.csv",
    output:
        f"{BASE}/{{study}}.crate.zip",
    log:
        f"{BASE}/{{study}}/logs/crate.log",
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        title=lambda wildcards: study_of(wildcards).title,
        identifier=lambda wildcards: study_of(wildcards).identifier,
        code=digest("crate"),
    script:
        "../scripts/crate.py"


rule page:
    input:
        [outputs_of(study) for study in STUDIES],
    output:
        f"{BASE}/report.html",
    log:
        f"{BASE}/logs/page.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        scale=config["scale"],
        studies={name: shown_on_page(study) for name, study in STUDIES.items()},
        code=digest("page"),
    script:
        "../scripts/page.py"
