# From scores alone to tables, figures, the audit and the page: re-drawing never re-computes.


rule table:
    input:
        f"{BASE}/{{study}}/summary.csv",
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
        f"{BASE}/{{study}}/summary.csv",
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
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        spec=lambda wildcards: dict(study_of(wildcards).figures[wildcards.figure]),
        protocol=lambda wildcards: variants(wildcards.study)[wildcards.variant],
        dataset=lambda wildcards: study_of(wildcards).curves[0],
        code=digest("figure"),
    script:
        "../scripts/figure.py"


rule audit:
    input:
        tables=table_sources,
        published=published_of,
    output:
        csv=report(
            f"{BASE}/{{study}}/audit.csv",
            caption="../report/audit.rst",
            category="{study}",
        ),
        md=f"{BASE}/{{study}}/audit.md",
    log:
        f"{BASE}/{{study}}/logs/audit.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=digest("audit"),
    script:
        "../scripts/audit.py"


rule manifest:
    input:
        scores=f"{BASE}/{{study}}/scores.parquet",
        data=prepared_of,
    output:
        f"{BASE}/{{study}}/manifest.json",
    log:
        f"{BASE}/{{study}}/logs/manifest.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        study=description_of,
        code=digest("manifest"),
    script:
        "../scripts/manifest.py"


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
        studies={
            name: {
                "title": study.title,
                "tables": {key: dict(spec) for key, spec in study.tables.items()},
                "figures": {key: dict(spec) for key, spec in study.figures.items()},
                "protocols": list(study.protocols),
                "variants": variants(name),
                "datasets": list(study.datasets),
            }
            for name, study in STUDIES.items()
        },
        code=digest("page"),
    script:
        "../scripts/page.py"
