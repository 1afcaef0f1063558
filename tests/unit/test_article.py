"""The article on all papers says what the results say: its template has no number, and its PDF is typeset from it."""

from __future__ import annotations

import csv
import importlib
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from mlreduce_studies.verdicts.sensitivity import SENSITIVITY_COLUMNS, Variant

PROJECT = Path(__file__).parents[2]
TEMPLATE = (PROJECT / "docs" / "article" / "article.typ").read_text(encoding="utf-8")
#: Of a paper's results, what the article is filled from.
FILES = ("manifest.json", "claims.csv", "audit.csv", "audit-sizes.csv", "figure1.svg")


@pytest.fixture
def article(tmp_path, monkeypatch):
    """The script that builds it, on a copy of the results that can be changed."""
    monkeypatch.syspath_prepend(PROJECT / "docs")
    own, results = (importlib.import_module(name) for name in ("build_article", "update_results"))
    copy = tmp_path / "reference"
    for name in own.STUDIES:
        if own.is_run(name):
            (copy / name).mkdir(parents=True)
            for path in (own.REFERENCE / name / file for file in FILES):
                if path.is_file():
                    shutil.copy(path, copy / name)
    for module in (own, results):
        monkeypatch.setattr(module, "REFERENCE", copy)
    return own


def rows(article, file):
    for path in sorted(article.REFERENCE.glob(f"*/{file}")):
        with path.open(encoding="utf-8", newline="") as lines:
            yield from ((path.parent.name, row) for row in csv.DictReader(lines))


def prose(text):
    """What is written by hand: without what is filled in, names of files and references."""
    for pattern in (r"\{##.*?##\}", r"\{\{.*?\}\}", r"\{%.*?%\}", r'"[^"\n]*"', r"@[\w-]+", r"width: \d+%", r"`[^`]*`"):
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return text


def test_no_number_is_written_in_the_template():
    text = prose(TEMPLATE)
    assert set(re.findall(r"[\w-]*\d[\w-]*", text)) == {"SHA-256", "M5P", "F1"}
    assert not re.search(r"\b(three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred)\b", text)


def test_no_verdict_is_written_in_the_template_but_where_it_is_explained():
    explained = r"^= (?:How verdicts are reached|Discussion)\n.*?(?=^= )"
    text = prose(re.sub(explained, "", TEMPLATE, flags=re.MULTILINE | re.DOTALL))
    assert not re.search(r"\b(confirmed|refuted|undecided|proved|false by algebra|cannot be checked)\b(?!, or)", text)


def test_every_reference_is_cited_and_there():
    known = re.findall(r"^@\w+\{(.+),$", (PROJECT / "docs" / "article" / "references.bib").read_text(), re.MULTILINE)
    labels = set(re.findall(r"^\) <(\w+)>$", TEMPLATE, re.MULTILINE))
    cited = re.findall(r"@([\w-]*\w)", re.sub(r"\{\{.*?\}\}", " ", TEMPLATE))
    assert set(cited) == set(known) | labels


