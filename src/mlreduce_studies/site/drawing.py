"""The figures of a study for its page: a static picture each, and the numbers for the same figure with hover values."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mlreduce.files import replacing
from mlreduce_studies.runs import StudyResults

_PICTURES = (".svg", ".png")


def placed_figures(study: StudyResults, folder: Path) -> Iterator[dict[str, Any]]:
    """Put the pictures of a study's figures into a folder, and yield what a page shows of each.

    ``picture`` is its name in the folder, and ``data`` from `mlreduce.plot.points.drawn_points`. Figures of which the
    run has neither picture nor numbers are left out.
    """
    for figure in study.description["figures"].values():
        for file, protocol in figure["files"].items():
            if placed := _place(study, file, protocol, figure, folder):
                picture, points = placed
                caption = points.get("title") or figure["spec"]["caption"]
                shown = {"file": file, "protocol": protocol, "caption": caption, "picture": picture}
                yield shown | {"size": _size_of(folder / picture), "data": points}


def drawn_again(study: StudyResults, protocol: str, figure: Mapping[str, Any]) -> Any:
    """Return the drawing of a figure from its gathered table, or None where the table is missing."""
    source = study.frame(figure["source"])
    if source is None:
        return None
    from mlreduce_studies.figures import make_figure

    return make_figure(source, figure["spec"], protocol, study.description["curves"])


def _size_of(picture: Path) -> tuple[int, int]:
    """Return width and height of a picture in pixels, which pages say so that nothing moves when it is loaded."""
    if picture.suffix == ".svg":
        with picture.open(encoding="utf-8") as file:
            head = file.read(2000)
        points = (re.search(rf'<svg[^>]*\b{side}="([\d.]+)pt"', head) for side in ("width", "height"))
        width, height = (round(float(point[1]) * 4 / 3) if point else 0 for point in points)
        return width, height
    from PIL import Image

    with Image.open(picture) as image:
        return image.size


def _place(
    study: StudyResults, file: str, protocol: str, figure: Mapping[str, Any], folder: Path
) -> tuple[str, dict[str, Any]] | None:
    """Put the picture of a figure into a folder, and return its name there and its numbers; None where it has neither.

    The picture of the run and its numbers, if the run has it as SVG; otherwise the figure is drawn again from the
    gathered table; if the table is missing too, a picture without numbers.
    """
    drawn_by_run = all((study.folder / f"{file}{suffix}").is_file() for suffix in (".svg", ".json"))
    if not drawn_by_run and (drawn := drawn_again(study, protocol, figure)) is not None:
        from mlreduce_studies.figures import save

        with replacing(folder / f"{file}.svg") as place, TemporaryDirectory() as numbers:
            save(drawn, [place, points := Path(numbers, "points.json")])
            return f"{file}.svg", json.loads(points.read_text(encoding="utf-8"))
    for suffix in _PICTURES:
        path = study.folder / f"{file}{suffix}"
        if path.is_file():
            with replacing(folder / path.name) as place:
                shutil.copyfile(path, place)
            known = path.with_suffix(".json").read_text(encoding="utf-8") if drawn_by_run else '{"panels": []}'
            return path.name, json.loads(known)
    return None
