"""Run an entry: checks, then the study workflow by the benchmark's protocol, both with the class in other processes."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.stats.ranking import FULL
from mlreduce_studies.benchmark.pieces import job_files, piece_table
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.leaderboard.apart import set_apart
from mlreduce_studies.leaderboard.checks import failure_of
from mlreduce_studies.leaderboard.entry import FAMILIES, Entry
from mlreduce_studies.programs import versions as program_versions
from mlreduce_studies.provenance.verify import run_workflow
from mlreduce_studies.study import load_study, study_content, study_file

#: Minutes of the run.
MINUTES = 30.0

# The control of each family, which does not reduce and is part of every run.
_CONTROLS: Mapping[str, Mapping[str, Any]] = {
    "projection": {"all-features": {"class": "sklearn.preprocessing.FunctionTransformer"}},
    "selection": {"all-features": {}},
    "labelspace": {"br": {}},
}

# Keys of the benchmark's study files that are about its methods.
_OF_METHODS = (
    *("title", "methods", "groups", "tables", "figures", "scales", "budgets", "excluded", "predictors"),
    "record_warnings",
)


@dataclass(frozen=True)
class Outcome:
    """Outcome of the run of an entry."""

    #: Why, in one sentence.
    failed: str | None
    #: With ``dataset`` and the columns of the benchmark's pieces.
    scores: pd.DataFrame | None
    versions: Mapping[str, str]
    #: Wall time.
    seconds: float


def study_of(entry: Entry, project: str | Path, sets: Sequence[str]) -> dict[str, Any]:
    """Return the content of a study file that runs an entry, and a control, as the benchmark runs its methods.

    It has nothing that is about other data sets or methods, so that changes of those require no new run of entries.
    """
    content = study_content(study_file(FAMILIES[entry.family], project))
    paper = content["scales"]["paper"]
    taken = {name for item in content.get("groups", {}).values() for name in item.get("predictors", [])}
    scale = {"datasets": list(sets), "splits": paper["splits"], "timed": paper["timed"]}
    (protocol, rule), *_ = content["protocols"].items()
    rule = {**rule, "sampled": {name: value for name, value in rule["sampled"].items() if name in sets}}
    dimensions = sorted(content["dimensions"][protocol]["default"])
    return {
        **{
            key: value for key, value in content.items() if key not in _OF_METHODS and (key != "search" or entry.search)
        },
        "title": f"Leaderboard: {entry.title}",
        "scales": {"paper": scale, "demo": scale},
        "protocols": {protocol: rule},
        "methods": {"entry": entry.methods(dimensions), "controls": dict(_CONTROLS[entry.family])},
        "predictors": {name: predictor for name, predictor in content["predictors"].items() if name not in taken},
        "tables": {},
        "figures": {},
    }


def digest_of_study(entry: Entry, project: str | Path, sets: Sequence[str]) -> str:
    """Return the SHA-256 of all parts of the protocol on which an entry's scores depend."""
    content = {**study_of(entry, project, sets), "title": ""}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def run_entry(
    entry: Entry,
    project: str | Path,
    folder: str | Path,
    sets: Sequence[str],
    packages: Path | None = None,
    minutes: float = MINUTES,
    places: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Outcome:
    """Check an entry, and run it on data sets of the benchmark.

    The project has ``Snakefile``, ``config`` and ``comparisons``; ``folder`` is for the files of the workflow.
    ``packages`` is a folder of packages for it. ``minutes`` is the wall time of checks and run together. ``places`` has
    keys of the configuration for the paths of data. The seed is that of the checks.
    """
    began, project = time.monotonic(), Path(project).resolve()

    def took() -> float:
        return time.monotonic() - began

    content, paths = study_of(entry, project, sets), [] if packages is None else [str(packages)]
    used = {package: version(package) for package in ("mlreduce", "numpy", "scipy", "scikit-learn")}
    versions = {"python": platform.python_version(), **used, **entry.packages}
    versions |= program_versions({entry.name: entry.method}.items())
    failed = failure_of(entry, content["limits"], seed, paths)
    if failed is not None:
        return Outcome(failed, None, versions, took())
    content["methods"]["entry"] = {
        label: set_apart(entry.family, method, content["limits"], paths, entry.files)
        for label, method in content["methods"]["entry"].items()
    }
    working = Path(folder, f"{entry.name}-{entry.digest[:8]}").resolve()
    working.mkdir(parents=True, exist_ok=True)
    file = working / f"{entry.name}.yaml"
    file.write_text(json.dumps(content, indent=1), encoding="utf-8")  # JSON is YAML
    base = working / "results" / "entry"
    targets = [str(base / path) for name in sets for path in job_files(entry.name, name).values()]
    configuration = {**(places or {}), "studies": [str(file)], "results": str(working / "results"), "name": "entry"}
    ended = run_workflow(
        configuration, working, targets, project, [project / Protocol(project).config_file], 60 * minutes - took()
    )
    if not ended:
        return Outcome(f"is not finished after {minutes:g} minutes", None, versions, took())
    missing = [path for path in targets if not Path(path).is_file()]
    if missing:
        return Outcome(_of_log(base / entry.name, missing[0]), None, versions, took())
    study = load_study(file, "paper", Protocol(project).catalogue)
    scores = pd.concat([piece_table(study, name, base).assign(dataset=name) for name in sets], ignore_index=True)
    scores = at_own_sizes(entry, scores)
    scores.loc[scores["method"] == entry.name, "megabytes"] = np.nan  # those of the scorer are not those of the entry
    return Outcome(_failed_everywhere(entry, scores), scores, versions, took())


def at_own_sizes(entry: Entry, scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores of an entry and its control, under their names, at the sizes that they have.

    A method with one size is measured at all sizes, of which 100 % is selected. A transformer that was fitted for each
    number of dimensions has that number.
    """
    label, _, number = (scores["method"].str.partition("@")[part] for part in range(3))
    single = [*_CONTROLS[entry.family], *([entry.name] if entry.one_size else [])]
    of_fit = (number != "") & (scores["number"].astype(str) == number)
    of_others = (number == "") & ((scores["percent"] == FULL) | ~label.isin(single))
    return scores.assign(method=label)[of_fit | of_others].reset_index(drop=True)


def _failed_everywhere(entry: Entry, scores: pd.DataFrame) -> str | None:
    """Return a sentence where an entry has no score; single failures are the last of their setting."""
    rows = scores[scores["method"] == entry.name]
    if rows["value"].notna().any():
        return None
    return f"failed in all its fits ({', '.join(sorted(set(rows['status'])))})"


def _of_log(folder: Path, missing: str) -> str:
    """Return the last line of the newest log of a study whose jobs failed."""
    logs = sorted(folder.glob("logs/**/*.log"), key=lambda path: path.stat().st_mtime)
    lines = [line for path in logs for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    reasons = [line for line in lines if line != "done"]
    return f"its jobs failed: {reasons[-1][:200]}" if reasons else f"its jobs did not write {Path(missing).name}"
