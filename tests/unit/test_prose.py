"""Documents are short enough to be read: words of each page, of all pages, and of each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
DOCUMENTS = [
    *(PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "config/README.md")),
    *sorted(PROJECT.glob("papers/*/README.md")),
    *sorted(PROJECT.glob("docs/*.md")),
    *sorted(PROJECT.glob("docs/methods/*.md")),
]
#: Words of a document, as ``wc -w`` counts them; of all in docs, without the pages of methods; of a sentence.
IN_DOCUMENT, IN_DOCS, IN_SENTENCE = 2500, 45_000, 35
#: What ends with a dot within a sentence.
ABBREVIATIONS = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|cf|vs|vol|pp|eds?|eqs?|figs?)|(?:^|[(,;] ?|\bby )[A-Z])\.$", re.IGNORECASE
)
FENCES = r"^( *)(`{3,})[^`\n]*\n.*?^\1\2 *$"


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of the prose of a page: code within a sentence, or a formula, is a word.

    Blocks of code, tables, headings, comments, directives and lists of references are no prose. An item of a list is a
    paragraph.
    """
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(FENCES, "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^#+ References?\n.*?(?=^#|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(#|\||:::|\[[^\]]+\]: ).*$", "\n", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?= *(?:[-*+]|\d+\.) )", text):
        if re.match(r" {4,}(?![-*+] |\d+\. )|References?\b", paragraph.strip("\n")):
            continue
        yield from split(plain(re.sub(r"^\s*(?:[-*+]|\d+\.) ", "", paragraph)))


def plain(paragraph: str) -> str:
    """Return a paragraph with a word in place of code and formulas, and without marks, tags and addresses."""
    paragraph = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|\$[^$]+\$", "CODE", paragraph, flags=re.DOTALL)
    paragraph = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>\s][^>]*>", r"\1", paragraph)
    return " ".join(re.sub(r"^:.*$|[*_]{2,}", "", paragraph, flags=re.MULTILINE).split())


def split(paragraph: str) -> Iterator[str]:
    """Yield the sentences of a paragraph: each ends with a dot or the like that is not that of an abbreviation."""
    start = 0
    for end in re.finditer(r"[.!?][\")\]*]*(?=\s)", paragraph):
        if not ABBREVIATIONS.search(paragraph[start : end.end()]):
            yield paragraph[start : end.end()].strip()
            start = end.end()
    yield paragraph[start:].strip()


def count_words(text: str) -> int:
    """Return the number of words with a letter or a digit."""
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


def name_of(page: Path) -> str:
    return str(page.relative_to(PROJECT)).removesuffix(".md")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One idea. Then\nanother one!", ["One idea.", "Then another one!"]),
        ("See e.g. Mu et al. (2012), of 1.5 MB. `fit` it.", ["See e.g. Mu et al. (2012), of 1.5 MB.", "CODE it."]),
        ("# Heading\nText of it.\n\n| a | b. C |\n| - | - |\n\nMore.", ["Text of it.", "More."]),
        ("Do it:\n\n- an item\n  of two\n- another. More.", ["Do it:", "an item of two", "another.", "More."]),
        ("One.\n```\ncode. Not read\n```\nAfter <!-- a note. Of mine --> [a link](at.md).", ["One.", "After a link."]),
        ("Text.\n\n## References\n\nA (2012), \"Title. Of it\".\n\n## Next\n\nText.", ["Text.", "Text."]),
        ("By Z. Tai. The end.", ["By Z. Tai.", "The end."]),
    ],
)  # fmt: skip
def test_sentences_are_split_where_a_reader_splits_them(text, expected):
    assert [sentence for sentence in sentences(text) if sentence] == expected


def test_a_document_is_short_and_so_is_each_sentence():
    for page in DOCUMENTS:
        text = page.read_text(encoding="utf-8")
        n_words = len(text.split())
        long = [f"{count_words(one)}: {one}" for one in sentences(text) if count_words(one) > IN_SENTENCE]
        assert not long, "\n".join([f"{len(long)} of {name_of(page)} are too long", *long])
        assert n_words <= IN_DOCUMENT, f"{n_words} words in {name_of(page)}"


def test_all_documents_together_are_short():
    words = {page.name: len(page.read_text(encoding="utf-8").split()) for page in PROJECT.glob("docs/*.md")}
    assert sum(words.values()) <= IN_DOCS, sorted(words.items(), key=lambda item: -item[1])
