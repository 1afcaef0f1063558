"""The log of a run, from records as Snakemake makes them."""

from __future__ import annotations

import io
import json
import logging
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from mlreduce_studies.planning.expected import Expected
from snakemake_logger_plugin_mlreduce import LogHandler, text
from snakemake_logger_plugin_mlreduce.progress import Progress, in_words

PROJECT = Path(__file__).parents[2]


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Run:
    """A handler that writes into a string, and the events of a run."""

    def __init__(self, monkeypatch, stream=None, **settings):
        self.stream = stream or io.StringIO()
        monkeypatch.setattr("sys.stdout" if settings.get("dryrun") else "sys.stderr", self.stream)
        off = dict.fromkeys(["printshellcmds", "debug_dag", "verbose", "dryrun", "show_failed_logs", "nocolor"], False)
        given = off | {"quiet": set(), "stdout": settings.get("dryrun", False)} | settings
        self.handler = LogHandler(SimpleNamespace(**given), None)
        self.jobs = 0

    def tell(self, message=None, level=logging.INFO, **extra):
        self.handler.handle(logging.makeLogRecord({"msg": message, "levelno": level, **extra}))

    def start(self, total):
        self.tell(event=LogEvent.RUN_INFO, stats={"fit": total, "total": total})

    def job(self, rule, output=("results/demo/gmba-2016/x",), reason="", **wildcards):
        self.jobs += 1
        event = {"event": LogEvent.JOB_INFO, "jobid": self.jobs, "rule_name": rule, "output": list(output)}
        self.tell(**event, wildcards=wildcards, reason=reason)
        return self.jobs

    def finish(self, *given, **wildcards):
        self.tell(event=LogEvent.JOB_FINISHED, job_id=self.job(*given, **wildcards))

    def fail(self, number, log, rule="fit", message=None):
        self.tell(
            "Error in rule",
            logging.ERROR,
            event=LogEvent.JOB_ERROR,
            jobid=number,
            rule_name=rule,
            rule_msg=message,
            log=log,
        )

    def error(self, message, kind="WorkflowError"):
        self.tell(message, logging.ERROR, event=LogEvent.ERROR, exception=kind)

    @property
    def lines(self):
        return self.stream.getvalue().splitlines()


@pytest.fixture
def run(monkeypatch):
    return Run(monkeypatch)


def test_one_line_per_finished_job(run):
    run.start(2)
    run.finish("fit", batch="001", study="gmba-2016", unit="spec", dataset="digits")
    run.finish("all", ())
    run.handler.close()
    run.handler.close()
    assert run.lines == ["[1/2     0 s] gmba-2016  digits  fit  001 spec", "2 of 2 jobs in 0 s."]


def test_study_and_step_from_the_output_path(run):
    run.start(1)
    run.finish("figures_gmba", ["results/demo/gmba-2016/figure.svg"])
    assert run.lines[-1].endswith("] gmba-2016  figures")


@pytest.mark.parametrize(
    ("path", "study"),
    [("/a/results/b/results/demo/x/t.md", "x"), ("results/demo/report.html", ""), ("data/digits.npz", "")],
)
def test_study_of_a_path(path, study):
    assert text.study_of([path]) == study


def test_progress_line_on_a_terminal(monkeypatch):
    run = Run(monkeypatch, Terminal())
    run.start(2)
    run.job("fit", study="gmba-2016", dataset="digits")
    run.finish("fit", study="gmba-2016", dataset="planted")
    shown = run.stream.getvalue().split("\r\033[K")
    assert shown[1] == "[0/2     0 s] gmba-2016 digits fit"
    assert shown[3:] == ["[1/2     0 s] gmba-2016  planted  fit\n", "[1/2     0 s] gmba-2016 digits fit"]


def test_big_runs_print_about_a_hundred_lines(run):
    run.start(1000)
    for _ in range(999):
        run.finish("fit", study="gmba-2016", dataset="digits")
    assert 90 <= len(run.lines) <= 100
    before = len(run.lines)
    run.tell(event=LogEvent.PROGRESS, done=999, total=10_000)
    run.finish("figures_gmba", ["results/demo/gmba-2016/figure.svg"])
    assert len(run.lines) == before + 1


