# From published files to one checked archive of arrays per data set.


rule fetch:
    input:
        retry=retry("fetch"),
    output:
        directory(f"{DATA}/raw/{{dataset}}"),
    log:
        f"{RESULTS}/logs/fetch/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/fetch/{{dataset}}.tsv"
    localrule: True  # where Snakemake was started: nodes of a cluster may have no network
    conda:
        "../../envs/data.yaml"
    params:
        entry=lambda wildcards: PLAN.catalogue[wildcards.dataset].to_json(),
        code=JOBS.digest("fetch"),
    script:
        "../scripts/fetch.py"


rule prepare:
    input:
        raw=lambda wildcards: JOBS.raw_folder(wildcards.dataset),
        retry=retry("prepare"),
    output:
        f"{DATA}/{{dataset}}.npz",
    log:
        f"{RESULTS}/logs/prepare/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/prepare/{{dataset}}.tsv"
    conda:
        "../../envs/data.yaml"
    resources:
        mem_mb=growing(3000),
        runtime=growing(15),
    params:
        # A user's own files by their checksums: a change re-runs what was made of them.
        entry=lambda wildcards: PLAN.catalogue[wildcards.dataset].to_json(),
        code=JOBS.digest("prepare"),
    script:
        "../scripts/prepare.py"


# [1 X] = USV', for every split, method and protocol of label-space reduction.
rule factorise:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        retry=retry("factorise"),
    output:
        f"{DATA}/{{dataset}}.design.npz",
    log:
        f"{RESULTS}/logs/factorise/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/factorise/{{dataset}}.tsv"
    conda:
        "../../envs/compute.yaml"
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "factorise"),
    params:
        code=JOBS.digest("factorise"),
    script:
        "../scripts/factorise.py"
