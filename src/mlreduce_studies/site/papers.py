"""What the page of a study shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mlreduce_studies.gathering.failed_cells import GAP, cell_reasons, footnotes
from mlreduce_studies.site.claim_links import compare_link, differences_by_pair, differences_by_setting, title_of_part
from mlreduce_studies.site.claim_texts import citation, disagreement, issue_link
from mlreduce_studies.site.reasons import effect, first_sentence, reason, scope, telling_pair
from mlreduce_studies.site.runs import StudyResults
from mlreduce_studies.tables import table_parts
from mlreduce_studies.tables.kinds import table_note
from mlreduce_studies.verdicts.audit import audit_sentences, audit_sums, relative_difference, sums_by_protocol
from mlreduce_studies.verdicts.baselines import without_baseline
from mlreduce_studies.verdicts.columns import CLASSES, LINE_COLUMNS, verdict_counts, verdicts_sentence

#: Signs of verdicts, for readers who do not see the colours.
SIGNS = {
    **{"reproduced": "✓", "near": "≈", "differs": "✗", "failed": "!", "not run": "·"},
    **{
        "confirmed": "✓",
        "refuted": "✗",
        "undecided": "?",
        "cannot be checked": "·",
        "proved": "✓",
        "false by algebra": "✗",
        "baseline not reproduced": "≠",
        "same": "✓",
    },
}

# Failures that are listed, at most.
_LINES = 30


def tables_of(study: StudyResults) -> list[dict[str, Any]]:
    """Return the tables of a study, laid out."""
    tables = []
    for name, spec in study.description["tables"].items():
        path = study.folder / f"{name}.csv"
        if not path.is_file():
            continue
        tidy = pd.read_csv(path)
        parts = [{"title": title, "header": header, "rows": rows} for _, title, header, rows in table_parts(tidy, spec)]
        tables.append(
            {
                "name": name,
                "kind": spec.get("kind", "sizes"),
                "caption": spec["caption"],
                "note": table_note(spec),
                "parts": parts,
            }
            | {"notes": footnotes(tidy), "files": _files(study, name, ("csv", "tex"))}
        )
    return tables


def _files(study: StudyResults, name: str, suffixes: tuple[str, ...]) -> list[str]:
    return [f"{name}.{suffix}" for suffix in suffixes if (study.folder / f"{name}.{suffix}").is_file()]


def beside_printed_tables(study: StudyResults) -> list[dict[str, Any]]:
    """Return the printed tables of a paper in their layout, each cell with ours, the printed number, and how far it is.

    That is z with its verdict, and the difference as a share of the printed number.
    """
    tables = []
    audit = study.audit.assign(relative=relative_difference(study.audit))  # older runs have no such column
    for (table, protocol), part in audit.groupby(["table", "protocol"], sort=True):
        percents = sorted(part["size_percent"].unique())
        rows = []
        for (dataset, method), row in part.groupby(["dataset", "method"], sort=True):
            cells = {cell["size_percent"]: cell for cell in row.to_dict("records")}
            rows.append({"dataset": dataset, "method": method, "cells": [_cell(cells.get(p)) for p in percents]})
        sums = str(audit_sums(part))
        tables.append({"table": table, "protocol": protocol, "percents": percents, "rows": rows, "sums": sums})
    return tables


def _cell(cell: dict[Any, Any] | None) -> dict[str, Any]:
    if cell is None:
        return {"ours": "", "printed": "", "z": "", "order": 0.0, "verdict": "not run"}
    run = not np.isnan(cell["z"])
    return {
        "ours": f"{cell['ours']:.4f}" if not np.isnan(cell["ours"]) else GAP,
        "printed": f"{cell['printed']:.4f}",
        "z": f"{cell['z']:+.1f}, {100 * cell['relative']:+.1f} %" if run else "",
        "order": abs(cell["z"]) if run else 0.0,
        "verdict": cell["verdict"],
    }


def claims_of(study: StudyResults, parts: Sequence[Mapping[str, str]] = ()) -> list[dict[str, Any]]:
    """Return the claims of a paper with their verdicts, each with its settings and its evidence.

    Parameters
    ----------
    parts : sequence of dict, default=()
        Tables and figures of the page; see `parts_of`.

    Returns
    -------
    list of dict
        Columns of claims.csv with ``settings``, ``parts``, ``methods`` (of its settings), ``why`` (a sentence),
        ``judged_by`` ("results", "no baseline", "mathematics" or "nothing"), ``effect`` (its size in a sentence, ""
        where none is known), ``margins`` (the same in margins), ``telling`` (the row of claims-lines.csv and the pair
        that it is of), ``found`` (what the settings say, with the effect in one), ``citation``, ``disagreement`` and
        ``issue`` (an address or "").
    """
    lines, differences = study.frame("claims-lines"), study.frame("claims-differences")
    pairs = {} if differences is None else differences_by_pair(differences)
    tables = {} if differences is None else differences_by_setting(differences)
    if lines is not None:  # those of older runs do not say what is compared
        texts = [name for name in LINE_COLUMNS if name not in ("id", "counted", "verdict", "p_for", "p_against")]
        lines = lines.reindex(columns=list(LINE_COLUMNS)).astype(dict.fromkeys(texts, object))
        lines = lines.fillna(dict.fromkeys(texts, ""))
    settings: dict[str, list[dict[str, Any]]] = {}
    for line in [] if lines is None else lines.to_dict("records"):
        shown_settings = settings.setdefault(line["id"], [])
        table = tables.get((line["id"], line["setting"]), pd.DataFrame())
        setting = _setting(study, line, table, len(shown_settings))
        shown_settings.append(setting | {"differences": pairs.get((line["id"], line["setting"]))})
    shown, figures = study.description.get("shown_in", {}), study.description["figures"]
    claims: list[dict[Any, Any]] = study.claims.to_dict("records")
    for claim in claims:
        named = shown.get(claim["id"], ())
        files = {file for name in named for file in (figures[name]["files"] if name in figures else [name])}
        claim["parts"] = {part["anchor"]: part["title"] for part in parts if part["name"] in files}
        claim["settings"] = settings.get(claim["id"], [])
        claim["methods"] = list(dict.fromkeys(name for line in claim["settings"] for name in line["methods"]))
        counted = [line for line in claim["settings"] if line["counted"]]
        claim["judged_by"] = _JUDGED_BY.get(claim["verdict"], "results")
        claim["why"] = _why(claim, counted)
        first = next((line for line in counted if line["effect"]), None)
        none = {"effect": "", "margins": 0.0, "telling": None}
        claim |= none if first is None else {key: first[key] for key in none}
        claim["found"] = _over_settings(counted, first, "effect") if first else ""
        claim["citation"] = citation(study, claim)
        claim["disagreement"] = disagreement(study, claim, counted)
        claim["issue"] = issue_link(study, claim, claim["disagreement"])
    return claims


# What a verdict rests on; on results where it is not here.
_JUDGED_BY = {
    **dict.fromkeys(CLASSES["mathematics"], "mathematics"),
    **dict.fromkeys(CLASSES["no baseline"], "no baseline"),
    **dict.fromkeys(CLASSES["not judged"], "nothing"),
}


def compared_claims(claims: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what the comparison shows of the claims that link to it: each with its settings, in their order."""
    keys = ("setting", "verdict", "why", "holds", "pairs")
    return {
        claim["id"]: {
            "claim": claim["claim"],
            "settings": [{key: line[key] for key in keys} | {"link": line["link"]} for line in claim["settings"]],
        }
        for claim in claims
        if any(line["link"] for line in claim["settings"])
    }


