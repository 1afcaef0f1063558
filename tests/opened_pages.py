"""What tests wait for on a page of results that a browser has opened."""

from __future__ import annotations

PAGES = [
    *("index.html", "papers/planted.html", "compare.html", "methods/index.html", "methods/mvmd.html"),
    *("datasets/index.html", "datasets/birds.html", "downloads.html", "search.html?q=mvmd"),
]


def ready(page, selector):
    page.locator(selector).first.scroll_into_view_if_needed()
    page.wait_for_selector(f"{selector}[data-ready]", state="attached", timeout=20_000)


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")


def compared(page):
    page.wait_for_selector("#choices[data-ready]", state="attached", timeout=30_000)
    return page.evaluate("window.mlreduceCompared")


def form_ready(page):
    return int(page.get_attribute("#choices", "data-ready"))


def faults(page, axe):
    """Return what axe finds: the rules, and the first elements that break them."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")
    return [(own["id"], [node["html"][:120] for node in own["nodes"]][:3]) for own in found["violations"]]
