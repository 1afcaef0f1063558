"""The header and the search that results and documentation share; what browsers make of them is in tests/browser."""

from __future__ import annotations

import json
import posixpath
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlreduce_studies.site.navigation import ENTRIES, HOME, OF_RESULTS, SEARCH, SITE, header
from mlreduce_studies.site.search import INDEX, SYNONYMS, read_page, words_of, write_index

PLACES = st.lists(st.sampled_from(["docs", "site", "api", "methods"]), max_size=3).map(lambda parts: "/".join(parts))
PAGES = PLACES.map(lambda folder: posixpath.join(folder, "page.html"))


def target(page, href):
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), href))


@given(page=PAGES, documented=st.booleans())
def test_the_header_leads_from_everywhere_to_the_same_pages_in_the_same_order(page, documented):
    shown = header(page, documented=documented)
    entries = ENTRIES if documented else OF_RESULTS
    assert [(entry["text"], target(page, entry["href"])) for entry in shown["entries"]] == [*entries.items()]
    assert target(page, shown["search"]) == (SEARCH if documented else SITE + SEARCH)
    assert target(page, shown["home"]) == (HOME if documented else OF_RESULTS["Results"])
    assert {entry["current"] for entry in shown["entries"]} == {""}


@given(text=st.sampled_from([*ENTRIES]), page=PAGES, more=st.lists(st.sampled_from([*ENTRIES.values()])))
def test_the_nearest_entry_is_marked_alone(text, page, more):
    for own, above, mark in ((ENTRIES[text], more, "page"), (page, [ENTRIES[text], *more], "true")):
        marked = {entry["text"]: entry["current"] for entry in header(own, above)["entries"] if entry["current"]}
        assert marked == {text: mark}


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<nav>no</nav><main>no<article><h1>A <b>b</b><a class='headerlink' href='#a'>#</a></h1>t</article>no</main>",
         ("A b", [], "t")),
        ("<main><h1>A</h1><section id='s'><h2>B<a class='headerlink' href='#s'>#</a></h2></section></main>",
         ("A", [("s", "B")], "B #")),
        ("<main><h1>A</h1><details id='c'><summary>C</summary></details><details><summary>D</summary></details></main>",
         ("A", [("c", "C")], "C D")),
        ("<main><h1>A</h1><script>x</script>y, z</main>", ("A", [], "y, z")),
        ("nothing", ("", [], "")),
    ],
)  # fmt: skip
def test_what_is_read_of_a_page(page, found):
    assert read_page(page) == found


WORDS = st.text("abcdeé", min_size=2, max_size=6).filter(lambda word: not word.endswith("s"))


@given(texts=st.lists(st.lists(WORDS, min_size=1), min_size=1, max_size=5))
def test_the_index_finds_each_word_where_it_is_and_nowhere_else(texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for number, words in enumerate(texts):
        text = f"<main><h1>{number}</h1><p>{escape(' '.join(words))}</p></main>"
        (folder / f"{number}.html").write_text(text, encoding="utf-8")
    (folder / "search.html").write_text("<main><h1>Search</h1>aa</main>", encoding="utf-8")
    write_index(folder)
    index = json.loads((folder / INDEX).read_text(encoding="utf-8").partition(" = ")[2].removesuffix(";\n"))
    assert [page[0] for page in index["pages"]] == [f"{number}.html" for number in range(len(texts))]
    found = {}
    for word, steps in index["words"].items():
        places = [sum(steps[: end + 1]) for end in range(len(steps))]
        found |= {(word, place): True for place in places}
    assert found.keys() == {(word, number) for number, words in enumerate(texts) for word in words_of(" ".join(words))}


def test_a_phrase_has_synonyms_in_one_group():
    phrases = [" ".join(words_of(phrase)) for group in SYNONYMS for phrase in group]
    assert len(phrases) == len(set(phrases))
    assert all(len(group) > 1 for group in SYNONYMS)
