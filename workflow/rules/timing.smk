# Seconds and memory of fits, alone on the machine; approximations and images of what methods see.


rule time:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        retry=retry("time"),
    output:
        f"{BASE}/{{study}}/times/{{dataset}}/{{group}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/time/{{dataset}}/{{group}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/time/{{dataset}}/{{group}}.tsv"
    group:
        pack("time")
    conda:
        "../../envs/compute.yaml"
    threads: alone
    resources:
        mem_mb=memory_of(PLAN, JOBS),
        runtime=minutes_of(PLAN, JOBS, "time", PACKING.minutes > 0),
        serial=serial,
    params:
        settings=lambda wildcards: JOBS.timing(
            study_of(wildcards), wildcards.dataset, wildcards.group
        ),
        seed=config["seed"],
        code=lambda wildcards: JOBS.digest(
            "time",
            study_of(wildcards),
            JOBS.unit_of(study_of(wildcards), wildcards.group),
        ),
    script:
        "../scripts/time.py"


rule cost:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        retry=retry("cost"),
    output:
        f"{BASE}/{{study}}/costs/{{dataset}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/cost/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/cost/{{dataset}}.tsv"
    conda:
        "../../envs/compute.yaml"
    threads: alone
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        costs=lambda wildcards: dict(study_of(wildcards).costs),
        space=lambda wildcards: study_of(wildcards).space_of(wildcards.dataset),
        seed=config["seed"],
        code=lambda wildcards: JOBS.digest_of_costs(study_of(wildcards)),
    script:
        "../scripts/cost.py"


rule approximate:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        retry=retry("approximate"),
    output:
        errors=f"{BASE}/{{study}}/approximations/{{dataset}}.parquet",
        theorem=f"{BASE}/{{study}}/theorems/{{dataset}}.parquet",
        dependencies=f"{BASE}/{{study}}/dependencies/{{dataset}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/approximate/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/approximate/{{dataset}}.tsv"
    conda:
        "../../envs/compute.yaml"
    resources:
        mem_mb=growing(3000),
        runtime=growing(60),
    params:
        approximation=lambda wildcards: {
            key: study_of(wildcards).approximation[key]
            for key in ("percents", "draws")
        },
        bins=lambda wildcards: [
            (*bins, methods)
            for bins, methods in approximations(
                study_of(wildcards).approximation
            ).items()
        ],
        seed=config["seed"],
        code=JOBS.digest("approximate"),
    script:
        "../scripts/approximate.py"


rule images:
    input:
        data=f"{DATA}/{{dataset}}.npz",
        choices=lambda wildcards: JOBS.images(study_of(wildcards), wildcards.dataset)[
            "choices"
        ],
        retry=retry("images"),
    output:
        f"{BASE}/{{study}}/images/{{dataset}}.parquet",
    log:
        f"{BASE}/{{study}}/logs/images/{{dataset}}.log",
    benchmark:
        f"{BASE}/{{study}}/benchmarks/images/{{dataset}}.tsv"
    conda:
        "../../envs/compute.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        settings=lambda wildcards: JOBS.images(study_of(wildcards), wildcards.dataset)[
            "settings"
        ],
        seed=config["seed"],
        code=lambda wildcards: JOBS.digest_of_images(study_of(wildcards)),
    script:
        "../scripts/images.py"
