"""The pages of results in a browser, from the file system: what scripts make of them, and what readers see."""

from __future__ import annotations

import time

import pandas as pd
import pytest
from opened_pages import PAGES, compared, form_ready, ready, unfold
from planted_run import DATASETS, METHODS, planted_run
from project import of_the_day

from mlreduce.methods import evidence
from mlreduce.methods.evidence import choices
from mlreduce.stats.ranking import highlighted
from mlreduce_studies.runs import read_run
from mlreduce_studies.site.ranking import ranked
from mlreduce_studies.site.scores import comparable_scores
from mlreduce_studies.site.writing import write_site

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make docs").expect

pytestmark = pytest.mark.slow

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a', alert(1), '", "\\u003cb>", "datum.x"]


@pytest.mark.parametrize("width", [1400, 390])
def test_no_page_is_wider_than_the_screen_and_no_text_is_cut(opened, width):
    for name in PAGES:
        page = opened(name, width)
        unfold(page)
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        # What does not fit stands in something that scrolls, which the keyboard reaches.
        cut = page.evaluate(
            """() => [...document.querySelectorAll("main *")].filter((e) => {
                const style = getComputedStyle(e);
                return e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1 && style.overflowX === "hidden";
            }).map((e) => e.outerHTML.slice(0, 80))"""
        )
        assert cut == [], name
        unreachable = page.evaluate(
            """() => [...document.querySelectorAll(".wide")].filter((e) => e.scrollWidth > e.clientWidth + 1 &&
                e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 80))"""
        )
        assert unreachable == [], name
        page.close()


def test_a_table_sorts_filters_hides_columns_and_keeps_it_in_the_address(opened):
    page = opened("papers/planted.html#table3")  # which unfolds it
    ready(page, "#table3-1")
    first = page.locator("#table3-1 tbody tr:first-child th:nth-child(2)")
    for method in ("mine", "pca"):  # up, then down
        page.click("#table3-1 thead th:nth-child(2)")
        expect(first).to_have_text(method)
    box = page.locator("#table3-1_wrapper input[type=search]")
    box.fill("yeast")
    rows = page.locator("#table3-1 tbody tr")
    assert rows.count() == len(METHODS)
    page.click("#table3-1_wrapper .buttons-colvis")
    page.click(".dt-button-collection button:has-text('50 %')")
    page.keyboard.press("Escape")
    address = page.url
    assert "yeast" in address
    again = opened("papers/planted.html" + address.partition("planted.html")[2])
    ready(again, "#table3-1")
    assert again.locator("#table3-1 tbody tr").count() == len(METHODS)
    assert "50 %" not in again.inner_text("#table3-1 thead")
    assert "100 %" in again.inner_text("#table3-1 thead")


def test_a_figure_has_hover_values_and_lines_to_switch(opened):
    page = opened("papers/planted.html")
    ready(page, "figure.chart")
    marks = page.locator("figure.chart .mark-symbol path")
    assert marks.count() == len(METHODS) * len(DATASETS) * 3
    marks.first.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    said = page.inner_text("#vg-tooltip-element")
    assert "one error" in said
    assert any(method in said for method in METHODS)
    page.click("figure.chart .legend button:has-text('pca')")
    fewer = (len(METHODS) - 1) * len(DATASETS) * 3
    expect(marks).to_have_count(fewer)
    assert page.get_attribute("figure.chart .legend button:has-text('pca')", "aria-pressed") == "false"
    # The colour of a method is that of its page.
    colour = page.get_attribute("figure.chart .legend button:has-text('mvmd') circle", "fill")
    other = opened("methods/mvmd.html")
    assert other.get_attribute("h1 circle", "fill") == colour


def test_every_name_at_an_axis_is_shown(opened):
    page = opened("papers/planted.html")
    ready(page, "figure.chart")
    names = {str(-place): f"method {place}" for place in range(28)}
    line = {"name": "a", "colour": "#D55E00", "dash": None, "marker": "o", "width": 0, "along": "x"}
    line["points"] = [[0.1 * place, -place, 0.1 * place - 0.01, 0.1 * place + 0.01] for place in range(28)]
    axes = {"x": {"label": "F1", "log": False}, "y": {"label": "", "log": False, "names": names}}
    page.evaluate(
        """async (panel) => { const place = document.createElement("div"); place.id = "drawn";
        document.querySelector("main").prepend(place); await mlreduceCharts.draw(place, {panels: [panel]}, "x"); }""",
        {"title": "t", "lines": [line], **axes},
    )
    shown = page.locator("#drawn .role-axis-label text").all_text_contents()
    assert {text for text in shown if text.startswith("method")} == set(names.values())


