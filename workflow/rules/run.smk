# What surrounds the jobs of a run: the folder is its own, what an earlier one left behind is put in order, and faults of
# the machine or of a hand spoil nothing (docs/faults.md).
import fcntl
import hashlib
import shutil
import sys
from contextlib import suppress

from mlreduce.experiments.failures import sentence_on_failures, set_aside
from mlreduce.datasets.files import not_of_the_future

# Held by a run, and by each of its jobs, for as long as they live, killed or not; and what the run was configured with.
RUN_LOCK = Path(".snakemake") / "run.lock"
JOBS_LOCK = Path(".snakemake") / "jobs.lock"
AS_READ = Path(".snakemake") / "configuration.sha256"


def configuration_digest():
    """All that was read of the configuration: the jobs of a cluster read it again."""
    catalogue = {name: CATALOGUE[name].options for name in sorted(CATALOGUE)}
    content = repr((sorted(config.items()), sorted(STUDIES.items()), catalogue))
    return hashlib.sha256(content.encode()).hexdigest()


def put_in_order():
    """Where no run is alive: take Snakemake's lock of a killed one away, and let failed cells be tried again."""
    with suppress(
        OSError
    ):  # another run, a file system without locks, or a folder that cannot be written
        RUN_LOCK.parent.mkdir(exist_ok=True)
        with RUN_LOCK.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(Path(".snakemake") / "locks", ignore_errors=True)
            # A dry run may do so too, and then lists these jobs: a date changes, and nothing is removed.
            set_aside(BASE)


def begin():
    """Take the folder for this run alone, when the jobs that outlived a killed run have ended."""
    global RUNNING
    try:
        RUNNING = RUN_LOCK.open("a")
        fcntl.flock(RUNNING, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError(
            f"Another run is at work in {Path.cwd()}: wait until it has ended, or stop it. "
            "This one has changed nothing."
        )
    except OSError:
        pass  # a file system without locks: Snakemake's own must do
    with JOBS_LOCK.open("a") as jobs:
        try:
            fcntl.flock(jobs, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(
                "mlreduce: waiting for jobs of a run that was killed", file=sys.stderr
            )
            fcntl.flock(jobs, fcntl.LOCK_EX)
        except OSError:
            pass
    AS_READ.write_text(configuration_digest())


def say_what_was_killed(logs):
    """A job that was killed cannot say so itself: Snakemake's own log does."""
    said = "".join(Path(log).read_text() for log in logs)
    if "SIGKILL" in said or "exit status 137" in said:
        print(
            "mlreduce: a job was killed from outside, most often by the system because memory ran out. Let fewer jobs "
            "run at once (--cores 1), or say how much memory there is for all together (--resources mem_mb=8000). "
            "The same command goes on: what is done is kept.",
            file=sys.stderr,
        )


# Not what runs the jobs of a cluster: on another node it may not see the locks of the run that it belongs to.
if workflow.is_main_process:
    put_in_order()
    not_of_the_future([RESULTS, PROJECT / "workflow", PROJECT / "config"])
elif AS_READ.is_file() and AS_READ.read_text() != configuration_digest():
    raise WorkflowError(
        "The configuration was edited since this run began: its remaining jobs stop, so that nothing is mixed. "
        "Run again when it has ended; what is done and still asked for is kept."
    )


onstart:
    begin()
    # How many jobs start a second matters to a cluster, not to this machine. Snakemake's limit looks at all waiting jobs
    # once a second for every job that was ever started: after some hundred jobs that is a third of a core.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    if failed := sentence_on_failures(BASE):
        sys.exit(f"mlreduce: {failed}")


onerror:
    say_what_was_killed(log)
    if failed := sentence_on_failures(BASE):
        print(f"mlreduce: {failed}", file=sys.stderr)
