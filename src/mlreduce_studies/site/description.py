"""What the pages need to know of a study beside its results, in plain lists and dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlreduce_studies.options import FIGURES, source_of
from mlreduce_studies.study import Study
from mlreduce_studies.verdicts.reading import read_claims
from mlreduce_studies.verdicts.settings import claim_settings

__all__ = ["describe_study"]


def describe_study(study: Study) -> dict[str, Any]:
    """Return what the pages need to know of a study.

    Returns
    -------
    dict
        ``methods`` and ``predictors`` are labels to the names of their classes in the registry and to parameters,
        ``figures`` names to the entries of the study file with ``files`` and ``source``, ``rules`` those of
        `mlreduce_studies.verdicts.settings.claim_settings`, and ``shown_in`` the ``id`` of a claim to the tables and
        figures that show what it is about.
    """
    claims = [] if study.claims is None else read_claims(study.claims)
    return {
        "title": study.title,
        "identifier": study.identifier,
        "family": study.family,
        "datasets": list(study.datasets),
        "left_out": list(study.left_out),
        "protocols": list(study.protocols),
        "measures": list(study.measures),
        "curves": study.curves[0],
        "methods": {label: _entry(label, entry) for label, entry in study.methods.items()},
        "predictors": {label: _entry(label, entry) for label, entry in study.predictors.items()},
        "averages": {name: list(draws) for name, draws in study.averages.items()},
        "rules": claim_settings(study)["rules"],
        "shown_in": {claim.id: list(claim.shown_in) for claim in claims if claim.shown_in},
        "tables": {name: dict(spec) for name, spec in study.tables.items()},
        "figures": {
            name: {
                **{"spec": study.figure_spec(name), "files": study.figure_files(name)},
                "source": source_of(FIGURES, spec),
            }
            for name, spec in study.figures.items()
        },
    }


def _entry(label: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "registered": entry.get("method", label),
        "parameters": {key: value for key, value in entry.items() if key != "method"},
    }
