"""Draw the figures of the committed results again, from the committed tables.

    python docs/update_figures.py plst-2010

All studies where none is named. The digests in the manifest become those of the new pictures. `make reference` copies
the figures of a run, which are the same; use this when the style of figures changes. A figure whose table is not
committed stays as the run drew it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from update_verdicts import note_files

from mlreduce_studies.figures import save
from mlreduce_studies.runs import StudyResults, open_run
from mlreduce_studies.site.drawing import drawn_again

PROJECT = Path(__file__).parents[1]


def figures(study: StudyResults) -> Iterator[tuple[str, Any]]:
    """Yield name and drawing of each figure of a study whose table is committed."""
    for figure in study.description["figures"].values():
        for file, protocol in figure["files"].items():
            if (drawn := drawn_again(study, protocol, figure)) is not None:
                yield file, drawn


def update(study: StudyResults) -> None:
    """Draw the figures of a study, and write what follows from it."""
    written = []
    for file, drawn in figures(study):
        paths = [study.folder / f"{file}{suffix}" for suffix in (".svg", ".json")]
        save(drawn, paths)
        written += paths
    note_files(study.folder, written)


if __name__ == "__main__":
    for study in open_run(PROJECT / "results" / "reference", PROJECT).studies:
        if study.name in sys.argv[1:] or not sys.argv[1:]:
            update(study)