def test_first_table_once_per_study(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results" / "demo" / "gmba-2016"
    folder.mkdir(parents=True)
    rows = "\n".join(f"| set{number} | **0.5 ± 0.01 (1)** |" for number in range(20))
    (folder / "table3.md").write_text(f"# Title\n\ntext\n\n| dataset | gmba |\n| --- | --- |\n{rows}\n\n| other |\n")
    run.start(3)
    for _ in range(2):
        run.finish("tables_gmba", ["results/demo/gmba-2016/table3.csv", "results/demo/gmba-2016/table3.md"])
    table = run.lines[1:-1]
    assert table[:3] == ["  Title", "  dataset  gmba", "  set0     0.5 (1)"]
    assert table[-2:] == ["  ... 12 more rows", "  results/demo/gmba-2016/table3.md"]
    assert len(table) == 12
    run.handler.close()
    assert run.lines[-1] == "Tables: results/demo/gmba-2016/table3.md, results/demo/gmba-2016/table3.md"


def test_a_missing_table_is_no_error(run):
    run.start(1)
    run.finish("table", ["results/demo/gmba-2016/nowhere.md"])
    assert len(run.lines) == 1


@pytest.mark.parametrize(("jobs", "named"), [(2, True), (3, False)])
def test_a_run_to_its_end_ends_with_the_page_that_the_snakefile_names(run, jobs, named):
    run.tell(targets=["all"], page=lambda: "index.html")
    run.start(jobs)
    run.finish("tables_gmba", ["results/demo/gmba-2016/table3.md"])
    run.finish("site", ["results/demo/site/index.html (update)"])  # as Snakemake writes it
    run.handler.close()
    assert run.lines[-1] == ("The report: index.html" if named else "Tables: results/demo/gmba-2016/table3.md")


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize(("page", "last"), [(None, "Nothing to be done (all are present)."), ("a", "The report: a")])
def test_a_run_with_nothing_to_do_ends_with_the_page_if_it_has_one(monkeypatch, verbose, page, last):
    run = Run(monkeypatch, verbose=verbose)
    run.handler.setFormatter(logging.Formatter())
    run.tell(page=lambda: page)
    run.tell("Nothing to be done (all are present).")
    run.handler.close()
    assert run.lines[-1] == last


def test_failure_names_job_reason_and_log(run, tmp_path):
    log = tmp_path / "fit.log"
    log.write_text("a warning\nmlreduce: the data set is empty\n\n")
    run.start(3)
    number = run.job("fit", study="gmba-2016", dataset="digits")
    run.error("RuleException:\nCalledProcessError in file 'x', line 3:\nCommand ... returned non-zero exit status 1.")
    run.fail(number, [str(log)])
    run.error("WorkflowError:\nAt least one job did not complete successfully.")
    run.handler.close()
    assert run.lines == [
        "Failed: gmba-2016  digits  fit",
        "  mlreduce: the data set is empty",
        f"  log: {log}",
        "0 of 3 jobs in 0 s.",
        "1 failed: gmba-2016 digits fit",
    ]


def test_failure_without_a_sentence_shows_the_end_of_the_log(run, tmp_path):
    log = tmp_path / "fit.log"
    log.write_text("".join(f"line {number}\n" for number in range(30)))
    run.fail(run.job("prepare", ["data/digits.npz"], dataset="digits"), ["nowhere.log", str(log)], "prepare")
    assert run.lines[0] == "Failed: digits  prepare (data/digits.npz)"
    assert run.lines[-2:] == ["  line 29", f"  log: {log}"]
    run.fail(99, [])
    assert run.lines[-1].startswith("  The job gave no reason; Snakemake's log")


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("returned non-zero exit status 127.", "could not start its Python"),
        ("returned non-zero exit status 3.", "ended with exit status 3"),
        ("returned non-zero exit status 139.", "was ended by SIGSEGV"),
        ("returned non-zero exit status 255.", "ended with exit status 255"),
        ("died with <Signals.SIGHUP: 1>.", "was ended by SIGHUP"),
    ],
)
def test_a_job_that_left_no_log_has_the_reason_of_its_command(run, ending, said):
    run.error(f"RuleException:\nCalledProcessError in file 'x', line 3:\nCommand 'python x' {ending}")
    run.fail(99, ["nowhere.log"])
    assert run.lines[-1] == f"  The job {said} before it wrote a reason; what it printed, if anything, is above."
    run.error('RuleException:\nRuntimeError in file "x", line 3:\ncan\'t start new thread')  # under ulimit -v
    run.fail(98, ["nowhere.log"])
    assert "can't start new thread" in run.lines[-1]
    run.fail(97, [])
    assert "new thread" not in run.lines[-1]  # that was another job's


