"""Freeze what the confirmatory edition is judged by: digests of claims, study files and procedure, before the run.

    python docs/update_frozen.py                      # before the run: date, seeds and digests into papers/frozen.yaml
    python docs/update_frozen.py FILE ... "what and why"  # after it: files were changed; entered as an amendment
    python docs/update_frozen.py --benchmark [...]    # the same of the benchmark: comparisons/frozen.yaml

A test holds the files to papers/frozen.yaml. Every amendment is on the page of verdicts (docs/verdicts.md). The
protocol of the benchmark is frozen with the modules that rank its methods.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from mlreduce.configuration import read_yaml
from mlreduce.files import write_text
from mlreduce_studies.benchmark.protocol import CONFIG, protocol_files

PROJECT = Path(__file__).parents[1]
FROZEN = PROJECT / "papers" / "frozen.yaml"
#: What decides verdicts, beside the results.
PROCEDURE = (
    *(
        f"src/mlreduce_studies/verdicts/{name}.py"
        for name in ("audit", "baselines", "judging", "order", "quantities", "reading", "statements", "weighing")
    ),
    *(f"src/mlreduce/stats/{name}.py" for name in ("combination", "margins", "posterior", "tendency")),
)
#: What ranks the methods of the benchmark, and what words follow from its numbers, as far as it is there.
RANKING = (
    *("src/mlreduce/stats/ranking.py", "src/mlreduce/stats/ranks.py", "src/mlreduce_studies/gathering/held_out.py"),
    *(f"src/mlreduce_studies/benchmark/{name}.py" for name in ("answers", "scores")),
)
COMMENT = """\
# What the confirmatory edition is judged by, frozen before its studies were run: python docs/update_frozen.py.
# SHA-256 of claims and studies as they stand, and of the syntax trees of the modules that judge.
"""


BENCHMARK = PROJECT / "comparisons" / "frozen.yaml"
BENCHMARK_COMMENT = """\
# The protocol of the benchmark, frozen before it was run: python docs/update_frozen.py --benchmark.
# SHA-256 of its files as they stand, and of the syntax trees of the modules that rank.
"""


def benchmark_files() -> list[str]:
    """Return the files of the benchmark that are frozen, from the root of the project."""
    return [*protocol_files(PROJECT), *(file for file in RANKING if (PROJECT / file).is_file())]


def frozen_files() -> list[str]:
    """Return the files that are frozen, from the root of the project."""
    beside = sorted(str(path.relative_to(PROJECT)) for path in PROJECT.glob("papers/*/*.yaml"))
    return ["config/paper.yaml", *beside, *PROCEDURE]


def digest(file: str) -> str:
    """Return the digest of a file; of a module that of its statements, whatever its comments and layout."""
    text = (PROJECT / file).read_text(encoding="utf-8")
    if file.endswith(".py"):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if (
                isinstance(body, list)
                and body
                and isinstance(body[0], ast.Expr)
                and isinstance(body[0].value, ast.Constant)
            ):
                body[0].value.value = ""
        text = ast.dump(tree)
    return hashlib.sha256(text.encode()).hexdigest()


def changed(content: dict[str, Any]) -> list[str]:
    """Return the files that are not as they were frozen, or as they were entered last."""
    last = content["files"] | {own["file"]: own["digest"] for own in content["amendments"] if "digest" in own}
    return [file for file, expected in last.items() if not (PROJECT / file).is_file() or digest(file) != expected]


def freeze_benchmark() -> None:
    """Write date, seed and digests of the benchmark."""
    if BENCHMARK.is_file():
        sys.exit(f"{BENCHMARK} is there; a change is an amendment: python docs/update_frozen.py --benchmark FILE WHY")
    content: dict[str, Any] = {
        "frozen": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seed": read_yaml(PROJECT / CONFIG)["seed"],
        "files": {file: digest(file) for file in benchmark_files()},
        "amendments": [],
    }
    write_text(BENCHMARK, BENCHMARK_COMMENT + yaml.safe_dump(content, sort_keys=False, width=120))


def freeze() -> None:
    """Write date, seeds and digests."""
    if FROZEN.is_file():
        sys.exit(f"{FROZEN} is there; a change after the run is an amendment: python docs/update_frozen.py FILE WHY")
    seed = read_yaml(PROJECT / "config" / "paper.yaml")["seed"]
    content: dict[str, Any] = {
        "frozen": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seed": seed,
        "more_seeds": [seed + number for number in range(1, 5)],
        "files": {file: digest(file) for file in frozen_files()},
        "amendments": [],
    }
    write_text(FROZEN, COMMENT + yaml.safe_dump(content, sort_keys=False, width=120))


def amend(files: Sequence[str], why: str, benchmark: bool = False) -> None:
    """Enter the change of files; a module that judges and was not there before is entered with it."""
    path, comment = (BENCHMARK, BENCHMARK_COMMENT) if benchmark else (FROZEN, COMMENT)
    content = read_yaml(path)
    known = benchmark_files() if benchmark else frozen_files()
    for file in files:
        if file not in known:
            sys.exit(f"{file}: not frozen; these are: {', '.join(known)}")
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    content["amendments"] += [{"file": file, "date": today, "why": why, "digest": digest(file)} for file in files]
    write_text(path, comment + yaml.safe_dump(content, sort_keys=False, width=120))


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--benchmark"]
    if len(given) > 1:
        amend(given[:-1], given[-1], benchmark="--benchmark" in sys.argv)
    elif "--benchmark" in sys.argv:
        freeze_benchmark()
    else:
        freeze()
