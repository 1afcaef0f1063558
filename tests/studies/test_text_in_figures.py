"""Text in committed pictures can be read: no two texts overlap, none is small on a page 1400 pixels wide.

And no labels fan out of one point: where several lines end together, the legend has their names.
"""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from mlreduce.plot.layout import name_ends, panels
from mlreduce_studies.figures import save

PROJECT = Path(__file__).parents[2]
PICTURES = sorted(
    path for folder in ("results/reference", "docs") for path in (PROJECT / folder).rglob("figure*.svg")
    if "_build" not in path.parts
) + sorted((PROJECT / "docs").glob("[bs][ce]*/*.svg"))  # fmt: skip
#: Pixels of a text, at least; of the main part of a page; and what texts may overlap by, in points.
SMALLEST, WIDTH, TOUCHING = 7, 1344, 0.5
#: Labels that may be joined to one point, and points as near as this, in points.
FAN, TOGETHER = 2, 1.5
SVG, HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


class Box(NamedTuple):
    """A text: the size of its letters, and its box, in points."""

    size: float
    left: float
    top: float
    right: float
    bottom: float


def matrix_of(text):
    """Return the 3 by 3 matrix of an attribute ``transform``."""
    made = np.eye(3)
    for name, numbers in re.findall(r"(\w+)\(([^)]*)\)", text or ""):
        given = [float(number) for number in re.split(r"[ ,]+", numbers.strip())]
        if name == "rotate":
            c, s = math.cos(math.radians(given[0])), math.sin(math.radians(given[0]))
            one = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        elif name == "scale":
            one = np.diag([given[0], given[-1], 1.0])
        else:
            assert name == "translate"
            one = [[1, 0, given[0]], [0, 1, [*given, 0][1]], [0, 0, 1]]
        made = made @ np.array(one, float)
    return made


def texts_of(picture):
    """Return the width of a picture and its texts, which are groups of glyphs."""
    root = ElementTree.parse(picture).getroot()
    glyphs = {}
    for path in root.iter(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]
        if path.get("id") and numbers:
            scale = matrix_of(path.get("transform"))
            corners = [
                (x, y, 1)
                for x in (min(numbers[::2]), max(numbers[::2]))
                for y in (min(numbers[1::2]), max(numbers[1::2]))
            ]
            glyphs[f"#{path.get('id')}"] = scale @ np.array(corners).T
    found = []

    def walk(element, matrix):
        matrix = matrix @ matrix_of(element.get("transform"))
        if element.tag == f"{SVG}g" and "scale(" in element.get("transform", ""):
            shown = [(use, glyphs[use.get(HREF)]) for use in element.iter(f"{SVG}use") if use.get(HREF) in glyphs]
            points = [
                matrix
                @ matrix_of(use.get("transform"))
                @ matrix_of(f"translate({use.get('x', 0)} {use.get('y', 0)})")
                @ box
                for use, box in shown
            ]
            if points:
                x, y, _ = np.concatenate(points, axis=1)
                found.append(Box(100 * math.hypot(*matrix[0, :2]), x.min(), y.min(), x.max(), y.max()))
            return
        for child in element:
            walk(child, matrix)

    walk(root, np.eye(3))
    return float(root.get("width").removesuffix("pt")), found


def overlapping(texts):
    return [
        (one, other)
        for one, other in combinations(texts, 2)
        if min(one.right, other.right) - max(one.left, other.left) > TOUCHING
        and min(one.bottom, other.bottom) - max(one.top, other.top) > TOUCHING
    ]


def largest_fan(picture, texts):
    """Return the most labels that lines join to one point: lines of two points that no panel clips, to a text."""
    starts = []
    for path in ElementTree.parse(picture).getroot().iter(f"{SVG}path"):
        line = re.fullmatch(r"M ([\d.]+) ([\d.]+)\s+L ([\d.]+) ([\d.]+)\s*", path.get("d", ""))
        if line and path.get("clip-path") is None:
            x, y, right, height = map(float, line.groups())
            if any(0 <= text.left - right < 6 and text.top - 3 < height < text.bottom + 3 for text in texts):
                starts.append((x, y))
    return max((sum(math.dist(one, other) < TOGETHER for other in starts) for one in starts), default=0)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.rotating
def test_texts_of_a_committed_picture_can_be_read(picture):
    width, texts = texts_of(picture)
    assert len(texts) > 2
    assert overlapping(texts) == []
    pixels = 4 / 3 * min(1.0, WIDTH / (4 / 3 * width))
    assert min(text.size for text in texts) * pixels >= SMALLEST
    assert largest_fan(picture, texts) <= FAN


def test_texts_that_overlap_are_seen(tmp_path):
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(3, 2))
    for x, text in ((0.1, "first"), (0.12, "second"), (0.7, "third")):
        drawn.text(x, 0.5, text, fontsize=10)
    save(drawn, [tmp_path / "drawn.svg"])
    width, texts = texts_of(tmp_path / "drawn.svg")
    assert (width, len(texts), len(overlapping(texts))) == (216, 3, 1)
    assert [text.size for text in texts] == pytest.approx([10] * 3)


@pytest.mark.parametrize("apart", [0.0, 0.2])
def test_labels_that_fan_out_of_one_point_are_seen(tmp_path, apart):
    drawn, axes = panels(["a"], "t")
    ends = {name: (1.0, apart * place) for place, name in enumerate(("one", "two", "three", "four"))}
    axes["a"].plot([0, 1], [0, 1])
    name_ends(axes["a"], ends, dict.fromkeys(ends, "#000000"), 1.5)
    save(drawn, [tmp_path / "drawn.svg"])
    _, texts = texts_of(tmp_path / "drawn.svg")
    assert largest_fan(tmp_path / "drawn.svg", texts) == (1 if apart else 4)
