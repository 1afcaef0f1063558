"""Settings of a study on which its claims depend: names that they may use, draws and splits."""

from __future__ import annotations

from typing import Any

from mlreduce_studies.study import Study, approximations

__all__ = ["claim_settings", "printable_tables"]


def claim_settings(study: Study) -> dict[str, Any]:
    """Return the settings on which verdicts on claims depend in addition to results, in plain lists and dicts.

    They have ``names``, those that claims may use, as arguments of `mlreduce_studies.verdicts.reading.Known`;
    ``averages``, randomised methods to their draws; ``rules``, protocol to data set to how it is split; ``datasets``,
    those of the paper; ``tables``, those that can be printed, to their measure and predictor; and ``proposed``, the
    methods that the paper proposes.
    """
    bins = approximations(study.approximation).values() if study.approximation else []
    return {
        "names": {
            "methods": [*study.methods, *study.averages, *(label for labels in bins for label in labels)],
            "predictors": list(study.predictors),
            "protocols": list(study.protocols),
            "datasets": list(study.known_datasets),
            "measures": list(study.measures),
            "outputs": [*study.tables, *study.figures],
        },
        "averages": {name: list(draws) for name, draws in study.averages.items()},
        "rules": {
            protocol: {name: study.rule_of(protocol, name) for name in study.datasets} for protocol in study.protocols
        },
        "datasets": list(study.claimed_on),
        "tables": printable_tables(study),
        "proposed": list(study.proposed),
    }


def printable_tables(study: Study) -> dict[str, dict[str, Any]]:
    """Return the measure and the predictor of the tables that a paper can print, by name."""
    tables = {name: spec for name, spec in study.tables.items() if spec.get("kind", "sizes") == "sizes"}
    return {name: {key: spec[key] for key in ("measure", "predictor")} for name, spec in tables.items()}
