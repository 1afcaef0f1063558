"""Texts on a claim to copy: a citation, and a disagreement with verdict, numbers and versions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from mlreduce.escaping import latex_escaped
from mlreduce_studies.runs import StudyResults

# Packages whose versions can change a score.
_PACKAGES = ("mlreduce", "numpy", "scipy", "scikit-learn", "numba", "pandas")

# Browsers and servers take addresses of that length.
_LONGEST = 6000

# Names that no address on the web has: RFC 2606.
_RESERVED = ("example", "invalid", "localhost", "test")


def citation(study: StudyResults, claim: Mapping[Any, Any]) -> str:
    """Return the verdict on a claim as an entry of BibTeX."""
    title = f"Verdict on the claim {claim['id']} of {study.description['title']}: {claim['verdict']}"
    return _entry(f"mlreduce-{claim['id']}", title, study)


def citation_of_all(studies: Sequence[StudyResults]) -> str:
    """Return all results as an entry of BibTeX, with version, commit and date of those that ended last."""
    last = max(studies, key=lambda study: str(study.manifest.get("run", {}).get("ended", "")))
    return _entry("mlreduce", f"mlreduce: {_project().get('Summary', 'multi-label data')}".rstrip("."), last)


def _entry(name: str, title: str, study: StudyResults) -> str:
    ended = str(study.manifest.get("run", {}).get("ended", ""))
    fields = {
        "author": f"{{{latex_escaped(str(_project().get('Author', 'The mlreduce developers')))}}}",
        "title": f"{{{latex_escaped(title)}}}",
        "year": ended[:4],
        "note": latex_escaped(", ".join([*made_by(study), *([f"results of {ended[:10]}"] if ended else [])])),
        "url": project_address("Repository"),
    }
    key = re.sub(r"[^A-Za-z0-9-]+", "-", name)
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def disagreement(study: StudyResults, claim: Mapping[Any, Any], settings: Sequence[Mapping[str, Any]]) -> str:
    """Return a text that disputes the verdict on a claim by the settings that count, but for the reason."""
    run = study.manifest.get("run", {})
    versions = [f"Python {run.get('python', 'unknown')}"]
    versions += [f"{name} {run['packages'][name]}" for name in _PACKAGES if name in run.get("packages", {})]
    made = [f"{key} {study.manifest[key]}" for key in ("scale", "splits", "seed") if key in study.manifest]
    where = f"results/{study.folder.resolve().parent.name}/{study.name}"
    return "\n".join(
        [
            f"I disagree with the verdict on the claim {claim['id']} of {study.name}.",
            "",
            f"Claim ({claim['where']}): {claim['claim']}",
            f"Verdict: {claim['verdict']}",
            *(_of_setting(line) for line in settings),
            *([] if settings else [f"- {claim['evidence']}"]),
            f"Results: {', '.join(part for part in (*made, _commit(study)) if part)}",
            f"Versions: {', '.join(versions)}",
            f"Judge the stored scores again by: python -m mlreduce_studies.verdicts {where}",
            "",
            "What is wrong, and what would be right: ",
        ]
    )


def _of_setting(line: Mapping[str, Any]) -> str:
    name = f"{line['setting']}: " if line["setting"] else ""
    p_values = f" (p for {line['p_for']}, against {line['p_against']})" if line["p_for"] else ""
    return f"- {name}{line['verdict']}{p_values}. {line['why']}"


def issue_link(study: StudyResults, claim: Mapping[Any, Any], text: str) -> str:
    """Return the address of a form for an issue with a text filled in; "" where the project names no address."""
    issues = project_address("Issues")
    if not issues:
        return ""
    title = f"{issues.rstrip('/')}/new?" + urlencode(
        {"title": f"Verdict on {study.name}: {claim['id']}"}, quote_via=quote
    )
    whole = f"{title}&{urlencode({'body': text}, quote_via=quote)}"
    return whole if len(whole) <= _LONGEST else title


def project_address(name: str) -> str:
    """Return an address of the project, such as "Issues"; "" for a placeholder with a reserved name."""
    for entry in _project().get("Project-URL", ()):
        label, _, address = entry.partition(", ")
        host = urlsplit(address).hostname or ""
        if label == name and host.rpartition(".")[2] not in _RESERVED and address.startswith(("https://", "http://")):
            return str(address)
    return ""


@cache
def _project() -> dict[str, Any]:
    """Return the metadata of the project, from pyproject.toml."""
    try:
        found = metadata("mlreduce")
    except PackageNotFoundError:
        return {}
    urls = {"Project-URL": found.get_all("Project-URL") or []}
    return urls | {key: found[key] for key in ("Author", "Summary", "Version") if key in found}


def made_by(study: StudyResults) -> list[str]:
    """Return the version of the package and, where it is known, the commit that made the results of a study."""
    packages = study.manifest.get("run", {}).get("packages", {})
    version = packages.get("mlreduce") or _project().get("Version", "")
    return [f"mlreduce {version}", *filter(None, [_commit(study)])]


def _commit(study: StudyResults) -> str:
    commit = study.manifest.get("run", {}).get("source", {}).get("commit")
    return f"commit {commit}" if commit else ""
