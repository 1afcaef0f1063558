"""The published data sets and numbers; what needs the data is skipped where they are not at hand."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.datasets.readers.sgml import FIELDS, read_sgml
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.splitting import random_orders, split_rows, three_parts
from mlreduce.evaluation.strategy import Measured
from mlreduce.linalg.least_squares import Design, HeldOutLeastSquares
from mlreduce_studies.verdicts.audit import audit, read_published

SETS = [
    "emotions",
    "yeast",
    "scene",
    "enron",
    "medical",
    "genbase",
    "birds",
    "corel5k",
    "bibtex",
    pytest.param("reuters", marks=pytest.mark.slow),
    pytest.param("reuters-copies", marks=pytest.mark.slow),
]
SPARSE = {"enron", "medical", "corel5k", "bibtex", "reuters", "reuters-copies"}


@pytest.fixture(scope="module")
def load(mirror):
    loaded = {}

    def get(name):
        if name not in loaded:
            loaded[name] = mlreduce.load_dataset(name, mirror=mirror)
        return loaded[name]

    return get


@pytest.mark.parametrize("name", SETS)
def test_every_set_is_read_as_described(name, load):
    data = load(name)  # shape and cardinality are checked against the catalogue on the way
    assert sp.issparse(data.X) == (name in SPARSE)
    assert np.isfinite(data.X.data if sp.issparse(data.X) else data.X).all()
    assert len(set(data.feature_names)) == data.X.shape[1]
    assert list(data.dropped) == (["protein"] if name == "genbase" else [])


def test_nominal_attributes_of_birds_become_columns(load):
    data = load("birds")
    locations = [name for name in data.feature_names if name.startswith("location=")]
    assert len(locations) == 12
    assert data.X[:, [data.feature_names.index(name) for name in locations]].sum(axis=1).min() == 1
    assert "Swainson's Thrush" in data.label_names


# How many of the stories of Reuters-21578 have each of its ten most frequent topics.
TOPICS = {
    **{"earn": 3987, "acq": 2448, "money-fx": 801, "crude": 634, "grain": 628, "trade": 551, "interest": 513},
    **{"wheat": 306, "ship": 305, "corn": 253},
}


@pytest.mark.slow
def test_every_story_of_reuters_is_read(mirror):
    files = sorted((mirror / "reuters21578").glob("reut2-*.sgm"))
    start = time.process_time()
    documents = [document for file in files for document in read_sgml(file)]
    assert time.process_time() - start < 10  # 1.5 s on one core
    assert [document.number for document in documents] == list(range(1, 21579))
    frequency = Counter(topic for document in documents for topic in set(document.categories["topics"]))
    assert dict(frequency.most_common(10)) == TOPICS
    # As the collection's own description counts them: its section on the splits, and its table of categories.
    kept = Counter(document.split for document in documents if document.mark != "BYPASS")
    assert (kept["TRAIN"], kept["TEST"]) == (13625, 6188)
    names = {field: {name for d in documents for name in d.categories[field]} for field in FIELDS}
    assert {field: len(found) for field, found in names.items()} == {
        **{"topics": 120, "places": 147, "people": 114, "orgs": 32, "exchanges": 32}
    }
    assert {ord(c) for d in documents for c in d.text if not " " <= c <= "~"} == {9, 10, 252}


@pytest.mark.slow
def test_reuters_has_the_ten_topics_and_stems_as_described(load):
    data = load("reuters")
    assert set(data.label_names) == set(TOPICS)
    assert data.X.shape == (9035, 23263)
    parts = three_parts(data.Y, np.random.default_rng(0))
    assert [len(part) for part in parts] == [3012, 3012, 3011]
    assert np.ptp([data.Y[part].sum(axis=0, dtype=int) for part in parts], axis=0).max() <= 3


@pytest.mark.slow
def test_reuters_is_the_same_each_time(load, mirror):
    data = load("reuters")
    start = time.process_time()
    again = mlreduce.load_dataset("reuters", mirror=mirror)
    assert time.process_time() - start < 30  # 3 s on one core
    assert again.feature_names == data.feature_names
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(again.X, name), getattr(data.X, name))


@pytest.mark.slow
def test_the_papers_numbers_of_articles_are_those_of_copies(load):
    """The ten topics of the ModApte split, each cut in three, are the printed 9,980 = 3,328 + 3,326 + 3,326."""
    data, copies = load("reuters"), load("reuters-copies")
    sizes = data.Y.sum(axis=0, dtype=int)
    thirds = np.round(sizes / 3).astype(int)
    assert (sizes.sum(), (sizes - 2 * thirds).sum(), thirds.sum()) == (9980, 3328, 3326)
    assert copies.X.shape == (9980, 23263)
    numbers = copies.Y.sum(axis=1)
    assert round(100 * float((numbers > 1).mean())) == 18
    assert numbers.max() == 4
    first = np.unique(np.repeat(np.arange(9035), data.Y.sum(axis=1)), return_index=True)[1]
    assert (copies.X[first] != data.X).nnz == 0
    np.testing.assert_array_equal(copies.Y[first], data.Y)


def test_bibtex_is_read_in_little_memory(mirror):
    code = (
        "import mlreduce, re, pathlib;"
        f"mlreduce.load_dataset('bibtex', mirror={str(mirror)!r});"
        # Not ru_maxrss, which a process inherits from the one that started it.
        "print(re.search(r'VmHWM:\\s+(\\d+)', pathlib.Path('/proc/self/status').read_text())[1])"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert int(out) * 1024 < 1e9


@pytest.mark.slow
def test_documents_of_the_portals_size_are_generated_in_time_and_memory():
    code = (
        "import mlreduce, resource;"
        "print(mlreduce.load_dataset('eep-shape').X.nnz);"
        "used = resource.getrusage(resource.RUSAGE_SELF);"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    counts, seconds, kilobytes = map(float, out.split())
    assert 3e7 < counts < 5e7
    assert seconds < 60  # 10 s on one core
    assert kilobytes * 1024 < 2e9  # 1.2 GB


@pytest.mark.parametrize(
    ("name", "fraction"),
    [
        *(("emotions", 0.9), ("yeast", 0.8)),
        *(
            pytest.param(name, fraction, marks=pytest.mark.slow)
            for name, fraction in (("scene", 0.9), ("enron", 0.8), ("medical", 0.9), ("genbase", 0.8))
        ),
    ],
)
def test_shared_least_squares_equals_numpy_on_real_designs(name, fraction, load):
    data = load(name)
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    Y = data.Y.astype(float)
    shared = HeldOutLeastSquares(Design.factorise(data.X), Y)
    split = split_rows(random_orders(len(Y), 1, 1, name)[0], fraction)
    design = np.column_stack([np.ones(len(X)), X])
    coefficients = np.linalg.lstsq(design[split.train], Y[split.train], rcond=1e-10)[0]
    solution = shared.solve(split.train, split.test)
    np.testing.assert_allclose(solution.predictions, design[split.test] @ coefficients, atol=1e-8)
    fitted = design[split.train] @ coefficients
    np.testing.assert_allclose(solution.explained_gram, Y[split.train].T @ fitted, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "printed"),
    [  # Table 3, CPLST at 20, 60 and 100 %
        ("emotions", [(1, 0.2189, 0.0019), (3, 0.1990, 0.0022), (6, 0.2040, 0.0022)]),
        ("scene", [(1, 0.1744, 0.0004), (3, 0.1349, 0.0005), (6, 0.1106, 0.0008)]),
        ("genbase", [(5, 0.0168, 0.0004), (16, 0.0012, 0.0001), (27, 0.0007, 0.0001)]),
    ],
)
def test_printed_numbers_come_back(name, printed, load):
    data = load(name)
    strategy = LabelSpaceStrategy(data, seed=2012)
    splits = {i: split_rows(o, 0.9) for i, o in enumerate(random_orders(len(data.Y), 20, 2012, name))}
    methods = {"cplst": {}}
    fitted, measured = dict(strategy.fit(splits, methods)), Measured(["hamming-loss"], [20, 60, 100])
    scores = strategy.score(splits, fitted, methods, ("linear", {}), measured)
    for size, mean, se in printed:
        values = scores.loc[scores["size"] == size, "value"]
        spread = np.hypot(se, values.std() / np.sqrt(len(values)))
        assert abs(values.mean() - mean) < 4 * spread


def test_reference_results_agree_with_the_audit_they_ship_with(reference):
    folder = reference / "cplst-2012"
    tables = {name: pd.read_csv(folder / f"{name}.csv") for name in ("table3", "table4", "table5")}
    printed = read_published(reference.parents[1] / "papers" / "cplst-2012" / "published.csv")
    cells = audit(tables, printed)
    shipped = pd.read_csv(folder / "audit.csv", dtype={"note": str}).fillna({"note": ""})
    np.testing.assert_allclose(cells["z"], shipped["z"], atol=1e-5)
    as_printed = cells[cells["protocol"] == "as-printed"]
    assert as_printed["table"].value_counts().to_dict() == dict.fromkeys(tables, 80)
    table3 = as_printed.loc[as_printed["table"] == "table3", "z"].abs()
    assert (table3 <= 2.5).sum() >= 76
    assert (table3 <= 4).all()
    # By the seed of the confirmatory run yeast is beyond in Table 4, by the former one it was not: docs/deviations.md.
    farthest = as_printed["z"].abs().groupby([as_printed["table"], as_printed["dataset"]]).max()
    held = {name: set(farthest[name][farthest[name] <= 3].index) for name in ("table4", "table5")}
    assert held == {
        "table4": {"bibtex", "corel5k", "emotions", "enron", "genbase", "medical"},
        "table5": {"emotions", "genbase", "medical", "yeast"},
    }
