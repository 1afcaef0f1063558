"""Write the verdicts on the committed scores anew, after a claim has changed.

    python docs/update_verdicts.py qpfs-lowrank-2016 && python docs/update_results.py

Of each study named, in results/reference, the tables of claims, their part of audit.md and the digests of these files
in the manifest; nothing is fitted again.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from mlreduce.files import replacing, write_text
from mlreduce_studies.gathering.summary import write_csv
from mlreduce_studies.provenance.manifest import digests, make_manifest, read_manifest, same_results
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


if __name__ == "__main__":
    for study in sys.argv[1:]:
        update(PROJECT / "results" / "reference" / study)
