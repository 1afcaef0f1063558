from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mlreduce.datasets.readers.text import count_terms
from mlreduce.exceptions import DataError
from mlreduce.preprocessing.scaling import scale_parts

# From Porter's paper, an example of each of its steps, and words too short for any.
STEMS = {
    **{"caresses": "caress", "ponies": "poni", "cats": "cat", "feed": "feed", "agreed": "agre", "plastered": "plaster"},
    **{"motoring": "motor", "hopping": "hop", "filing": "file", "happy": "happi", "relational": "relat"},
    **{"vietnamization": "vietnam", "triplicate": "triplic", "hopefulness": "hope", "goodness": "good"},
    **{"revival": "reviv", "adjustment": "adjust", "probate": "probat", "cease": "ceas", "controll": "control"},
    **{"is": "is", "as": "as"},
}


def test_stems_are_porters():
    for word, stem in STEMS.items():
        assert count_terms([word.upper()])[1] == [stem]


def test_letters_are_stemmed_where_they_stand():
    text = "Sales, sale's re-sales 1,750 U.S.-based 3rd"
    assert count_terms([text])[1] == sorted(["sale,", "sale's", "re-sale", "1,750", "u.s.-base", "3rd"])
    assert count_terms([text], tokens="alphanumeric")[1] == sorted({"sale", "s", "re", "1", "750", "u", "base", "3rd"})


def test_runs_of_letters_that_are_no_words_stay():
    longest = "a" * 97 + "ies"
    assert count_terms([longest])[1] == ["a" * 97 + "i"]
    assert count_terms(["a" + longest])[1] == ["a" + longest]


@given(st.lists(st.lists(st.sampled_from(["sales", "sale", "b", "c,", "7"])), min_size=1), st.integers(1, 3))
def test_counts_are_those_of_counting(texts, min_df):
    stems = [["sale" if word.startswith("sale") else word for word in words] for words in texts]
    frequency = Counter(stem for words in stems for stem in set(words))
    terms = sorted(stem for stem, number in frequency.items() if number >= min_df)
    if not terms or min_df > len(texts):
        with pytest.raises(DataError, match="no term is in|between 1 and the number of texts"):
            count_terms([" ".join(words) for words in texts], min_df)
        return
    counts, found = count_terms([" ".join(words) for words in texts], min_df)
    assert found == terms
    assert isinstance(counts, sp.csr_array)
    assert counts.dtype == np.float64
    assert counts.toarray().tolist() == [[words.count(term) for term in terms] for words in stems]


def test_wrong_counting_options_are_refused():
    with pytest.raises(DataError, match="unknown kind of tokens 'space'; did you mean 'spaced'"):
        count_terms(["a"], tokens="space")
    with pytest.raises(DataError, match="between 1 and the number of texts, 1; got 2"):
        count_terms(["a"], min_df=2)
    with pytest.raises(DataError, match="no term is in 1 of the 1 texts"):
        count_terms([" "])


def weighted_by_the_book(train, test):
    """Weights by inverse document frequency, each by its formula."""
    kept = [j for j in range(train.shape[1]) if any(train[:, j])]
    frequency = [sum(count > 0 for count in train[:, j]) for j in kept]
    weights = [1 + np.log((1 + len(train)) / (1 + number)) for number in frequency]
    parts = []
    for part in (train, test):
        rows = part[:, kept] * weights
        lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        parts.append(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))
    return parts, kept


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_weights_are_those_of_the_training_rows(rng, form):
    counts = rng.poisson(0.6, (12, 9)).astype(float)
    counts[:8, 4], counts[9:, 4], counts[10] = 0, 5, 0  # a term of test rows only; a document without terms
    counts[10, 4] = 3
    train, test = counts[:8], counts[8:]
    (expected_train, expected_test), kept = weighted_by_the_book(train, test)
    scaled = scale_parts(form(train), form(test), "tf-idf")
    assert scaled.columns.tolist() == kept
    assert 4 not in kept
    assert isinstance(scaled.train, sp.csr_array)
    np.testing.assert_allclose(scaled.train.toarray(), expected_train, atol=1e-15)
    np.testing.assert_allclose(scaled.test.toarray(), expected_test, atol=1e-15)
    assert not scaled.test.toarray()[2].any()
    np.testing.assert_array_equal(counts[:8], train)


def test_test_rows_change_nothing_of_the_training_rows(rng):
    counts = rng.poisson(1.0, (10, 6)).astype(float)
    one, other = (scale_parts(counts[:7], test, "tf-idf") for test in (counts[7:], 100 * counts[8:]))
    np.testing.assert_array_equal(one.train.toarray(), other.train.toarray())
    np.testing.assert_array_equal(one.columns, other.columns)


def test_negative_counts_are_refused():
    with pytest.raises(DataError, match="not negative"):
        scale_parts(np.array([[1.0, -1.0]]), np.array([[1.0, 1.0]]), "tf-idf")
    with pytest.raises(DataError, match="no term is in a training row"):
        scale_parts(np.zeros((2, 2)), np.ones((1, 2)), "tf-idf")
