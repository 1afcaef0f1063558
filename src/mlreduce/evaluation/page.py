"""Pages of a comparison or a search: one HTML file with its figures inside, which opens without a network."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mlreduce.escaping import visible
from mlreduce.exceptions import MissingPackageError
from mlreduce.files import write_text
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.plot.figure import pyplot
from mlreduce.stats.margins import DECIDED

# In a picture, what Matplotlib draws in black; the colours of methods are for both grounds.
_DARK = """@media (prefers-color-scheme: dark) { svg { fill: #e4e4e4; }
[style*="stroke: #000000"] { stroke: #e4e4e4 !important; } [style*="fill: #000000"] { fill: #e4e4e4 !important; } }"""


class Section(NamedTuple):
    """What the page shows of one predictor."""

    predictor: str
    #: The measure of the statistics and figures.
    measure: str
    #: Means over the folds: methods by measures, after the size and before the seconds.
    means: pd.DataFrame
    #: As of `mlreduce.evaluation.comparison.Comparison.statistics`; None if no pair of methods can be compared.
    statistics: pd.DataFrame | None
    #: Draws a kind of figure, "sizes" or "pairs".
    plot: Callable[[str], Any]


def write_comparison_page(
    path: Path, settings: Mapping[str, Any], failures: pd.DataFrame, sections: Sequence[Section], verdict: str
) -> Path:
    """Write the page of a comparison, which begins with its verdict, and return its path."""
    body = [format_verdict(verdict), *_write_body(settings, failures, sections)]
    return write_page(path, f"Comparison on {settings['data']['name']}", body)


def style() -> str:
    """Return the style sheet of all pages, light and dark."""
    return (files("mlreduce.evaluation") / "page.css").read_text(encoding="utf-8")


def format_verdict(text: str) -> str:
    """Return lines that answer, the first sentence of each in bold."""
    lines = (escape(line).partition(". ") for line in text.splitlines())
    return "".join(
        f'<p class="answer"><strong>{first}{stop.strip()}</strong> {rest}</p>' for first, stop, rest in lines
    )


def write_page(path: Path, title: str, body: Iterable[str]) -> Path:
    """Write a page of a title and parts in markup, and return its path."""
    # Text comes from data sets and users: nothing in it can run.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    head = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style()}</style></head>'
    )
    parts = "\n".join(body)
    write_text(path, visible(f"{head}<body><main><h1>{escape(title)}</h1>\n{parts}</main></body></html>\n"))
    return path


def _write_body(settings: Mapping[str, Any], failures: pd.DataFrame, sections: Sequence[Section]) -> Iterator[str]:
    data, size = settings["data"], max(settings["sizes"])
    repeats = f", {settings['repeats']} times" if settings["repeats"] > 1 else ""
    splits = f"{settings['cv']}-fold stratified cross-validation{repeats}"
    if settings["splitter"]:
        splits = f"{settings['cv']} splits of {escape(settings['splitter'])}"
    yield (
        f"<p>{len(settings['methods'])} methods on {data['instances']} instances, {data['features']} features and "
        f"{data['labels']} labels (cardinality {data['cardinality']:.2f}), by {splits}; "
        "everything is fitted on training folds alone.</p>"
    )
    for note in settings.get("notes", []):
        yield f"<p>{escape(note[0].upper() + note[1:])}.</p>"
    if "unknown" in data:
        yield f"<p>{data['unknown']:.1%} of the labels are unknown; the others are measured.</p>"
    if len(failures):
        yield f'<p><a href="#failures">{len(failures)} evaluations failed</a>; means are over the others.</p>'
    for section in sections:
        yield f"<h2>With {escape(section.predictor)}</h2>"
        yield (
            f"<p>Means over the folds at {size} % of the features (of the labels for label coders), or at the largest "
            "size that a method has. The best of a measure is bold.</p>"
        )
        yield _format_means(section.means)
        if len(settings["sizes"]) > 1:
            yield draw_figure(
                partial(section.plot, "sizes"),
                f"{measure_label(section.measure)} against size: mean over the folds and its standard error. A single "
                "point is of a method that has one size; a dotted line is of what is not reduced.",
            )
        if section.statistics is not None:
            yield from _write_statistics(section, section.statistics, f"{settings['margin']:g}", size)
    yield from _write_end(settings, failures)


def _write_statistics(section: Section, statistics: pd.DataFrame, margin: str, size: int) -> Iterator[str]:
    name = measure_label(section.measure)
    yield f"<details><summary>Statistics of {escape(name)} at {size} %, and each pair of methods</summary>"
    yield (
        f"<p>Near is the share of the folds on which a method is within {margin} of the best, rank the mean of the "
        "ranks on the folds (1 is best, ties share, what failed is last), first the number of folds on which it is "
        "best. It beats, or is beaten by, so many others: by more than "
        f"{margin}, with a probability of {DECIDED:g} or more by the Bayesian correlated t-test. Each pair is judged "
        "by itself; among many, some are so by chance. The probabilities are about data like these, not about other "
        "data sets.</p>"
    )
    formats = {"mean": ".3f", "deviation": ".3f", "near": ".2f", "rank": ".2f"}
    formats |= {"first": ".0f", "beats": ".0f", "beaten_by": ".0f"}
    rows = [[escape(str(method)), *format_cells(row, formats)] for method, row in statistics.iterrows()]
    yield format_table(rows, ["method", *(name.replace("_", " ") for name in formats)])
    yield draw_figure(
        partial(section.plot, "pairs"),
        f"{name} at {size} %: the method of the row against that of the column. Mean difference, positive where the "
        "row is better; folds won, tied and lost; the largest of the probabilities that it is better, similar (within "
        f"{margin}) or worse, bold from {DECIDED:g} on.",
    )
    yield "</details>"


def _format_means(table: pd.DataFrame) -> str:
    measures = [*table.columns.drop(["size", "seconds"])]
    best = {name: table[name].max() if higher_is_better(name) else table[name].min() for name in measures}
    formats, rows = {"size": ".0f", **dict.fromkeys(measures, ".3f"), "seconds": ".2g"}, []
    for method, row in table.iterrows():
        cells = zip(formats, format_cells(row, formats), strict=True)
        marked = [f"<b>{cell}</b>" if name in best and row[name] == best[name] else cell for name, cell in cells]
        rows.append([escape(str(method)), *marked])
    return format_table(rows, ["method", "size", *map(measure_label, measures), "seconds of a fit"])


def format_cells(row: Mapping[Any, Any] | pd.Series, formats: Mapping[str, str]) -> list[str]:
    """Return the cells of some columns in markup, each in its format; a missing value as a dash."""
    return ["–" if pd.isna(row[name]) else escape(format(row[name], form)) for name, form in formats.items()]


def format_table(rows: Sequence[Sequence[str]], head: Sequence[str] = (), kind: str = "") -> str:
    """Return a table of cells that are markup already, the first of a row its name, under names that are not."""
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = (f'<th scope="row">{name}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) for name, *cells in rows)
    body = f"<thead><tr>{names}</tr></thead>" * bool(head) + "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide" tabindex="0"><table class="{kind}">{body}</table></div>'


def draw_figure(draw: Callable[[], Any], caption: str) -> str:
    """Return a figure as an image in the page: SVG, the same bytes each time, in which no script can run."""
    try:
        plt = pyplot()
    except MissingPackageError as error:
        return f'<p class="note">A figure is left out: {escape(str(error))}</p>'
    file = io.BytesIO()
    # Names of users are no formulas, whatever dollars they hold.
    with plt.rc_context({"svg.hashsalt": "mlreduce", "text.parse_math": False}):
        figure = draw().figure
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    plt.close(figure)
    picture = visible(file.getvalue().decode()).replace("<defs>", f"<style>{_DARK}</style><defs>", 1).encode()
    source = f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"
    return (
        f'<figure><div class="wide" tabindex="0"><img src="{source}" alt="{escape(caption)}"></div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _write_end(settings: Mapping[str, Any], failures: pd.DataFrame) -> Iterator[str]:
    if len(failures):
        yield '<h2 id="failures">What failed</h2>'
        rows = [
            [escape(str(text)) for text in (row["method"], row["predictor"], row["split"] + 1, reason)]
            for row in failures.to_dict("records")
            for reason in [f"{row['error']}: {row['message']}"]
        ]
        yield format_table(rows, ["method", "predictor", "fold", "reason"], "reasons")
    yield "<h2>How this was made</h2>"
    rows = [
        [escape(name), kind, f"<code>{escape(json.dumps(entry, ensure_ascii=False))}</code>"]
        for kind, entries in (("method", settings["methods"]), ("predictor", settings["predictors"]))
        for name, entry in entries.items()
    ]
    yield format_table(rows, kind="prose")
    versions = ", ".join(f"{escape(name)} {escape(version)}" for name, version in settings["versions"].items())
    imputed = f" Missing values: {escape(settings['impute'])}." if "impute" in settings else ""
    yield (
        f'<p class="note">Scaling of the features: {escape(settings["scaling"])}.{imputed} '
        f"Decision from scores to labels: {escape(settings['decision'])}. "
        f"Ties in rankings: {escape(settings['ties'])}. "
        f"Seed {settings['random_state']}. {versions}.</p>"
    )
