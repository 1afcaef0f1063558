"""The search: an index of built pages, of results or of the documentation, made when they are built.

``static/search.js`` reads it. What is typed is also searched for with the words of `SYNONYMS`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mlreduce.escaping import visible_json
from mlreduce.files import write_text

#: File of the index, in the folder of the search page.
INDEX = "search-index.js"
#: Most bytes that the index of the documentation and the committed results may have.
LARGEST = 1_000_000

#: Words of one meaning: what is typed is searched for with each of its group.
SYNONYMS = (
    ("cite", "citing", "citation"),
    ("quickstart", "quick start", "getting started", "begin"),
    ("faq", "frequently asked questions", "questions and answers"),
    ("tutorial", "lesson", "course", "notebook", "colab"),
    ("glossary", "terms", "definitions"),
    ("license", "licence"),
    ("contact", "email", "mailing list", "support"),
    ("deep learning", "neural network", "autoencoder", "gpu", "cuda"),
    ("missing values", "nan", "imputation"),
    ("threshold", "cut", "decision", "from scores to labels"),
    ("missing labels", "unknown labels", "partial labels", "incomplete labels", "weak labels", "partly known labels"),
    ("pca", "principal component analysis", "principal components"),
    ("cca", "canonical correlation analysis"),
    ("lda", "linear discriminant analysis", "discriminant"),
    ("pls", "partial least squares"),
    ("br", "binary relevance"),
    ("knn", "nearest neighbours", "nearest neighbors", "neighbours"),
    ("tags", "labels"),
    ("texts", "documents", "words"),
    ("dispute", "disagree", "disagreement"),
    ("cross-validation", "folds", "splits", "stratified", "grid search", "model selection"),
    ("container", "docker", "podman"),
    ("slurm", "cluster"),
    ("workflow", "snakemake"),
    ("label coder", "label-space reduction", "label space dimension reduction", "label codes"),
    ("projection", "feature extraction"),
    ("selector", "feature selection"),
    ("semi-supervised", "unlabelled", "unlabeled"),
    ("speed", "seconds", "cost", "performance"),
    ("large data", "memory", "sparse", "extreme"),
    ("pandas", "dataframe"),
    ("csv", "arff", "own data", "my data"),
)

_WORD = re.compile(r"[^\W_]+")
_HEADINGS = {"h1", "h2", "h3", "summary"}
_SKIPPED = {"script", "style", "nav", "form", "noscript"}
_LISTS = {"search.html", "genindex.html", "py-modindex.html"}


class _Page(HTMLParser):
    """The title, the headings with their anchors, and the text of the main part of a page, which is all it is fed."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.headings, self.parts = "", list[tuple[str, str]](), list[str]()
        self._skipped, self._anchor = 0, ""
        self._heading: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        if tag in _SKIPPED:
            self._skipped += 1
        elif tag == "details":
            self._anchor = attributes.get("id", "")
        elif tag in _HEADINGS:
            self._heading = []
            self._anchor = attributes.get("id", self._anchor if tag == "summary" else "")
        elif self._heading is not None and attributes.get("class") == "headerlink":
            self._anchor = attributes.get("href", "").removeprefix("#")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipped -= 1
        elif tag in _HEADINGS and self._heading is not None:
            text = " ".join("".join(self._heading).rstrip("#¶ ").split())
            if tag == "h1" and not self.title:
                self.title, self.parts = text, []
            elif self._anchor and text:
                self.headings.append((self._anchor, text))
            self._heading, self._anchor = None, ""

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        self.parts.append(data)
        if self._heading is not None:
            self._heading.append(data)


def read_page(text: str) -> tuple[str, list[tuple[str, str]], str]:
    """Return the title of a page, its headings with their anchors, and its text.

    Examples
    --------
    >>> read_page('<main><h1>Cut</h1><p>one half</p><h2 id="why">Why</h2></main>')
    ('Cut', [('why', 'Why')], 'one half Why')
    """
    page = _Page()
    page.feed(_main_part(text))
    return page.title, page.headings, re.sub(r"\s+(?=[,.;:)])", "", " ".join(" ".join(page.parts).split()))


def _main_part(text: str) -> str:
    """Return the article of a page, else its main part: most of a page of the documentation is its side bars."""
    for tag in ("article", "main"):
        start = re.search(rf"<{tag}[\s>]", text)
        if start:
            return text[start.start() : text.find(f"</{tag}>", start.end()) + len(f"</{tag}>")]
    return ""


def words_of(text: str) -> list[str]:
    """Return the words of a text as the index has them: small letters, without the ``s`` of a plural.

    Examples
    --------
    >>> words_of("Labels of ML-kNN, less")
    ['label', 'of', 'ml', 'knn', 'less']
    """
    return [re.sub(r"(?<=..[^s])s$", "", word) for word in _WORD.findall(text.lower())]


def write_index(folder: Path) -> None:
    """Write the index of all pages below a folder into it; addresses in it are relative to the folder."""
    pages: list[list[Any]] = []
    words: dict[str, list[int]] = defaultdict(list)
    for path in sorted(folder.rglob("*.html")):
        place = path.relative_to(folder).as_posix()
        title, headings, text = read_page(
            "" if place in _LISTS or place[0] == "_" else path.read_text(encoding="utf-8")
        )
        if not title:
            continue
        for word in {word for word in words_of(text) if word[0].isalpha() and 1 < len(word) < 25}:
            words[word].append(len(pages))
        pages.append([place, title, text[:160], headings])
    # Numbers of pages as differences from the one before, which are short.
    steps = {
        word: [now - before for before, now in zip([0, *found], found, strict=False)]
        for word, found in sorted(words.items())
    }
    index = {"pages": pages, "words": steps, "synonyms": SYNONYMS}
    text = visible_json(json.dumps(index, separators=(",", ":")))
    write_text(folder / INDEX, f"window.mlreduceSearch = {text};\n")
