"""Freeze what a paper is judged by before its studies are run: digests of its claims and its study file.

    python docs/update_frozen.py NAME                     # before a paper is run: date, seed and digests of its files
    python docs/update_frozen.py FILE ... "what and why"  # after it: enter the change of files as an amendment
    python docs/update_frozen.py --benchmark 2            # the same for a version of the benchmark, in comparisons
    python docs/update_frozen.py --benchmark FILE ... WHY # with --same-scores its scores belong to the files, too

A paper is frozen in papers/NAME/frozen.yaml. The first seven were frozen together, with the modules that judge all
papers, in papers/frozen.yaml. A test compares the files with these digests. The amendments of papers/frozen.yaml are
listed in docs/verdicts.md. The protocol of the benchmark is frozen with the modules that rank its methods.
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
from mlreduce_studies.benchmark.protocol import VERSIONS, frozen_file, name_of_version, protocol_files

PROJECT = Path(__file__).parents[1]
FROZEN = PROJECT / "papers" / "frozen.yaml"
#: What decides verdicts, besides the results.
PROCEDURE = (
    *(
        f"src/mlreduce_studies/verdicts/{name}.py"
        for name in ("audit", "baselines", "judging", "order", "quantities", "reading", "statements", "weighing")
    ),
    *(f"src/mlreduce/stats/{name}.py" for name in ("combination", "margins", "posterior", "tendency")),
)
#: What ranks the methods of the benchmark.
RANKING = ("src/mlreduce/stats/ranking.py", "src/mlreduce/stats/ranks.py")
#: The first lines of a freeze of a paper and of the benchmark.
PAPER_COMMENT = """\
# What the paper is judged by, frozen before its study was run: python docs/update_frozen.py NAME.
# SHA-256 of the files.
"""
BENCHMARK_COMMENT = """\
# The protocol of the benchmark, frozen before it was run: python docs/update_frozen.py --benchmark.
# SHA-256 of its files as they stand, and of the syntax trees of the modules that rank.
"""
BENCHMARKS = {version: PROJECT / frozen_file(version) for version in VERSIONS}


def benchmark_files(version: int = 2) -> list[str]:
    """Return the files of the benchmark that are frozen, from the root of the project.

    The first version is withdrawn: its protocol and scores stay, and its methods are ranked no longer.
    """
    return [*protocol_files(PROJECT, version), *(RANKING if version > 1 else ())]


def paper_files(name: str) -> list[str]:
    """Return the files that a paper is judged by, from the root of the project."""
    files = (f"papers/{name}/{file}" for file in ("claims.yaml", "study.yaml"))
    return [file for file in files if (PROJECT / file).is_file()]


def freezes() -> list[Path]:
    """Return the files of the papers' freezes: the one that the first papers share, and one for each later paper."""
    return [FROZEN, *sorted(PROJECT.glob("papers/*/frozen.yaml"))]


def covered_files(path: Path) -> list[str]:
    """Return the files that a freeze covers: those that it lists, and what its papers and procedure consist of now."""
    content = read_yaml(path)
    listed = {*content["files"], *(change["file"] for change in content["amendments"])}
    papers = {file.split("/")[1] for file in listed if file.startswith("papers/")}
    now = {file for name in papers for file in paper_files(name)}
    return sorted(listed | now | (set(PROCEDURE) if listed & set(PROCEDURE) else set()))


def digest(file: str) -> str:
    """Return the digest of a file; of a module that of its statements, whatever its comments and layout."""
    text = (PROJECT / file).read_text(encoding="utf-8")
    if file.endswith(".py"):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            match getattr(node, "body", None):
                case [ast.Expr(value=ast.Constant() as docstring), *_]:
                    docstring.value = ""
        text = ast.dump(tree)
    return hashlib.sha256(text.encode()).hexdigest()


def changed_files(content: dict[str, Any]) -> list[str]:
    """Return the files that are not as they were frozen, or as they were entered last, but those released since."""
    known = dict(content["files"])
    known |= {change["file"]: change["digest"] for change in content["amendments"] if "digest" in change}
    for change in content["amendments"]:
        if change.get("released"):
            known.pop(change["file"], None)
    return [file for file, expected in known.items() if not (PROJECT / file).is_file() or digest(file) != expected]


def write(path: Path, comment: str, content: dict[str, Any]) -> None:
    """Write a freeze below its comment."""
    write_text(path, comment + yaml.safe_dump(content, sort_keys=False, width=120))


def freeze(path: Path, comment: str, config: str, files: Sequence[str]) -> None:
    """Write date, seed and digests of files."""
    if path.is_file():
        sys.exit(f"{path} already exists; a change is an amendment: python docs/update_frozen.py FILE WHY")
    now, seed = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), read_yaml(PROJECT / config)["seed"]
    digests = {file: digest(file) for file in files}
    write(path, comment, {"frozen": now, "seed": seed, "files": digests, "amendments": []})


def freeze_benchmark(version: int = 2) -> None:
    """Write date, seed and digests of a version of the benchmark."""
    config = f"config/{name_of_version(version)}.yaml"
    freeze(BENCHMARKS[version], BENCHMARK_COMMENT, config, benchmark_files(version))


def freeze_paper(name: str) -> None:
    """Write date, seed and digests of a paper."""
    if not (files := paper_files(name)):
        sys.exit(f"papers/{name}: no study.yaml; a paper is a folder with one")
    if set(files) & {file for path in freezes() for file in covered_files(path)}:
        sys.exit(f"{name} is already frozen; a change is an amendment: python docs/update_frozen.py FILE WHY")
    freeze(PROJECT / "papers" / name / "frozen.yaml", PAPER_COMMENT, "config/paper.yaml", files)


def amend(files: Sequence[str], why: str, benchmark: bool = False, same_scores: bool = False) -> None:
    """Enter the change of files into their freeze; a new module that judges is entered with it.

    With `same_scores` the scores of the benchmark belong to the amended files, too.
    """
    if benchmark:
        known = {path: benchmark_files(version) for version, path in BENCHMARKS.items() if path.is_file()}
    else:
        known = {path: covered_files(path) for path in freezes()}
    if wrong := set(files).difference(*known.values()):
        there = [file for covered in known.values() for file in covered]
        sys.exit(f"not frozen: {', '.join(sorted(wrong))}; these are: {', '.join(there)}")
    entry = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "why": why}
    for path, covered in known.items():
        changes = [{"file": file, **entry, "digest": digest(file)} for file in files if file in covered]
        if changes:
            content, comment = read_yaml(path), path.read_text(encoding="utf-8").partition("frozen:")[0]
            marks = {"same_scores": True} if same_scores else {}
            content["amendments"] += [change | marks for change in changes]
            write(path, comment, content)


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word not in ("--benchmark", "--same-scores")]
    if len(given) > 1:
        amend(given[:-1], given[-1], benchmark="--benchmark" in sys.argv, same_scores="--same-scores" in sys.argv)
    elif "--benchmark" in sys.argv:
        freeze_benchmark(int(given[0]) if given else 2)
    elif given:
        freeze_paper(given[0])
    else:
        sys.exit(__doc__)