# As Snakemake's executors raise them where a queue refuses a job.
REFUSED = {
    "slurm": (
        "SLURM sbatch failed. The error message was 'sbatch: error: Batch job submission failed: Invalid account or "
        "account/partition combination specified'.\n    sbatch call:\n        sbatch --parsable --job-name 5f1e "
        '--output /x/%j.log --account=mine --time=10 --mem 2000 --wrap="python -m snakemake --cores 1"\n',
        [
            "SLURM sbatch failed. The error message was 'sbatch: error: Batch job submission failed: Invalid account "
            "or account/partition combination specified'."
        ],
    ),
    "slurm, two lines": (
        "SLURM sbatch failed. The error message was 'sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job "
        "submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)'.\n"
        "    sbatch call:\n        sbatch --parsable\n    sbatch script:\n#!/bin/sh\npython\n",
        [
            "SLURM sbatch failed. The error message was 'sbatch: error: AssocMaxSubmitJobLimit",
            "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's "
            "size and/or time limits)'.",
        ],
    ),
    "generic": (
        "Error submitting jobscript (exit code 1):\nqsub: Unauthorized Request  MSG=group ACL is not satisfied\n",
        [
            "Error submitting jobscript (exit code 1):",
            "qsub: Unauthorized Request  MSG=group ACL is not satisfied",
        ],
    ),
    "sacct": (
        "SLURM-job '7' failed, SLURM status is: 'FAILED'. Reason: Step 0: OutOfMemory.",
        ["SLURM-job '7' failed, SLURM status is: 'FAILED'. Reason: Step 0: OutOfMemory."],
    ),
}


@pytest.mark.parametrize(("message", "said"), REFUSED.values(), ids=REFUSED)
def test_the_reason_of_a_refusal_is_complete_and_printed_once(run, message, said):
    number = run.job("fit", study="gmba-2016")
    for _ in range(3):
        run.fail(number, ["absent.log"], message=message)
    again = "Failed: gmba-2016  fit, for the same reason as before"
    assert run.lines == ["Failed: gmba-2016  fit", *(f"  {line}" for line in said), again, again]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("SLURM-job '7' failed, SLURM status is: 'TIMEOUT'. Failed nodes will be ", ["SLURM status is: 'TIMEOUT'."]),
        ("SLURM-job '7' failed, SLURM status is: 'TIMEOUT'.", ["SLURM status is: 'TIMEOUT'."]),
        ("", []),
    ],
)
def test_failure_says_what_the_cluster_says(run, tmp_path, message, said):
    log = tmp_path / "fit.log"
    log.write_text("fitting\n")
    run.fail(run.job("fit", study="gmba-2016"), [str(log)], message=f"{message}For further error details see the log.")
    before = [f"  SLURM-job '7' failed, {sentence}" for sentence in said]
    assert run.lines == ["Failed: gmba-2016  fit", *before, "  fitting", f"  log: {log}"]


def test_a_retried_job_is_not_failed(run):
    run.start(1)
    number = run.job("fit", study="gmba-2016")
    run.fail(number, [])
    run.tell(event=LogEvent.JOB_FINISHED, job_id=number)
    run.handler.close()
    assert run.lines[-1] == "1 of 1 jobs in 0 s."


def test_interruption_is_two_lines(run):
    run.start(2)
    number = run.job("fit", study="gmba-2016")
    run.error("RuleException:\nCommand ... died with <Signals.SIGINT: 2>.")
    run.tell("Terminating processes on user request, this might take some time.")
    run.fail(number, [])
    run.error("WorkflowError:\nAt least one job did not complete successfully.")
    run.handler.close()
    assert run.lines == [
        "Stopping the running jobs.",
        "Interrupted: 0 of 2 jobs in 0 s; the same command resumes.",
    ]


