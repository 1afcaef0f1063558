"""A Slurm cluster of one node on this machine, in a folder of its own, which leaves nothing behind, however it ends.

The module is also a program: the keeper. It makes the folder, puts Slurm's configuration in its place and waits for its
input to end, as that does when whoever started it has done, or died; then it ends all daemons and jobs, removes the
folder and puts back what was there.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
DAEMONS = ("slurmstepd", "slurmd", "slurmscriptd", "slurmctld", "munged")  # in the order in which they end

# The jobs of Snakemake's plugin lose SLURM_CONF: the file must lie where Slurm looks by itself.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
NO_SERVICES = Path("/usr/sbin/policy-rc.d")  # Debian asks it whether a package may start what it brings
OURS = "# of a test of mlreduce, which takes it away again\n"
MARK = "ONE_NODE_CLUSTER"  # by which processes are found: the folder of the cluster that they belong to


class Unavailable(Exception):
    """There is no Slurm to be had here; the sentence says why."""


def install() -> None:
    """Install Debian's packages, if they are not there yet; their services are kept from starting."""
    if os.geteuid() != 0:
        raise Unavailable(f"Slurm reads {CONFIGURATION}, and writing that takes root")
    if not all(shutil.which(program) for program in PROGRAMS):
        if not shutil.which("apt-get"):
            raise Unavailable("Slurm is not installed, and there is no apt-get to install it by")
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        options = {"check": True, "capture_output": True, "text": True, "env": environment}
        with borrowed(NO_SERVICES, f"#!/bin/sh\n{OURS}exit 101\n", mode=0o755):
            for words, seconds in ((("update",), 60), (("install", "--no-install-recommends", *PACKAGES), 120)):
                try:
                    subprocess.run(["apt-get", "-qq", *words], timeout=seconds, **options)
                except subprocess.TimeoutExpired:
                    said = f"was at it for more than {seconds} s"
                except subprocess.CalledProcessError as error:
                    said = f"says {(error.stderr.strip() or 'nothing').splitlines()[-1]!r}"
                else:
                    continue
                raise Unavailable(f"Debian's Slurm cannot be had: apt-get {words[0]} {said}")
    try:
        wait_until(lambda: not running(DAEMONS), "a test that was stopped has cleared up", seconds=30)
    except TimeoutError:
        listed = ", ".join(f"{name} ({pid})" for pid, name in running(DAEMONS).items())
        raise Unavailable(f"this machine is part of a cluster already: {listed}") from None


@contextmanager
def borrowed(path: Path, text: str, mode: int = 0o644) -> Iterator[None]:
    """Put a file of ours in a place; then what was there comes back, and what a killed run did not put back."""
    saved = path.with_name(f"{path.name}.before-mlreduce")
    if path.exists() and OURS not in path.read_text():
        path.rename(saved)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    try:
        yield
    finally:
        path.unlink()
        if saved.exists():
            saved.rename(path)


def processes() -> Iterator[Path]:
    """Yield the folders of /proc of the processes that live."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if "State:\tZ" not in (folder / "status").read_text():
                yield folder


def running(names: Iterable[str]) -> dict[int, str]:
    """Return the processes of this machine that have one of the names."""
    found = {}
    for folder in processes():
        with suppress(OSError):
            name = (folder / "comm").read_text().strip()
            if name in names:
                found[int(folder.name)] = name
    return found


def started_in(folder: Path) -> set[int]:
    """Return the processes that have a cluster's folder in their environment: daemons, jobs, runs."""
    found = set()
    for process in processes():
        with suppress(OSError):
            if f"{MARK}={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.add(int(process.name))
    return found


def left_of(folder: Path) -> dict[int, str]:
    """Return what still runs of a cluster. The steps of jobs overwrite their environment, and are told by name."""
    return dict.fromkeys(started_in(folder), "of the cluster") | running(DAEMONS)


def under(roots: Iterable[int]) -> set[int]:
    """Return processes and all that descend from them."""
    children: dict[int, list[int]] = {}
    for folder in processes():
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found: set[int] = set()
    pending = list(roots)
    while pending:
        pid = pending.pop()
        found.add(pid)
        pending += children.get(pid, [])
    return found


def send(pid: int, what: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, what)


def wait_until(condition: Callable[[], object], what: str, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds} s still not so: {what}")
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def host() -> str:
    return socket.gethostname().partition(".")[0]


