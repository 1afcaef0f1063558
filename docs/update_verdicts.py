"""Write the verdicts on the committed scores anew, after a claim has changed.

    python docs/update_verdicts.py qpfs-lowrank-2016 && python docs/update_results.py
    python docs/update_verdicts.py --figures plst-2010      # draw its figures again, after their style has changed

Of each study named, in results/reference, the tables of claims and their part of audit.md, or the figures whose tables
are committed, and the digests of these files in the manifest; nothing is fitted again.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mlreduce.files import replacing, write_text
from mlreduce_studies.figures import save
from mlreduce_studies.gathering.summary import write_csv
from mlreduce_studies.provenance.manifest import digests, make_manifest, read_manifest, same_results
from mlreduce_studies.runs import open_run
from mlreduce_studies.site.drawing import drawn_again
from mlreduce_studies.verdicts.__main__ import judge_again
from mlreduce_studies.verdicts.claims import claims_markdown

PROJECT = Path(__file__).parents[1]
NAMES = {"claims": "claims.csv", "lines": "claims-lines.csv", "differences": "claims-differences.csv"}


def update(folder: Path) -> None:
    """Judge the claims on a study again and write what follows from it."""
    judged = judge_again(folder, PROJECT)
    for name, table in judged._asdict().items():
        with replacing(folder / NAMES[name]) as path:
            write_csv(table, path)
    page = folder / "audit.md"
    before, after = re.split(
        r"^# What .*? claims$.*?(?=^Left out|\Z)", page.read_text(), flags=re.DOTALL | re.MULTILINE
    )
    markdown = claims_markdown(judged.claims, judged.lines, folder.name)
    page.write_text(before + markdown + ("\n" if after else "") + after, encoding="utf-8")
    note_files(folder, [page, *(folder / name for name in NAMES.values())])


def note_files(folder: Path, written: Sequence[Path]) -> None:
    """Write the digests of files into the manifest of a study, in place of those of the same names.

    Of a figure the digests in other formats than those written are left out: they are those of an earlier drawing.
    """
    manifest = read_manifest(folder)
    now = digests(written)
    run = manifest.pop("run")
    same = same_results(manifest)
    names, figures = {path.name for path in written}, {path.stem for path in written if path.suffix == ".svg"}
    for outputs in (same["outputs"], run["outputs"]):
        outputs |= {name: now.pop(name) for name in outputs.keys() & now.keys()}
        for name in [name for name in outputs.keys() - names if Path(name).stem in figures]:
            del outputs[name]
    same["outputs"] = dict(sorted((same["outputs"] | now).items()))
    description = {key: value for key, value in same.items() if key not in ("inputs", "outputs", "digest")}
    manifest_now = make_manifest(description, same["inputs"], same["outputs"], run)
    write_text(folder / "manifest.json", json.dumps(manifest_now, indent=2) + "\n")


def figures(folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield name and drawing of each figure of a study whose table is committed."""
    (study,) = (study for study in open_run(folder.parent, PROJECT).studies if study.name == folder.name)
    for figure in study.description["figures"].values():
        for file, protocol in figure["files"].items():
            if (drawn := drawn_again(study, protocol, figure)) is not None:
                yield file, drawn


def draw_again(folder: Path) -> None:
    """Draw the figures of a study again and write what follows from it."""
    for file, drawn in figures(folder):
        paths = [folder / f"{file}{suffix}" for suffix in (".svg", ".json")]
        save(drawn, paths)
        note_files(folder, paths)


if __name__ == "__main__":
    for name in (name for name in sys.argv[1:] if name != "--figures"):
        (draw_again if "--figures" in sys.argv else update)(PROJECT / "results" / "reference" / name)
