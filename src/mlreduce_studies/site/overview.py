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
from mlreduce_studies.runs import StudyResults
from mlreduce_studies.site.claim_texts import citation_of_all
from mlreduce_studies.site.findings import answers, findings
from mlreduce_studies.site.papers import failed_of, tables_of
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
    claims: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """Return what the front page shows; `mlreduce_studies.site.findings.findings` has the parameters."""
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
        "studies": [_overview(study, pages[study.name], claims.get(study.name, ())) for study in studies],
    }


def _first_tables(studies: Sequence[StudyResults], pages: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the first table of each study that has one, with its first part cut to a few rows."""
    shown = []
    for study in studies:
        for table in [table for table in tables_of(study)[:1] if table["parts"]]:
            part, left_out = table["parts"][0], max(0, len(table["parts"][0]["rows"]) - _ROWS)
            place = {"key": study.name, "page": pages[study.name], "caption": table["caption"], "note": table["note"]}
            shown.append(place | part | {"rows": part["rows"][:_ROWS], "left_out": left_out})
    return shown


def _overview(study: StudyResults, page: str, claims: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the front page says of a study."""
    theirs = [claim for claim in claims if claim["verdict"] == "confirmed" and not claim["own"]]
    numbers = {key: int(study.summary[key[:-1]].nunique()) for key in ("predictors", "measures", "methods")}
    return numbers | {
        **{"key": study.name, "page": page, "title": study.description["title"], "paper": study.is_of_a_paper},
        "counts": summary_counts(study.claims),
        "weak": sum(bool(claim["weakness"]) for claim in theirs),
        "printed": sums_by_protocol(study.audit, study.description["protocols"]),
        "datasets": sorted(study.summary["dataset"].unique()),
        "splits": study.manifest.get("splits", ""),
        "seconds": study.seconds,
        "failed": failed_of(study),
        "left_out": study.description["left_out"],
    }


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
