# From a data set and its splits to tidy scores, for methods that reduce the label space. A job is (study, protocol, data set,
# group of methods, batch of splits); one thread each, so that results do not depend on the number of cores.


rule choose_kernel:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
    output:
        choices=f"{BASE}/{{study}}/choices/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.parquet",
        failures=update(
            f"{BASE}/{{study}}/failures/choose/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.csv"
        ),
    log:
        f"{BASE}/{{study}}/logs/choose/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/choose/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.tsv"
    wildcard_constraints:
        study=of_family("labelspace"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("choose"),
    params:
        settings=settings_of_group,
        candidates=candidates_of_group,
        seed=config["seed"],
        code=digest_of_group,
    script:
        "../scripts/choose_kernel.py"


rule reduce_labels:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        design=f"{RESULTS}/data/{{dataset}}.design.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
        choices=choices_of_group,
        failures=failed_choices_of_group,
    output:
        reduced=temp(
            f"{BASE}/{{study}}/reduced/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.npz"
        ),
        spectra=f"{BASE}/{{study}}/spectra/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.parquet",
        failures=update(
            f"{BASE}/{{study}}/failures/reduce/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.csv"
        ),
    log:
        f"{BASE}/{{study}}/logs/reduce/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/reduce/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.tsv"
    wildcard_constraints:
        study=of_family("labelspace"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("reduce-labels"),
    params:
        settings=settings_of_group,
        chosen_once=chosen_once,
        seed=config["seed"],
        code=digest_of_group,
    script:
        "../scripts/reduce_labels.py"


rule predict_labels:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        design=f"{RESULTS}/data/{{dataset}}.design.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
        reduced=f"{BASE}/{{study}}/reduced/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.npz",
        choices=choices_of_group,
        failures=f"{BASE}/{{study}}/failures/reduce/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.csv",
    output:
        scores=f"{BASE}/{{study}}/scores/{{protocol}}/{{dataset}}/{{group}}/{{predictor}}/{{batch}}.parquet",
        failures=update(
            f"{BASE}/{{study}}/failures/predict/{{protocol}}/{{dataset}}/{{group}}/{{predictor}}/{{batch}}.csv"
        ),
    log:
        f"{BASE}/{{study}}/logs/predict/{{protocol}}/{{dataset}}/{{group}}/{{predictor}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/predict/{{protocol}}/{{dataset}}/{{group}}/{{predictor}}/{{batch}}.tsv"
    wildcard_constraints:
        study=of_family("labelspace"),
    conda:
        "../../envs/compute.yaml"
    threads: config["threads_per_job"]
    resources:
        mem_mb=memory,
        runtime=minutes("predict"),
    params:
        settings=settings_of_group,
        chosen_once=chosen_once,
        measured=measured,
        code=digest_of_group,
    script:
        "../scripts/predict_labels.py"
