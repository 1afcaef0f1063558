"""Every kind of table and figure, those that are added too, says which cells failed and does not count them.

The entry of a study file is made from the options that a kind declares, and its rows from the file of results that it
is given, with a method that failed on some splits, on a data set, or everywhere.
"""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce_studies.figures import figure_kinds, make_figure
from mlreduce_studies.gathering.failed_cells import RULE, with_failed_rows, with_gaps, without_gaps
from mlreduce_studies.gathering.summary import summarise
from mlreduce_studies.gathering.times import gathered_times, time_ratios
from mlreduce_studies.options import FIGURES, TABLES, schema_of, source_of
from mlreduce_studies.tables import make_table, table_kinds, table_parts

METHODS, SETS, SPLITS = ("mvmd", "pca", "cca"), ("emotions", "scene", "yeast"), 3
CELLS = [(dataset, method, split) for dataset in SETS for method in METHODS for split in range(SPLITS)]
#: Cells that fail, by what remains of them.
FAILED = {
    "some splits": [("scene", "cca", 1)],
    "no split": [("scene", "cca", split) for split in range(SPLITS)],
    "nothing": CELLS,
}
#: What is in the place of a name in the entry of a study file.
NAMED = {"measure": "micro-f1", "predictor": "ridge", "energy": 0.9, "size": 50, "data set": "scene"}
#: Tables over the data sets, in which a method that ran on some splits has a value.
OVER_DATASETS = ("average-ranks", "comparisons")
#: Of files of results in which no cell can fail, as a job makes each by itself: approximations, and the data sets.
WITHOUT_CELLS = ("approximation", "theorem", "dependencies", "datasets", "errors")


def example(schema):
    """Return a value for an option."""
    if "names" in schema or schema["type"] == "string":
        return NAMED.get(schema.get("names"), "pca")
    if schema["type"] == "object":
        return {"cca": example(schema.get("additionalProperties", {"type": "string"}))}
    if schema["type"] == "array":
        return list(map(example, schema.get("prefixItems", [schema.get("items")])))
    return {"boolean": False, "integer": 1}.get(schema["type"], 0.5)


def entry(kinds, kind):
    schema = schema_of(kinds, {"kind": kind})
    made = {name: example(schema["properties"][name]) for name in schema["required"]}
    made |= {"kind": kind, "caption": "c", "methods": list(METHODS)}
    # What the workflow adds to an entry.
    return made | (
        {"ranges": {"cca": {"alpha": {"from": 1, "to": 4}}}}
        if kinds is TABLES
        else {"points": dict.fromkeys(METHODS, 1.0)}
    )


def failures(cells):
    same = {"study": "s", "protocol": "p", "group": "g", "step": "fit", "error": "ValueError", "message": "boom"}
    rows = [same | {"dataset": d, "method": m, "predictor": "ridge", "split": s, "where": ""} for d, m, s in cells]
    return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS)).astype({"split": "Int64"})


def rows_of(columns, cells, values=((),)):
    """Return a table with the values for each cell, another number in each."""
    rows = [(*cell, *value, 1.0 + number) for number, (cell, value) in enumerate((c, v) for c in cells for v in values)]
    return pd.DataFrame(rows, columns=["dataset", "method", "split", *columns])


def source(name, failed):
    """Return a file of results as it is read, without the values of the cells that failed."""
    text = io.StringIO()
    gathered(name, failed).to_csv(text, index=False)
    return pd.read_csv(io.StringIO(text.getvalue()))


