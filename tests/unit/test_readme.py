from __future__ import annotations

import importlib.util
import re
import runpy
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
import yaml

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def test_readme_is_short():
    assert README.count("\n") <= 130
    text = re.sub(r"<!--.*?-->|```.*?```", "", README, flags=re.DOTALL)
    text = re.sub(r"\[!\[[^]]*\]\([^)]*\)\]\([^)]*\)|\]\([^)]*\)|^\|[ -|]*$", "]", text, flags=re.MULTILINE)
    assert len(text.split()) <= 600
    above = text[: text.index("![")]
    assert len(above.split()) <= 120, "what it is, and how to install it, is above the first picture"
    lines = [line for line in README.splitlines() if not line.startswith(("|", "#", "!")) and "  #" not in line]
    assert max(map(len, lines)) <= 125, "shorter texts, not longer lines"


spec = importlib.util.spec_from_file_location("update_results", PROJECT / "docs" / "update_results.py")
update_results = importlib.util.module_from_spec(spec)
spec.loader.exec_module(update_results)


@pytest.mark.parametrize("page", update_results.PAGES, ids=lambda page: page.name)
def test_generated_parts_are_up_to_date(page):
    text = page.read_text(encoding="utf-8")
    assert update_results.update_page(text) == text
    assert r"\`" not in text, "a table shows the mark of code: its cells are Markdown already"
    blocks = text.count(": begin -->")
    assert blocks == len(re.findall(r"begin -->\n\n[^\n<]", text))
    assert blocks or update_results.VERDICT.search(text)


@pytest.mark.parametrize("name", update_results.TABLES)
def test_complete_tables_are_up_to_date(name):
    path = update_results.COMPLETE / f"{name}.csv"
    assert path.read_text(encoding="utf-8") == update_results.table_text(name)


def test_every_complete_table_is_linked():
    pages = "".join(path.read_text(encoding="utf-8") for path in (PROJECT / "docs").glob("*.md"))
    assert [path for path in update_results.COMPLETE.glob("*.csv") if f"](tables/{path.name})" not in pages] == []


@pytest.mark.slow
def test_the_picture_of_the_first_example_is_what_it_draws(tmp_path):
    if find_spec("snakemake") is None:
        pytest.skip("other versions of Matplotlib draw other bytes")
    runpy.run_path(str(PROJECT / "docs" / "draw_example.py"))["draw"](tmp_path / "digits.svg")
    number = re.compile(r"\d+\.\d+")
    drawn, shown = (path.read_text("utf-8") for path in (tmp_path / "digits.svg", PROJECT / "docs" / "digits.svg"))
    assert number.sub("", drawn) == number.sub("", shown)
    assert [*map(float, number.findall(drawn))] == pytest.approx([*map(float, number.findall(shown))], abs=0.02)


def test_verdicts_in_prose_are_those_of_the_results():
    """Generated ones alone: what is written by hand would stay when a verdict changes."""
    for page in (
        *(PROJECT / "docs" / name for name in ("deviations.md", "questions.md")),
        *PROJECT.glob("papers/*/README.md"),
    ):
        text = page.read_text(encoding="utf-8")
        by_hand = re.sub(r"<!-- (\S+).*?: begin -->.*?<!-- \1.*?: end -->", "", text, flags=re.DOTALL)
        by_hand = update_results.VERDICT.sub("", by_hand)
        assert not re.search(r"\b(confirmed|refuted|undecided)\b", by_hand), page


def test_what_waits_for_an_answer_is_counted_or_named(monkeypatch):
    monkeypatch.setattr(update_results, "verdicts", lambda: {"plst-above-cs-in-the-mean": "refuted"})
    said = update_results.waits("plst-2010", "table2/emotions/*", "plst-above-cs-in-the-mean", "plst-above-cs-*")
    cells = pd.read_csv(update_results.REFERENCE / "plst-2010" / "audit.csv")
    cells = cells[cells["dataset"] == "emotions"]
    reproduced = (cells["verdict"] == "reproduced").sum()
    assert said == (
        f"Waiting: table2 emotions, printed cells reproduced: {reproduced} of {len(cells)} (random-splits); "
        "`plst-above-cs-in-the-mean`: refuted; `plst-above-cs-*`: 1 refuted, 1 not run yet.\n"
    )
    with pytest.raises(KeyError, match="plst-2010 has no claim no-such"):
        update_results.waits("plst-2010", "no-such")


@pytest.mark.parametrize("study", update_results.STUDIES)
def test_every_setting_that_a_paper_leaves_open_is_a_question_to_its_authors(study):
    questions = (PROJECT / "docs" / "questions.md").read_text(encoding="utf-8")
    asked = re.findall(rf"<!-- waits {study} (?:[^:]* )?open=(\S+): begin -->", questions)
    for claim in update_results.claims_of(study):
        said = claim.entry.get("open", "")
        assert not said or any(re.search(pattern, said) for pattern in asked), f"{claim.id}: {said}"


def test_a_changed_verdict_reaches_the_sentence(monkeypatch):
    monkeypatch.setattr(update_results, "verdicts", lambda: {"theorem-1-holds": "refuted"})
    text = "It is <!-- verdict theorem-1-holds -->confirmed<!-- end -->, and"
    assert update_results.update_page(text) == text.replace("confirmed", "refuted")


def test_configuration_reference_has_every_key():
    schema = yaml.safe_load((PROJECT / "workflow" / "schemas" / "config.schema.yaml").read_text(encoding="utf-8"))
    text = (PROJECT / "config" / "README.md").read_text(encoding="utf-8")
    keys = re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE)
    assert set(keys) == set(schema["properties"]) - {"sample", "page"}  # for make verify; in frozen files


def test_workflow_catalogue_entry_says_how_the_workflow_is_used():
    entry = yaml.safe_load((PROJECT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))
    assert set(entry["usage"]) == {"mandatory-flags", "software-stack-deployment"}
    assert entry["usage"]["software-stack-deployment"].items() >= {"conda": True, "report": True}.items()
