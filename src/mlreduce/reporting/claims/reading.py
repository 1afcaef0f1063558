"""Claims of the papers, read from a file, and their verdicts on the results of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.datasets.readers.configuration import read_yaml, validate
from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.metrics import find_measure
from mlreduce.registry import CHECKS, Declarations
from mlreduce.reporting.claims.checks import Check
from mlreduce.reporting.claims.verdicts import Verdict, absent
from mlreduce.reporting.failed_cells import footnotes
from mlreduce.reporting.tables.layout import to_markdown

__all__ = ["CLAIM_COLUMNS", "Claim", "claims_markdown", "claims_table", "read_claims"]

#: Columns of the table of claims.
CLAIM_COLUMNS = ("id", "claim", "where", "verdict", "evidence")


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes
    ----------
    id : str
        Lower case with hyphens; no other claim of the file has it.
    claim : str
        What the paper says, in our words.
    where : str
        Section of the paper.
    check : str
        A name of `mlreduce.registry.CHECKS`.
    arguments : dict
        Of the check.
    datasets : list of str or None, default=None
        What the claim is about; None for all data sets of the study.
    """

    id: str
    claim: str
    where: str
    check: str
    arguments: Mapping[str, Any]
    datasets: Sequence[str] | None = None


def read_claims(path: str | Path) -> dict[str, list[Claim]]:
    """Read a file of claims: study name to its claims, in the order of the file.

    Raises
    ------
    ConfigurationError
        If the file is not as its schema says, an ``id`` occurs twice, or a check, an argument or a measure is unknown,
        missing or impossible; the sentence says which claim, and the nearest known name.
    """
    content = read_yaml(path)
    validate(content, "claims", str(path))
    claims = {study: [Claim(**entry) for entry in entries] for study, entries in content.items()}
    seen: set[str] = set()
    for study, entries in claims.items():
        for claim in entries:
            where = f"{path}: {study}.{claim.id}"
            if claim.id in seen:
                raise ConfigurationError(f"{where}: this id is used twice; each claim needs one of its own")
            seen.add(claim.id)
            _check_arguments(claim, where)
    return claims


def _check_arguments(claim: Claim, where: str) -> None:
    """Refuse arguments that the check of a claim does not have, needs, or cannot use."""
    checks: Declarations[Check] = CHECKS
    if claim.check not in checks:
        raise ConfigurationError(unknown_name("check", claim.check, checks, where))
    own, arguments = checks[claim.check], claim.arguments
    properties = own.schema["properties"]
    for name in arguments:
        if name not in properties:
            raise ConfigurationError(unknown_name(f"argument of {claim.check}", name, properties, where))
    for name in own.schema["required"]:
        if name not in arguments:
            raise ConfigurationError(f"{where}: the argument {name!r} of {claim.check} is missing")
    validate(arguments, own.schema, where)
    for measure in [*arguments.get("measures", []), *([arguments["measure"]] if "measure" in arguments else [])]:
        try:
            find_measure(measure)
        except ConfigurationError as error:
            raise ConfigurationError(f"{where}: {error}") from None
    _check_methods(claim, where)
    wrong = own.rule(arguments, claim.datasets) if own.rule else ""
    if wrong:
        raise ConfigurationError(f"{where}: {wrong}")


def _check_methods(claim: Claim, where: str) -> None:
    """Refuse a method that is compared with itself, or that is not among those it is compared with."""
    arguments = claim.arguments
    if "method" in arguments and "methods" in arguments:
        if arguments["method"] not in arguments["methods"]:
            raise ConfigurationError(unknown_name("method", arguments["method"], arguments["methods"], where))
        if len(arguments["methods"]) < 2:
            raise ConfigurationError(f"{where}: {claim.check} needs at least two methods; got {arguments['methods']}")
    if "method" in arguments and arguments["method"] == arguments.get("than"):
        raise ConfigurationError(f"{where}: {arguments['than']!r} is 'method' and 'than', which must differ")


def claims_table(
    claims: Sequence[Claim],
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    others: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """Check claims against the results of a study.

    Parameters
    ----------
    claims : sequence of Claim
    summary : DataFrame
        One row per cell: ``protocol``, ``dataset``, ``method``, ``predictor``, ``measure``, ``size_percent`` (0 where
        the size is not by percent), ``energy`` (0 where it is not by threshold), ``size`` (mean number of dimensions
        over the splits), ``mean``, ``se``.
    datasets : DataFrame
        The data sets of the study, whether they were run or not: ``dataset``, ``labels``. A claim is about these, or
        about those that it names; others in the summary are ignored. A claim is undecided where one is missing.
    others : dict of str to DataFrame or None, default=None
        Other tables that checks look at. Where one is not given, its checks find all data sets missing.

        - ``areas``: the summary of `mlreduce.reporting.areas.area_scores`.
        - ``approximation``: ``dataset``, ``method``, ``size_percent``, ``mean``, ``se`` of the errors over the samples.
        - ``times``: ``dataset``, ``method``, ``split``, ``seconds``; a method that draws has its mean under its plain
          name.

    Returns
    -------
    DataFrame
        One row per claim, with `CLAIM_COLUMNS`.
    """
    results = {"summary": summary, **(others or {})}
    rows = []
    for claim in claims:
        about = datasets
        if claim.datasets is not None:
            about = datasets.set_index("dataset").reindex(pd.Index(claim.datasets, name="dataset")).reset_index()
        own: Check = CHECKS[claim.check]
        table = results.get(own.looks_at)
        if table is None:
            verdict = Verdict("undecided", absent(list(map(str, about["dataset"]))))
        else:
            verdict = own.function(table, about, **claim.arguments)
            verdict = verdict._replace(evidence=verdict.evidence + _failed(table, about, claim.arguments))
        rows.append((claim.id, claim.claim, claim.where, verdict.verdict, verdict.evidence))
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))


def _failed(table: pd.DataFrame, datasets: pd.DataFrame, arguments: Mapping[str, Any]) -> str:
    """Return a sentence on the failed cells among those that a check looks at."""
    if "reason" not in table:
        return ""
    lists = [value if isinstance(value, list) else [value] for value in arguments.values()]
    named = {name for values in lists for name in values if isinstance(name, str)}
    rows = table["dataset"].isin(datasets["dataset"]) & table["method"].isin(named)
    for column in ("protocol", "predictor"):
        if column in table and table.loc[rows, column].isin(named).any():
            rows &= table[column].isin(named)
    notes = footnotes(table[rows])[1:]
    return f" Failed: {'; '.join(notes)}." if notes else ""


def claims_markdown(table: pd.DataFrame, study: str) -> str:
    """Return a table of claims as Markdown, after a sentence with the numbers of verdicts."""
    heading = f"# What {study} claims\n"
    if table.empty:
        return f"{heading}\nNo claim of this paper is checked.\n"
    counts = table["verdict"].value_counts()
    sentence = ", ".join(f"{counts.get(name, 0)} {name}" for name in ("confirmed", "refuted", "undecided"))
    rows = [[str(row[c]) for c in CLAIM_COLUMNS] for row in table.to_dict("records")]
    return f"{heading}\nOf {len(table)} claims: {sentence}.\n\n{to_markdown(list(CLAIM_COLUMNS), rows)}"
