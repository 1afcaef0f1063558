# From published files to scores: fetch, prepare, and for each split normalise, choose, fit, predict.


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
        # Files of users by their checksums: a change re-runs what was made of them.
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


# A job of the rules below is a unit of a study on a data set (a group under a protocol, all of them where data are
# small, or one method) and a batch of splits; one thread each, so that results do not depend on the number of cores.
# Each job begins with the same two steps for each of its splits: rows are drawn from the seed, and features normalised
# by the training rows alone (mlreduce.evaluation.view.normalise, in the way that `params.normalisation` says). They have
# no job, since they take less time than to start one: 0.1 s for 5,000 rows of 500 features, against 0.7 s.


rule choose:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        retry=retry("choose"),
    output:
        f"{BASE}/{{study}}/choices/{{dataset}}/{{unit}}/{{batch}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/choose/{{dataset}}/{{unit}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/choose/{{dataset}}/{{unit}}/{{batch}}.tsv"
    group:
        pack("choose")
    conda:
        "../../envs/compute.yaml"
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "choose", PACKING.minutes > 0),
        serial=serial,
    params:
        normalisation=normalisation_of,
        settings=of_job(JOBS.settings, "choose"),
        seed=config["seed"],
        code=lambda wildcards: JOBS.digest(
            "choose", study_of(wildcards), wildcards.unit, ALL
        ),
    script:
        "../scripts/choose.py"


rule fit:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        design=design_of,
        choices=choices_of,
        retry=retry("fit"),
    output:
        fitted=kept(f"{BASE}/{{study}}/fitted/{{dataset}}/{{unit}}/{{batch}}.npz"),
        details=f"{BASE}/{{study}}/details/{{dataset}}/{{unit}}/{{batch}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/fit/{{dataset}}/{{unit}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/fit/{{dataset}}/{{unit}}/{{batch}}.tsv"
    group:
        pack("fit")
    conda:
        "../../envs/compute.yaml"
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "fit", PACKING.minutes > 0),
        serial=serial,
    params:
        normalisation=normalisation_of,
        settings=of_job(JOBS.settings, "fit"),
        seed=config["seed"],
        code=lambda wildcards: JOBS.digest("fit", study_of(wildcards), wildcards.unit),
    script:
        "../scripts/fit.py"


rule predict:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        design=design_of,
        fitted=f"{BASE}/{{study}}/fitted/{{dataset}}/{{unit}}/{{batch}}.npz",
        details=f"{BASE}/{{study}}/details/{{dataset}}/{{unit}}/{{batch}}.parquet",
        choices=choices_of,
        retry=retry("predict"),
    output:
        f"{BASE}/{{study}}/scores/{{dataset}}/{{unit}}/{{predictor}}/{{batch}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/predict/{{dataset}}/{{unit}}/{{predictor}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/predict/{{dataset}}/{{unit}}/{{predictor}}/{{batch}}.tsv"
    priority: 1  # what is begun comes to its tables before the next is begun
    group:
        pack("predict")
    conda:
        "../../envs/compute.yaml"
    threads: threads_of
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "predict", PACKING.minutes > 0),
        serial=serial,
    params:
        normalisation=normalisation_of,
        settings=of_job(JOBS.settings, "predict"),
        seed=config["seed"],
        code=lambda wildcards: JOBS.digest(
            "predict", study_of(wildcards), wildcards.unit, wildcards.predictor
        ),
    script:
        "../scripts/predict.py"
