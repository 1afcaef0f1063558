"""The built site in a browser: errors, requests, links, search, narrow screens. Run by make test-site."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from opened_pages import faults, unfold
from project import of_the_day

import mlreduce
from mlreduce import registry
from mlreduce.metrics import MEASURES
from mlreduce_studies.site.navigation import ENTRIES, SITE
from mlreduce_studies.site.search import INDEX, LARGEST, SYNONYMS

pytestmark = pytest.mark.slow

# Frames around pages of their own, such as reports, are not followed.
LINKS = "() => [...document.querySelectorAll('a[href]')].map(a => a.href)"
ANCHORS = "() => [...document.querySelectorAll('[id], a[name]')].flatMap(e => [e.id, e.name]).filter(Boolean)"
# The widest of the page and its article, which the theme would let scroll as a whole.
WIDTH = "() => Math.max(...[...document.querySelectorAll('html, body, main, article')].map(e => e.scrollWidth))"
HEADER = re.compile(r'<header class="top\b.*?</header>', re.DOTALL)
SIDE_BAR = re.compile(r'<nav class="bd-docs-nav.*?</nav>', re.DOTALL)

KINDS = [
    *(f"docs/{name}.html" for name in ("index", "getting-started", "guide", "peers", "benchmark", "leaderboard")),
    *(f"docs/{name}.html" for name in ("verdicts", "which-method", "gallery/index", "gallery/plot_compare", "papers")),
    *("docs/methods/README.html", "docs/methods/mddm.html", "docs/api/index.html", "docs/api/mlreduce.html"),
    *(f"docs/api/generated/mlreduce.{name}.html" for name in ("MVMD", "recommend")),
    *("README.html", "CHANGELOG.html", "search.html", "search.html?q=threshold", "genindex.html"),
    "_tables/scale/sizes.html",
    *(f"site/{name}.html" for name in ("index", "compare", "downloads")),
    *("site/papers/cplst-2012.html", "site/papers/gmba-2016.html", "site/papers/selectors.html"),
    *("site/methods/index.html", "site/methods/cplst.html", "site/datasets/index.html", "site/datasets/birds.html"),
]


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

    Of the pages of classes, functions, modules, methods and tables, which have one template each, every twentieth; the
    others are read, as are those of results, which test_results_site.py opens.
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
    folders = ("docs/api/", "docs/methods/", "_tables/")
    alike = [path for path in paths if path.startswith(folders) and not path.endswith("README.html")]
    read = {*alike} - {*alike[::20]} | {path for path in paths if path.startswith(SITE)}
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


def test_no_page_is_wider_before_its_scripts_have_run(address, browser, site):
    """Tables scroll by themselves without the script that sorts them."""
    context = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    tables = sorted(path.relative_to(site).as_posix() for path in site.glob("_tables/*/*.html"))
    assert "_tables/benchmark/data-sets.html" in tables
    wide = {}
    for path in of_the_day(tables, 3):
        page.goto(f"{address}/{path}", wait_until="load")
        wide[path] = max(round(page.locator(each).evaluate("e => e.scrollWidth")) for each in ("html", "article"))
    context.close()
    assert {path: width for path, width in wide.items() if width > 390} == {}


def test_every_page_has_the_same_header_with_its_place(visits, site):
    places = {}
    for page in visits["pages"]:
        header = HEADER.search((site / page).read_text(encoding="utf-8"))[0]
        found = re.findall(r'<a href="([^"]+)"(?: aria-current="(\w+)")?>([^<]+)</a></li>', header)
        leads = {text: posixpath.normpath(posixpath.join(posixpath.dirname(page), href)) for href, _, text in found}
        assert list(leads.items()) == list(ENTRIES.items()), page
        places[page] = [text for _, current, text in found if current]
    alone = {"search.html", "genindex.html", "docs/index.html"}
    assert {page for page, place in places.items() if len(place) != 1} <= alone
    for page, text in {
        "site/papers/cplst-2012.html": "Papers",
        "site/methods/mvmd.html": "Methods",
        "site/downloads.html": "Papers",
        "docs/decisions.html": "Learn",
        "docs/which-method.html": "Benchmark",
        "docs/api/generated/mlreduce.MVMD.html": "API",
    }.items():
        assert places[page] == [text], page


def test_the_header_is_there_on_a_telephone_without_scripts_and_for_the_keyboard(address, browser):
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page = context.new_page()
    for place in ("docs/decisions.html", "site/methods/mvmd.html", "search.html"):
        page.goto(f"{address}/{place}")
        links = page.locator("header.top nav a").all()
        boxes = [link.bounding_box() for link in links]
        assert len(boxes) == len(ENTRIES), place
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] >= 24 for box in boxes), place
        page.locator("header.top .home").focus()
        reached = []
        for _ in links:
            page.keyboard.press("Tab")
            reached.append(page.locator(":focus").inner_text())
        assert reached == [*ENTRIES], place
    context.close()


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("MVMD", {"docs/api/generated/mlreduce.MVMD.html", "site/methods/mvmd.html"}),
        ("PCA", {"docs/api/generated/mlreduce.PCA.html", "site/methods/pca.html"}),
        ("principal component analysis", {"docs/methods/pca.html"}),
        ("cite", {"site/index.html"}),
        ("threshold", {"docs/decisions.html"}),
        ("missing labels", {"docs/partial-labels.html"}),
        ("dispute", {"site/index.html"}),
        ("emotions", {"site/datasets/emotions.html"}),
    ],
)
def test_one_search_over_results_and_documentation(address, browser, query, wanted):
    page = browser.new_page()
    page.goto(f"{address}/docs/getting-started.html")
    page.fill("header.top input[name=q]", query)
    page.press("header.top input[name=q]", "Enter")
    page.wait_for_selector("#found[data-ready]", state="attached")
    found = page.eval_on_selector_all("#found > li > a", "all => all.map(link => link.getAttribute('href'))")
    assert wanted <= {*found[:5]}, found[:8]
    page.close()


#: What readers type, and pages of which one must be among the first three.
QUERIES = {
    "quickstart": "docs/getting-started.html",
    "install": "docs/getting-started.html docs/environments.html README.html",
    "faq": "docs/faq.html",
    "glossary": "docs/glossary.html",
    "contact": "docs/faq.html",
    "license": "docs/faq.html",
    "tutorial": "docs/tutorial-researcher.html docs/getting-started.html docs/learn.html",
    "notebook": "docs/tutorial-researcher.html docs/getting-started.html docs/learn.html docs/gallery/index.html",
    "GPU": "docs/faq.html",
    "autoencoder": "docs/faq.html",
    "deep learning": "docs/faq.html",
    "feature selection": "docs/selection.html",
    "missing values": "docs/faq.html docs/data.html",
    "missing labels": "docs/partial-labels.html",
    "cross validation": "docs/model-selection.html",
    "grid search": "docs/model-selection.html",
    "which method": "docs/which-method.html",
    "recommend": "docs/which-method.html docs/api/generated/mlreduce.recommend.html",
    "benchmark": "docs/benchmark.html",
    "leaderboard": "docs/leaderboard.html",
    "cite": "docs/index.html site/index.html docs/faq.html",
    "bibtex": "site/datasets/bibtex.html",
    "dispute": "site/index.html docs/questions.html",
    "threshold": "docs/decisions.html",
    "own data": "docs/add-data.html docs/data.html",
    "csv": "docs/data.html docs/add-data.html",
    "arff": "docs/add-data.html docs/data.html",
    "pandas": "docs/data.html docs/getting-started.html",
    "sparse": "docs/large-data.html",
    "memory": "docs/large-data.html docs/scale.html",
    "speed": "docs/performance.html",
    "cluster": "docs/cluster.html",
    "slurm": "docs/cluster.html",
    "docker": "docs/environments.html",
    "snakemake": "docs/workflow.html docs/guide.html",
    "add a method": "docs/add-method.html",
    "add a paper": "CONTRIBUTING.html docs/guide.html",
    "compare methods": "site/compare.html docs/compare.html",
    "pca": "site/methods/pca.html docs/api/generated/mlreduce.PCA.html docs/methods/pca.html",
    "cplst": "site/methods/cplst.html docs/api/generated/mlreduce.CPLST.html site/papers/cplst-2012.html",
    "emotions": "site/datasets/emotions.html",
    "hamming loss": "docs/api/generated/mlreduce.metrics.label.hamming_loss.html",
    "binary relevance": "site/methods/br.html docs/api/generated/mlreduce.BR.html site/methods/br-knn.html",
    "extreme classification": "docs/many-labels.html docs/large-data.html",
    "scikit-multilearn": "docs/other-tools.html docs/migration.html",
}


def test_43_of_45_queries_find_what_readers_mean(address, browser):
    page = browser.new_page()
    page.goto(f"{address}/search.html")
    page.wait_for_selector("#found[data-ready]", state="attached")
    missed = {}
    for query, wanted in QUERIES.items():
        page.evaluate("query => mlreduceSearch.show(query)", query)
        found = page.eval_on_selector_all("#found > li > a", "all => all.map(link => link.getAttribute('href'))")
        if not {*wanted.split()} & {*found[:3]}:
            missed[query] = found[:3]
    assert len(missed) <= 2, missed
    page.close()


def test_each_synonym_finds_a_page(address, browser):
    page = browser.new_page()
    page.goto(f"{address}/search.html")
    page.wait_for_selector("#found[data-ready]", state="attached")
    for phrase in (phrase for group in SYNONYMS for phrase in group):
        page.evaluate("phrase => mlreduceSearch.show(phrase)", phrase)
        assert page.locator("#found > li").count(), phrase
    page.close()


def test_the_index_of_the_search_is_small(site):
    assert (site / INDEX).stat().st_size < LARGEST


def test_no_side_bar_is_empty(site):
    bars = {page: SIDE_BAR.search(page.read_text(encoding="utf-8")) for page in site.glob("docs/**/*.html")}
    assert sum(bar is not None for bar in bars.values()) > 50
    assert [page for page, bar in bars.items() if bar and "<li" not in bar[0]] == []


def test_the_first_page_answers_what_strangers_ask(address, browser):
    page = browser.new_page()
    page.goto(f"{address}/")
    page.wait_for_url("**/docs/index.html", timeout=60_000)
    headings = page.locator("article h2").all_inner_texts()
    assert [text.rstrip("#") for text in headings] == ["Who is right", "What to use", "Where to go", "Cite"]


def test_a_table_of_a_document_is_searched_and_leads_back(address, browser):
    page = browser.new_page()
    page.goto(f"{address}/docs/scale.html")
    page.click("a[href$='_tables/scale/sizes.html']")
    page.fill(".dt-search input", "isomap")
    assert {row.split("\t")[2] for row in page.locator("tbody tr").all_inner_texts()} == {"isomap"}
    with page.expect_download() as download:
        page.click("a[download]")
    assert download.value.suggested_filename == "sizes.csv"
    page.click("article a[href$='docs/scale.html']")
    page.close()


def test_dark_mode_can_be_read(address, browser):
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(f"{address}/docs/getting-started.html")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"


# A third of them on each day.
@pytest.mark.parametrize(
    ("page", "scheme"), of_the_day([(page, scheme) for page in KINDS for scheme in ("light", "dark")], 3)
)
def test_axe_finds_no_fault_on_any_kind_of_page(address, browser, axe, page, scheme):
    opened = browser.new_context(color_scheme=scheme, bypass_csp=True).new_page()
    opened.goto(f"{address}/{page}", wait_until="networkidle")
    unfold(opened)
    assert faults(opened, axe) == []
    opened.context.close()


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