def plan(run, studies):
    for study in studies:
        for rule in ["fit", "predict", "tables_x"]:
            run.job(rule, [f"results/demo/{study}/a"], "Missing output files: a, b", study=study, dataset="digits")
    run.job("fit", reason="Code has changed since last execution", study=studies[0])
    run.tell(event=LogEvent.RUN_INFO, stats={"total": run.jobs})


def test_dry_run_is_a_table_of_steps(monkeypatch):
    run = Run(monkeypatch, dryrun=True)
    run.tell(event=LogEvent.RUN_INFO, stats={"total": 7})
    plan(run, ["gmba-2016", "mvmd-2016"])
    run.tell("This was a dry-run (flag -n).")
    run.handler.close()
    assert run.lines == [
        "step     study      jobs  why",
        "fit      gmba-2016     2  missing output 1, code 1",
        "fit      mvmd-2016     1  missing output 1",
        "predict  gmba-2016     1  missing output 1",
        "predict  mvmd-2016     1  missing output 1",
        "tables   gmba-2016     1  missing output 1",
        "tables   mvmd-2016     1  missing output 1",
        "7 jobs",
    ]


def test_dry_run_of_many_studies_adds_them_up(monkeypatch):
    run = Run(monkeypatch, dryrun=True)
    plan(run, [f"study-{number}" for number in range(20)])
    assert run.lines[1].split() == ["fit", "20", "studies", "21", "missing", "output", "20,", "code", "1"]
    assert len(run.lines) == 5


def test_a_plan_of_many_steps_is_cut():
    lines = text.plan_lines({(f"step{number}", ""): text.Counter({"forced": 1}) for number in range(60)}, 0)
    assert len(lines) <= 40
    assert lines[-2:] == ["...", "60 jobs"]


def test_quiet_dry_run_counts_steps(monkeypatch):
    run = Run(monkeypatch, dryrun=True, quiet={"rules", "progress"})
    run.tell(event=LogEvent.RUN_INFO, stats={"fit": 3, "tables_a": 1, "tables_b": 1, "total": 5})
    assert [line.split() for line in run.lines[1:]] == [["fit", "-", "3"], ["tables", "-", "2"], ["5", "jobs"]]


def test_no_reasons_where_they_are_not_wanted(monkeypatch):
    run = Run(monkeypatch, dryrun=True, quiet={"reason"})
    plan(run, ["gmba-2016"])
    assert "missing" not in run.stream.getvalue()


@pytest.mark.parametrize(("quiet", "lines"), [({"all"}, 0), ({"progress"}, 2), ({"rules"}, 3)])
def test_quiet_is_respected(monkeypatch, quiet, lines):
    run = Run(monkeypatch, quiet=quiet)
    run.tell(page=lambda: "index.html")
    run.start(1)
    run.finish("site", ["index.html"])
    run.handler.close()
    assert len(run.lines) == lines


def test_without_progress_no_number_of_jobs_is_said(monkeypatch):
    """Snakemake does not tell then which jobs have ended."""
    run = Run(monkeypatch, quiet={"rules", "progress"})
    run.start(3)
    run.handler.close()
    assert run.lines == ["Ended after 0 s."]


def test_error_in_the_snakefile_loses_its_traceback(run):
    run.error(
        'ConfigurationError in file "/a/Snakefile", line 12:\nrun_on: unknown data set\n'
        '  File "/a/Snakefile", line 12, in <module>\n  File "/a/b.py", line 3, in f',
        "ConfigurationError",
    )
    assert run.lines == ["ConfigurationError: run_on: unknown data set", '  in file "/a/Snakefile", line 12']


def test_error_of_a_workflow_is_one_sentence(run):
    run.error("WorkflowError:\nwhat went wrong")
    assert run.lines == ["Error: what went wrong"]


def test_python_traceback_becomes_error_and_place(run):
    run.error(
        'Traceback (most recent call last):\n  File "/v/site-packages/snakemake/cli.py", line 1, in main\n    x()\n'
        '  File "/a/own.py", line 7, in f\n    y()\nValueError: too small\n',
        "ValueError",
    )
    assert run.lines == ["ValueError: too small", "  in /a/own.py, line 7", "  (--verbose shows the traceback)"]


