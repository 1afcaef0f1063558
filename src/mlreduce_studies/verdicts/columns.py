"""Names of verdicts, and columns of the tables of claims, for pages that show verdicts without judging."""

from __future__ import annotations

import pandas as pd

__all__ = [
    "CLAIM_COLUMNS",
    "CLASSES",
    "DIFFERENCE_COLUMNS",
    "LINE_COLUMNS",
    "SUMMARY",
    "VERDICTS",
    "group_verdicts",
    "summary_counts",
    "verdict_counts",
    "verdicts_sentence",
]

#: Verdicts on a claim, by their grounds. An experiment decides nothing where its baseline is not reproduced.
CLASSES = {
    "experiments": ("confirmed", "refuted", "undecided"),
    "no baseline": ("baseline not reproduced",),
    "mathematics": ("proved", "false by algebra"),
    "not judged": ("not run", "cannot be checked"),
}

#: All verdicts on a claim.
VERDICTS = tuple(verdict for verdicts in CLASSES.values() for verdict in verdicts)

#: Verdicts that short tables count together: the reasons for no verdict.
SUMMARY = {
    **{verdict: (verdict,) for verdict in VERDICTS if verdict not in CLASSES["not judged"]},
    "not judged": CLASSES["not judged"],
}

#: Columns of the table of claims; ``group`` is shared by claims on one comparison, ``own`` is true of our questions and
#: of readings of ours, and ``weakness`` says why a confirmed claim says little, "" where nothing does.
CLAIM_COLUMNS = ("id", "claim", "where", "verdict", "evidence", "wording", "group", "own", "weakness")

#: Columns of the table of their settings; ``counted`` is false for stand-ins of a paper's own data and for what the
#: paper does not leave open. ``margin`` has "%" where it is a share of the second method's value. ``methods`` to
#: ``sizes`` say what is compared, several names with spaces between them; ``sizes`` has separate words.
LINE_COLUMNS = (
    *("id", "setting", "datasets", "counted", "verdict", "p_for", "p_against", "evidence"),
    *("methods", "measures", "protocol", "predictors", "sizes", "kind", "holds", "margin"),
)

#: Columns of the table of differences by data set: the mean difference of two methods over the cells of a setting,
#: positive where it speaks for the first; the margin below which it does not matter; and how many cells are won, tied
#: and lost by the margin.
DIFFERENCE_COLUMNS = ("id", "setting", "method", "other", "dataset", "difference", "margin", "wins", "ties", "losses")


def verdict_counts(claims: pd.DataFrame) -> dict[str, int]:
    """Return the number of claims with each verdict."""
    counts = claims["verdict"].value_counts()
    return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}


def summary_counts(claims: pd.DataFrame) -> dict[str, int]:
    """Return the number of claims of a paper by `SUMMARY`; our own questions are left out."""
    counts = verdict_counts(claims[~claims["own"].astype(bool)])
    return {name: sum(counts[verdict] for verdict in verdicts) for name, verdicts in SUMMARY.items()}


def group_verdicts(claims: pd.DataFrame) -> pd.Series[str]:
    """Return the verdict of each group of claims that rest on one comparison: what all say, or "mixed"."""
    return claims.groupby("group", sort=False)["verdict"].agg(
        lambda values: values.iloc[0] if values.nunique() == 1 else "mixed"
    )


def verdicts_sentence(claims: pd.DataFrame) -> str:
    """Return the number of claims with each verdict, of groups and of our questions and readings, in sentences."""
    ours = claims["own"].astype(bool)
    sentences = []
    for part, what in ((claims[~ours], "claims of the paper"), (claims[ours], "questions and readings of ours")):
        if len(part):
            counts = ", ".join(f"{number} {name}" for name, number in verdict_counts(part).items() if number)
            sentences.append(f"Of {len(part)} {what}: {counts}.")
    groups = group_verdicts(claims[~ours])
    if len(groups) < (~ours).sum():
        counts = ", ".join(f"{number} {name}" for name, number in groups.value_counts(sort=False).items())
        sentences.insert(1, f"They rest on {len(groups)} comparisons: {counts}.")
    return " ".join(sentences)
