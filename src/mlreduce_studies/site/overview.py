"""What the pages on all studies together show: the front page and the downloads."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mlreduce.files import replacing
from mlreduce.methods.evidence import TYPICAL
from mlreduce_studies.site.claim_texts import citation_of_all, made_by
from mlreduce_studies.site.entries import Entries
from mlreduce_studies.site.findings import answers, findings
from mlreduce_studies.site.papers import failed_of, tables_of
from mlreduce_studies.site.runs import StudyResults
from mlreduce_studies.site.shapes import STORED, form_fields
from mlreduce_studies.verdicts.audit import sums_by_protocol
from mlreduce_studies.verdicts.columns import VERDICTS, summary_counts

# Files of a study to download, by suffix: tables, tidy data, LaTeX, pictures; copied up to a size.
_SUFFIXES = (".csv", ".csv.gz", ".parquet", ".tex", ".pdf")
_LARGEST = 400_000

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
    if not any(item["claim"]["judged_by"] == "experiments" and item["claim"]["verdict"] != "not run" for item in found):
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
        {"key": study.name, "page": pages[study.name], "caption": table["caption"], "note": table["note"]}
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
            "key": study.name,
            "page": pages[study.name],
            "title": study.description["title"],
            "paper": study.is_of_a_paper,
            "best": entries.first(study.name),
            "predictors": study.summary["predictor"].nunique(),
            "measures": study.summary["measure"].nunique(),
            "counts": summary_counts(study.claims),
            "weak": sum(
                claim["verdict"] == "confirmed" and bool(claim["weakness"]) and not claim["own"]
                for claim in claims.get(study.name, ())
            ),
            "printed": sums_by_protocol(study.audit, study.description["protocols"]),
            "datasets": sorted(study.summary["dataset"].unique()),
            "methods": int(study.summary["method"].nunique()),
            "splits": study.manifest.get("splits", ""),
            "seconds": study.seconds,
            "failed": failed_of(study),
            "left_out": study.description["left_out"],
        }
        for study in studies
    ]


def downloads_of(
    studies: Sequence[StudyResults], pages: Mapping[str, str], folder: Path, *, whole: bool = False
) -> list[dict[str, Any]]:
    """Copy the files of the studies into the site, and return them.

    Those that are too large for it are linked where they are, in the folder of the run, unless the site is ``whole``.
    """
    files = []
    for study in studies:
        for path in sorted(own for own in study.folder.iterdir() if own.is_file() and own.name.endswith(_SUFFIXES)):
            copied = whole or path.stat().st_size <= _LARGEST
            if copied:
                with replacing(folder / pages[study.name] / path.name) as place:
                    shutil.copyfile(path, place)
            elsewhere = Path(os.path.relpath(path.resolve(), folder.parent.resolve())).as_posix()
            address = f"files/{pages[study.name]}/{path.name}" if copied else elsewhere
            files.append(
                {"study": study.name, "name": path.name, "format": path.name.partition(".")[2], "address": address}
                | {"copied": copied, "size": path.stat().st_size}
            )
    return files