@pytest.mark.parametrize(
    ("message", "first"),
    [
        (
            "InputFunctionException in rule fit in file x, line 3:\nError:\n  StorageError: results/demo/run.json "
            "could not be written: Read-only file system\nWildcards:\n  study=small",
            "results/demo/run.json could not be written: Read-only file system.",
        ),
        (
            'Traceback (most recent call last):\n  File "x", line 3\nPermissionError: [Errno 13] Permission denied: '
            "'/x/.snakemake/locks'",
            "/x/.snakemake/locks: Permission denied.",
        ),
        (
            "WorkflowError:\nOutput a.npz has older modification time (2026-11-25 13:00:00) than input b c.yaml "
            "(2031-01-01 00:00:00). This could indicate a clock skew problem in your network",
            "b c.yaml is dated 2031-01-01 00:00:00, in the future.",
        ),
    ],
)
def test_what_cannot_be_written_and_what_comes_from_the_future(run, message, first):
    run.error(message)
    assert run.lines[0] == first
    assert len(run.lines) == 2
    assert "results=FOLDER" in run.lines[1] or "touch b c.yaml" in run.lines[1]


def test_errors_have_at_most_ten_lines(run):
    run.error("\n".join(f"line {number}" for number in range(50)))
    assert len(run.lines) == 10


def test_unknown_target_with_the_nearest_name(run):
    run.tell(None, targets=["cplst_table3", "gmba"])
    run.error("MissingRuleException:\nNo rule to produce cplst_tabel3 (if you use input functions ...).")
    assert run.lines == ["There is no rule or file 'cplst_tabel3'.", "Did you mean 'cplst_table3'?"]


def test_verbose_keeps_everything(monkeypatch):
    run = Run(monkeypatch, verbose=True)
    run.tell("Building DAG of jobs...")
    run.tell("a detail", logging.DEBUG)
    run.error("Traceback (most recent call last):\n  here\nValueError: x", "ValueError")
    assert run.lines == [
        "Building DAG of jobs...",
        "a detail",
        "Traceback (most recent call last):",
        "  here",
        "ValueError: x",
    ]


def test_messages_are_said_once_and_noise_is_not(run):
    for _ in range(2):
        run.tell("Nothing to be done (all requested files are present and up to date).")
        run.tell("Building DAG of jobs...")
        run.tell("a detail", logging.DEBUG)
        run.tell("careful", logging.WARNING)
    run.handler.close()
    assert run.lines == ["Nothing to be done (all requested files are present and up to date).", "careful"]


def test_commands_and_candidates_where_asked_for(monkeypatch):
    for wanted, lines in ((False, []), (True, ["sort x", "candidate"])):
        run = Run(monkeypatch, printshellcmds=wanted, debug_dag=wanted)
        run.tell(event=LogEvent.SHELLCMD, shellcmd="sort x")
        run.tell("candidate", event=LogEvent.DEBUG_DAG)
        assert run.lines == lines


