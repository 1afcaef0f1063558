"""The program: its commands, exit codes, and how results and errors are shown."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import mlreduce
from mlreduce.commandline import comparing, doctor, fetching, listing, reducing
from mlreduce.exceptions import MLReduceError

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``mlreduce`` with arguments, those of the process by default, and return its exit code.

    0; 1 after a sentence on what was wrong; 130 after an interruption. Wrong usage exits with 2.
    """
    commands = parser()
    if "_ARGCOMPLETE" in os.environ:  # set by a shell that completes a command
        import argcomplete

        argcomplete.autocomplete(commands)
    options = commands.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            result = options.run(options)
        except (MLReduceError, OSError) as error:
            print(f"mlreduce: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print(f"mlreduce: interrupted{options.after_interruption}", file=sys.stderr)
            return 130
    try:
        print(json.dumps(result, indent=2)) if options.json else _show(result)
        sys.stdout.flush()
    except BrokenPipeError:  # as of head, which has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    whole = argparse.ArgumentParser(prog="mlreduce", description="Dimension reduction for multi-label data.")
    whole.add_argument("--version", action="version", version=f"mlreduce {mlreduce.__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    for module in (listing, fetching, reducing, comparing, doctor):
        module.add_commands(commands)
    return whole


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    """Print a warning as errors are printed, without the line of code that it comes from."""
    print(f"mlreduce: {message}", file=sys.stderr)


def _show(result: Any) -> None:
    """Print a result for people: lines of a list, a table of records, or names with values."""
    if isinstance(result, dict):
        width = max(map(len, result))
        for name, value in result.items():
            shown = ", ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value
            print(f"{name:<{width}}  {shown}")
        return
    for line in result:
        if isinstance(line, dict):
            sizes = " x ".join(str(line[key]) for key in ("instances", "attributes", "labels") if key in line)
            line = f"{line['name']:<16} {sizes:<22} {line['title']}"
        print(line)
