"""Claims of the papers: a file for each family of checks, declared by `mlreduce.reporting.claims.checks.check`."""

from __future__ import annotations

from mlreduce.reporting.claims.checks import Check, check
from mlreduce.reporting.claims.reading import CLAIM_COLUMNS, Claim, claims_markdown, claims_table, read_claims
from mlreduce.reporting.claims.verdicts import Verdict

__all__ = [
    "CLAIM_COLUMNS",
    "Check",
    "Claim",
    "Verdict",
    "check",
    "claims_markdown",
    "claims_table",
    "read_claims",
]