def test_the_text_is_filled_from_the_results(article, tmp_path):
    path = article.build(tmp_path / "made", typeset=False)
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\{[{%#]|[%}]\}|\bnan\b|\bNone\b", text)
    assert {own.name for own in path.parent.iterdir()} >= set(re.findall(r'image\("(.+?)"', text))
    abstract = text[: text.index("= Introduction")]
    claims = [row for _, row in rows(article, "claims.csv") if row["own"] != "True"]
    assert f"{len(claims)} sentences of the papers" in abstract
    for word in ("confirmed", "refuted", "undecided"):
        number = sum(row["verdict"] == word for row in claims)
        assert re.search(rf"\b{number} {word}\b", abstract)
        assert number > 0
    protocols = {
        name: next(iter(article.describe_paper(name)["protocols"])) for name in article.STUDIES if article.is_run(name)
    }
    cells = [row for name, row in rows(article, "audit.csv") if row["protocol"] == protocols[name]]
    assert f"Of {len(cells)} printed numbers" in abstract
    assert f"{sum(row['verdict'] == 'reproduced' for row in cells)} come back within 2.5 standard errors" in abstract
    pairs = [(float(row["ours"]), float(row["printed"])) for row in cells if row["ours"]]
    near = sum(abs(ours - printed) <= 0.01 * printed + 1e-12 for ours, printed in pairs)
    assert f"and {near} within\n    1 % of" in abstract


def test_a_changed_verdict_changes_the_article(article, tmp_path):
    for path in article.REFERENCE.glob("*/claims.csv"):
        pd.read_csv(path).replace({"verdict": {"undecided": "proved"}}).to_csv(path, index=False)
    claims = [row for _, row in rows(article, "claims.csv") if row["own"] != "True"]
    number = sum(row["verdict"] == "proved" for row in claims)
    text = article.build(tmp_path / "made", typeset=False).read_text(encoding="utf-8")
    assert re.search(rf"\b{number} proved\b", text)
    assert not re.search(r"\d undecided\b", text)


def test_verdicts_of_the_retrospective_edition_stand_beside(article, tmp_path):
    name = next(iter(path.parent.name for path in sorted(article.REFERENCE.glob("*/claims.csv"))))
    paper = article.describe_paper(name)
    before = paper["claims"][["id", "verdict"]].replace({"verdict": {"cannot be checked": "unchecked"}})
    before = before.head(5).assign(verdict=["refuted", *before["verdict"][1:5]])
    before.loc[5] = ["no-longer-there", "confirmed"]
    (tmp_path / "old" / name).mkdir(parents=True)
    before.to_csv(tmp_path / "old" / name / "claims.csv", index=False)
    frozen = paper["claims"].head(5)
    frozen.to_csv(tmp_path / "old" / name / "frozen.csv", index=False)
    now = paper["claims"]["verdict"].iloc[0]
    assert now != "refuted"
    assert article.editions([paper], tmp_path / "old") == [[name, 5, 4, 1, 0, f"refuted to {now}: 1"]]
    frozen.assign(verdict="refuted").to_csv(tmp_path / "old" / name / "frozen.csv", index=False)
    (row,) = article.editions([paper], tmp_path / "old")
    assert row[4] == (paper["claims"]["verdict"].head(5) != "refuted").sum()
    assert article.editions([paper], tmp_path / "none") == []


def test_an_edition_is_confirmatory_where_all_runs_began_after_the_freeze(article, tmp_path, monkeypatch):
    monkeypatch.setattr(article, "FROZEN", tmp_path / "frozen.yaml")
    papers = [{"seed": 7, "run": {"started": f"2026-11-26T{hour}:00:00+00:00"}} for hour in ("08", "09")]
    assert article.frozen_before(papers) is None
    (tmp_path / "frozen.yaml").write_text(
        "{frozen: 2026-11-26 07:30 UTC, seed: 7, files: {a.yaml: 0, b.yaml: 1}, amendments: []}"
    )
    assert article.frozen_before(papers) == {"date": "2026-11-26 07:30", "files": 2, "changes": 0}
    early = {"seed": 7, "run": {"started": "2026-11-26T07:29:00+00:00"}}
    other = {"seed": 8, "run": {"started": "2026-11-26T08:00:00+00:00"}}
    assert article.frozen_before([*papers, early]) is None
    assert article.frozen_before([*papers, other]) is None


def test_what_is_made_once_only_is_said_where_it_is_there(article, tmp_path, monkeypatch):
    rates = pd.DataFrame(
        {"combined_by": ["lancaster"] * 4 + ["posterior"], "variation": ["0.3", "2", "border", "2", "2"]}
    )
    rates = rates.assign(cells=[1, 1, 1, 27, 1], effect_in_margins=[2, -2, 1, 2, 2], right=[0.9, 0.8, 0.1, 0, 0])
    rates.assign(wrong=[0.01, 0.03, 0.06, 0.5, 0.5]).to_csv(tmp_path / "simulation.csv", index=False)
    monkeypatch.setattr(article, "SIMULATION", tmp_path / "simulation.csv")
    assert article.read_simulation() == {"wrong": "3 %", "border": "6 %", "right": "85 %"}
    monkeypatch.setattr(article, "SENSITIVITY", tmp_path / "sensitivity.csv")
    assert article.other_ways() is None
    ways = [Variant(), Variant(margin=0.5), Variant(scope="all")]
    verdicts = [("confirmed", "confirmed"), ("confirmed", "undecided"), ("refuted", "undecided")]
    table = [
        (name, *way, own)
        for way, pair in zip(ways, verdicts, strict=True)
        for name, own in zip("ab", pair, strict=True)
    ]
    pd.DataFrame(table, columns=list(SENSITIVITY_COLUMNS)).to_csv(tmp_path / "sensitivity.csv", index=False)
    assert article.other_ways() == {"ways": 2, "mean": "25 %", "least": "0 %"}

    known = article.facts() | {"frozen": {"date": "2026-11-26 07:30", "files": 2, "changes": 0}}
    known |= {"editions": [["plst-2010", 5, 4, 1, 0, "refuted to proved: 1"]]}
    text = article.fill(known)
    for said in (
        "at most 3 % of the",
        "(6 % where just enough",
        "Judged in 2 other ways",
        "frozen on\n2026\\-11\\-26 07:30 UTC",
        "refuted to proved: 1",
    ):
        assert said in text
    assert "this edition is retrospective" not in text


def test_text_of_data_is_shown_as_it_is(article):
    assert article.escape("a_b #c [1] @d $e") == r"a\_b \#c \[1\] \@d \$e"
    made = article.table(["name", "cells"], [["x_y", 3], ["z", "1.5"]])
    assert "align: (left, right,)" in made
    assert r"[x\_y], [3]" in made
    assert article.escape(made) == made


@pytest.mark.slow
def test_the_article_is_typeset_on_four_to_six_pages(article, tmp_path):
    typst = pytest.importorskip("typst", reason="make article installs it")
    pdf = article.build(tmp_path / "made")
    assert pdf.read_bytes().startswith(b"%PDF-")
    pages = typst.compile(str(pdf.with_suffix(".typ")), root=str(pdf.parent), format="png", ppi=30)
    assert 4 <= len(pages) <= 6
