"""Loops are compiled once, for any storage of features, and the log says so when it happens."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from mlreduce.linalg.compiled import Announcement
from mlreduce.predictors import M5PRegressor, _tree_growth, _tree_models, _tree_use

FIT = """
import logging
import numpy as np
import mlreduce
from mlreduce.linalg.compiled import announcement

announcement.patience = 0.0
logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
rng = np.random.default_rng(0)
labels = rng.integers(2, size=(20, 3))
coder = mlreduce.make("cs")
coder.fit(rng.random((20, 2)), labels).reconstruct(coder.encode(labels))  # two loops
mlreduce.make("gmba").fit(rng.random((20, 2)), labels)
"""


def log_of_a_fit(cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", FIT], env=environment, capture_output=True, text=True, check=True)
    return [line for line in done.stderr.splitlines() if line.startswith("mlreduce: ")]


@pytest.mark.slow
def test_the_log_says_once_that_loops_are_compiled_and_nothing_when_they_are_there(tmp_path):
    first, second = log_of_a_fit(tmp_path), log_of_a_fit(tmp_path)
    assert len(first) == 1
    assert first[0].startswith("mlreduce: mlreduce compiles loops (compressed_sensing) on their first use")
    assert f"stores them in {tmp_path}" in first[0]
    assert second == []


def test_a_short_wait_for_loops_is_not_announced(caplog):
    event = SimpleNamespace(data={"dispatcher": _tree_use._walk})
    for patience, lines in ((1000.0, 0), (0.0, 1)):
        announcement = Announcement(patience)
        for _ in range(3):
            announcement.on_start(event)
            announcement.on_start(event)  # a loop that the first calls
            if announcement._timer is not None and not patience:
                announcement._timer.join()
            announcement.on_end(event)
            announcement.on_end(event)
        assert len(caplog.records) == lines
    assert "mlreduce compiles loops (tree_use) on their first use" in caplog.text


ONE_LOOP = """
import numpy as np
import mlreduce

rng = np.random.default_rng(0)
print(mlreduce.make("gmba", random_state=0).fit(rng.random((40, 6)), (rng.random((40, 3)) < 0.5).astype(int)).ranking_)
"""


def one_loop(cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", ONE_LOOP], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "content"), [(".nbc", b""), (".nbi", b"\x80\x05damaged")])
def test_a_damaged_cache_is_compiled_anew_with_one_warning(suffix, content, tmp_path):
    ranking, warned = one_loop(tmp_path)
    assert warned == ""
    for path in tmp_path.rglob(f"*{suffix}"):
        path.write_bytes(content)
    again, warned = one_loop(tmp_path)
    assert again == ranking
    assert warned.count("UserWarning: the compiled loops in ") == 1
    assert str(tmp_path) in warned
    assert one_loop(tmp_path) == (ranking, "")  # repaired


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_no_fit(tmp_path):
    ranking, _ = one_loop(tmp_path / "good")
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n" + ONE_LOOP
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "full")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ranking), done.stderr
    assert done.stderr.count("UserWarning: the compiled loops in ") == 1
    assert not [path for path in (tmp_path / "full").rglob("*") if path.is_file() and ".tmp." in path.name]


def test_one_compilation_of_model_trees_serves_all_storages_of_features():
    loops = (_tree_growth._grow, _tree_models._finish, _tree_use._walk)
    before = [set(loop.signatures) for loop in loops]  # what other tests had compiled in this process
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 5)), rng.random((60, 2))
    frozen = X.copy()
    frozen.flags.writeable = False
    for features in (X, np.asfortranarray(X), frozen, X.astype(np.float32), X[::-1, ::-1], sp.csr_array(X),
                     sp.csc_matrix(X)):  # fmt: skip
        for targets in (y, y[:, 0], np.asfortranarray(y), y.astype(np.float32)):
            M5PRegressor().fit(features, targets).predict(features)
    for loop, compiled in zip(loops, before, strict=True):
        assert len(set(loop.signatures) - compiled) <= (0 if compiled else 1)