def test_the_comparison_begins_with_the_ranking_of_all_pages(opened, planted):
    page = opened("compare.html?measure=instance-f1")
    found = compared(page)
    (one,) = [one for one in ranked(read_run(planted).studies[0]) if one.measure == "instance-f1"]
    assert set(found["methods"]) == {one.labels[name] for name in highlighted(one.ranking.table)}


def test_the_comparison_is_that_of_the_library(opened, planted):
    page = opened("compare.html?measure=instance-f1&methods=pca~mvmd~mine&size=50%20%25&margin=0.015")
    found = compared(page)
    scores = comparable_scores(read_run(planted).studies[0])
    scores = scores[(scores["measure"] == "instance-f1") & (scores["size_percent"] == 50)]
    means = scores.groupby(["dataset", "method"])["value"].mean().unstack()[found["methods"]]
    assert found["methods"] == list(METHODS)
    assert found["sets"] == list(means.index)
    difference = means["mine"] - means["pca"]
    won = int((difference > 0.015).sum())
    pair = next(own for own in found["pairs"] if own["methods"] == ["mine", "pca"])
    assert (pair["wins"], pair["losses"]) == (won, int((difference < -0.015).sum()))
    assert pair["mean"] == pytest.approx(difference.mean(), rel=1e-4)
    assert f"{won}/{len(means) - won}/0" in page.inner_text("#pairs-table")
    page.uncheck("#datasets input[value=scene]")
    expect(page.locator("#said")).to_contain_text("2 of 2 data sets")
    page.select_option("select[name=measure]", "hamming-loss")
    expect(page.locator("#said")).to_contain_text("lower is better")
    assert "measure=hamming-loss" in page.url


def test_the_form_names_nearest_sets_and_first_choices_and_the_address_keeps_the_shape(opened):
    page = opened("index.html", 390)
    page.wait_for_selector("#alike[data-ready]")
    first = page.locator("#choices-like tbody th")
    assert first.count() == 3
    one = evidence.foremost("projection", evidence.Wanted("ridge", "average-precision"))[0]
    sets = evidence.sets_of(one.study)
    dense = next(item.name for item in one.by_set if sets[item.name].filled > 0.9)  # as the form has it
    for name, size in zip("ndq", sets[dense][:3], strict=True):
        page.fill(f"#like input[name={name}]", str(size))
    assert page.locator("#alike .warning").count() == 0  # of the size of a data set
    expect(page.locator("#alike li").first).to_contain_text(dense)
    page.fill("#like input[name=d]", "20000")
    page.select_option("#like select[name=kind]", "sparse")
    for name, value in {"reduce": "labelspace", "predictor": "ml-knn", "measure": "micro-f1"}.items():
        page.select_option(f"#like select[name={name}]", value)
        assert f"{name}={value}" in page.url
    expect(page.locator("#alike .warning")).to_contain_text("none is within a factor of 3")
    compared = evidence.foremost("labelspace", evidence.Wanted("ml-knn", "micro-f1"))
    text = f"{compared[0].study}, {compared[0].data_sets} data sets; micro-F1"
    expect(page.locator("#compared-like")).to_contain_text(text)
    assert first.first.inner_text().split()[0] in {own.method for own in compared}
    again = opened(f"index.html?{page.url.partition('?')[2]}")
    again.wait_for_selector("#alike[data-ready]")
    assert again.inner_text("#alike") == page.inner_text("#alike")
    again = opened("index.html?reduce=labelspace&predictor=nothing&parameters=nothing")  # not offered: as at the start
    again.wait_for_selector("#alike[data-ready]")
    assert again.input_value("#like select[name=predictor]") == "ridge"
    expect(again.locator("#compared-like")).to_contain_text("ridge regression; default parameters")
    page.fill("#like input[name=n]", "0")
    expect(page.locator("#alike")).to_have_text("Rows, features and labels are integers above 0.")
    still = opened("index.html", java_script_enabled=False)
    assert still.locator("#like").is_hidden()
    assert "The form needs scripts" in still.inner_text("main")


def test_three_readers_have_their_answer_within_two_clicks_on_a_small_screen(opened):
    page = opened("index.html", 390)
    assert page.locator(".findings li").first.bounding_box()["y"] < 900 / 2  # a verdict on the first screen
    page.click(".findings li a[href*='#claim-'] >> nth=0")  # who disputes a verdict, and who cites it
    page.click("#claim-better .copies > summary")
    assert "I disagree" in page.inner_text("#claim-better .copies")
    assert "@misc" in page.inner_text("#claim-better .copies")
    page = opened("index.html", 390)
    page.click("a[href='#answers']")  # who has too many features
    box = page.locator(".answers li").first.bounding_box()
    assert 0 <= box["y"] < 900
    assert choices("projection").first.method in page.inner_text(".answers li >> nth=0")


