"""The program: its commands, exit codes, and how results and errors are shown."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mlreduce
from mlreduce.commandline import comparing, doctor, fetching, listing, recommending, reducing, searching
from mlreduce.commandline.arguments import in_options
from mlreduce.exceptions import MLReduceError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``mlreduce`` with arguments, those of the process by default, and return its exit code.

    0; 1 after a sentence on what was wrong; 130 after an interruption, 143 after SIGTERM, 129 after SIGHUP. Wrong usage
    exits with 2.
    """
    commands = parser()
    if "_ARGCOMPLETE" in os.environ:  # set by a shell that completes a command
        import argcomplete

        argcomplete.autocomplete(commands)
    given = sys.argv[1:] if arguments is None else list(arguments)
    if any("\0" in argument for argument in given):
        return _refuse("an argument holds a NUL character, which no name of a file has")
    options = commands.parse_args(given)
    if not hasattr(options, "run"):
        commands.print_help()
        return 0

    def refuse(reason: object) -> int:
        return _refuse(in_options(str(reason), options.also))

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        refuse(message)  # without the line of code that it comes from

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            with _signals():
                result = options.run(options)
        except (MLReduceError, OSError) as error:
            return refuse(error)
        except MemoryError as error:
            from mlreduce.validation import out_of_memory  # slow to import

            return _refuse(out_of_memory(error, f"{commands.prog} {given[0]}"))
        except KeyboardInterrupt as interruption:
            _refuse(f"interrupted{options.after_interruption}")
            return 128 + getattr(interruption, "number", signal.SIGINT)
    if sys.stdout is None:
        return _refuse("standard output is closed: the result is not shown")
    try:
        print(json.dumps(result, indent=2)) if options.json else _show(result)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is written when the process ends
        # A pipe is closed by what has read enough, as head does.
        return 0 if isinstance(error, BrokenPipeError) else _refuse(f"the result cannot be written: {error}")
    return 0


class _Ended(KeyboardInterrupt):
    """A signal that ends the program, of a number; processes that were started end as after Ctrl+C."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def _signals() -> Iterator[None]:
    """Within the block, raise where a signal would end this process and leave those that it started."""

    def end(number: int, frame: Any) -> None:
        raise _Ended(number)

    main_thread = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if main_thread and hasattr(signal, name)]
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]  # nohup ignores one
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _refuse(reason: object) -> int:
    """Print what was wrong and return the exit code."""
    if sys.stderr is not None:
        print(f"mlreduce: {reason}", file=sys.stderr)
    return 1


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(prog="mlreduce", description="Dimension reduction for multi-label data.")
    top.add_argument("--version", action="version", version=f"mlreduce {mlreduce.__version__}")
    commands = top.add_subparsers(metavar="COMMAND")
    for module in (listing, recommending, fetching, reducing, searching, comparing, doctor):
        module.add_commands(commands)
    return top


def _show(result: Any) -> None:
    """Print lines, or names with values, for people, no line wider than the terminal, or 80 where that is unknown."""
    columns = shutil.get_terminal_size().columns
    if isinstance(result, dict):
        width = max(map(len, result))
        result = [f"{name:<{width}}  {value}" for name, value in result.items()]
    for line in result:
        print(_wrap(line, columns))


def _wrap(line: str, columns: int) -> str:
    """Return a line, cut into several where it is too wide, the others below its last cell."""
    if len(line) <= columns:
        return line
    cells = [gap.end() for gap in re.finditer(" {2,}", line) if gap.end() <= 0.6 * columns]
    # A path, an address or a name is not cut.
    wrapper = textwrap.TextWrapper(columns, break_on_hyphens=False, break_long_words=False)
    wrapper.subsequent_indent = " " * max(cells, default=2)
    return wrapper.fill(line)
