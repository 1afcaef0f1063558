"""Words that scikit-learn's source hardly uses stay rare here: readers know its vocabulary, and need no other."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: How often scikit-learn 1.9.1 has each word in the lines of its modules, without tests and externals.
SCIKIT_LEARN_LINES = 200_714
SCIKIT_LEARN = {
    "own": 63, "found": 178, "kept": 35, "asked": 2, "said": 2, "beside": 2, "alike": 0, "told": 0, "dealt": 4,
    "whole": 55, "stands": 22, "comes back": 0,
}  # fmt: skip
#: Rates are at most so many times scikit-learn's, and at most 1 in 10,000 lines of a word that it does not have.
TIMES, LEAST_RATE = 5, 1e-4
#: Folders of docs that are built.
BUILT = {"_build", "api", "gallery"}
SUFFIXES = {".md", ".py", ".rst", ".smk", ".yaml"}


@cache
def count_words() -> tuple[int, dict[str, Counter[str]]]:
    """Return the number of lines of src, workflow and docs, and of each word how often each file has it."""
    n_lines, counts = 0, {word: Counter() for word in SCIKIT_LEARN}
    for folder in ("src", "workflow", "docs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in SUFFIXES or path.is_symlink() or BUILT & set(path.parts):
                continue
            text = path.read_text(encoding="utf-8").lower()
            n_lines += text.count("\n")
            for word, files in counts.items():
                files[str(path.relative_to(ROOT))] += len(re.findall(rf"\b{word}\b", text))
    return n_lines, counts


@pytest.mark.parametrize("word", SCIKIT_LEARN)
def test_words_are_as_rare_as_in_scikit_learn(word):
    n_lines, counts = count_words()
    most = max(TIMES * SCIKIT_LEARN[word] / SCIKIT_LEARN_LINES, LEAST_RATE) * n_lines
    count = counts[word].total()
    assert count <= most, f"{word!r}: {counts[word].most_common(5)}"