def test_a_claim_opens_the_comparison_with_its_settings(opened, planted):
    page = opened("papers/planted.html#claim-better")
    link = page.locator("#claim-better a.compare")
    other = opened(link.get_attribute("href").removeprefix("../"))
    found = compared(other)
    differences = pd.read_csv(planted / "planted" / "claims-differences.csv")
    assert found["sets"] == list(DATASETS)
    for (method, against), own in differences.groupby(["method", "other"]):
        (pair,) = (pair for pair in found["pairs"] if pair["methods"] == [method, against])
        assert [pair[key] for key in ("wins", "ties", "losses")] == own[["wins", "ties", "losses"]].sum().tolist()
    # A link leads back to the claim, until another choice is made.
    assert other.get_attribute("#claim a", "href") == "papers/planted.html#claim-better"
    before = form_ready(other)
    other.uncheck("#datasets input[value=scene]")
    other.wait_for_function("before => Number(document.getElementById('choices').dataset.ready) > before", arg=before)
    assert other.locator("#claim").is_hidden()
    assert "claim=" not in other.url


def test_claims_filter_by_verdict_with_the_keyboard_and_the_address_keeps_it(opened):
    page = opened("papers/planted.html")
    page.focus("a.verdict[href*='verdict=confirmed']")
    page.keyboard.press("Enter")
    expect(page.locator("#filtered")).to_have_text("1 of 1 claims: confirmed. All claims")
    assert "verdict=confirmed" in page.url
    assert page.locator("#claim-better").is_visible()
    page.click("#filtered a")
    expect(page.locator("#filtered")).to_be_empty()
    again = opened("papers/planted.html?verdict=confirmed#claim-better")
    assert again.locator("#claim-better").get_attribute("open") is not None
    other = opened("papers/planted.html?verdict=refuted")  # of which it has none
    assert other.locator("#claim-better").get_attribute("hidden") is None


def test_without_scripts_the_tables_and_pictures_are_seen(opened):
    page = opened("papers/planted.html", java_script_enabled=False)
    page.locator("figure img").scroll_into_view_if_needed()
    assert page.locator("figure img").bounding_box()["height"] > 100
    assert page.locator("#table3-1 tbody tr").count() == len(METHODS) * len(DATASETS)
    assert "needs scripts" in opened("compare.html", java_script_enabled=False).inner_text("main")


def test_hostile_names_run_nothing(opened, tmp_path):
    base = planted_run(tmp_path / "run", DATASETS[:2], HOSTILE, " ".join(HOSTILE))
    write_site(read_run(base), base / "site")
    for path in of_the_day(sorted((base / "site").rglob("*.html")), 3):
        page = opened(str(path.relative_to(base / "site")), base=base / "site")
        unfold(page)
        for selector in ("figure.chart", "table.data"):
            if page.locator(selector).count():
                page.locator(selector).first.scroll_into_view_if_needed()
        page.wait_for_timeout(400)
        assert page.locator("main img[src=x], main script").count() == 0
        page.close()
    page = opened("papers/planted.html", base=base / "site")
    unfold(page)
    ready(page, "#table3-1")
    page.click("#table3-1_wrapper .buttons-colvis")
    assert page.locator(".dt-button-collection button").count() == 5
    assert page.locator(".dt-button-collection img").count() == 0
    page.keyboard.press("Escape")
    ready(page, "figure.chart")
    page.locator("figure.chart .mark-symbol path").first.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert page.locator("#vg-tooltip-element img").count() == 0
    found = compared(opened("compare.html", base=base / "site"))
    assert set(found["methods"]) == set(HOSTILE)


def test_a_download_is_the_file_of_the_run(opened, planted):
    page = opened("downloads.html")
    links = page.eval_on_selector_all("a[download]", "all => all.map(link => link.getAttribute('href'))")
    assert len(links) > 5
    assert all((planted / "site" / link).is_file() for link in links)


def test_the_front_page_can_be_used_within_a_second(opened):
    opened("index.html")
    started = time.perf_counter()
    page = opened("index.html")
    page.locator("#studies a").first.focus()
    assert time.perf_counter() - started < 5  # of which most is the opening of a window, on a busy machine
    timing = page.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
    assert timing < 1000


def test_a_line_stands_out_while_the_pointer_is_at_its_name(opened):
    page = opened("papers/planted.html")
    ready(page, "figure.chart")
    page.hover("figure.chart .legend button:has-text('pca')")
    faint = page.locator("figure.chart .mark-symbol path[opacity='0.12']")
    expect(faint).to_have_count((len(METHODS) - 1) * len(DATASETS) * 3)
    page.mouse.move(0, 0)
    expect(faint).to_have_count(0)
