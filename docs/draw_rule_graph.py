"""Draw the rules behind a paper as docs/rule-graph.svg, from ``snakemake --rulegraph``.

Rules of one step are one box, such as those for groups of tables. A box says what its jobs do: features are normalised
within the jobs of choose, fit and predict, by the training rows of each split. An arrow that others imply is left out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from html import escape
from pathlib import Path

from snakemake_logger_plugin_mlreduce.text import step_of

PROJECT = Path(__file__).parents[1]
PICTURE = PROJECT / "docs" / "rule-graph.svg"
COMMAND = ("-m", "snakemake", "--rulegraph", "--configfile", "config/paper.yaml", "--config", "studies=mvmd-2016")

#: What the jobs of a step do.
WORK = {
    "fetch": "download, checksums",
    "prepare": "one form of arrays",
    "choose": "normalise, search",
    "fit": "normalise, fit methods",
    "predict": "normalise, train, score",
    "time": "seconds of fits",
    "gather": "means, errors",
    "tables": "CSV, Markdown, TeX",
    "figures": "pictures, their data",
    "audit": "numbers, claims",
    "manifest": "inputs, code, cost",
    "site": "pages",
}

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 138, 40, 26, 16, 4

Graph = dict[str, set[str]]


def read_graph(dot: str) -> Graph:
    """Return the steps of a rule graph, each with the steps that it needs; without the target `all`."""
    names = {number: step_of(rule) for number, rule in re.findall(r'(\d+)\[label = "(\w+)', dot)}
    graph: Graph = {name: set() for name in names.values() if name != "all"}
    for source, target in re.findall(r"(\d+) -> (\d+)", dot):
        if names[target] in graph and names[source] != names[target]:
            graph[names[target]].add(names[source])
    return graph


def columns_of(graph: Graph) -> dict[str, int]:
    """Return the column of each step: as far to the right as the steps that need it allow."""

    def steps_after(step: str) -> int:
        return max((steps_after(later) + 1 for later, needs in graph.items() if step in needs), default=0)

    after = {step: steps_after(step) for step in graph}
    return {step: max(after.values()) - number for step, number in after.items()}


def reduce_graph(graph: Graph) -> Graph:
    """Return the graph without arrows between steps that a longer path joins."""

    def before(step: str) -> set[str]:
        return graph[step].union(*map(before, graph[step]))

    return {step: needs.difference(*map(before, needs)) for step, needs in graph.items()}


def places_of(graph: Graph) -> dict[str, tuple[float, float]]:
    """Return the column and row of each step; one that is alone in its column is level with the steps that need it."""
    columns: dict[int, list[str]] = defaultdict(list)
    for step, column in sorted(columns_of(graph).items(), key=lambda item: [*WORK].index(item[0])):
        columns[column].append(step)
    middle = (max(map(len, columns.values())) - 1) / 2
    places: dict[str, tuple[float, float]] = {}
    for column in sorted(columns, reverse=True):
        for row, step in enumerate(columns[column]):
            level = [places[later][1] for later, needs in graph.items() if step in needs]
            if len(columns[column]) > 1 or not level:
                places[step] = column, middle + row - (len(columns[column]) - 1) / 2
            else:
                places[step] = column, sum(level) / len(level)
    return places


def draw(graph: Graph) -> str:
    """Return the graph as SVG, from left to right."""
    graph = reduce_graph(graph)
    places = {
        step: (MARGIN + column * (WIDTH + ACROSS), MARGIN + row * (HEIGHT + DOWN))
        for step, (column, row) in places_of(graph).items()
    }
    lines = []
    for step, needs in sorted(graph.items()):
        for former in sorted(needs):
            (x, y), (to_x, to_y) = places[former], places[step]
            start, end, middle = x + WIDTH, to_x - 5, (x + WIDTH + to_x) / 2
            y, to_y = y + HEIGHT / 2, to_y + HEIGHT / 2
            lines.append(f'<path d="M{start} {y}C{middle} {y} {middle} {to_y} {end} {to_y}" marker-end="url(#end)"/>')
    boxes = []
    for step, (x, y) in places.items():
        boxes.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>')
        for text, below, style in ((step, 17, "bold 13px"), (WORK[step], 32, "11px")):
            boxes.append(
                f'<text x="{x + WIDTH / 2}" y="{y + below}" style="font: {style} sans-serif">{escape(text)}</text>'
            )
    width = max(x for x, _ in places.values()) + WIDTH + MARGIN
    height = max(y for _, y in places.values()) + HEIGHT + MARGIN
    size = f'width="{width:g}" height="{height:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" {size}>',
            '<marker id="end" viewBox="0 0 6 6" refX="1" refY="3" markerWidth="6" markerHeight="6" orient="auto">'
            '<path d="M0 0L6 3L0 6z" fill="#777"/></marker>',
            f'<rect {size} fill="white"/>',
            '<g fill="none" stroke="#777" stroke-width="1.2">',
            *lines,
            '</g><g fill="#eaf2fb" stroke="#3b6ea5" text-anchor="middle">',
            *(box.replace("<text", '<text stroke="none" fill="#222"') for box in boxes),
            "</g></svg>\n",
        ]
    )


if __name__ == "__main__":
    run = subprocess.run([sys.executable, *COMMAND], cwd=PROJECT, capture_output=True, text=True, check=True)
    PICTURE.write_text(draw(read_graph(run.stdout)), encoding="utf-8")
