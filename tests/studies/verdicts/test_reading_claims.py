"""Claims are read with their settings, and refused with file, line and the nearest right name."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.verdicts.reading import Known, read_claims
from mlreduce_studies.verdicts.statements import WORDINGS

KNOWN = Known(
    ["mine", "other"],
    ["knn", "ridge"],
    ["folds"],
    ["yeast", "scene", "reuters"],
    ["macro-f1", "hamming-loss"],
    ["table3"],
)
CLAIM = {
    "id": "mine-better",
    "claim": "Mine is better (here: everywhere).",
    "where": "Section 1",
    "kind": "better",
    "method": "mine",
    "than": "other",
    "quantity": "macro-f1",
    "select": {"protocol": "folds", "predictor": "knn"},
    "wording": "every",
    "margin": 0.01,
    "margin_because": "a test",
}


@pytest.fixture
def read(tmp_path):
    def read(*claims):
        path = tmp_path / "claims.yaml"
        path.write_text(yaml.safe_dump(list(claims), sort_keys=False))
        return read_claims(path, KNOWN, {"of-another-study": "other.yaml"})

    return read


def test_a_claim_without_settings_has_a_line(read):
    (claim,) = read(CLAIM)
    (line,) = claim.lines(["yeast", "scene"])
    assert (line.name, line.datasets, line.holds, line.counted) == ("", ("yeast", "scene"), "all", True)
    assert line.statement.compared == [("mine", "other")]
    assert (line.statement.margin, line.statement.relative, line.statement.cells) == (0.01, False, "mean")


def test_settings_override_and_select_is_merged(read):
    settings = [
        {"name": "ridge", "select": {"predictor": "ridge"}},
        {"name": "two", "margin": {"relative": 0.02}, "margin_because": "a loss"},
    ]
    first, second = read(CLAIM | {"settings": settings, "open": "the predictor"})[0].lines(["yeast"])
    assert first.statement.select == {"protocol": "folds", "predictor": "ridge"}
    assert second.statement.select == CLAIM["select"]
    assert (second.statement.margin, second.statement.relative) == (0.02, True)


def test_a_papers_own_data_set_counts_and_others_stand_beside(read):
    first, second = read(CLAIM | {"first": "reuters"})[0].lines(["yeast", "reuters"])
    assert (first.datasets, first.counted) == (("reuters",), True)
    assert (second.name, second.datasets, second.counted) == ("stand-ins", ("yeast",), False)


def test_what_cannot_be_checked_says_why(read):
    (claim,) = read({"id": "x", "claim": "c", "where": "w", "unchecked": "the data are lost"})
    assert claim.unchecked == "the data are lost"


def test_a_proof_stands_in_place_of_results(read):
    claim, other = read(
        {"id": "x", "claim": "c", "where": "w", "proved": "By algebra.", "test": "test_it"},
        {"id": "y", "claim": "c", "where": "w", "false_by_algebra": "1 is odd.", "test": "test_that"},
    )
    assert claim.proof == {"verdict": "proved", "derivation": "By algebra.", "test": "test_it"}
    assert (other.proof["verdict"], other.unchecked) == ("false by algebra", "")


@pytest.mark.parametrize(("wording", "holds"), [(name, wording.holds) for name, wording in WORDINGS.items()])
def test_the_wording_gives_the_scope(read, wording, holds):
    changes = {"wording": wording} | ({"holds": {"at_least": 2}} if wording == "counted" else {})
    (claim,) = read({key: value for key, value in (CLAIM | changes).items() if value is not None})
    (line,) = claim.lines(["yeast", "scene", "reuters"])
    assert line.holds == (2 if wording == "counted" else holds)


@pytest.mark.parametrize(
    ("quantity", "effect", "margin"),
    [
        ("macro-f1", None, (0.01, False)),
        ("macro-f1", 0.5, (0.01, False)),
        ("macro-f1", 0.004, (0.002, False)),
        ("hamming-loss", None, (0.02, True)),
        ("hamming-loss", 0.01, (0.005, True)),
        ("seconds", None, (0.1, True)),
        ("directions", None, (0, False)),
    ],
)
def test_a_margin_is_at_most_half_of_the_printed_effect(read, quantity, effect, margin):
    printed = {} if effect is None else {"printed_effect": effect, "printed_in": "Table 1"}
    own = {key: value for key, value in CLAIM.items() if not key.startswith("margin")}
    (claim,) = read(own | {"wording": "plain", "quantity": quantity} | printed)
    (line,) = claim.lines(["yeast"])
    assert (line.statement.margin, line.statement.relative) == margin


def test_the_effect_that_is_printed_is_of_the_quantity_of_the_claim(read):
    own = {key: value for key, value in CLAIM.items() if not key.startswith("margin")}
    settings = [{"name": "F1"}, {"name": "loss", "quantity": "hamming-loss"}]
    printed = {"printed_effect": 0.004, "printed_in": "Table 1", "open": "which measure", "settings": settings}
    (claim,) = read(own | {"wording": "plain"} | printed)
    assert [line.statement.margin for line in claim.lines(["yeast"])] == [0.002, 0.02]


def test_settings_that_the_paper_does_not_leave_open_are_not_counted(read):
    settings = [{"name": "as the paper"}, {"name": "ten", "shown": True}]
    own = {key: value for key, value in CLAIM.items() if not key.startswith("margin")}
    (claim,) = read(own | {"wording": "plain", "settings": settings})
    assert [line.counted for line in claim.lines(["yeast"])] == [True, False]


WRONG = [
    ({"kind": "beter"}, "unknown kind 'beter'; did you mean 'better'"),
    ({"method": "mina"}, "unknown method 'mina'; did you mean 'mine'"),
    ({"than": ["other", "oter"]}, "unknown method 'oter'; did you mean 'other'"),
    ({"datasets": ["yeats"]}, "unknown data set 'yeats'; did you mean 'yeast'"),
    ({"quantity": "makro-f1"}, "unknown quantity 'makro-f1'; did you mean 'macro-f1'"),
    ({"select": {"protocol": "fold"}}, "unknown protocol 'fold'; did you mean 'folds'"),
    ({"select": {"protocol": "folds", "predictor": "knnn"}}, "unknown predictor 'knnn'; did you mean 'knn'"),
    ({"than": None}, "'than' is missing; the kind 'better' needs it"),
    ({"wording": "evry"}, "unknown wording 'evry'; did you mean 'every'"),
    ({"wording": "plain", "holds": "most"}, "'holds' is the number of the wording 'counted', and of no other"),
    ({"wording": "counted"}, "'holds' is the number of the wording 'counted', and of no other"),
    ({"wording": None}, "'wording' is missing; it says on how many data sets the sentence holds"),
    ({"margin_because": None}, "'margin' and 'margin_because' belong together"),
    ({"printed_effect": 0.1}, "'printed_effect' and 'printed_in' belong together"),
    ({"settings": [{"name": "a"}, {"name": "b"}]}, "'open' is missing"),
    (
        {"settings": [{"name": name, "shown": True} for name in "ab"]},
        "none is counted",
    ),
    ({"proved": "By algebra.", "test": "test_it"}, "a claim with a proof has its 'test', and no other verdict"),
    ({"method": None}, "'method' or 'methods' is missing"),
    ({"quantity": None}, "'quantity' is missing"),
    ({"kind": "ratio", "about": 2.0}, "'about' and 'factor' belong together"),
    ({"kind": "ratio", "nearer_one_than_on": ["yeats"]}, "unknown data set 'yeats'; did you mean 'yeast'"),
    ({"kind": "ratio", "nearer_one_than_on": ["yeast"], "cells": "each"}, "leave 'cells' out"),
    ({"kind": "bound", "more_than_on": ["yeast"]}, "compares a number of a table; give the 'table'"),
    ({"kind": "ratio"}, "needs one of about, at_least, at_most, nearer_one_than_on"),
    ({"select": {"predictor": "knn"}}, "'select' has no 'protocol'; the quantity 'macro-f1' needs one"),
    ({"kind": "more-datasets"}, "'control' is missing; the kind 'more-datasets' needs it"),
    ({"relative_to": "oher"}, "unknown method 'oher'; did you mean 'other'"),
    ({"table": {"name": "theorem", "column": "holds"}}, "'table' belongs to the kind 'bound'; got 'better'"),
    (
        {"kind": "bound", "at_most": 1, "table": {"name": "theorems", "column": "holds"}},
        "unknown table 'theorems'; did you mean 'theorem'",
    ),
    (
        {"kind": "bound", "at_most": 1, "table": {"name": "theorem", "column": "hold"}},
        "unknown column 'hold'; did you mean 'holds'",
    ),
    (
        {"kind": "bound", "at_most": 1, "table": {"name": "theorem", "column": "holds", "where": {"nystorm": "half"}}},
        "unknown column 'nystorm'; did you mean 'nystrom'",
    ),
    ({"shown_in": ["tabel3"]}, "unknown table or figure 'tabel3'; did you mean 'table3'"),
    ({"quantity": "micro-f1"}, "unknown quantity 'micro-f1'"),  # which the study does not measure
    ({"margn": 0.1}, "unknown key 'margn'; did you mean 'margin'"),
    ({"where": None}, "the key 'where' is missing"),
    ({"kind": "bound", "at_most": "lables"}, "unknown at_most 'lables'; did you mean 'labels'"),
]


@pytest.mark.parametrize(("changes", "sentence"), WRONG)
def test_wrong_claims_are_refused_with_line_and_name(read, changes, sentence):
    wrong = {key: value for key, value in (CLAIM | {"id": "wrong"} | changes).items() if value is not None}
    with pytest.raises(ConfigurationError) as caught:
        read(CLAIM, wrong)
    said = str(caught.value)
    assert sentence in said
    line = 1 + len(yaml.safe_dump([CLAIM], sort_keys=False).splitlines())
    assert f"claims.yaml, line {line}: " in said
    assert len(said.splitlines()) <= 10


def test_an_id_is_used_once(read):
    with pytest.raises(ConfigurationError, match="is used in .*claims.yaml, line 1 too"):
        read(CLAIM, CLAIM)
    with pytest.raises(ConfigurationError, match="is used in other.yaml too"):
        read(CLAIM | {"id": "of-another-study"})


def test_a_file_that_is_no_list_is_refused(tmp_path):
    for text in ("", "5", "{}", "[]"):
        (tmp_path / "claims.yaml").write_text(text)
        with pytest.raises(ConfigurationError, match="expected a list of claims"):
            read_claims(tmp_path / "claims.yaml")


def test_reading_claims_imports_none_of_what_judges_them():
    """Every plan of a run reads them."""
    heavy = "{'numpy', 'pandas', 'scipy', 'sklearn'}"
    code = f"import sys, mlreduce_studies.verdicts.reading; sys.exit(', '.join({heavy} & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
