"""A fit that needs too much memory is refused before it begins; what runs out of memory later says so."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mlreduce
from mlreduce import commandline, registry
from mlreduce.complexity import Complexity, Sizes
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import DataError, OutOfMemoryError
from mlreduce.validation import memory

DATA = planted(n_samples=60, n_features=12, n_labels=5, n_latent=3, n_distractors=1, random_state=0).data
FITS = Path(__file__).parents[2] / "docs" / "scale" / "fits.csv"
CLASSES = [getattr(mlreduce, name) for name in registry.class_names()]
METHODS = [cls for cls in CLASSES if isinstance(getattr(cls, "complexity", None), Complexity)]


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(memory, "memory_left", lambda: (1000.0, "the test"))
    monkeypatch.setattr(memory, "SMALL_BYTES", 0)


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.__name__)
@pytest.mark.rotating
def test_a_fit_is_refused_with_what_would_fit(cls, tiny):
    complexity = cls.complexity
    sizes = Sizes(60, 12, 5, 720, 1, int(DATA.Y.sum()))
    model = cls()
    try:
        model.fit(DATA.X, DATA.Y)
    except DataError as error:
        assert "by the limit of the test" in str(error)
        assert "60 rows" in str(error) or "a dense matrix" in str(error)
    else:
        assert complexity.least_bytes * complexity.numbers(sizes) <= 800


def test_the_numbers_that_would_fit_do(monkeypatch):
    left = 4 * 100 * 40 / 0.8
    monkeypatch.setattr(memory, "memory_left", lambda: (left, "the test"))

    class Squares(mlreduce.PCA):
        complexity = Complexity("n d", "n d")

    X = np.random.default_rng(0).standard_normal((400, 40))
    with pytest.raises(
        DataError, match=r"Squares needs 6.4e-05 GB .* for 400 rows and 40 features, .* 1.6e-05|2e-05 GB"
    ):
        Squares().fit(X)
    with pytest.raises(DataError, match=r"about (99|100) rows or (9|10) features would fit"):
        Squares().fit(X)
    Squares().fit(X[:100])
    Squares().fit(X[:, :10])


def test_no_measured_fit_is_refused():
    """What a method declares is at most what its fits took: docs/scale/fits.csv, of 50 words an instance."""
    compared = set()
    with FITS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            complexity = getattr(registry.method_class(row["method"]), "complexity", None)
            n, d, q = (int(row[key]) for key in "ndc")
            sizes = Sizes(n, d, q, min(50, d) * n, 1, 3 * n)
            if complexity is None or complexity.iterates(sizes, True) or row["gigabytes"] in ("", "nan"):
                continue
            least = complexity.least_bytes * complexity.numbers(sizes)
            if least > 10e6:
                compared.add(row["method"])
                assert least <= 1e9 * float(row["gigabytes"]), row
    assert len(compared) > 50


def run_out(*_):
    return np.empty((2**30, 2**20))


def test_a_comparison_that_runs_out_of_memory_says_so(monkeypatch):
    monkeypatch.setattr(mlreduce.PCA, "_objective", run_out)
    with pytest.raises(OutOfMemoryError, match=r"^pca ran out of memory: Unable to allocate .*; .* GB are left by the"):
        mlreduce.compare(DATA, methods=["pca"], predictors=["ridge"], cv=2, progress=False)


def test_a_command_that_runs_out_of_memory_says_so(monkeypatch, capsys):
    monkeypatch.setattr("mlreduce.registry.method_names", run_out)
    assert commandline.main(["list"]) == 1
    message = capsys.readouterr().err
    assert re.fullmatch(
        r"mlreduce: mlreduce list ran out of memory: Unable to .* GB are left by the limit .*\n", message
    )


# Fits every method to data of which dense labels, and dense features, exceed what `ulimit -v` leaves.
UNDER_A_LIMIT = """
import resource, sys, warnings
import numpy as np
from pathlib import Path
import mlreduce
from mlreduce import registry
from mlreduce.exceptions import DataError
sys.path.insert(0, "benchmarks")
from extreme import Sizes, generate

warnings.simplefilter("ignore")
classes = [getattr(mlreduce, name) for name in registry.class_names()]
models = [cls() for cls in classes if hasattr(cls, "complexity")]
for model in models:  # what is imported and compiled first
    try:
        model.fit(*generate(Sizes(60, 50, 20, 10, 2)))
    except DataError:
        pass
X, Y = generate(Sizes(600, 12_000, 30_000, 60, 4))
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 70 * 2**20, resource.RLIM_INFINITY))
for model in models:
    try:
        model.fit(X, Y)
        print(type(model).__name__, "works")
    except MemoryError:
        print(type(model).__name__, "refused")
    except DataError as error:
        print(type(model).__name__, "refused" if "GB are left by the limit of ulimit -v" in str(error) else error)
"""


@pytest.mark.slow
def test_under_a_limit_every_method_works_or_says_what_is_missing():
    root = Path(__file__).parents[2]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", UNDER_A_LIMIT], capture_output=True, text=True, cwd=root, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    outcomes = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    refused = [name for name, outcome in outcomes.items() if outcome == "refused"]
    others = {outcome for outcome in outcomes.values() if outcome not in ("works", "refused")}
    assert len(outcomes) == sum(hasattr(cls, "complexity") for cls in CLASSES)
    assert len(refused) > 40
    of_the_labels = re.compile(r"takes one label per instance|label sets occur min_count=\d+ times or more")
    assert all(of_the_labels.search(outcome) for outcome in others), others
