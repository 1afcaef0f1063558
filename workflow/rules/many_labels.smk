# What reduction brings with thousands of labels (docs/many-labels.md), a separate workflow:
#   snakemake --snakefile workflow/rules/many_labels.smk --cores 1
# prepare_data -> reduce_features -> fit_pieces (a tree, a shard of labels, codes) -> measure_rows -> gather.
# --config data=NAME,... of comparisons/many-labels/many-labels.yaml; folder=FOLDER with published data; peers=PYTHON with
# other programs. --config alone=true reserves all cores for each fit, so that nothing else runs while it is measured.
import os
import sys
from pathlib import Path

PROJECT = Path(workflow.current_basedir).parents[1]
sys.path.append(str(PROJECT / "src"))

from mlreduce_studies.many_labels.settings import FILE, Settings
from mlreduce_studies.planning.needs import growing
from mlreduce_studies.planning.plan import words
from mlreduce_studies.provenance.digest import source_digest

STUDY = Settings.read(config.get("study", PROJECT / FILE), peers="peers" in config)
DATA = STUDY.data(words(config.get("data")))
BASE = f"{config.get('results', 'results')}/many-labels"
STEPS = "mlreduce_studies.many_labels.steps"
alone = os.cpu_count() if config.get("alone") in (True, "true") else 1
METHODS = ("mlreduce.predictors.label_tree", "mlreduce.labelspace.classifier")


wildcard_constraints:
    data="[A-Za-z0-9-]+",
    reducer="[a-z0-9-]+",
    model="[a-z0-9-]+",
    job="[a-z0-9]+",


def settings(wildcards):
    """The parts of the study's file on which a data set depends, so that it is run again where they change."""
    return {"content": STUDY.only(wildcards.data), "peers": STUDY.peers}


def pieces_of(wildcards):
    folder = "{data}/{reducer}/{model}".format(**wildcards)
    return [f"{BASE}/pieces/{folder}/{job}.npz" for job in STUDY.jobs(*wildcards)]


rule many_labels:
    input:
        f"{BASE}/rows.csv",


rule gather:
    input:
        [
            f"{BASE}/rows/{data}/{reducer}/{model}.csv"
            for data, reducer, model in STUDY.plan(DATA)
        ],
    output:
        f"{BASE}/rows.csv",
    log:
        f"{BASE}/logs/gather.log",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        code=source_digest(STEPS),
    script:
        "../scripts/many_labels.py"


rule prepare_data:
    output:
        f"{BASE}/data/{{data}}.npz",
    log:
        f"{BASE}/logs/data/{{data}}.log",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings=settings,
        folder=config.get("folder"),
        code=source_digest("mlreduce_studies.many_labels.data"),
    script:
        "../scripts/many_labels.py"


rule reduce_features:
    input:
        rules.prepare_data.output,
    output:
        f"{BASE}/features/{{data}}/{{reducer}}.npz",
    log:
        f"{BASE}/logs/features/{{data}}/{{reducer}}.log",
    conda:
        "../../envs/report.yaml"
    threads: alone
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        settings=settings,
        code=source_digest("mlreduce_studies.many_labels.reduction"),
    script:
        "../scripts/many_labels.py"


rule fit_pieces:
    input:
        rules.prepare_data.output,
        rules.reduce_features.output,
    output:
        f"{BASE}/pieces/{{data}}/{{reducer}}/{{model}}/{{job}}.npz",
    log:
        f"{BASE}/logs/pieces/{{data}}/{{reducer}}/{{model}}/{{job}}.log",
    conda:
        "../../envs/report.yaml"
    threads: alone
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        settings=settings,
        peers=config.get("peers"),
        code=source_digest(STEPS, *METHODS),
    script:
        "../scripts/many_labels.py"


rule measure_rows:
    input:
        rules.prepare_data.output,
        rules.reduce_features.output,
        pieces=pieces_of,
    output:
        f"{BASE}/rows/{{data}}/{{reducer}}/{{model}}.csv",
    log:
        f"{BASE}/logs/rows/{{data}}/{{reducer}}/{{model}}.log",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings=settings,
        code=source_digest(STEPS),
    script:
        "../scripts/many_labels.py"
