"""The pages of results in a browser: figures of many lines, the site of all papers, what axe finds, and print."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from opened_pages import PAGES, compared, faults, form_ready, ready, unfold
from planted_run import DATASETS, planted_run
from project import of_the_day

from mlreduce.stats.ranking import highlighted
from mlreduce_studies.runs import read_run
from mlreduce_studies.site.ranking import ranked
from mlreduce_studies.site.writing import write_site

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make docs").expect

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CROWD = [
    "pca",
    "lsi",
    "pls",
    "opls",
    "mddmp",
    "mddmf",
    "mvmd",
    "mlsi",
    "rcca",
    "random-projection",
    "cca",
    "hsl1",
    "mine",
]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A site of thirteen methods."""
    base = planted_run(tmp_path_factory.mktemp("crowded") / "run", DATASETS[:2], CROWD)
    write_site(read_run(base), base / "site")
    (one,) = [one for one in ranked(read_run(base).studies[0]) if one.measure == "instance-f1"]
    return base / "site", {one.labels[name] for name in highlighted(one.ranking.table)}


def coloured(page, place):
    """The lines with colours: what the legend shows at first."""
    return page.locator(f"{place} .legend:not(details .legend) > button").all_text_contents()


def test_of_many_lines_the_best_have_colours_and_the_others_are_reached(opened, crowded):
    site, named = crowded
    for width, scheme in ((1400, "light"), (390, "dark")):
        page = opened("papers/planted.html", width, base=site, color_scheme=scheme)
        ready(page, "figure.chart")
        assert {text.strip() for text in coloured(page, "figure.chart")} == named
        assert page.locator("figure.chart .mark-text.role-mark text").count() == 0  # the legend has the names
        text, page_text = (
            page.eval_on_selector(place, "e => getComputedStyle(e)[e.tagName === 'BODY' ? 'color' : 'fill']")
            for place in ("figure.chart .role-axis-label text", "body")
        )
        assert text == page_text
        assert page.eval_on_selector(".drawn", "e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
        page.click("figure.chart .legend summary")
        page.hover("figure.chart .legend details button:has-text('lsi')")
        shown = page.locator("figure.chart .mark-symbol path[fill='#1d1d1f'][opacity='1']")
        expect(shown).to_have_count(2 * 3)


def test_a_figure_is_saved_where_it_stands(opened, crowded):
    page = opened("papers/planted.html", base=crowded[0], color_scheme="dark")
    ready(page, "figure.chart")
    saved = {}
    for kind in ("SVG", "PNG", "CSV"):
        with page.expect_download() as waiting:
            page.click(f"figure.chart .tools button:has-text('{kind}')")
        saved[kind] = Path(waiting.value.path()).read_bytes()
    assert saved["PNG"].startswith(b"\x89PNG")
    assert b'fill="#1d1d1f"' in saved["SVG"]  # as it is printed
    assert b'fill="#ffffff"' in saved["SVG"]
    table = pd.read_csv(BytesIO(saved["CSV"]))
    assert set(table["line"]) == set(CROWD)
    assert len(table) == 2 * 3 * len(CROWD)


def test_the_comparison_ticks_the_best_by_its_measure_and_colours_no_more(opened, crowded):
    site, named = crowded
    page = opened("compare.html?measure=instance-f1", base=site)
    assert set(compared(page)["methods"]) == named
    before = form_ready(page)
    page.select_option("select[name=measure]", "hamming-loss")
    page.wait_for_function("before => Number(document.getElementById('choices').dataset.ready) > before", arg=before)
    first = page.evaluate("window.mlreduceData.studies[0].first")
    assert set(page.evaluate("window.mlreduceCompared.methods")) == set(first["hamming-loss"])
    everything = opened(f"compare.html?methods={'~'.join(CROWD[-9:])}", base=site)
    assert set(compared(everything)["methods"]) == set(CROWD[-9:])
    assert len(coloured(everything, "#curves-chart")) <= 8
    fill = everything.locator("#curves-chart .legend:not(details .legend) > button circle")
    assert len({own.get_attribute("fill") for own in fill.all()}) == fill.count()


def test_the_site_of_all_papers_is_small_and_loads(opened, site):
    target = site / "site"  # as make docs builds it, with all files of the run
    studies = [path.parent for path in ROOT.glob("papers/*/study.yaml")]
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    files = sum(path.stat().st_size for path in (target / "files").rglob("*") if path.suffix != ".svg")
    assert size - files < 4e6 * len(studies) + 2e6  # a paper's pages, and the scripts of all
    page = opened("papers/cplst-2012.html", base=target)
    link = page.locator("a.compare").first
    found = compared(opened(link.get_attribute("href").removeprefix("../"), base=target))
    assert len(found["sets"]) > 1
    for study, width in of_the_day([(study, width) for study in studies for width in (1400, 390)], 3):
        page = opened(f"papers/{study.name}.html", width, base=target)
        shown = page.locator("figure.chart:visible")
        if shown.count():
            shown.first.scroll_into_view_if_needed()
            page.wait_for_function(
                "id => document.getElementById(id).dataset.ready", arg=shown.first.get_attribute("id")
            )
        assert page.evaluate("document.documentElement.scrollHeight") < 6000, (study.name, width)
        assert page.locator(".answer .effect").count() == 1, study.name
        page.close()


def test_a_run_has_the_search_over_its_own_pages(opened):
    page = opened("papers/planted.html")
    page.fill("header.top input[name=q]", "birds")
    page.press("header.top input[name=q]", "Enter")
    found = page.locator("#found > li > a").first
    expect(found).to_have_text("birds")
    found.click()
    expect(page.locator("h1")).to_have_text("birds")
    assert opened("search.html?q=nosuchword").inner_text("#count") == "No page has such words."


def test_print_shows_everything(opened):
    page = opened("papers/planted.html")
    page.emulate_media(media="print")
    assert not page.locator("header").is_visible()
    for inside in ("#claim-better .why", "#claim-better .forest", "#printed-table-1", "#table3-1"):
        assert page.locator(inside).bounding_box()["height"] > 10, inside  # folded on the screen


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(opened, axe, scheme):
    for name in of_the_day(PAGES, 3):
        page = opened(name, color_scheme=scheme, bypass_csp=True)
        unfold(page)
        for selector in ("figure.chart", "table.data"):
            if page.locator(selector).count():
                ready(page, selector)
        if name == "compare.html":
            compared(page)
        assert faults(page, axe) == [], name
        page.close()
