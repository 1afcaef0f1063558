"""A Slurm cluster of two nodes on this machine, with accounting and limits of memory, which leaves nothing behind.

The module is also a program, the keeper: it makes the folder and starts the commands that it reads. When its input
ends, because its owner has finished or was killed, it kills all that runs below it and removes the folder.
"""

from __future__ import annotations

import ctypes
import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "sbatch", "srun")
PATH = f"{os.environ['PATH']}{os.pathsep}/usr/sbin"  # where Debian has the daemons
SET_CHILD_SUBREAPER = 36  # of prctl(2): what loses its parent below this process becomes its child


def missing() -> list[str]:
    """Return the programs of Slurm that this machine lacks."""
    return [name for name in PROGRAMS if not shutil.which(name, path=PATH)]


def processes() -> dict[int, tuple[int, str]]:
    """Return parent and name of each living process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            head, _, tail = (folder / "stat").read_text().rpartition(")")
            state, parent, *_ = tail.split()
            if state != "Z":
                found[int(folder.name)] = int(parent), head.partition("(")[2]
    return found


def below(root: int) -> dict[int, str]:
    """Return the names of the living descendants of a process."""
    every, found, pending = processes(), {}, [root]
    while pending:
        above = pending.pop()
        children = {pid: name for pid, (parent, name) in every.items() if parent == above}
        found |= children
        pending += children
    return found


def kill(find: Callable[[], set[int]]) -> None:
    """Kill processes until none is found."""
    while found := find():
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def wait_until(condition: Callable[[], object], what: str, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds} s still not so: {what}")
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command_of(pid: int) -> str:
    """Return the command of a process, "" where it has ended."""
    try:
        return Path("/proc", str(pid), "cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def write_settings(path: Path, settings: Mapping[str, object]) -> None:
    path.touch(mode=0o600)
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))


class Cluster:
    """A cluster that is up. Whoever has its `environment` talks to it."""

    host = socket.gethostname().partition(".")[0]
    nodes = ("node1", "node2")

    def __init__(self, folder: Path, keeper: int, commands: TextIO) -> None:
        self.folder, self.keeper, self.commands = folder, keeper, commands
        self.socket = folder / "munge.socket"
        self.ports = {name: free_port() for name in ("accounts", "database", *self.nodes)}
        configuration = folder / "slurm.conf"
        write_settings(configuration, self.settings())
        write_settings(folder / "slurmdbd.conf", self.settings_of_accounts())
        # Jobs of Snakemake's plugin call srun without the variables of Slurm.
        srun = folder / "bin" / "srun"
        srun.parent.mkdir()
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={configuration} exec {shutil.which("srun", path=PATH)} "$@"\n')
        srun.chmod(0o755)
        self.environment = {"SLURM_CONF": str(configuration), "PATH": f"{srun.parent}{os.pathsep}{PATH}"}

    def settings(self) -> dict[str, object]:
        """Return Slurm's configuration, with this machine for its nodes, of two cores each whatever it has."""
        return {
            "ClusterName": "mlreduce",
            "SlurmctldHost": f"{self.host}(127.0.0.1)",
            "SlurmctldPort": free_port(),
            "SlurmctldTimeout": 5,  # after which commands give up when the cluster has ended
            "SlurmUser": getpass.getuser(),
            "SlurmdUser": getpass.getuser(),
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={self.socket}",
            "StateSaveLocation": self.folder / "state",
            "SlurmdSpoolDir": self.folder / "spool-%n",
            "SlurmctldPidFile": self.folder / "slurmctld.pid",
            "SlurmdPidFile": self.folder / "slurmd-%n.pid",
            "SlurmdParameters": "config_overrides",
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core_Memory",
            # A job whose processes have more memory than it requested is killed.
            "JobAcctGatherType": "jobacct_gather/linux",
            "JobAcctGatherParams": "OverMemoryKill",
            "JobAcctGatherFrequency": "task=1",
            "AccountingStorageType": "accounting_storage/slurmdbd",
            "AccountingStorageHost": "127.0.0.1",
            "AccountingStoragePort": self.ports["accounts"],
            "AccountingStoragePass": self.socket,
            "MinJobAge": 3600,  # the tests read ended jobs
            "ReturnToService": 2,
            "JobRequeue": 0,  # Slurm would wait two minutes before it tries again; here Snakemake does
            "KillWait": 2,
            **{
                f"NodeName={node} NodeHostname={self.host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=32000 Port": self.ports[
                    node
                ]
                for node in self.nodes
            },
            "PartitionName": f"all Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP LLN=YES",
        }

    def settings_of_accounts(self) -> dict[str, object]:
        """Return the configuration of what accounts for jobs in a database."""
        return {
            "DbdHost": "localhost",
            "DbdPort": self.ports["accounts"],
            "SlurmUser": getpass.getuser(),
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={self.socket}",
            "StorageType": "accounting_storage/mysql",
            "StorageHost": "127.0.0.1",
            "StoragePort": self.ports["database"],
            "StorageUser": "root",
            "PidFile": self.folder / "slurmdbd.pid",
        }

    def start(self) -> None:
        """Start all daemons."""
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        own = (f"--{kind}-file={self.folder / 'munge'}.{kind}" for kind in ("key", "pid", "seed", "log"))
        self.daemon("munged", "--foreground", f"--socket={self.socket}", *own)
        wait_until(self.socket.exists, "munged has a socket")
        data = (f"--datadir={self.folder / 'database'}", f"--user={getpass.getuser()}")
        prepare = ("mariadb-install-db", "--no-defaults", *data, "--auth-root-authentication-method=normal")
        subprocess.run(prepare, check=True, capture_output=True)
        place = (f"--socket={self.folder / 'database.socket'}", f"--pid-file={self.folder / 'database.pid'}")
        port = (f"--port={self.ports['database']}", "--bind-address=127.0.0.1", "--innodb-buffer-pool-size=32M")
        self.daemon("mariadbd", "--no-defaults", *data, *place, *port, "--skip-grant-tables")
        wait_until((self.folder / "database.socket").exists, "the database is up", 120)
        self.daemon("slurmdbd", "-D")
        wait_until(
            lambda: "mlreduce" in self.ask("sacctmgr", "-i", "add", "cluster", "mlreduce"), "there are accounts", 120
        )
        self.daemon("slurmctld", "-D")
        for node in self.nodes:
            self.start_node(node)

    def daemon(self, *command: str) -> None:
        words = ("env", *(f"{key}={value}" for key, value in self.environment.items()), *command)
        print(*words, file=self.commands, flush=True)

    def start_node(self, node: str) -> None:
        self.daemon("slurmd", "-D", "-N", node)
        try:
            up = ("idle", "mix", "alloc")
            wait_until(lambda: self.ask("sinfo", "-h", f"-n{node}", "-o%t").strip() in up, "the node is up", 60)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{(self.folder / 'log').read_text()}") from None

    def crash_node(self, node: str) -> None:
        """Kill a node's daemon and its jobs, as a power failure does, and tell Slurm: it would take minutes."""
        jobs = self.ask("squeue", "-h", f"-w{node}", "-o%i").split()
        own = (f"slurmd -D -N {node}", *(f"slurmstepd: [{job}." for job in jobs))

        def there() -> set[int]:
            ours = (pid for pid in below(self.keeper) if command_of(pid).startswith(own))
            return {pid for top in ours for pid in (top, *below(top))}

        for pid in there():  # so that none reports the end of another
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        kill(there)
        self.ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=crashed")

    def ask(self, *command: str) -> str:
        environment = os.environ | self.environment
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    def jobs(self, form: str = "%i", states: str = "PENDING,RUNNING,COMPLETING") -> list[str]:
        """Return what `squeue` says of its jobs, the oldest first."""
        return self.ask("squeue", "-h", "-Si", f"-t{states}", f"-o{form}").splitlines()


@contextmanager
def two_nodes() -> Iterator[Cluster]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, __file__], start_new_session=True, text=True, **pipes) as keeper:
        cluster = Cluster(Path(keeper.stdout.readline().strip()), keeper.pid, keeper.stdin)
        cluster.start()
        yield cluster


def keep() -> None:
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory(prefix="mlreduce-slurm-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)  # munged has no socket where others may not look
        print(folder, flush=True)
        with Path(folder, "log").open("ab") as log:
            for line in sys.stdin:
                subprocess.Popen(line.split(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        kill(lambda: set(below(os.getpid())))


if __name__ == "__main__":
    keep()
