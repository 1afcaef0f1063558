"""Names of verdicts, and columns of the tables of claims, for pages that show verdicts without judging."""

from __future__ import annotations

import pandas as pd

__all__ = ["CLAIM_COLUMNS", "DIFFERENCE_COLUMNS", "LINE_COLUMNS", "VERDICTS", "verdicts_sentence"]

#: Verdicts on a claim.
VERDICTS = ("confirmed", "refuted", "undecided", "not run", "unchecked")

#: Columns of the table of claims.
CLAIM_COLUMNS = ("id", "claim", "where", "verdict", "evidence")

#: Columns of the table of their settings; ``counted`` is false for stand-ins of a paper's own data. The last five say
#: what is compared, several names with spaces between them; ``sizes`` has words of its own, with semicolons.
LINE_COLUMNS = (
    *("id", "setting", "datasets", "counted", "verdict", "p_for", "p_against", "evidence"),
    *("methods", "measures", "protocol", "predictors", "sizes"),
)

#: Columns of the table of differences by data set: the mean difference of two methods over the cells of a setting,
#: positive where it speaks for the first; the margin below which it does not matter; and how many cells are won, tied
#: and lost by the margin.
DIFFERENCE_COLUMNS = ("id", "setting", "method", "other", "dataset", "difference", "margin", "wins", "ties", "losses")


def verdicts_sentence(claims: pd.DataFrame) -> str:
    """Return the number of claims with each verdict in a sentence."""
    counts = claims["verdict"].value_counts()
    return f"Of {len(claims)} claims: {', '.join(f'{counts.get(verdict, 0)} {verdict}' for verdict in VERDICTS)}."
