"""What the claims on a study depend on beside its results: names that they may use, draws and splits."""

from __future__ import annotations

from typing import Any

from mlreduce_studies.study import Study, approximations

__all__ = ["claim_settings"]


def claim_settings(study: Study) -> dict[str, Any]:
    """Return what the verdicts on claims depend on beside the results, in plain lists and dicts.

    Returns
    -------
    dict
        ``names``, those that claims may use, as arguments of `mlreduce_studies.verdicts.reading.Known`; ``averages``,
        randomised methods to their draws; ``rules``, protocol to data set to how it is split; and ``datasets``, those
        of the paper.
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
        "rules": {own: {name: study.rule_of(own, name) for name in study.datasets} for own in study.protocols},
        "datasets": list(study.claimed_on),
    }
