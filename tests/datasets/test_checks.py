"""`MultiLabelData.check`: what is wrong in copies of data sets is said."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.commandline.program import main
from mlreduce.datasets import MultiLabelData

CASES = next((path for parent in Path(__file__).parents if (path := parent.parent / "shared" / "cases").is_dir()), None)


def made(change=lambda X, Y: None, name="made", sparse=False):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 5, (40, 6)).astype(float), rng.integers(0, 2, (40, 4)).astype(float)
    change(X, Y)
    Y = Y if np.isnan(Y).any() else Y.astype(np.int8)
    return MultiLabelData(sp.csr_array(X) if sparse else X, Y, list("abcdef"), list("wxyz"), name)


def set_to(matrix, places, value):
    def change(X, Y):
        (X if matrix == "X" else Y)[places] = value(X, Y) if callable(value) else value

    return change


def partly_equal(X, Y):
    """Make a feature equal to a label where that is known, and another one but in one row."""
    Y[:15, 3] = np.nan
    X[15:, 2], X[15:, 4] = Y[15:, 3], Y[15:, 3]
    X[20, 4] = 1 - X[20, 4]


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (set_to("Y", (slice(None), 1), 0), "1 label(s) that no instance has: 'x'"),
        (set_to("Y", (slice(None), 1), 1), "1 label(s) that every instance has: 'x'"),
        (set_to("Y", (slice(None), 1), np.nan), "1 label(s) of which nothing is known: 'x'"),
        (set_to("Y", (slice(None, 4), 1), np.nan), "4 of 160 labels are unknown (2.50%)"),
        (set_to("Y", (slice(None), 1), lambda X, Y: Y[:, 3]), "1 label(s) equal to an earlier one: 'z'"),
        (set_to("X", (slice(None), 2), lambda X, Y: Y[:, 3]), "1 feature(s) equal to a label; are there labels among"),
        (partly_equal, "1 feature(s) equal to a label; are there labels among the features?: 'c'"),
        (set_to("X", (slice(None), 2), lambda X, Y: X[:, 0]), "1 feature(s) equal to an earlier one: 'c'"),
        (set_to("X", (slice(None), 2), 0), "1 feature(s) that are 0 throughout: 'c'"),
        (set_to("X", (3,), lambda X, Y: X[0]), "1 row(s) of features (2.5%) equal to an earlier one"),
    ],
)
def test_findings(change, sentence, sparse):
    assert made(sparse=sparse).check() == []
    found = made(change, sparse=sparse).check()
    assert any(one.startswith(sentence) for one in found), found


@pytest.mark.parametrize("start", [0, 1])
def test_a_column_that_counts_the_rows(start):
    found = made(set_to("X", (slice(None), 2), np.arange(40) + start)).check()
    assert found == ["1 feature(s) that count the rows; identifiers?: 'c'"]
    assert made(set_to("X", (slice(None), 2), np.arange(40) + 2)).check() == []
    assert made(set_to("X", (slice(None), 2), np.arange(40) // 2)).check() == []


@pytest.mark.parametrize("name", ["yeast", "Yeast-copy", "YEAST_2"])
def test_numbers_unlike_the_catalogue(name):
    (found,) = made(name=name).check()
    assert found.startswith("unlike yeast of the catalogue, whose numbers are in brackets: 40 instances (2417), ")
    assert "4 labels (14)" in found


def test_the_command_says_it(capsys):
    """Four labels of the generated set are copies of one coin."""
    assert main(["info", "planted-300"]) == 0
    assert "3 label(s) equal to an earlier one: " in capsys.readouterr().out


@pytest.mark.skipif(CASES is None, reason="needs the folder ../shared/cases")
@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("rcv1s4-shifted-labels.mat", ["7 label(s) that no instance has"]),
        ("rcv1s5-shifted-labels.mat", ["1 label(s) that no instance has: '101'"]),
        ("slashdot-lost-label.mat", ["3 label(s) that no instance has", "unlike slashdot of .*: 22 labels"]),
    ],
)
def test_wrong_public_copies(name, sentences):
    found = "\n".join(mlreduce.read(CASES / name).check())
    for sentence in sentences:
        assert re.search(sentence.replace("(", r"\(").replace(")", r"\)"), found)
