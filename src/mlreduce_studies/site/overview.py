"""What the pages on all studies together show: the front page, the provenance, the downloads, and the data as JSON."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.files import replacing
from mlreduce.methods.evidence import TYPICAL
from mlreduce_studies.site.claim_texts import citation_of_all, made_by
from mlreduce_studies.site.entries import Entries
from mlreduce_studies.site.findings import answers, findings
from mlreduce_studies.site.papers import failed_of, tables_of
from mlreduce_studies.site.runs import Run, StudyResults
from mlreduce_studies.site.shapes import STORED, form_fields
from mlreduce_studies.verdicts.audit import sums_by_protocol
from mlreduce_studies.verdicts.columns import VERDICTS, summary_counts

# Files of a study to download, by suffix: tables, tidy data, LaTeX, pictures; up to a size, CSV by gzip beyond another.
_SUFFIXES = (".csv", ".csv.gz", ".parquet", ".tex", ".pdf")
_LARGEST = 400_000
_PLAIN = 20_000

# Rows of a table on the front page, at most.
_ROWS = 12


def front_page(
    studies: Sequence[StudyResults],
    pages: Mapping[str, str],
    entries: Entries,
    claims: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """Return what the front page shows.

    Parameters
    ----------
    pages : dict of str to str
        Keys of studies to names of pages.
    claims : dict of str to list of dict
        Keys of studies to what `mlreduce_studies.site.papers.claims_of` returns.
    """
    found = findings(studies, pages, claims)
    if not any(item["claim"]["judged_by"] == "results" and item["claim"]["verdict"] != "not run" for item in found):
        found = []  # as in the demo, whose data the claims are not about
    counted = Counter(item["claim"]["verdict"] for item in found)
    return {
        "findings": found,
        "computed": [] if found else _first_tables(studies, pages),
        "counts": {verdict: counted[verdict] for verdict in VERDICTS if verdict in counted},
        "answers": answers(),
        "typical": TYPICAL,
        "stored": STORED,
        "fields": form_fields(),
        "cited": citation_of_all(studies),
        "versions": _counted([made_by(study) for study in studies]),
        "studies": _overview(studies, pages, entries, claims),
    }


def _first_tables(studies: Sequence[StudyResults], pages: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the first table of each study that has one, with its first part cut to a few rows."""
    first = {study: tables[0] for study in studies if (tables := tables_of(study)) and tables[0]["parts"]}
    return [
        {"key": study.key, "page": pages[study.key], "caption": table["caption"], "note": table["note"]}
        | table["parts"][0]
        | {"rows": table["parts"][0]["rows"][:_ROWS], "left_out": max(0, len(table["parts"][0]["rows"]) - _ROWS)}
        for study, table in first.items()
    ]


def _counted(made: Sequence[Sequence[str]]) -> str:
    """Return the version and the commit of some results, or how many versions and commits there are."""
    found = [[*dict.fromkeys(item[number] for item in made if len(item) > number)] for number in (0, 1)]
    parts = zip(found, ("versions of mlreduce", "commits"), strict=True)
    return ", ".join(part[0] if len(part) == 1 else f"{len(part)} {name}" for part, name in parts if part)


def _overview(
    studies: Sequence[StudyResults],
    pages: Mapping[str, str],
    entries: Entries,
    claims: Mapping[str, Sequence[Mapping[str, Any]]],
) -> list[dict[str, Any]]:
    """Return what the front page says of each study."""
    return [
        {
            "key": study.key,
            "page": pages[study.key],
            "title": study.description["title"],
            "paper": study.is_of_a_paper,
            "best": entries.first(study.key),
            "predictors": study.summary["predictor"].nunique(),
            "measures": study.summary["measure"].nunique(),
            "counts": summary_counts(study.claims),
            "weak": sum(
                claim["verdict"] == "confirmed" and bool(claim["weakness"]) and not claim["own"]
                for claim in claims.get(study.key, ())
            ),
            "printed": sums_by_protocol(study.audit, study.description["protocols"]),
            "datasets": sorted(study.summary["dataset"].unique()),
            "methods": int(study.summary["method"].nunique()),
            "splits": study.manifest.get("splits", ""),
            "scale": study.manifest.get("scale", ""),
            "seconds": study.seconds,
            "failed": failed_of(study),
            "left_out": study.description["left_out"],
        }
        for study in studies
    ]


def provenance_of(studies: Sequence[StudyResults]) -> list[dict[str, Any]]:
    """Return what the provenance page says of each study."""
    return [_provenance(study, study.manifest.get("run", {})) for study in studies]


def _provenance(study: StudyResults, run: Mapping[str, Any]) -> dict[str, Any]:
    shown = ("source", "python", "packages")
    return {
        "key": study.key,
        "source": run.get("source", {}),
        "python": run.get("python", ""),
        "packages": run.get("packages", {}),
        "machine": {key: value for key, value in run.items() if key not in (*shown, "cost", "outputs")},
        "costs": _costs(study),
        "inputs": study.manifest.get("inputs", {}),
        "manifest": json.dumps(study.manifest, indent=1),
    }


def _costs(study: StudyResults) -> list[dict[str, Any]]:
    jobs = study.frame("jobs")
    if jobs is None or jobs.empty:
        return []
    groups = jobs.groupby("rule", sort=False)
    table = groups.agg(jobs=("rule", "size"), seconds=("seconds", "sum"), cpu=("cpu_seconds", "sum"))
    table = table.assign(memory=groups["peak_mb"].max()).reset_index()
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def downloads_of(
    studies: Sequence[StudyResults], pages: Mapping[str, str], folder: Path, *, whole: bool = False
) -> list[dict[str, Any]]:
    """Copy the files of the studies into the site, and return them.

    Those that are too large for it are linked where they are, in the folder of the run, unless the site is ``whole``.
    """
    largest = math.inf if whole else _LARGEST
    files = []
    for study in studies:
        for path in sorted(study.folder.iterdir()):
            if not path.is_file() or not path.name.endswith(_SUFFIXES):
                continue
            content = path.read_bytes() if path.stat().st_size <= 20 * largest else b""
            name = path.name
            if len(content) > _PLAIN and path.suffix == ".csv":
                name, content = f"{name}.gz", gzip.compress(content, mtime=0)
            copied = 0 < len(content) <= largest
            if copied:
                with replacing(folder / pages[study.key] / name) as place:
                    place.write_bytes(content)
            elsewhere = Path(os.path.relpath(path.resolve(), folder.parent.resolve())).as_posix()
            files.append(
                {
                    "study": study.key,
                    "source": path.name,
                    "name": name if copied else path.name,
                    "format": name.partition(".")[2],
                }
                | {"address": f"files/{pages[study.key]}/{name}" if copied else elsewhere, "copied": copied}
                | {"size": len(content) if copied else path.stat().st_size}
            )
    return files


def site_data(runs: Sequence[Run], entries: Entries, figures: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the data of the site: what each study is, its means, its printed cells, its claims, and its figures."""
    return {
        "runs": [
            {"name": run.name, "title": run.title, "studies": [study.key for study in run.studies]} for run in runs
        ],
        "studies": {
            study.key: {
                "description": study.description,
                "summary": _columns(study.summary),
                "audit": _columns(study.audit),
                "claims": _columns(study.claims),
                "figures": {figure["file"]: figure["data"] for figure in figures[study.key]},
            }
            for study in entries.studies
        },
    }


def _columns(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return a table as lists by column, with None for what is missing."""
    plain = table.astype(object).where(table.notna(), None)
    return {str(name): plain[name].tolist() for name in plain}