def test_a_broken_record_does_not_end_the_run(run, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    run.tell(event=LogEvent.RUN_INFO, stats=3)
    assert run.lines == []


def test_a_closed_pipe_ends_the_run(run, monkeypatch):
    def closed(_):
        raise BrokenPipeError

    monkeypatch.setattr(run.stream, "write", closed)
    with pytest.raises(BrokenPipeError):
        run.tell("something")


# How much is left


def test_a_run_says_at_its_start_how_long_it_takes_and_each_minute_how_much_is_left(monkeypatch, tmp_path):
    monkeypatch.setattr("snakemake_logger_plugin_mlreduce._MINUTE", 0.05)
    run = Run(monkeypatch)
    expected = {1: ("fit", 300.0), 2: ("fit", 300.0), 3: ("predict", 600.0)}
    run.tell(expected=lambda: (expected, 2), state=str(tmp_path / "new" / "progress.json"))
    run.start(3)
    assert run.lines == ["3 jobs, about 12 min"]
    run.job("fit", study="gmba-2016", dataset="digits")
    deadline = time.monotonic() + 60
    while len(run.lines) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert run.lines[1] == "[0/3     0 s] about 12 min left; running: gmba-2016 digits fit"
    state = json.loads((tmp_path / "new" / "progress.json").read_text())
    assert (state["jobs"], state["finished"], state["running"], state["ended"]) == (
        3,
        0,
        ["gmba-2016 digits fit"],
        False,
    )
    assert state["seconds_left"] == pytest.approx(750, abs=60)
    run.handler.close()
    state = json.loads((tmp_path / "new" / "progress.json").read_text())
    assert (state["ended"], state["seconds_left"]) == (True, 0)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["progress.json"]


def test_the_state_that_cannot_be_written_does_not_end_the_run(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    run = Run(monkeypatch)
    run.tell(expected=lambda: ({1: ("fit", 1.0)}, 1), state=str(tmp_path / "file" / "progress.json"))
    run.start(1)
    run.finish("fit", study="gmba-2016", dataset="digits")
    run.handler.close()
    assert run.lines[-1] == "1 of 1 jobs in 0 s."


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("slower", [0.4, 1.0, 4.0])
def test_what_is_left_is_right_within_a_factor_of_two_in_nine_of_ten_runs(slower, size):
    """Machines are slower or quicker, and single jobs take from a third to three times as long as they did before.

    On a cluster several are submitted as one, begin and end together, and are run one after another.
    """
    right = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        steps = ["fit", "predict"] * 30 * size
        expected = {job: (steps[job], seconds) for job, seconds in enumerate(rng.lognormal(3, 1.2, 60 * size))}
        ratios = {"fit": slower, "predict": slower * rng.lognormal(0, 0.5)}
        taken = {job: ratios[step] * seconds * rng.lognormal(0, 0.5) for job, (step, seconds) in expected.items()}
        course, cores = Progress(expected, 3), [(0.0, ())] * 3
        at, estimates = 0.0, []
        for first in range(0, 60 * size, size):  # a core takes the next as soon as it is free
            cores.sort(key=lambda core: core[0])
            at, before = cores[0]
            for job in before:
                course.end(job, at)
            group = tuple(range(first, first + size))
            for job in group:
                course.begin(job, at, group)
            estimates.append((at, course.left(at)))
            cores[0] = (at + sum(taken[job] for job in group), group)
        ends = max(core[0] for core in cores)
        quarter = [(at, left) for at, left in estimates if 0.1 * ends < at < 0.9 * ends]
        right += [0.5 <= left / (ends - at) <= 2 for at, left in quarter]
    assert np.mean(right) >= 0.9


def test_jobs_that_are_submitted_as_one_have_their_share_of_its_seconds(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("snakemake_logger_plugin_mlreduce.time.monotonic", lambda: now[0])
    run = Run(monkeypatch)
    run.tell(expected=lambda: (dict.fromkeys(range(1, 9), ("fit", 100.0)), 1))
    run.start(8)
    for first in (1, 5):
        jobs = [SimpleNamespace(jobid=number) for number in range(first, first + 4)]
        run.tell(event=LogEvent.GROUP_INFO, group_id="digits", jobs=jobs)
        for job in jobs:
            run.tell(event=LogEvent.JOB_INFO, jobid=job.jobid, rule_name="fit", output=[f"{job.jobid}.npz"])
        assert run.handler.course.left(now[0]) == pytest.approx(400 * (9 - first) / 4, rel=0.01)
        now[0] += 400.0
        if first == 1:
            for job in jobs:
                run.tell(event=LogEvent.JOB_FINISHED, job_id=job.jobid)


def test_jobs_are_expected_to_take_as_long_as_those_of_the_last_full_run():
    expected = Expected(PROJECT)
    known = pd.read_csv(PROJECT / "results" / "reference" / "gmba-2016" / "jobs.csv")
    rows = known.query("rule == 'predict' and dataset == 'bibtex' and group == 'controls' and predictor == 'cc-knn'")
    given = {"study": "gmba-2016", "dataset": "bibtex", "unit": "ten-fold.controls", "predictor": "cc-knn"}
    assert expected.seconds("predict", given) == pytest.approx(rows["seconds"].mean())
    whole = known.query("rule == 'fit' and dataset == 'bibtex'")["seconds"].mean()
    assert expected.seconds("fit", {"study": "gmba-2016", "dataset": "bibtex", "unit": "all"}) == pytest.approx(whole)
    assert expected.seconds("fit", {"study": "mine", "dataset": "mine", "unit": "all"}) == 3.0
    assert expected.seconds("tables_gmba_2016_1", {}) == 1.5


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(10, "less than a minute"), (100, "about 2 min"), (5399, "about 90 min"), (9000, "about 2.5 h")],
)
def test_durations_are_in_words(seconds, words):
    assert in_words(seconds) == words
