"""Write docs/many-labels.md, its picture and a table of docs/scale.md: ``python -m mlreduce_studies.many_labels``.

With a folder of results, such as ``results/many-labels``, its rows are gathered before, also of a run that has not
ended.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from mlreduce.plot.layout import save
from mlreduce_studies.many_labels import answer
from mlreduce_studies.many_labels.settings import FILE, Settings
from mlreduce_studies.many_labels.steps import gather, measure_rows
from mlreduce_studies.tables.layout import fill_block

PROJECT = Path(__file__).parents[3]
TABLE = PROJECT / "docs" / "performance" / "many-labels.csv"
PICTURE = TABLE.with_suffix(".png")
PAGES = {name: PROJECT / "docs" / f"{name}.md" for name in ("many-labels", "scale")}


def pages_of(rows: pd.DataFrame, settings: Settings) -> dict[str, str]:
    """Return the pages with what the rows say."""
    page, scale = (path.read_text(encoding="utf-8") for path in PAGES.values())
    page = fill_block(page, "answer", answer.sentences(rows, settings))
    page = fill_block(page, "rows", answer.tables(rows, settings))
    return {"many-labels": page, "scale": fill_block(scale, "many-labels-nodes", answer.nodes(rows, settings))}


def ended_rows(settings: Settings, folder: Path) -> list[str]:
    """Measure the models of which all pieces have ended, where a run has not, and return the files of rows."""
    rows = []
    for data, reducer, model in settings.plan():
        row = folder / "rows" / data / reducer / f"{model}.csv"
        sources = [folder / "data" / f"{data}.npz", folder / "features" / data / f"{reducer}.npz"]
        sources += [
            folder / "pieces" / data / reducer / model / f"{job}.npz" for job in settings.jobs(data, reducer, model)
        ]
        if not row.is_file() and all(path.is_file() for path in sources):
            measure_rows([str(path) for path in sources], str(row), settings, data, reducer, model)
        rows += [str(row)] * row.is_file()
    return rows


def main() -> None:
    """Gather, and write the pages and the picture."""
    settings = Settings.read(PROJECT / FILE, peers=True)
    for folder in map(Path, sys.argv[1:]):
        if not (ended := ended_rows(settings, folder)):
            raise SystemExit(f"{folder}: no model has ended there; run workflow/rules/many_labels.smk first")
        gather(ended, str(TABLE))
    rows = answer.read(TABLE)
    for name, text in pages_of(rows, settings).items():
        PAGES[name].write_text(text, encoding="utf-8")
    save(answer.picture(rows, settings), [PICTURE])


if __name__ == "__main__":
    main()
