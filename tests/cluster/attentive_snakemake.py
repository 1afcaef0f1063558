"""Snakemake that asks every two seconds what became of its jobs.

Its plugin for Slurm waits ten seconds longer each time that none has ended, up to three minutes. For jobs of seconds
that is most of the time, and more where others work too.
"""

from __future__ import annotations

import asyncio
import runpy

from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor


async def sleep(executor: RemoteExecutor) -> None:
    await asyncio.sleep(2)


if __name__ == "__main__":
    RemoteExecutor.sleep = sleep
    runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
