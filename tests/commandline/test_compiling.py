"""`mlreduce doctor --compile`: no first fit compiles afterwards, and without it a line says what is compiled."""

import os
import subprocess
import sys

import pytest

FIT = """
import sys
import numpy as np
import scipy.sparse as sp
from numba.core.event import Listener, register

import mlreduce

class Count(Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith("mlreduce."):
            print(function.__module__, function.__qualname__)

    def on_end(self, event):
        pass

register("numba:compile", Count())
rng = np.random.default_rng(0)
X, Y = rng.random((60, 6)), rng.random((60, 3)) < 0.5
for features in (X, sp.csr_array(X)):
    for name in sys.argv[1:]:
        labels = Y.astype(float if name in ("m5p", "kernel-ridge") else int)
        model = mlreduce.make(name).fit(features, labels)
        if hasattr(model, "predict"):
            model.predict(features)
"""
NAMES = ["m5p", "label-tree", "kernel-ridge", "ml-knn", "mope", "mesd-mfa", "mim"]


@pytest.mark.slow
def test_no_first_fit_compiles_after_the_command(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "mlreduce", "doctor", "--compile"], env=environment, check=True)
    done = subprocess.run([sys.executable, "-c", FIT, *NAMES], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "compiles loops" not in done.stderr


@pytest.mark.slow
def test_a_first_fit_says_what_it_compiles(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", FIT, "m5p"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mlreduce.predictors._tree_growth _grow" in done.stdout
    line = "mlreduce compiles loops (tree_growth) on their first use, model trees for about 15 s"
    assert done.stderr.count(line) == 1
    assert "'mlreduce doctor --compile' does so ahead" in done.stderr
