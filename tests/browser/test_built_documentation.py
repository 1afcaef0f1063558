"""The built site in a browser: errors, requests, links, search, narrow screens. Run by make test-site."""

from __future__ import annotations

from collections import defaultdict
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin

import pytest

import mlreduce
from mlreduce import registry
from mlreduce.metrics import MEASURES

pytestmark = pytest.mark.slow

# Frames around pages of their own, such as reports, are not followed.
LINKS = "() => [...document.querySelectorAll('a[href]')].map(a => a.href)"
ANCHORS = "() => [...document.querySelectorAll('[id], a[name]')].flatMap(e => [e.id, e.name]).filter(Boolean)"
# The widest of the page and its article, which the theme would let scroll as a whole.
WIDTH = "() => Math.max(...[...document.querySelectorAll('html, body, main, article')].map(e => e.scrollWidth))"


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        self.anchors |= {values["id"]} if values.get("id") else set()


@pytest.fixture(scope="module")
def visits(site, address, browser):
    """Open pages once on a narrow screen: what went wrong, links, anchors and width of each.

    Of the pages of classes, functions, modules and methods, which have one template each, every fifth; the others are
    read.
    """
    found = {"console": [], "outside": [], "failed": [], "wide": {}, "links": {}, "anchors": defaultdict(set)}
    page = browser.new_context(viewport={"width": 390, "height": 800}).new_page()
    page.set_default_timeout(60_000)
    current = [""]
    page.on("console", lambda own: own.type == "error" and found["console"].append((current[0], own.text)))
    page.on("pageerror", lambda own: found["console"].append((current[0], str(own))))

    def request(own):
        if not own.url.startswith((f"{address}/", "data:", "blob:")):
            found["outside"].append((current[0], own.url))

    page.on("request", request)
    page.on("response", lambda own: own.status >= 400 and found["failed"].append((current[0], own.url)))
    paths = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)
    alike = [
        path for path in paths if path.startswith(("docs/api/", "docs/methods/")) and not path.endswith("README.html")
    ]
    read = {*alike} - {*alike[::5]}
    for path in paths:
        if path == "index.html":
            continue  # leads to docs/index.html at once
        if path in read:
            own = Page()
            own.feed((site / path).read_text(encoding="utf-8"))
            found["links"][path] = own.links
            found["anchors"][path] |= own.anchors
            continue
        current[0] = path
        page.goto(f"{address}/{path}", wait_until="load")
        found["links"][path] = page.evaluate(LINKS)
        found["anchors"][path] |= set(page.evaluate(ANCHORS))
        found["wide"][path] = page.evaluate(WIDTH)
    found["pages"] = list(found["links"])
    return found


def test_pages_are_there(visits):
    assert len(visits["pages"]) > 200
    assert {"docs/index.html", "docs/getting-started.html", "docs/which-method.html"} <= set(visits["pages"])
    assert sum(path.startswith("docs/gallery/plot_") for path in visits["pages"]) >= 12


def test_no_error_in_the_console(visits):
    assert not visits["console"]


def test_nothing_is_loaded_from_elsewhere(visits):
    assert not visits["outside"]
    assert not visits["failed"]


def test_links_and_anchors_within_the_site_exist(visits, site, address):
    broken = []
    for page, links in visits["links"].items():
        for link in links:
            target, anchor = urldefrag(urljoin(f"{address}/{page}", link))
            if not target.startswith(f"{address}/"):
                continue
            path = unquote(target.removeprefix(f"{address}/")).partition("?")[0] or "index.html"
            lost = anchor and path in visits["anchors"] and unquote(anchor) not in visits["anchors"][path]
            if lost or not (site / path).is_file():
                broken.append((page, link))
    assert not broken


def test_no_page_is_wider_than_a_telephone(visits):
    assert {page: width for page, width in visits["wide"].items() if width > 390} == {}


def test_search_finds_a_method(address, browser):
    page = browser.new_page()
    page.goto(f"{address}/search.html?q=MVMD")
    page.wait_for_selector("#search-results li a", timeout=60_000)
    page.wait_for_function("() => !document.querySelector('#search-progress')?.textContent?.includes('...')")
    found = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
    assert any("mlreduce.MVMD.html" in link for link in found)


def test_the_first_page_leads_to_the_documentation(address, browser):
    page = browser.new_page()
    page.goto(f"{address}/")
    page.wait_for_url("**/docs/index.html", timeout=60_000)
    assert page.locator("h1").first.inner_text().startswith("mlreduce")


def test_dark_mode_can_be_read(address, browser):
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(f"{address}/docs/getting-started.html")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"


def test_every_public_name_is_in_the_reference(site):
    inventory = pytest.importorskip("sphinx.util.inventory").InventoryFile.loads(
        (site / "objects.inv").read_bytes(), uri=""
    )
    known = {name for role in inventory.data.values() for name in role}
    wanted = {f"mlreduce.{name}" for name in mlreduce.__all__ if callable(getattr(mlreduce, name))}
    for name in registry.method_names():
        cls = registry.method_class(name)
        if cls.__module__.startswith("mlreduce."):  # other tests register their own
            wanted.add(f"mlreduce.{cls.__name__}")
    wanted |= {f"mlreduce.plot.{name}" for name in mlreduce.plot.__all__}
    wanted |= {f"{own.formula.__module__}.{own.formula.__name__}" for own in MEASURES.values()}
    wanted |= {
        "mlreduce.datasets.read_catalogue",
        "mlreduce.evaluation.comparison.Comparison",
        "mlreduce.metrics.evaluate",
        "mlreduce.metrics.get_scorer",
    }
    assert wanted - known == set()
