"""Runs, their jobs, and the program that runs them, killed at random moments."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time

import psutil
from project import TINY


class Run:
    """A run under way, and its jobs."""

    def __init__(self, project):
        self.process = project.start("--config", *TINY, output=subprocess.DEVNULL)
        self._seen = set()

    def next_job(self):
        """Wait for a job that was not seen before; None when the run is over."""
        while self.process.poll() is None:
            try:
                children = psutil.Process(self.process.pid).children(recursive=True)
            except psutil.NoSuchProcess:
                continue
            for child in children:
                if child not in self._seen and is_job(child):
                    self._seen.add(child)
                    return child
            time.sleep(0.02)
        return None

    def kill(self):
        """Kill all of it, and say whether it was still alive."""
        alive = self.process.poll() is None
        if alive:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return alive


def is_job(process):
    try:
        return any("/.snakemake/scripts/" in word for word in process.cmdline()[1:2])
    except psutil.Error:  # it has ended
        return False


def kill(process):
    """Kill a process, and say whether it was still alive."""
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return False
    return True


def test_killed_twenty_times_and_started_again_it_ends_in_the_same_bytes(project, undisturbed):
    moments = random.Random(0)
    kills = {"job": 0, "run": 0}
    while min(kills.values()) < 10:
        run = Run(project)
        for _ in range(moments.randint(1, 3)):  # what ends meanwhile is kept: there is progress
            job = run.next_job()
        if job and kills["job"] <= kills["run"]:
            time.sleep(moments.uniform(0, 0.5))
            kills["job"] += kill(job)
            run.next_job()
        time.sleep(moments.uniform(0, 2))
        if run.kill():
            kills["run"] += 1
        elif run.process.returncode == 0:  # it came to its end before it was killed enough
            assert project.results() == undisturbed.results()
            project.forget()
        else:
            assert job, "what the killed run left behind keeps the next one from starting"
    project.run("--config", *TINY)
    assert project.results() == undisturbed.results()
    assert project.same_results() == undisturbed.same_results()
    assert not list(project.folder.glob("results/**/.partial*"))


def test_jobs_that_outlive_a_killed_run_are_waited_for(project):
    """A job that works on for a run that is gone must not write what it was told into the results of the next."""
    station = project.folder / "workflow" / "scripts" / "prepare.py"
    whole = station.read_text()
    project.hold("prepare")
    run = Run(project)
    orphan = run.next_job()
    project.wait_for_held(run.process)
    run.process.kill()
    run.process.wait()
    assert is_job(orphan)
    station.write_text(whole)
    again = project.start("results/data/planted.npz", "--config", *TINY)
    said = iter(again.stdout.readline, "")
    assert any("mlreduce: waiting for jobs of a run that was killed" in line for line in said)
    time.sleep(1)
    assert again.poll() is None
    assert not (project.folder / "results" / "data" / "planted.npz").exists()
    project.go_on()
    output, _ = again.communicate()
    assert again.returncode == 0, output
    assert "rule prepare" in output
