"""Numbers of README.md, of docs/unknown.md, and of the last sections of docs/deviations.md."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mlreduce_studies.study import PAPERS, study_files
from quoted import DEVIATIONS, PROJECT, REFERENCE, Sentence, quoted_on, rows, says, stated, table, value
from quoted.cplst_2012 import AUDIT, reproduced


@quoted_on("README.md")
def readme() -> Iterator[Sentence]:
    manifests = [REFERENCE / study / "manifest.json" for study in study_files(PROJECT, [PAPERS])]
    costs = [json.loads(path.read_text(encoding="utf-8"))["run"]["cost"] for path in manifests if path.is_file()]
    hours = sum(cost["total"]["cpu_seconds"] for cost in costs) / 3600
    yield says("The full protocols take {:.0f} processor hours", hours)
    yield stated("features and labels in 0/1 or -1/1", "what is accepted")


@quoted_on("docs/unknown.md")
def unknown() -> Iterator[Sentence]:
    yield says(
        "are those of 90 % training rows; the text says 80 %",
        given=reproduced(table="table3")[0] > reproduced("as-stated", table="table3")[0],
    )
    agree = rows(AUDIT, protocol="as-printed", table="table4", dataset=["emotions", "yeast", "medical", "genbase"])
    yield says(
        "when those of emotions, yeast, medical and genbase agree", given=agree["verdict"].eq("reproduced").all()
    )
    order = rows("gmba-2016/table-stability.csv", method="gmba", dataset=["emotions", "scene"], size_percent=20)
    yield says(
        "On emotions and scene another order gives an unrelated ranking",
        given=order["order_correlation"].abs().max() < 0.1,
    )
    views = table("mvmd-2016/datasets.csv")["dataset"].str.contains("-go|-pse-aac").sum()
    yield says("We run the {} that we could obtain", views)


@quoted_on(DEVIATIONS)
def last_sections() -> Iterator[Sentence]:
    yield stated("The program of the first author joins each label ... with the weight 1", "its code")
    sizes = table("qpfs-lowrank-2016/audit-sizes.csv").query("dataset == 'birds' and quantity == 'features'")
    yield says("({} features instead of the {} attributes that papers count)", *sizes.iloc[0][["ours", "printed"]])
    genbase = {"dataset": "genbase", "quantity": "features"}
    yield says(
        "no feature of genbase ({:,} instead of {:,})",
        *(value("gmba-2016/audit-sizes.csv", column, **genbase) for column in ("ours", "printed")),
    )
    yield says("The {} claims of then", len(table("docs/verdicts/before.csv")))
