# From the published files to one checked .npz a data set, its factorised design, and the random orders of its rows.


# On a cluster, where it was started: nodes may have no network.
localrules:
    fetch,


rule fetch:
    output:
        directory(f"{RESULTS}/data/raw/{{dataset}}"),
    log:
        f"{RESULTS}/logs/fetch/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/fetch/{{dataset}}.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=30,
    params:
        entry=entry_text,
        code=digest("fetch"),
    script:
        "../scripts/fetch.py"


rule prepare:
    input:
        raw_folder,
    output:
        f"{RESULTS}/data/{{dataset}}.npz",
    log:
        f"{RESULTS}/logs/prepare/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/prepare/{{dataset}}.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(15),
    params:
        entry=entry_text,
        code=digest("prepare"),
    script:
        "../scripts/prepare.py"


rule factorise:
    input:
        f"{RESULTS}/data/{{dataset}}.npz",
    output:
        # Kept, 0.25 GB for all sets: made anew for one method, it would make Snakemake run all others again.
        f"{RESULTS}/data/{{dataset}}.design.npz",
    log:
        f"{RESULTS}/logs/factorise/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/factorise/{{dataset}}.tsv"
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("factorise"),
    params:
        code=digest("factorise"),
    script:
        "../scripts/factorise.py"


rule split:
    input:
        f"{RESULTS}/data/{{dataset}}.npz",
    output:
        f"{BASE}/{{study}}/splits/{{dataset}}.npz",
    log:
        f"{BASE}/{{study}}/logs/split/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/split/{{dataset}}.tsv"
    conda:
        "../../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        n_splits=lambda wildcards: study_of(wildcards).splits,
        seed=config["seed"],
        in_parts=lambda wildcards: study_of(wildcards).in_parts,
        code=digest("split"),
    script:
        "../scripts/split.py"
