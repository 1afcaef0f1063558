# From a data set to scores: split, normalise, choose, fit, predict. A job is a unit of a study on a data set (a group
# under a protocol, all of them where data are small, or one method) and a batch of splits; one thread each, so that
# results do not depend on the number of cores. Each job begins with the same two steps for each of its splits, which are
# quicker done again than read: rows are drawn from the seed, and features normalised by the training rows alone
# (mlreduce.evaluation.view.normalise, in the way that `params.normalisation` says).


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
    conda:
        "../../envs/compute.yaml"
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "choose"),
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
    conda:
        "../../envs/compute.yaml"
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "fit"),
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
    conda:
        "../../envs/compute.yaml"
    threads: threads_of
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "predict"),
    params:
        normalisation=normalisation_of,
        settings=of_job(JOBS.settings, "predict"),
        seed=config["seed"],
        code=lambda wildcards: JOBS.digest(
            "predict", study_of(wildcards), wildcards.unit, wildcards.predictor
        ),
    script:
        "../scripts/predict.py"
