"""Write the numbers that sentences of the documents quote anew. Called by docs/update_results.py.

Which sentences quote which numbers is in docs/quoted.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from string import Formatter

from quoted import PROJECT, SOURCES, Sentence

#: Pages of which every number has a source.
CHECKED_PAGES = [
    str(page.relative_to(PROJECT))
    for name in (
        "README.md",
        *(f"docs/{name}.md" for name in ("deviations", "papers", "peers", "questions", "which-method")),
        "papers/*/README.md",
    )
    for page in sorted(PROJECT.glob(name))
]
NUMBER = r"[+-]?\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[+-]?\d+)?"
#: Numbers are written in digits, those of settings in words; this is one of results in words.
IN_WORDS = r"\b(?:{0}) of (?:the )?(?:{0}|\d+)\b".format(
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty"
)
#: What is put in place of a number: one, or words.
QUOTED = {True: rf"({NUMBER})", False: r"([\w\s,-]+?)"}

#: Numbers that are none of a result, and need no source.
FREE = {
    "parts that are written from the results": r"<!-- (?P<call>[^:>]+): begin -->.*?<!-- (?P=call): end -->",
    "comments and code": r"<!--.*?-->|```.*?```|`[^`]*`|(?<=\n\n)(?:    [^\n]*\n)+",
    "headings": r"^#.*?$",
    "what a paper says, settings, readings": r"^## (?:What the paper says|What was run|How the claims .*?|Protocol"
    r"|How methods are ranked)$.*?(?=^## |\Z)",
    "volumes": r"\b\d{1,3},\s+(?=(?:19|20)\d\d\b)",
    "addresses": r"\]\([^)]*\)|https?://\S+",
    "places": r"(?i:\b(?:tables?|figures?|sections?|propositions?|theorems?|algorithms?|equations?))"
    r"\s+\(?[\dIV.]+\)?(?:(?:,\s+|\s+(?:to|and|or)\s+)\(?\d+\)?)*",
    "bounds of the audits": r"2\.5\s+standard\s+errors|\|z\| <= 2\.5|within\s+1\s+and\s+5\s+%",
    "years": r"\b(?:19|20)\d\d\b",
    "names and versions": r"\b[A-Za-z][\w-]*[,-]?\d[\w.-]*|\d+\.\d+\.\d+|Python 3\.\d+|\b\d-Clause",
}


def load() -> None:
    """Load the modules of docs/quoted, which name their pages."""
    for path in sorted((PROJECT / "docs" / "quoted").glob("[!_]*.py")):
        import_module(f"quoted.{path.stem}")


def pattern(sentence: Sentence) -> str:
    """Return the regular expression of a sentence, with any white space between words and a group for each value."""
    groups = iter([QUOTED[not isinstance(value, str)] for value in sentence.values])
    parts = ((re.escape(text), field) for text, field, *_ in Formatter().parse(sentence.text))
    made = "".join(text + ("" if field is None else next(groups)) for text, field in parts)
    return re.sub(r"(?:\\\s)+", r"\\s+", made)


def format_values(sentence: Sentence) -> list[str]:
    """Return the values of a sentence as they are to stand in it."""
    fields = [(spec or "") for _, field, spec, _ in Formatter().parse(sentence.text) if field is not None]
    return [format(value, spec) for value, spec in zip(sentence.values, fields, strict=True)]


def update_page(page: str, text: str) -> tuple[str, list[str]]:
    """Return the text of a page with its numbers written anew, and what is wrong in it, a sentence each."""

    def line(start: int) -> str:
        return f"{page}, line {1 + text.count(chr(10), 0, start)}"

    free = [
        free_part.span() for rule in FREE.values() for free_part in re.finditer(rule, text, re.DOTALL | re.MULTILINE)
    ]
    sentences, quoted, wrong = [], [], []
    for source in SOURCES.get(page, []):
        try:
            sentences += source()
        except (LookupError, NameError, OSError, TypeError, ValueError) as error:
            wrong.append(f"{page}: {source.__module__}.{source.__name__} does not find what it quotes: {error}")
    for sentence in sentences:
        matches = list(re.finditer(pattern(sentence), text, re.DOTALL))
        if len(matches) != 1:
            wrong.append(f"{page}: of docs/quoted it should have once, and has {len(matches)} times: '{sentence.text}'")
            continue
        match = matches[0]
        free.append(match.span())
        quoted += zip(map(match.span, range(1, match.re.groups + 1)), format_values(sentence), strict=True)
        if not sentence.holds:
            wrong.append(f"{line(match.start())}: the results do not show: '{sentence.text}'")
        if any(re.search(r"\d\.\d", literal) for literal, *_ in Formatter().parse(sentence.text)):
            wrong.append(
                f"{line(match.start())}: a decimal should be {{}} and a value in docs/quoted: '{sentence.text}'"
            )
    if page in CHECKED_PAGES:
        for number in re.finditer(rf"(?<![\w.]){NUMBER}(?!\w)|{IN_WORDS}", text, re.IGNORECASE):
            if not any(low <= number.start() and number.end() <= high for low, high in free):
                wrong.append(f"{line(number.start())}: '{number[0]}' should have a source in docs/quoted")
    for (low, high), new in sorted(quoted, reverse=True):
        text = text[:low] + new + text[high:]
    return text, wrong


def main() -> None:
    """Write all pages; say what is wrong in them."""
    load()
    wrong = []
    for page in dict.fromkeys([*CHECKED_PAGES, *SOURCES]):
        text = (PROJECT / page).read_text(encoding="utf-8")
        new, complaints = update_page(page, text)
        wrong += complaints
        if new != text:
            (PROJECT / page).write_text(new, encoding="utf-8")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
