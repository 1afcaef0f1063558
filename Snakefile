# All studies: fetch (download) -> prepare (arrays of one form) -> normalise -> choose -> fit -> predict (train predictors)
# -> gather -> tables, figures -> audit -> site. Features are normalised within the jobs of choose, fit and predict, by the
# training rows of each split: workflow/rules/experiment.smk.
# What is run is in config/ (config/README.md); targets are named after the studies: cplst, cplst_table3, mvmd_figures.
from pathlib import Path

from snakemake.utils import min_version

min_version("9.19")


configfile: str(Path(workflow.current_basedir) / "config" / "config.yaml")


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/experiment.smk"
include: "workflow/rules/timing.smk"
include: "workflow/rules/report.smk"


# Everything that a run promises: a result that is deleted is made again.
rule all:
    default_target: True
    input:
        [OUTPUTS.everything(study) for study in STUDIES.values()],
        OUTPUTS.site(),


# Each finished study as a research object, to deposit or pass on.
rule crates:
    input:
        [f"{BASE}/{study}.crate.zip" for study in STUDIES],


# Score files of the curves that `make verify` has drawn.
rule scores:
    input:
        [JOBS.scores(study) for study in STUDIES.values()],


for target, files in OUTPUTS.targets().items():

    rule:
        name:
            target
        input:
            files,


# For the log: it names the nearest target where one is unknown, and ends with the page of the results where the jobs
# that were planned include it.
if workflow.is_main_process:
    logger.info(
        None,
        extra={
            "targets": [rule.name for rule in workflow.rules],
            "page": lambda: OUTPUTS.page(workflow.dag.jobs),
        },
    )


onsuccess:
    report_failures()


onerror:
    report_failures(log)
