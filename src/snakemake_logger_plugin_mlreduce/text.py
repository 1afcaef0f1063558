"""Texts that the log prints: names, tables, reasons and errors."""

from __future__ import annotations

import difflib
import re
import signal
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

_PER_STUDY = re.compile(r"(gather|tables|figures)_")
_ROWS = 36  # of a plan, which has four lines more
_REASONS = {
    "Missing output": "missing output",
    "Incomplete output": "incomplete output",
    "Code has": "code",
    "Params have": "parameters",
    "Software": "environment",
    "Set of input": "other inputs",
    "Updated input": "newer input",
    "Input files updated": "earlier step",
    "Forced": "forced",
}
_NOISE = re.compile(
    r"Building DAG|Using |Provided |Rules claiming|Job stats|Execute \d+ jobs|Select jobs|host:|Conda env.*: ignored"
    r"|Singularity containers: |Group jobs: |Assuming unrestricted|Config file .* is extended|Loading trusted IOCache"
    r"|Complete log|Elapsed time|Shutting down|Exiting because|Removing |Would remove|Touching output|Waiting at most"
    r"|Some jobs were triggered|Rules with provenance|\d+ jobs have (missing|outdated)|This was a dry-run|Reasons:"
    r"|Submitted |Job \d+ has been submitted|Error in group|Storing output|Job rate limit|Updating checkpoint"
    r"|Determining filesystem"
)


def step_of(rule: str) -> str:
    """Return the step a rule belongs to: ``tables_gmba`` is one of ``tables``."""
    match = _PER_STUDY.match(rule)
    return match[1] if match else rule


def study_of(paths: Iterable[str]) -> str:
    """Return the study in ``results/<scale>/<study>/...``, or nothing."""
    for path in paths:
        _, separator, rest = f"/{path}".rpartition("/results/")
        parts = rest.split("/")
        if separator and len(parts) > 2:
            return parts[1]
    return ""


def reason_of(reason: str) -> str:
    """Return the first of Snakemake's reasons in one or two words."""
    return next((short for start, short in _REASONS.items() if reason.startswith(start)), reason.split(":")[0][:30])


def is_noise(message: str) -> bool:
    """Whether a message of Snakemake is of no use to the reader of a run."""
    return _NOISE.match(message) is not None


def plan_lines(plan: Mapping[tuple[str, str], Counter[str]], width: int) -> list[str]:
    """Return the table of steps, studies, numbers of jobs and reasons; studies are added up where it is long."""
    jobs = sum(count.total() for count in plan.values())
    if len(plan) > _ROWS:
        merged: dict[str, Counter[str]] = {}
        studies: dict[str, list[str]] = {}
        for (step, study), count in plan.items():
            merged[step] = merged.get(step, Counter()) + count
            studies.setdefault(step, []).append(study)
        named = {step: study[0] if len(study) == 1 else f"{len(study)} studies" for step, study in studies.items()}
        plan = {(step, named[step]): count for step, count in merged.items()}
    steps = list(dict.fromkeys(step for step, _ in plan))
    ordered = sorted(plan.items(), key=lambda item: (steps.index(item[0][0]), item[0][1]))
    rows = [("step", "study", "jobs", "why")]
    for (step, study), count in islice(ordered, _ROWS):
        why = ", ".join(f"{reason} {number}" for reason, number in count.most_common() if reason)
        rows.append((step, study or "-", str(count.total()), why))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]
    if len(plan) > _ROWS:
        lines.append("...")
    return [line[: width or None] for line in lines] + [f"{jobs} jobs"]


def first_table(path: str, width: int, lines: int = 12) -> list[str]:
    """Return title and first table of a Markdown file in columns, without deviations and bold type."""
    try:
        written = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    title = next((line.lstrip("# ") for line in written if line.startswith("#")), Path(path).stem)
    start = next((number for number, line in enumerate(written) if line.startswith("|")), len(written))
    rows = []
    for line in written[start:]:
        if not line.startswith("|"):
            break
        if not set(line) <= set("|-: "):
            rows.append([re.sub(r" ± \S+|\*\*", "", cell).strip() for cell in line.strip("| ").split(" | ")])
    widths = [
        max(len(row[column]) for row in rows if column < len(row)) for column in range(max(map(len, rows), default=0))
    ]
    shown = ["  ".join(f"{cell:{size}}" for cell, size in zip(row, widths, strict=False)).rstrip() for row in rows]
    if len(shown) > lines - 2:
        shown = [*shown[: lines - 3], f"... {len(shown) - lines + 3} more rows"]
    return [f"  {line}"[:width] for line in [title, *shown, path]]


