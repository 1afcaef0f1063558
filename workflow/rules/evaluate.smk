# From a data set and its splits to tidy scores. A job is (study, protocol, data set, group of methods, batch of
# splits); one thread each, so that results do not depend on the number of cores.


rule reduce:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        design=f"{RESULTS}/data/{{dataset}}.design.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
    output:
        temp(
            f"{BASE}/{{study}}/reduced/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.npz"
        ),
    log:
        f"{BASE}/{{study}}/logs/reduce/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/reduce/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.tsv"
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        settings=settings_of_group,
        seed=config["seed"],
        code=digest_of_group,
    script:
        "../scripts/reduce.py"


rule predict:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        design=f"{RESULTS}/data/{{dataset}}.design.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
        reduced=f"{BASE}/{{study}}/reduced/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.npz",
    output:
        f"{BASE}/{{study}}/scores/{{protocol}}/{{dataset}}/{{group}}/{{predictor}}/{{batch}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/predict/{{protocol}}/{{dataset}}/{{group}}/{{predictor}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/predict/{{protocol}}/{{dataset}}/{{group}}/{{predictor}}/{{batch}}.tsv"
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        settings=settings_of_group,
        measured=measured,
        code=digest_of_group,
    script:
        "../scripts/predict.py"


rule gather:
    input:
        score_parts,
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
        code=digest("gather"),
    script:
        "../scripts/gather.py"
