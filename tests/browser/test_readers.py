"""Three readers on a telephone: from the front page to their answer, on the first screen, in at most two clicks."""

from __future__ import annotations

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make docs").expect

pytestmark = pytest.mark.slow

SCREEN = {"width": 390, "height": 844}


@pytest.fixture
def front(address, browser):
    context = browser.new_context(viewport=SCREEN)
    page = context.new_page()
    page.goto(f"{address}/site/index.html")
    yield page
    context.close()


def on_screen(page, selector):
    """Whether the beginning of something is within the screen, where the reader has it without a further click."""
    box = page.locator(selector).first.bounding_box()
    return box is not None and 0 <= box["y"] < SCREEN["height"] - 40 and box["x"] + box["width"] <= SCREEN["width"]


def first_claim(page):
    """Click on the first finding, and return the selector of its claim."""
    link = page.locator("#findings + p + .findings a[href*='#claim-']").first
    claim = link.get_attribute("href").partition("#claim-")[2]
    link.click()
    page.wait_for_url(f"**#claim-{claim}")
    assert on_screen(page, f"#claim-{claim} .why")  # the verdict and its reason
    return claim


def test_the_student_cites_the_verdict_on_a_claim(front):
    claim = first_claim(front)
    front.click(f"#claim-{claim} .to-copies")
    citation = f"#cite-{claim} pre[data-what='the citation']"
    expect(front.locator(citation)).to_contain_text("@misc{mlreduce-")
    assert claim in front.inner_text(citation)
    assert on_screen(front, citation)


def test_the_author_disputes_the_verdict_on_a_claim(front):
    claim = first_claim(front)
    front.click(f"#claim-{claim} .to-copies")
    text = f"#cite-{claim} pre[data-what='the disagreement']"
    expect(front.locator(text)).to_contain_text(f"I disagree with the verdict on the claim {claim}")
    assert "python -m mlreduce_studies.verdicts" in front.inner_text(text)
    assert on_screen(front, text)


def test_the_data_scientist_finds_what_to_use_for_texts_with_many_tags(front):
    front.click(".jumps a[href='#data-like-mine']")
    for name, value in {"n": 5000, "d": 20000, "q": 300}.items():
        front.fill(f"#like input[name={name}]", str(value))
    front.select_option("#like select[name=kind]", "sparse")
    expect(front.locator("#alike")).not_to_be_empty()
    assert on_screen(front, "#alike")  # the nearest data sets, or that none is near
    assert on_screen(front, "#choices-like tbody th")