def _setting(study: StudyResults, line: Mapping[Any, Any], table: pd.DataFrame, number: int) -> dict[str, Any]:
    """Return what a page shows of a setting, the ``number``-th of its claim, with its table of differences."""
    pair = telling_pair(line, table)
    return {
        "setting": line["setting"],
        "datasets": line["datasets"],
        "methods": str(line["methods"]).split(),
        "link": compare_link(study, line, number),
        "pairs": [] if table.empty else table[["method", "other"]].drop_duplicates().to_numpy().tolist(),
        "holds": str(line["holds"]),
        "counted": bool(line["counted"]),
        "scope": _scope(line),
        "verdict": line["verdict"],
        "p_for": "" if pd.isna(line["p_for"]) else f"{line['p_for']:.2g}",
        "p_against": "" if pd.isna(line["p_against"]) else f"{line['p_against']:.2g}",
        "strength": _strength(line["p_for"], line["p_against"]),
        "evidence": line["evidence"],
        "why": reason(line, pair),
        "effect": "" if pair is None else effect(line, pair),
        "margins": 0.0 if pair is None else _in_margins(pair.table),
        "telling": None if pair is None else (line, pair),
    }


def _in_margins(table: pd.DataFrame) -> float:
    """Return the size of the mean difference over data sets, in margins; 0 where a margin is."""
    if not (table["margin"] > 0).all():
        return 0.0
    return abs(float((table["difference"] / table["margin"]).mean()))


def _why(claim: Mapping[Any, Any], counted: Sequence[Mapping[str, Any]]) -> str:
    """Return why a claim has its verdict: the reason of its only setting, or what its settings say, with one reason."""
    if claim["judged_by"] == "no baseline":
        lacking = [(line["setting"], without_baseline(line["evidence"])) for line in counted]
        return " ".join(": ".join(part for part in item if part) for item in lacking if item[1])
    if not counted or claim["judged_by"] != "results":
        return first_sentence(str(claim["evidence"]))
    return _over_settings(counted, counted[0], "why")


