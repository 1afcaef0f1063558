"""Numbers that sentences of the documents quote are those of the results: docs/quoted."""

from __future__ import annotations

import pytest
import quoted
import update_numbers
from quoted import PROJECT, quote

update_numbers.load()
PAGES = [*dict.fromkeys([*update_numbers.CHECKED_PAGES, *quoted.SOURCES])]


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_what_the_results_say(page):
    """Run docs/update_numbers.py; what it complains of is to be written anew by hand."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    new, wrong = update_numbers.update_page(page, text)
    assert not wrong
    assert new == text


@pytest.fixture
def page(monkeypatch):
    """A page of which every number has to have a source."""

    def write(*sentences):
        monkeypatch.setattr(update_numbers, "SOURCES", {"page.md": [lambda: iter(sentences)]})
        monkeypatch.setattr(update_numbers, "CHECKED_PAGES", ["page.md"])

    return write


def test_numbers_are_written_anew_wherever_lines_break(page):
    page(quote("its loss\nis {:.3f} on {}, and {:,}", 0.25, "yeast and scene", 1234))
    before = "So its loss is 0.1\non scene, and\n99.\n"
    assert update_numbers.update_page("page.md", before) == (
        "So its loss is 0.250\non yeast and scene, and\n1,234.\n",
        [],
    )


@pytest.mark.parametrize(
    ("sentence", "text", "complaint"),
    [
        (quote("a loss of {}", 3), "a gain of 2", "page.md: of docs/quoted it should have once, and has 0 times"),
        (quote("a loss of {}", 3), "a loss of 2, a loss of 1", "and has 2 times: 'a loss of {}'"),
        (quote("a is above b", given=1 > 2), "It is:\na is above b", "page.md, line 2: the results do not show: 'a is"),
        (quote("{} and 0.5", 1), "1 and 0.5", "1: a decimal should be {} and a value in docs/quoted: '{} and 0.5'"),
        (quote("at {} %", 5), "at 5 %\nand 4", "page.md, line 2: '4' should have a source in docs/quoted"),
        (quote("here"), "here on two of three sets", "'two of three' should have a source"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(page, sentence, text, complaint):
    page(sentence)
    assert complaint in "\n".join(update_numbers.update_page("page.md", text)[1])


@pytest.mark.parametrize(
    "text",
    [
        "# 3 sets\n",
        "`a = 3` <!-- 3 --> [b](c-3.md)",
        "Tables 3 to 5, Figures 1 and 2, section 4.2, equation (46), in 2012",
        "at most 2.5\nstandard errors",
        "F1, L2,1, cplst-2012, Weka 3.6.14",
        "<!-- claims a: begin -->\n3\n<!-- claims a: end -->",
        "## What was run\n\n3 sets\n\n## Cost\n",
        "two sets; the five methods",
        "## Protocol\n\n3 sets",
        "Knowledge-Based Systems 98, 2016",
    ],
)
def test_numbers_that_are_no_results_need_no_source(page, text):
    page()
    assert update_numbers.update_page("page.md", text) == (text, [])


def test_a_cell_that_is_missing_is_named_and_the_rest_is_written(monkeypatch):
    def losses():
        yield quote("a loss of {}", 3)
        yield quote("a gain of {}", quoted.value("cplst-2012/audit.csv", dataset="yeasts"))

    monkeypatch.setattr(update_numbers, "SOURCES", {"page.md": [losses]})
    new, wrong = update_numbers.update_page("page.md", "a loss of 2, a gain of 1")
    assert new == "a loss of 3, a gain of 1"
    assert len(wrong) == 1
    assert "losses does not find what it quotes" in wrong[0]
    assert "cplst-2012/audit.csv has no row with {'dataset': 'yeasts'}" in wrong[0]