def gathered(name, failed):
    cells, failed = [cell for cell in CELLS if cell not in failed], failures(failed)
    if name in ("summary", "areas"):
        columns = ["measure", "size_percent", "energy", "size", "value"]
        points = [("micro-f1", *point) for point in ((20, 0.0, 2), (50, 0.0, 5), (0, 0.0, 9), (0, 0.9, 7))]
        scores = rows_of(columns, cells, points).assign(study="s", protocol="p", predictor="ridge", parameters="{}")
        return with_gaps(summarise(scores.assign(value=scores["value"] / 999)), failed)
    if name in ("times", "ratios"):
        times = gathered_times(rows_of(["seconds"], cells), failed, {})
        printed = pd.DataFrame(columns=["dataset", "method", "seconds"])
        return times if name == "times" else time_ratios(times, printed, "pca")
    if name in ("costs", "proximities"):  # once, not for each split
        once = [cell for cell in cells if cell[2] == 0]
        columns, values = {
            "costs": (["swept", "space", "rows", "features", "prototypes", "gigabytes"], [("rows", "x", 9, 9, 0, 1.0)]),
            "proximities": (["row", "column", "score"], [(row, column, 0.5) for row in (0, 1) for column in (0, 1)]),
        }[name]
        number = {"costs": "seconds", "proximities": "level"}[name]
        return with_failed_rows(rows_of([*columns, number], once, values).drop(columns="split"), failed)
    if name == "spectra":
        values = rows_of(["index", "eigenvalue"], cells, [(1,), (2,)]).assign(study="s", protocol="p")
        return with_failed_rows(values, failed)
    if name == "rankings":
        ranked = rows_of(["feature", "rank", "score"], cells, [(place, place) for place in range(1, 5)])
        return with_failed_rows(ranked.assign(study="s", protocol="p"), failed)
    assert name == "choices"
    chosen = rows_of(["parameters", "at_end", "gamma"], cells, [('{"alpha": 2}', "")])
    return with_failed_rows(chosen.assign(protocol="p", alpha=2.0, loss=0.1, score=0.5, ranged=1), failed)


def of_cells(kinds, names):
    """Return kinds with an entry and the name of their file of results, where cells of it can fail."""
    entries = {kind: entry(kinds, kind) for kind in names}
    return [(kind, made) for kind, made in entries.items() if source_of(kinds, made) not in WITHOUT_CELLS]


@pytest.mark.parametrize(("kind", "spec"), of_cells(TABLES, table_kinds()))
@pytest.mark.rotating
def test_a_table_names_what_failed(kind, spec):
    name = source_of(TABLES, spec)
    tidy, markdown, _ = make_table(source(name, []), spec, "t")
    assert "reason" not in tidy
    assert RULE not in markdown
    for remains, cells in FAILED.items():
        rows = source(name, cells)
        if rows.empty or (remains == "some splits" and kind in OVER_DATASETS):
            continue
        tidy, markdown, latex = make_table(rows, spec, "t")
        text = markdown.partition(RULE)[2]
        assert [word for word in ("cca", "scene", "boom") if word not in text] == [], remains
        assert "boom" in latex
        assert "reason" in tidy
        assert not any("nan" in text for *_, lines in table_parts(tidy, spec) for line in lines for text in line)


@pytest.mark.parametrize(("kind", "spec"), of_cells(TABLES, table_kinds()))
def test_a_table_counts_only_the_values_that_there_are(kind, spec):
    """Without a word in its file: it is the same table as without the rows of failed cells, and these below it."""
    if TABLES.find(kind).with_gaps:
        pytest.skip("shows the failed cells in their places: tests/studies/test_failed_cells.py")
    rows = source(source_of(TABLES, spec), FAILED["no split"])
    tidy, markdown, _ = make_table(rows, spec, "t")
    plain, shown, _ = make_table(without_gaps(rows), spec, "t")
    values = tidy.loc[tidy["reason"].isna(), list(plain.columns)]
    pd.testing.assert_frame_equal(values, plain, check_dtype=False)
    assert markdown.startswith(shown)


@pytest.mark.parametrize(("kind", "spec"), of_cells(FIGURES, figure_kinds()))
@pytest.mark.rotating
def test_a_figure_names_what_failed(kind, spec):
    name = source_of(FIGURES, spec)
    for remains in ("no split", "nothing"):
        rows = source(name, FAILED[remains])
        if len(rows):
            drawn = make_figure(rows, spec, "p", "scene")
            number = f" ({SPLITS} of {SPLITS} splits)" if {"split", "splits"} & set(rows) else ""
            assert f"cca on scene{number}" in drawn.get_label(), remains
            below = [drawn.get_supxlabel(), *(legend.get_title().get_text() for legend in drawn.legends)]
            assert "cca on scene" in " ".join(" ".join(below).split())
    plt.close("all")
