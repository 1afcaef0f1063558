"""What the manifest says of a study."""

from __future__ import annotations

from typing import Any

from mlreduce import registry
from mlreduce_studies.planning.jobs import ALL, Jobs
from mlreduce_studies.planning.plan import Plan
from mlreduce_studies.programs import versions
from mlreduce_studies.study import Study


def manifest_description(plan: Plan, jobs: Jobs, study: Study) -> dict[str, Any]:
    """What the manifest says a study was run with."""
    description: dict[str, Any] = {
        "scale": plan.config["scale"],
        "protocols": {name: dict(rule) for name, rule in study.protocols.items()},
        "splits": study.splits,
        "seed": plan.config["seed"],
        "datasets": list(study.datasets),
    }
    if study.left_out:
        description["left_out"] = list(study.left_out)
    if study.family != "labelspace" or study.scaling != {"default": "none"}:
        description["spaces"] = {name: study.space_of(name) for name in study.datasets}
    if study.ties != "standard":
        description["ties"] = study.ties
    groups = {}
    for name, group in sorted(study.groups.items()):
        groups[name] = {
            "predictors": list(group.predictors),
            "splits": {dataset: study.splits_of(name, dataset) for dataset in study.datasets},
            **({"choose": dict(group.choice)} if group.choice else {}),
            **({"search": dict(group.search)} if group.search else {}),
        }
    protocol = next(iter(study.protocols))
    entries = [*study.methods.items(), *study.predictors.items()]
    paths = sorted(filter(registry.is_import_path, set().union(*(registry.names_in(*entry) for entry in entries))))
    if commands := versions(entries):
        description["programs"] = commands
    if paths:
        description["classes"] = {path: registry.package_of(path) for path in paths}
    return description | {
        "methods": {name: dict(parameters) for name, parameters in sorted(study.methods.items())},
        "sizes": list(study.sizes),
        "energies": list(study.energies),
        "measures": sorted(study.measures),
        "decision": study.decision,
        "groups": groups,
        "predictors": {name: dict(parameters) for name, parameters in sorted(study.predictors.items())},
        "code": {name: jobs.digest("predict", study, f"{protocol}.{name}", ALL) for name in sorted(study.groups)},
    }
