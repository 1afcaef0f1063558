"""Term counts of texts: lower-case unigrams, stemmed by Porter's rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from mlreduce.exceptions import DataError, check_known_name, from_extra

#: Kinds of tokens.
TOKENS = ("spaced", "alphanumeric")

# Words of one or two letters stay as they are, as in Porter's program; and so do runs of letters that no language
# has, on which a stemmer may work in the square of their length.
_WORD = re.compile("[a-z]{3,}")
_LONGEST_WORD = 100
_ALPHANUMERIC = re.compile("[a-z0-9]+")


class _Stemmed(dict[str, str]):
    """Cache from tokens to their stemmed form."""

    def __init__(self) -> None:
        super().__init__()
        with from_extra("data", "texts"):
            import snowballstemmer

        self._stem = snowballstemmer.stemmer("porter").stemWord
        self._stems: dict[str, str] = {}

    def __missing__(self, token: str) -> str:
        stemmed = self[token] = _WORD.sub(self._stem_of, token)
        return stemmed

    def _stem_of(self, match: re.Match[str]) -> str:
        word = match.group()
        if word not in self._stems:
            self._stems[word] = self._stem(word) if len(word) <= _LONGEST_WORD else word
        return self._stems[word]


def count_terms(texts: Sequence[str], min_df: int = 1, tokens: str = "spaced") -> tuple[Any, list[str]]:
    """Return the counts of the terms of texts, of shape (n_texts, n_terms) as csr_array, and the terms, sorted.

    Texts are lower-cased, every run of 3 to 100 of the letters a to z is replaced by its stem (Porter 1980, An
    algorithm for suffix stripping, Program 14(3)), as the author's program does with a file, and what remains is cut
    into tokens: "spaced" are what is between white space, with the punctuation on it, "alphanumeric" are runs of
    letters a to z and digits. A term is in at least ``min_df`` of the texts, >= 1. Raises DataError if the tokens are
    of an unknown kind, or no term is in as many texts.
    """
    check_known_name("kind of tokens", tokens, TOKENS, error=DataError)
    stemmed = _Stemmed()
    cut = str.split if tokens == "spaced" else _ALPHANUMERIC.findall

    def analyse(text: str) -> list[str]:
        return [stemmed[token] for token in cut(text.lower())]

    if not 1 <= min_df <= len(texts):
        raise DataError(f"min_df must be between 1 and the number of texts, {len(texts)}; got {min_df}")
    try:
        vectorizer = CountVectorizer(analyzer=analyse, min_df=min_df, dtype=np.float64)
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:  # the only remaining cause is an empty vocabulary
        raise DataError(f"no term is in {min_df} of the {len(texts)} texts") from error
    return sp.csr_array(counts), vectorizer.get_feature_names_out().tolist()
