"""The command ``mlreduce``."""

from __future__ import annotations

from mlreduce.commandline.program import main

__all__ = ["main"]
