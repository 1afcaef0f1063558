# The plan of the run, and functions of wildcards that rules share. The work is in mlreduce_studies/planning.
import os
import sys
from pathlib import Path

# Of this file, also where the workflow is a module of another.
PROJECT = Path(workflow.current_basedir).parents[1]
# At the end of the path: where a wheel is installed, which has the library alone.
sys.path.append(str(PROJECT / "src"))


configfile: str(PROJECT / "config" / "config.yaml")


from snakemake.exceptions import WorkflowError

from mlreduce.exceptions import MLReduceError
from mlreduce.files import made_of
from mlreduce_studies.planning.description import manifest_description
from mlreduce_studies.planning.expected import Expected
from mlreduce_studies.planning.jobs import ALL, Jobs
from mlreduce_studies.planning.needs import growing, memory_of, minutes_of
from mlreduce_studies.planning.outputs import Outputs
from mlreduce_studies.planning.packing import PACKS, Packing
from mlreduce_studies.planning.plan import (
    end_with_the_terminal,
    make_plan,
    name_python_for_shells,
)
from mlreduce_studies.planning.retries import failures_in, retries
from mlreduce_studies.study import approximations
from mlreduce_studies.verdicts.settings import claim_settings

name_python_for_shells()
if workflow.is_main_process:
    end_with_the_terminal()
try:
    PLAN = make_plan(config, PROJECT)
    if workflow.is_main_process:
        PLAN.check_claims()
    JOBS = Jobs(PLAN)
    OUTPUTS = Outputs(PLAN, JOBS)
    PACKING = Packing(PLAN, JOBS, workflow.remote_exec)
except MLReduceError as error:
    raise WorkflowError(str(error))
except KeyboardInterrupt:
    sys.exit(130)

STUDIES, BASE, DATA = PLAN.studies, PLAN.base, PLAN.data
RESULTS = config["results"]


def is_run():
    """Whether this process runs jobs: no dry run, no summary, and none of the jobs."""
    runs = workflow.executor_plugin is not None and not workflow.dryrun
    return workflow.is_main_process and runs


RETRY = retries(PLAN, workflow, is_run)


wildcard_constraints:
    study="[a-z0-9-]+",
    dataset="[A-Za-z0-9_-]+",
    unit="[a-z0-9-]+([.][a-z0-9-]+([.][a-z0-9.-]+)?)?",
    predictor="[a-z0-9-]+",
    batch=r"\d+-\d+|all",
    group="[a-z0-9-]+",


def study_of(wildcards):
    return STUDIES[wildcards.study]


def retry(rule):
    """The input of a rule that makes its jobs run again where they have to."""
    return lambda wildcards: RETRY(getattr(rules, rule), wildcards)


def pack(rule):
    """The job of a cluster in which a task runs after others, a group of Snakemake; none on one machine."""

    def name(wildcards):
        name = PACKING.pack_of(rule, wildcards)
        if name is not None:
            # As --group-components, which does not reach the jobs of a run.
            workflow.group_settings.group_components = {PACKS: 1000000}
            workflow.parent_groupids[name] = PACKS
        return name

    return name


if PACKING.minutes:
    workflow.register_resource("serial", 1)


def serial(wildcards):
    """What a task takes of the one `serial` that a pack has."""
    return int(
        PACKING.minutes > 0 and not (workflow.is_main_process and workflow.local_exec)
    )


def of_job(function, *more):
    """A function of study and the wildcards that a job of a study has, for input and params."""

    def evaluated(wildcards):
        names = ("dataset", "unit", "batch", "predictor", "group")
        values = [wildcards[name] for name in names if name in wildcards.keys()]
        return function(*more, study_of(wildcards), *values)

    return evaluated


def report_failures(logs=()):
    """End with a sentence and a status other than 0 where cells failed. Logs tell whether a job was killed."""
    text = "".join(Path(log).read_text() for log in logs)
    if "SIGKILL" in text or "exit status 137" in text:
        print(
            "mlreduce: a job was killed, most often by the operating system because memory ran out. Run fewer jobs at "
            "once (--cores 1), or limit the memory of all jobs (--resources mem_mb=8000). The same command resumes: "
            "finished jobs are not run again.",
            file=sys.stderr,
        )
    from mlreduce.evaluation.failures import sentence_on_failures

    sentence = sentence_on_failures(failures_in(PLAN, OUTPUTS), BASE)
    if sentence:
        sys.exit(f"mlreduce: {sentence}")


onsuccess:
    report_failures()


onerror:
    report_failures(log)


def page_of_results():
    """The page that a job of this run writes, or None; known once the jobs are planned."""
    return OUTPUTS.page(workflow.dag.jobs)


def expected_seconds():
    """Rules and expected seconds of the jobs of this run by their numbers, and how many run at once."""
    planned = workflow.dag.needrun_jobs(exclude_finished=False)
    at_once = workflow.resource_settings.cores or workflow.resource_settings.nodes
    return Expected(PROJECT).of_jobs(planned), at_once or 1


def kept(path):
    """Keep fitted methods, so that a further predictor needs no new fits, or remove them to save disk space."""
    return path if PLAN.config["keep_fitted"] else temp(path)


def gathered_with(study, files):
    """Params of a job that gathers files, in addition to the names of the files, averages and tables."""
    published = OUTPUTS.printed_times(study) if "times" in files else []
    return {
        "base": OUTPUTS.base_of_ratios(study) if "times" in files else None,
        "image": OUTPUTS.image_selection(study) if "images" in files else None,
        "published": published,
        "content": OUTPUTS.contents(*published),
        "files": made_of(files),
    }


def design_of(wildcards):
    """The factorised design, for label-space reduction; none where each split imputes or scales features."""
    coded = study_of(wildcards).family == "labelspace"
    changed = "impute" in PLAN.catalogue[wildcards.dataset].options
    changed |= normalisation_of(wildcards)["scaling"] != "none"
    return [f"{DATA}/{wildcards.dataset}.design.npz"] if coded and not changed else []


def normalisation_of(wildcards):
    """How features are normalised by the training rows of each split."""
    return JOBS.normalisation(study_of(wildcards), wildcards.dataset)


def choices_of(wildcards):
    """The files of selected parameters that a batch uses, where parameters are searched."""
    return JOBS.choices(
        study_of(wildcards), wildcards.dataset, wildcards.unit, wildcards.batch
    )


def threads_of(wildcards):
    """Threads of a job that trains predictors of many targets."""
    return (
        config["threads_per_job"] if study_of(wildcards).family == "labelspace" else 1
    )


# A timed job reserves all cores and uses one, so that nothing runs at the same time. Not where data are small.
alone = 1 if PLAN.config["bundle"] else os.cpu_count()
