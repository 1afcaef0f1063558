"""Numbers of README.md, and of the last sections of docs/deviations.md."""

from __future__ import annotations

import json

from mlreduce_studies.study import PAPERS, study_files
from quoted import DEVIATIONS, PROJECT, REFERENCE, Sentences, quote, quoted_on, table


@quoted_on("README.md")
def readme() -> Sentences:
    manifests = [REFERENCE / study / "manifest.json" for study in study_files(PROJECT, [PAPERS])]
    costs = [json.loads(path.read_text(encoding="utf-8"))["run"]["cost"] for path in manifests if path.is_file()]
    hours = sum(cost["total"]["cpu_seconds"] for cost in costs) / 3600
    yield quote("The full protocols take {:.0f} processor hours", hours)


@quoted_on(DEVIATIONS)
def last_sections() -> Sentences:
    sizes = table("qpfs-lowrank-2016/audit-sizes.csv").query("dataset == 'birds' and quantity == 'features'")
    yield quote("({} features instead of the {} attributes that papers count)", *sizes.iloc[0][["ours", "printed"]])
    sizes = table("gmba-2016/audit-sizes.csv").query("dataset == 'genbase' and quantity == 'features'")
    yield quote("no feature of genbase ({:,} instead of {:,})", *sizes.iloc[0][["ours", "printed"]])
