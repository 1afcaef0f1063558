from __future__ import annotations

import gc
import os
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from blas_kernels import architectures
from hypothesis import settings
from project import find_mirror, of_the_day

# How long an example takes says something of the machine, not of the code.
settings.register_profile("thorough", deadline=None)  # make test-all
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("quick")

PROJECT = Path(__file__).parents[1]

# What is tested with the library alone (make test-oldest), and from the source archive, which has no results.
collect_ignore: list[str] = []
if find_spec("snakemake") is None:
    collect_ignore += ["browser", "cluster", "faults", "fuzz", "studies", "workflow", "planning"]
    collect_ignore += ["unit/test_escaping.py", "unit/test_run_log.py", "plot/test_colours_and_points.py"]
    collect_ignore += ["unit/test_article.py", "unit/test_quoted_numbers.py", "unit/test_readme.py"]
    collect_ignore += ["test_documents.py"]
if find_spec("numpydoc") is None:
    collect_ignore += ["test_docstrings.py"]
if not (PROJECT / "results" / "reference").is_dir():
    collect_ignore += ["unit/test_method_pages.py", "unit/test_readme.py", "studies/test_reference.py"]
    collect_ignore += ["test_documents.py", "studies/test_informations_counted.py"]
    collect_ignore += ["studies/verdicts/test_again.py"]


def pytest_report_header() -> list[str]:
    return [
        f"mirror of the published data: {find_mirror() or 'absent, tests that need it are skipped'}",
        f"OpenBLAS's kernels: {', '.join(sorted(architectures())) or 'none'}",
    ]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m promise`` leave out the files that have none: importing all of them takes a minute."""
    left_out = config.option.markexpr == "promise" and collection_path.name.startswith("test_")
    return True if left_out and "mark.promise" not in collection_path.read_text() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what waits for another day: with PROMISES=today of the promises, with CASES=today of rotating tests.

    A third is kept: of the promises, of the cases of each rotating test, and of the rotating tests of one or two cases.
    """
    promises, rotating = (os.environ.get(name) == "today" for name in ("PROMISES", "CASES"))
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if promises and item.get_closest_marker("promise"):
            groups["promises"].append(item)
        elif rotating and item.get_closest_marker("rotating") and not item.get_closest_marker("slow"):
            groups[item.nodeid.partition("[")[0]].append(item)
    small = [name for name, cases in groups.items() if len(cases) < 3]
    groups["small"] = [item for name in small for item in groups.pop(name)]
    waiting = {id(item) for group in groups.values() for item in group}
    waiting -= {id(item) for group in groups.values() for item in of_the_day(group, 3)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) in waiting])
    items[:] = [item for item in items if id(item) not in waiting]


@pytest.fixture(scope="module", autouse=True)
def _without_old_objects() -> None:
    """Leave what is there before a module's tests, millions of objects, out of each collection of garbage in them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def mirror() -> Path:
    found = find_mirror()
    if found is None:
        pytest.skip("needs the published data: set MLREDUCE_MIRROR to a folder that holds <data set>/<file>")
    return found


@pytest.fixture(scope="session")
def reference() -> Path:
    """The committed results of a full run."""
    folder = PROJECT / "results" / "reference"
    if not folder.is_dir():
        pytest.skip("the source archive has no results")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def example(rng):
    """A small regression-like multi-label problem: X, Y with correlated labels, all of them used."""
    X = rng.standard_normal((60, 7))
    scores = X @ rng.standard_normal((7, 5)) + rng.standard_normal((60, 5))
    return X, (scores > 0.3).astype(int)