def configuration(folder: Path) -> str:
    """Return Slurm's configuration for a cluster that has this machine for its node, with two cores whatever it has."""
    lines = {
        "ClusterName": "mlreduce",
        "SlurmctldHost": f"{host()}(127.0.0.1)",
        "SlurmctldPort": free_port(),
        "SlurmdPort": free_port(),
        "SlurmUser": "root",
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={folder / 'munge' / 'socket'}",
        "StateSaveLocation": folder / "state",
        "SlurmdSpoolDir": folder / "spool",
        "SlurmctldPidFile": folder / "slurmctld.pid",
        "SlurmdParameters": "config_overrides",
        "SlurmdPidFile": folder / "slurmd.pid",
        "SlurmctldLogFile": folder / "slurmctld.log",
        "SlurmdLogFile": folder / "slurmd.log",
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "AccountingStorageType": "accounting_storage/none",
        "JobAcctGatherType": "jobacct_gather/none",
        "MpiDefault": "none",
        "MinJobAge": 300,  # if it were short, Snakemake's plugin would ask the accounting that there is not
        "ReturnToService": 2,
        "JobRequeue": 0,  # Slurm would wait two minutes before it tries again; here Snakemake does
        "KillWait": 5,
        "NodeName": f"{host()} NodeAddr=127.0.0.1 CPUs=2 RealMemory=32000",
        "PartitionName": f"all Nodes={host()} Default=YES MaxTime=INFINITE State=UP",
    }
    return OURS + "".join(f"{key}={value}\n" for key, value in lines.items())


class OneNode:
    """A cluster that is up for as long as the block runs, with state, logs, key and socket in a `folder`.

    What is to be found and ended with it has `MARK` in its environment.
    """

    def __init__(self) -> None:
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> OneNode:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.keeper = subprocess.Popen([sys.executable, __file__], start_new_session=True, text=True, **pipes)
        try:
            self.folder = Path(self.keeper.stdout.readline().strip() or "the keeper has ended")
            assert self.folder.is_dir(), self.folder
            self.environment = os.environ | {MARK: str(self.folder)}
            paths = (f"--{name}-file={self.folder / 'munge' / name}" for name in ("key", "pid", "seed", "log"))
            self.start("munged", "--foreground", f"--socket={self.folder / 'munge' / 'socket'}", *paths)
            self.wait_until((self.folder / "munge" / "socket").exists, "munged has a socket")
            self.start("slurmctld", "-D")
            self.start_node()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.keeper.stdin.close()
        self.keeper.wait()
        self.keeper.stdout.close()
        for daemon in self.daemons.values():
            daemon.wait()

    def start(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as output:
            self.daemons[name] = subprocess.Popen(
                [name, *arguments], env=self.environment, stdout=output, stderr=output, start_new_session=True
            )

    def start_node(self) -> None:
        self.start("slurmd", "-D")
        ready = ("idle", "mix", "alloc")
        self.wait_until(lambda: self.ask("sinfo", "--noheader", "--format=%t").strip() in ready, "the node is up")

    def wait_until(self, condition: Callable[[], object], what: str) -> None:
        try:
            wait_until(condition, what)
        except TimeoutError as error:
            said = [f"{path.name}:\n{path.read_text()}" for path in self.folder.glob("*.out")]
            raise TimeoutError("\n".join([str(error), *said])) from None

    def ask(self, *command: str) -> str:
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False).stdout

    def has_no_jobs(self) -> bool:
        return not self.ask("squeue", "--noheader")

    def state(self, job: str) -> str:
        return self.ask("squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={job}").strip()

    def jobs_at_work(self, script: str) -> list[str]:
        """Return the numbers of the jobs of which a script runs, not only the Snakemakes before it."""
        jobs = self.ask("squeue", "--noheader", "--states=RUNNING", "--format=%i").split()
        return [job for job in jobs if any(f".{script}.py".encode() in command for command in self.commands_of(job))]

    def commands_of(self, job: str) -> Iterator[bytes]:
        for line in self.ask("scontrol", "listpids", job).splitlines()[1:]:
            with suppress(OSError, ValueError):
                yield Path(f"/proc/{int(line.split()[0])}/cmdline").read_bytes()

    def crash_node(self) -> None:
        """Kill the node's daemon and all that runs under it, as when the power fails, and let Slurm know.

        By itself it would ask the node, and after five minutes without an answer say the same.
        """
        daemon = self.daemons.pop("slurmd")
        daemon.kill()
        daemon.wait()
        for pid in under(running(["slurmstepd"])):
            send(pid, signal.SIGKILL)
        self.ask("scontrol", "update", f"NodeName={host()}", "State=DOWN", "Reason=crashed")


def keep() -> None:
    """Lend Slurm a folder and our configuration until the input ends, then end the cluster, by process id."""
    with tempfile.TemporaryDirectory(prefix="mlreduce-slurm-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)  # munged has no socket where others may not look
        for part in ("state", "spool", "munge"):
            (folder / part).mkdir()
        key = folder / "munge" / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        with borrowed(CONFIGURATION, configuration(folder)):
            print(folder, flush=True)
            sys.stdin.read()
            end(folder)


def end(folder: Path) -> None:
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(["scancel", "--partition=all"], timeout=10, capture_output=True, check=False)
    with suppress(TimeoutError):
        wait_until(lambda: not running(["slurmstepd"]), "jobs have ended", seconds=8)
    for name in DAEMONS:
        for pid in running([name]):
            send(pid, signal.SIGTERM)
    with suppress(TimeoutError):
        wait_until(lambda: not left_of(folder), "all have ended", seconds=10)
    for pid in left_of(folder):
        send(pid, signal.SIGKILL)
    with suppress(TimeoutError):
        wait_until(lambda: not left_of(folder), "they are gone", seconds=5)


if __name__ == "__main__":
    keep()