def _over_settings(counted: Sequence[Mapping[str, Any]], one: Mapping[str, Any], key: str) -> str:
    """Return what some settings say together, with the reason or the effect in one of them."""
    if len(counted) == 1:
        return str(one[key])
    verdicts = pd.Series([line["verdict"] for line in counted]).value_counts(sort=False)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    agree = (
        f"In {'both' if len(counted) == 2 else f'all {len(counted)}'} settings"
        if len(verdicts) == 1
        else f"The settings do not agree ({counts})"
    )
    return f"{agree}; {one['setting']}: {one[key]}"


def telling_claims(claims: Sequence[Mapping[str, Any]], number: int = 3) -> list[Mapping[str, Any]]:
    """Return the claims that say the most on a paper.

    The first that its abstract makes (else its first), then the refuted one and the confirmed one with the largest
    effect in margins, and others like these, of each comparison one. Only what results judge, with a size of effect.
    """
    judged = [claim for claim in claims if claim["judged_by"] == "results" and claim["effect"] and not claim["own"]]
    main = [claim for claim in judged if "abstract" in claim["where"].lower()] or judged
    decided = sorted(
        (claim for claim in judged if claim["verdict"] != "undecided"), key=lambda claim: -claim["margins"]
    )
    best = {verdict: [item for item in decided if item["verdict"] == verdict] for verdict in ("refuted", "confirmed")}
    chosen: dict[str, Mapping[str, Any]] = {}
    for claim in [*main[:1], *best["refuted"][:1], *best["confirmed"][:1], *decided, *judged]:
        if claim["group"] not in chosen and len(chosen) < number:
            chosen[claim["group"]] = claim
    return list(chosen.values())


def _scope(line: Mapping[Any, Any]) -> str:
    """Say on how many data sets a setting is to hold, and by which margin."""
    if not str(line["holds"]):
        return ""
    return f"{scope(line)}, margin {line['margin']}" if str(line["margin"]) else scope(line)


def parts_of(
    tables: Sequence[Mapping[str, Any]], printed: Sequence[Mapping[str, Any]], figures: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return the tables and figures of a page with their anchors and titles, for claims that are shown in them."""
    parts = [
        (f"printed-{number}", part["table"], f"printed {title_of_part(part['table'])} ({part['protocol']})")
        for number, part in enumerate(printed, 1)
    ]
    names = [*(part["file"] for part in figures), *(part["name"] for part in tables)]
    parts += [(name, name, title_of_part(name)) for name in names]
    return [{"anchor": anchor, "name": name, "title": title} for anchor, name, title in parts]


def _strength(p_for: float, p_against: float) -> float | None:
    """Return the position of a setting between refuted (-1) and confirmed (1), by the smaller of the two p-values.

    The scale is logarithmic: 0.05 is at a half, 0.0025 and less at the end.
    """
    if np.isnan(p_for) or np.isnan(p_against):
        return None
    p, sign = (p_for, 1.0) if p_for <= p_against else (p_against, -1.0)
    return float(sign * min(1.0, np.log(max(p, 1e-9)) / np.log(0.0025)))


def failed_of(study: StudyResults) -> dict[str, Any] | None:
    """Return the number of failed cells and their reasons; None without failures."""
    failures = study.failures
    if failures.empty:
        return None
    keys = ["protocol", "dataset", "method", "predictor"]
    cells = cell_reasons(failures, keys).to_dict("records")
    lines = [f"{' '.join(cell[key] for key in keys if cell[key])}: {cell['reason']}" for cell in cells]
    more = [f"and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    sentence = (
        f"{len(failures)} {'cell' if len(failures) == 1 else 'cells'} failed and have no value. All, with the place of "
        "the error in the code, are in failures.csv; the next run tries them again."
    )
    return {"number": len(failures), "sentence": sentence, "lines": [*lines[:_LINES], *more]}


def audit_of(study: StudyResults) -> dict[str, Any]:
    """Return the audit in sums and sentences, and the printed and reproduced sizes of the data sets."""
    sizes = study.frame("audit-sizes")
    sentences = audit_sentences(study.audit, sizes, study.frame("ratios"), study.frame("audit-order"))
    return {
        "sums": sums_by_protocol(study.audit, study.description["protocols"]),
        "sentences": sentences,
        "sizes": [] if sizes is None else sizes.to_dict("records"),
        "verdicts": verdicts_sentence(study.claims),
        "counts": {verdict: number for verdict, number in verdict_counts(study.claims).items() if number},
    }
