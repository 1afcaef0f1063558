"""What the papers claim, read from a file, and what a run of the study says of it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.datasets.readers.configuration import read_yaml, validate
from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.metrics.measures import find_measure
from mlreduce.reporting.claims.checks import CHECKS, LOOKS_AT
from mlreduce.reporting.claims.verdicts import Verdict, absent
from mlreduce.reporting.tables.layout import to_markdown
from mlreduce.reporting.tables.missing import footnotes

__all__ = ["CHECKS", "CLAIM_COLUMNS", "Claim", "Verdict", "claims_markdown", "claims_table", "read_claims"]

#: Columns of the table of claims.
CLAIM_COLUMNS = ("id", "claim", "where", "verdict", "evidence")

# Checks that compare each of some methods with each of some others.
_OF_LISTS = ("better-on", "group-above", "not-worse", "suits-more")

# Checks of one method among others.
_OF_ONE = ("best-average-rank", "best-in-most", "lagging")


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
        A name of `mlreduce.reporting.claims.checks.CHECKS`.
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
    if claim.check not in CHECKS:
        raise ConfigurationError(unknown_name("check", claim.check, CHECKS, where))
    # What is not by keyword alone, every check gets beside its arguments.
    everything = inspect.signature(CHECKS[claim.check]).parameters
    parameters = {name: own for name, own in everything.items() if own.kind is own.KEYWORD_ONLY}
    arguments = claim.arguments
    for name in arguments:
        if name not in parameters:
            raise ConfigurationError(unknown_name(f"argument of {claim.check}", name, parameters, where))
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in arguments:
            raise ConfigurationError(f"{where}: the argument {name!r} of {claim.check} is missing")
    if "than" in arguments and isinstance(arguments["than"], list) != (claim.check in _OF_LISTS):
        wanted = "a list of methods" if claim.check in _OF_LISTS else "one method"
        raise ConfigurationError(f"{where}: 'than' of {claim.check} must be {wanted}; got {arguments['than']!r}")
    for measure in [*arguments.get("measures", []), *([arguments["measure"]] if "measure" in arguments else [])]:
        try:
            find_measure(measure)
        except ConfigurationError as error:
            raise ConfigurationError(f"{where}: {error}") from None
    if LOOKS_AT.get(claim.check) == "approximation" and 0 in arguments.get("size_percents", []):
        raise ConfigurationError(f"{where}: 'size_percents' of {claim.check} must be 1 or more; got 0")
    _check_methods(claim, where)
    if arguments.get("most_times", math.inf) < arguments.get("least", 0):
        raise ConfigurationError(
            f"{where}: 'most_times' must be at least {arguments['least']:g}, which is 'least'; "
            f"got {arguments['most_times']:g}"
        )
    if claim.check == "best-average-rank" and ("energy" in arguments) == ("size_percent" in arguments):
        raise ConfigurationError(f"{where}: best-average-rank takes one of 'energy' and 'size_percent'")
    if claim.check == "better-on":
        _check_better(claim, where)
    if "cured_methods" in arguments and "cured_by" not in arguments:
        raise ConfigurationError(f"{where}: 'cured_methods' needs 'cured_by', the predictor that goes with them")


def _check_methods(claim: Claim, where: str) -> None:
    """Check that methods can be compared with each other, in checks that do."""
    arguments = claim.arguments
    if claim.check in _OF_ONE and arguments["method"] not in arguments["methods"]:
        raise ConfigurationError(unknown_name("method", arguments["method"], arguments["methods"], where))
    if claim.check in (*_OF_ONE, "alike-on") and len(arguments["methods"]) < 2:
        raise ConfigurationError(f"{where}: {claim.check} needs at least two methods; got {arguments['methods']}")
    if "method" in arguments and arguments["method"] == arguments.get("than"):
        raise ConfigurationError(f"{where}: {arguments['than']!r} is 'method' and 'than', which must differ")
    if claim.check == "suits-more":
        every = [*arguments["methods"], *arguments["than"], arguments["control"]]
        twice = [name for name in every if every.count(name) > 1]
        if twice:
            raise ConfigurationError(
                f"{where}: {twice[0]!r} is in two of 'methods', 'than' and 'control', which must differ"
            )


def _check_better(claim: Claim, where: str) -> None:
    arguments = claim.arguments
    both = [name for name in arguments["methods"] if name in arguments["than"]]
    if both and arguments.get("than_predictor", arguments["predictor"]) == arguments["predictor"]:
        raise ConfigurationError(f"{where}: {both[0]!r} is in 'methods' and in 'than', and none is better than itself")
    if claim.datasets and arguments.get("at_least", 0) > len(claim.datasets):
        raise ConfigurationError(
            f"{where}: 'at_least' must be at most {len(claim.datasets)}, the number of data sets; "
            f"got {arguments['at_least']}"
        )


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
        One row a cell: ``protocol``, ``dataset``, ``method``, ``predictor``, ``measure``, ``size_percent`` (0 where the
        size is not by percent), ``energy`` (0 where it is not by threshold), ``size`` (mean number of dimensions over
        the splits), ``mean``, ``se``.
    datasets : DataFrame
        The data sets of the study, whether they were run or not: ``dataset``, ``labels``. A claim is about these, or
        about those that it names. One of which a data set is missing from the summary is undecided; other data sets of
        the summary are not looked at.
    others : dict of str to DataFrame or None, default=None
        The other tables that checks look at; `mlreduce.reporting.claims.checks.LOOKS_AT` says which. A check of a
        table that is not here finds all its data sets missing.

        - ``areas``: what `mlreduce.reporting.tables.layout.summarise` makes of
        `mlreduce.reporting.tables.areas.area_scores`.
        - ``approximation``: ``dataset``, ``method``, ``size_percent``, ``mean``, ``se`` of the errors over the samples.
        - ``times``: ``dataset``, ``method``, ``split``, ``seconds``, each fit alone; a method that draws has its mean
          under its plain name.

    Returns
    -------
    DataFrame
        One row a claim, with `CLAIM_COLUMNS`.
    """
    results = {"summary": summary, **(others or {})}
    rows = []
    for claim in claims:
        about = datasets
        if claim.datasets is not None:
            about = datasets.set_index("dataset").reindex(pd.Index(claim.datasets, name="dataset")).reset_index()
        table = results.get(LOOKS_AT.get(claim.check, "summary"))
        if table is None:
            verdict = Verdict("undecided", absent(list(map(str, about["dataset"]))))
        else:
            verdict = CHECKS[claim.check](table, about, **claim.arguments)
            verdict = verdict._replace(evidence=verdict.evidence + _failed(table, about, claim.arguments))
        rows.append((claim.id, claim.claim, claim.where, verdict.verdict, verdict.evidence))
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))


def _failed(table: pd.DataFrame, datasets: pd.DataFrame, arguments: Mapping[str, Any]) -> str:
    """Return a sentence on the cells that a check looks at and that failed, on some splits or all."""
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
    """Return a table of claims as Markdown: a sentence first, every claim after."""
    heading = f"# What {study} claims\n"
    if table.empty:
        return f"{heading}\nNo claim of this paper is checked.\n"
    counts = table["verdict"].value_counts()
    sentence = ", ".join(f"{counts.get(name, 0)} {name}" for name in ("confirmed", "refuted", "undecided"))
    rows = [[str(row[c]) for c in CLAIM_COLUMNS] for row in table.to_dict("records")]
    return f"{heading}\nOf {len(table)} claims: {sentence}.\n\n{to_markdown(list(CLAIM_COLUMNS), rows)}"
