"""Freeze what the confirmatory edition is judged by: digests of claims, study files and procedure, before the run.

    python docs/update_frozen.py                      # before the run: date, seeds and digests into papers/frozen.yaml
    python docs/update_frozen.py FILE "what and why"  # after it: a file was changed; entered as an amendment

A test holds the files to papers/frozen.yaml. Every amendment is on the page of verdicts (docs/verdicts.md).
"""

from __future__ import annotations

import ast
import hashlib
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from mlreduce.configuration import read_yaml
from mlreduce.files import write_text

PROJECT = Path(__file__).parents[1]
FROZEN = PROJECT / "papers" / "frozen.yaml"
#: What decides verdicts, beside the results.
PROCEDURE = (
    *(
        f"src/mlreduce_studies/verdicts/{name}.py"
        for name in ("audit", "judging", "order", "quantities", "reading", "statements", "weighing")
    ),
    *(f"src/mlreduce/stats/{name}.py" for name in ("combination", "margins", "posterior", "tendency")),
)
COMMENT = """\
# What the confirmatory edition is judged by, frozen before its studies were run: python docs/update_frozen.py.
# SHA-256 of claims and studies as they stand, and of the syntax trees of the modules that judge.
"""


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


def amend(file: str, why: str) -> None:
    """Enter the change of a file."""
    content = read_yaml(FROZEN)
    if file not in frozen_files():
        sys.exit(f"{file}: not frozen; these are: {', '.join(frozen_files())}")
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    content["amendments"].append({"file": file, "date": today, "why": why, "digest": digest(file)})
    write_text(FROZEN, COMMENT + yaml.safe_dump(content, sort_keys=False, width=120))


if __name__ == "__main__":
    amend(*sys.argv[1:3]) if len(sys.argv) == 3 else freeze()
