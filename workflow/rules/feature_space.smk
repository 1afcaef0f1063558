# From a data set and its splits to tidy scores, for projections of the feature space and for selectors. A job is (study, protocol, data set,
# group of methods, batch of splits); one thread each, so that results do not depend on the number of cores.


# Seconds of work each, as in outputs.smk.
localrules:
    proximities,
    costs,
    approximations,
    ratios,
    times,


rule search_parameters:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
    output:
        choices=f"{BASE}/{{study}}/choices/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.parquet",
        failures=update(
            f"{BASE}/{{study}}/failures/choose/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.csv"
        ),
    log:
        f"{BASE}/{{study}}/logs/search/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/search/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.tsv"
    wildcard_constraints:
        study=of_family("projection"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("search"),
    params:
        settings=settings_of_group,
        search=search_of_group,
        seed=config["seed"],
        code=digest_of_group,
    script:
        "../scripts/search_parameters.py"


rule reduce_features:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
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
        study=of_family("projection"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("reduce"),
    params:
        settings=settings_of_group,
        seed=config["seed"],
        code=digest_of_group,
    script:
        "../scripts/reduce_features.py"


rule predict_features:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
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
        study=of_family("projection"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("predict"),
    params:
        settings=settings_of_group,
        measured=measured,
        code=digest_of_group,
    script:
        "../scripts/predict_features.py"


rule rank_features:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
    output:
        rankings=f"{BASE}/{{study}}/rankings/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.parquet",
        failures=update(
            f"{BASE}/{{study}}/failures/rank/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.csv"
        ),
    log:
        f"{BASE}/{{study}}/logs/rank/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/rank/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.tsv"
    wildcard_constraints:
        study=of_family("selection"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("rank"),
    params:
        settings=settings_of_group,
        seed=config["seed"],
        code=digest_of_group,
    script:
        "../scripts/rank_features.py"


rule predict_ranked:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
        rankings=f"{BASE}/{{study}}/rankings/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.parquet",
        failures=f"{BASE}/{{study}}/failures/rank/{{protocol}}/{{dataset}}/{{group}}/{{batch}}.csv",
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
        study=of_family("selection"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("predict"),
    params:
        settings=settings_of_group,
        measured=measured,
        code=digest_of_group,
    script:
        "../scripts/predict_ranked.py"


rule image:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
        choices=choices_of_images,
        failures=failed_choices_of_images,
    output:
        images=f"{BASE}/{{study}}/images/{{dataset}}.parquet",
        failures=update(f"{BASE}/{{study}}/failures/image/{{dataset}}.csv"),
    log:
        f"{BASE}/{{study}}/logs/image/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/image/{{dataset}}.tsv"
    wildcard_constraints:
        study=of_family("projection"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=memory,
        runtime=minutes("image"),
    params:
        settings=settings_of_images,
        code=digest_of_images,
    script:
        "../scripts/image.py"


rule proximities:
    input:
        images=lambda wildcards: of_datasets(wildcards, "images/{dataset}.parquet"),
        summary=f"{BASE}/{{study}}/summary.csv",
    output:
        f"{BASE}/{{study}}/proximities.parquet",
    log:
        f"{BASE}/{{study}}/logs/proximities.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/proximities.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        figure=figure_of_images,
        protocol=lambda wildcards: next(iter(study_of(wildcards).protocols)),
        code=digest("proximities"),
    script:
        "../scripts/proximities.py"


rule cost:
    input:
        f"{RESULTS}/data/{{dataset}}.npz",
    output:
        costs=f"{BASE}/{{study}}/costs/{{dataset}}.csv",
        failures=update(f"{BASE}/{{study}}/failures/cost/{{dataset}}.csv"),
    log:
        f"{BASE}/{{study}}/logs/cost/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/cost/{{dataset}}.tsv"
    wildcard_constraints:
        study=of_family("projection"),
    conda:
        "../../envs/compute.yaml"
    # All cores, of which it uses one: nothing runs beside what is timed.
    threads: workflow.cores
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        costs=lambda wildcards: dict(study_of(wildcards).costs),
        space=lambda wildcards: study_of(wildcards).space_of(wildcards.dataset),
        seed=config["seed"],
        code=digest_of_costs,
    script:
        "../scripts/cost.py"


rule costs:
    input:
        times=lambda wildcards: of_datasets(
            wildcards, "costs/{dataset}.csv", study_of(wildcards).costed
        ),
        failures=lambda wildcards: of_datasets(
            wildcards, "failures/cost/{dataset}.csv", study_of(wildcards).costed
        ),
    output:
        f"{BASE}/{{study}}/costs.csv",
    log:
        f"{BASE}/{{study}}/logs/costs.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/costs.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        averages={},
        code=digest("times"),
    script:
        "../scripts/times.py"


rule approximate:
    input:
        f"{RESULTS}/data/{{dataset}}.npz",
    output:
        errors=f"{BASE}/{{study}}/approximations/{{dataset}}.parquet",
        theorem=f"{BASE}/{{study}}/theorems/{{dataset}}.csv",
    log:
        f"{BASE}/{{study}}/logs/approximate/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/approximate/{{dataset}}.tsv"
    wildcard_constraints:
        study=of_family("selection"),
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(60),
    params:
        approximation=lambda wildcards: dict(study_of(wildcards).approximation),
        seed=config["seed"],
        code=digest("approximate"),
    script:
        "../scripts/approximate.py"


rule approximations:
    input:
        errors=lambda wildcards: of_datasets(
            wildcards, "approximations/{dataset}.parquet"
        ),
        theorem=lambda wildcards: of_datasets(wildcards, "theorems/{dataset}.csv"),
    output:
        errors=f"{BASE}/{{study}}/approximation.csv",
        theorem=f"{BASE}/{{study}}/theorem.csv",
    log:
        f"{BASE}/{{study}}/logs/approximations.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/approximations.tsv"
    conda:
        "../../envs/compute.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=digest("approximations"),
    script:
        "../scripts/approximations.py"


rule ratios:
    input:
        times=f"{BASE}/{{study}}/times.csv",
        published=published_of,
    output:
        f"{BASE}/{{study}}/ratios.csv",
    log:
        f"{BASE}/{{study}}/logs/ratios.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/ratios.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        base=base_of_ratios,
        content=lambda wildcards: contents(*published_of(wildcards)),
        code=digest("ratios"),
    script:
        "../scripts/ratios.py"


rule time:
    input:
        data=f"{RESULTS}/data/{{dataset}}.npz",
        splits=f"{BASE}/{{study}}/splits/{{dataset}}.npz",
    output:
        times=f"{BASE}/{{study}}/times/{{dataset}}.csv",
        failures=update(f"{BASE}/{{study}}/failures/time/{{dataset}}.csv"),
    log:
        f"{BASE}/{{study}}/logs/time/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/time/{{dataset}}.tsv"
    wildcard_constraints:
        study=of_family("projection", "selection"),
    conda:
        "../../envs/compute.yaml"
    # All cores, of which it uses one: nothing runs beside what is timed.
    threads: workflow.cores
    resources:
        mem_mb=memory,
        runtime=minutes("time"),
    params:
        settings=settings_of_times,
        seed=config["seed"],
        code=digest_of_times,
    script:
        "../scripts/time.py"


rule times:
    input:
        times=lambda wildcards: of_datasets(wildcards, "times/{dataset}.csv"),
        failures=lambda wildcards: of_datasets(wildcards, "failures/time/{dataset}.csv"),
    output:
        f"{BASE}/{{study}}/times.csv",
    log:
        f"{BASE}/{{study}}/logs/times.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/times.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        averages=lambda wildcards: dict(study_of(wildcards).averages),
        code=digest("times"),
    script:
        "../scripts/times.py"
