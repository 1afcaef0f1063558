"""What a run sets up in its own process before it starts jobs."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path


def name_python_for_shells() -> None:
    """Name this Python so that a shell understands it, wherever the checkout is.

    Snakemake writes `sys.executable` into the commands of jobs without quotes. Where its folder has a space, a quote or
    another character that shells treat as special, it becomes a plain name, with that folder first on the path.
    """
    python = Path(sys.executable)
    if shlex.quote(sys.executable) != sys.executable:
        os.environ["PATH"] = f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        sys.executable = python.name


def end_with_the_terminal() -> None:
    """Treat SIGHUP, which a closed terminal sends, as SIGTERM, unless it is ignored, as under ``nohup``."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
