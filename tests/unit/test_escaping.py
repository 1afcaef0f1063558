"""Names from files of others in tables, figures and the page."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pandas as pd
import pytest
from hostile_readers import READERS
from hypothesis import given
from hypothesis import strategies as st

from mlreduce.datasets.readers.arff import read_arff
from mlreduce.escaping import latex_escaped, markdown_escaped, visible, visible_json, without_formulas
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.gathering.summary import summarise, write_csv
from mlreduce_studies.tables import make_table
from mlreduce_studies.tables.layout import latex_text, parts_markdown, to_latex, to_markdown

HOSTILE = [
    "=HYPERLINK(A1)",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "a | b",
    "`a`",
    "[a](javascript:alert(1))",
    "\\input{secret}",
    "$x$ & {y} 50 % #1_2^3~4",
    "&lt;b&gt;",
    "--><script>alert(2)</script>",
]


def test_names_of_a_hostile_file_are_no_formulas(tmp_path):
    head = "".join(
        "@attribute '{}' {{0,1}}\n".format(name.replace("\\", "\\\\").replace("'", "\\'")) for name in HOSTILE
    )
    (tmp_path / "h.arff").write_text(f"@relation h\n@attribute x numeric\n{head}@data\n{{0 1, 1 1}}\n{{2 1}}\n")
    data, _ = read_arff([tmp_path / "h.arff"], len(HOSTILE))
    assert data.label_names == HOSTILE
    table = pd.DataFrame({"label": data.label_names, "=size": data.Y.sum(axis=0) - 1.5})
    write_csv(table, tmp_path / "labels.csv")
    with (tmp_path / "labels.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["label", "'=size"]
    assert [name for name, _ in rows] == [f"'{name}" if name[0] in "=+-@" else name for name in HOSTILE]
    assert [float(size) for _, size in rows] == [-0.5, -0.5, *[-1.5] * 10]  # numbers stay numbers


@pytest.mark.parametrize("text", ["-2", "+1e-5", "-.5", "-inf", "", "a=1", "2-3", "'=a", "ä"])
def test_numbers_and_other_texts_stay(text):
    table = pd.DataFrame({"a": [text, "b"]})
    pd.testing.assert_frame_equal(without_formulas(table), table)


@pytest.mark.parametrize(
    "text",
    ["=1", "-a", "+1+1", "-1_0", "@a", "\ta", "\r=1", "\n=1", "-", "-1,5", "--1", "=", "-٣", "\uff1d1", "\uff20a"],
)
@pytest.mark.parametrize("kind", [object, "str", "category"])
def test_formulas_are_shown(text, kind):
    table = pd.DataFrame({"a": pd.Series([text, "b"], dtype=kind), "n": [-1, 2], "b": [True, False]})
    assert without_formulas(table)["a"].tolist() == [f"'{text}", "b"]
    assert table["a"].tolist() == [text, "b"]
    assert without_formulas(table)["n"].tolist() == [-1, 2]


def test_what_is_missing_stays_missing(tmp_path):
    write_csv(pd.DataFrame({"a": ["=1", None], "b": [np.nan, -1.0]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a,b\n'=1,\n,-1\n"


@pytest.mark.parametrize(("reader", "old"), [("study", "plst"), ("study", "ten-fold"), ("catalogue", "songs")])
def test_names_in_study_files_begin_no_formula(tmp_path, reader, old):
    """Names of methods, protocols and data sets: an apostrophe before one would make it another."""
    text = READERS[reader].seeds()[0].decode().replace("plst: *own", "plst: {method: PLST}")
    assert old in text
    for begin in ("a", "=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"):
        own = text.replace(old, json.dumps(f"{begin}-name")).replace("PLST", "plst")
        (tmp_path / "own.yaml").write_text(own)
        if begin == "a":
            READERS[reader].read(tmp_path / "own.yaml")
            continue
        with pytest.raises(ConfigurationError):
            READERS[reader].read(tmp_path / "own.yaml")


@given(st.text(max_size=30))
def test_no_text_begins_a_formula(text):
    (shown,) = without_formulas(pd.DataFrame({"a": [text]}))["a"]
    assert shown.removeprefix("'") == text.removeprefix("'")
    if shown[:1] in tuple("=+-@\t\r\n"):
        float(shown)


@given(
    st.lists(st.text(max_size=20), min_size=2, max_size=2), st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=2)
)
def test_tables_have_the_rows_and_cells_given(texts, names):
    markdown = to_markdown(["a", "b"], [texts, names])
    lines = markdown.split("\n")
    assert len(lines) == 5
    assert not lines[4]
    for line in (lines[0], *lines[2:4]):
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3
        assert not re.search(r"<[A-Za-z/!?]", line)
        assert not re.search(r"(?<!\\)(?:\\\\)*`", line)
        assert not re.search(r"(?<!\\)\](?=[(\[])", line)


@given(st.text(max_size=30))
def test_latex_has_no_commands_of_the_text(text):
    shown = latex_escaped(text)
    for name in ("backslash", "asciicircum", "asciitilde", "less", "greater", "bar"):
        shown = shown.replace(rf"\text{name}{{}}", "")
    shown = shown.replace(r"$\pm$", "")
    assert not re.search(r"(?<!\\)[{}$&#%_^~]", shown)
    assert not re.search(r"\\[^{}$&#%_]", shown)
    assert "\n" not in shown


def test_latex_of_cells():
    assert latex_text("**0.1 ± 0.2**") == r"\textbf{0.1 $\pm$ 0.2}"
    assert latex_text(r"\input{a}") == r"\textbackslash{}input\{a\}"
    caption = to_latex(["a"], [["b"]], latex_text("50 % {"), "label")[1]
    assert caption == r"\caption{50 \% \{}"


SIZES = ["protocol", "dataset", "method", "predictor", "measure", "size_percent", "energy", "size", "split", "value"]


@pytest.fixture
def summary():
    rows = [
        ("p", "set", method, "linear", "hamming-loss", 50, 0.0, 2, split, 0.1 * split)
        for method in HOSTILE
        for split in range(3)
    ]
    return summarise(pd.DataFrame(rows, columns=SIZES))


SPEC = {"caption": "100 % of <all>", "methods": HOSTILE, "measure": "hamming-loss", "predictor": "linear"}


def test_hostile_methods_in_every_form_of_a_table(summary, tmp_path):
    table, markdown, latex = make_table(summary, SPEC, "table1")
    assert len(table) == len(HOSTILE)
    rows = [line for line in markdown.splitlines() if line.startswith("| set")]
    assert len(rows) == len(HOSTILE)
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 4 for row in rows)
    assert "<script" not in markdown.split("\n", 1)[1]
    assert r"\input" not in latex
    assert r"\textbackslash{}input\{secret\}" in latex
    assert r"\$x\$ \& \{y\} 50 \% \#1\_2\textasciicircum{}3\textasciitilde{}4" in latex
    assert r"\caption{100 \% of \textless{}all\textgreater{} (p, 3 splits)}" in latex


@pytest.mark.parametrize(
    "caption", ["a | b", "`a`", "<script>alert(1)</script>", "[a](javascript:alert(1))", "a\n## b"]
)
def test_captions_and_titles_hold_no_markdown(caption):
    lines = parts_markdown([("key", caption, ["method"], [["pca"]])], caption, "A note.").splitlines()
    assert lines[0] == f"# {markdown_escaped(caption)}"
    assert [line for line in lines if line.startswith("## ")] == [f"## {markdown_escaped(caption)}"]
    assert "<script" not in lines[0]


@given(st.text(st.sampled_from('a\\u"\n20e\u202e\u2066\u200f\x07\x85\ufeff\u05d0')))
def test_hidden_characters_are_shown_in_text_and_in_json_alike(text):
    assert json.loads(visible_json(json.dumps([text, {text: 1}]))) == [visible(text), {visible(text): 1}]
    assert not set(visible(text)) & set("\u202e\u2066\u200f\x07\x85\ufeff")
    assert visible("\u05d0\u05d1 caf\u00e9\n") == "\u05d0\u05d1 caf\u00e9\n"
    for escaped in (latex_escaped, markdown_escaped):
        assert escaped("a\u202eb") == escaped("a\\u202eb")