def cluster_reasons(message: str | None) -> list[str]:
    """Return why an executor refused a job, or the status of the failed job in the queue, as lines of its message.

    The command that submitted the job, what happens to the node, and the path of Snakemake's log are left out.
    """
    reason = re.split(r"\n *sbatch (?:call|script):|Failed nodes will be |For further error details", message or "")[0]
    return [line.strip() for line in reason.splitlines() if line.strip()]


def last_words(logs: Iterable[str], lines: int = 6) -> list[str]:
    """Return a sentence ``mlreduce: ...``, an error and its place, or the last lines, of the first log with text."""
    for path in logs:
        try:
            written = [line.rstrip() for line in Path(path).read_text("utf-8", "replace").splitlines() if line.strip()]
        except OSError:
            continue
        sentences = [line for line in written if line.startswith("mlreduce: ")]
        if written:
            last = sentences[-1:] or _untraced("\n".join(written)) or written[-lines:]
            return [line[:500] for line in last]
    return []


def ending_of(message: str) -> str:
    """Return how the process of a job ended, from the error of its command; for a job without a reason in its log."""
    match = re.search(r"exit status (\d+)|died with <Signals\.\w+: (\d+)>", message)
    if match is None:
        return ""
    status = int(match[1]) if match[1] else 128 + int(match[2])  # shells report signals as 128 + number
    if status - 128 in set(signal.Signals):
        how = f"was ended by {signal.Signals(status - 128).name}"
    elif status in (126, 127):
        how = "could not start its Python"
    else:
        how = f"ended with exit status {status}"
    return f"The job {how} before it wrote a reason; what it printed, if anything, is above."


def _untraced(message: str) -> list[str]:
    """Return the last line of a traceback and the place of the error; nothing where there is no traceback."""
    if "Traceback (most recent call last)" not in message:
        return []
    places = re.findall(r'^ +File "(.+?)", line (\d+)', message, flags=re.MULTILINE)
    ours = [(path, line) for path, line in places if "site-packages" not in path and not path.startswith("<")]
    last = [line for line in message.splitlines() if line and not line.startswith(" ")][-1:]
    return [*last, *(f"  in {path}, line {line}" for path, line in ours[-1:])]


def short_error(message: str, kind: str, targets: Iterable[str]) -> list[str]:
    """Return an error's type, sentence and place without the traceback, with the nearest name of an unknown target."""
    absent = re.search(r"^FileNotFoundError: .*: '(.+)'$", message, flags=re.MULTILINE)
    if absent and not Path(absent[1]).exists():
        near = [str(path) for pattern in ("*.y*ml", "config/*.y*ml") for path in Path().glob(pattern)]
        paths = {Path(path).name: path for path in near}
        names = difflib.get_close_matches(Path(absent[1]).name, paths, n=1, cutoff=0.5)
        return [f"There is no file {absent[1]!r}.", *(f"Did you mean {paths[name]!r}?" for name in names)]
    refused = re.search(r"\w+Error: \[Errno \d+\] (Permission denied|Read-only file system): '(.+)'", message)
    stored = re.search(r"StorageError: (.+ could not be written: .+)", message)
    if refused or stored:
        reason = stored[1] if stored else f"{refused[2]}: {refused[1]}" if refused else ""
        return [f"{reason}.", "Results need a writable folder: --config results=FOLDER, or --directory FOLDER"]
    later = re.search(r"than input (.+) \((.+)\)\. This could indicate a clock skew", message)
    if later:
        return [f"{later[1]} is dated {later[2]}, in the future.", f"Correct the clock, or the date: touch {later[1]}"]
    untraced = _untraced(message)
    if untraced:
        return [*untraced, "  (--verbose shows the traceback)"]
    noise = re.compile(r' +File ".+", line \d+|\s*(Error:|Traceback:|Wildcards:)?$')
    lines = [line for line in message.splitlines() if not noise.match(line)]
    if lines and re.fullmatch(r"\w+( in .*)?:", lines[0]) and len(lines) > 1 and kind in lines[0]:
        place = lines[0].removeprefix(kind).removeprefix(" in ").rstrip(":")
        lines = [
            f"{kind.replace('WorkflowError', 'Error')}: {lines[1].strip()}",
            *lines[2:],
            *([f"  in {place}"] if place else []),
        ]
    unknown = re.search(r"No rule to produce (\S+)", message)
    nearest = difflib.get_close_matches(unknown[1], list(targets), n=1, cutoff=0.5) if unknown else []
    if unknown:
        return [f"There is no rule or file {unknown[1]!r}.", *(f"Did you mean {name!r}?" for name in nearest)]
    return lines
