"""What a new user does first, in an environment that has the wheel and its core dependencies alone: make test-wheel.

python tests/clean_install.py          # every method fits; what extras would bring is said in a sentence
python tests/clean_install.py plot     # with that extra, a figure
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path


def seconds_to_import() -> float:
    """Return the least of five times of ``import mlreduce`` in a fresh interpreter."""
    lines = []
    for _ in range(5):
        ran = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", "import mlreduce"], capture_output=True, text=True, check=True
        )
        lines.append(int(ran.stderr.splitlines()[-1].split("|")[1]))
    return min(lines) / 1e6


def fit_everything() -> None:
    """Fit every method to embedded data and print how long the first fits took."""
    import numpy as np
    from sklearn.preprocessing import MinMaxScaler

    import mlreduce
    from mlreduce.projection.mesd import MESD

    data = mlreduce.load_dataset("planted-300")
    X, Y = MinMaxScaler().fit_transform(data.X[:60, :8]), data.Y[:60, :4]  # some methods take no negative features
    one_each = np.eye(4, dtype=int)[Y @ [1, 2, 1, 2] % 4]
    seconds = {}
    names = mlreduce.list_methods().index
    for name in names:
        began = time.perf_counter()
        method = mlreduce.make(name)
        method.fit(X, one_each if f"mesd-{name}" in names else Y)
        seconds[name] = time.perf_counter() - began
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:5]
    shown = ", ".join(f"{name} {seconds[name]:.1f} s" for name in slowest)
    print(f"{len(names)} methods fitted in {sum(seconds.values()):.1f} s, compiling included; first fits: {shown}")
    assert issubclass(mlreduce.MESDDLA, MESD)
    stub = Path(mlreduce.__file__).with_suffix(".pyi").read_text(encoding="utf-8")  # what a type checker reads
    assert "from .projection import MESDDLA as MESDDLA" in stub


def read_files(folder: Path) -> None:
    """Read what the core reads, and see what it says of the rest."""
    import mlreduce
    from mlreduce.exceptions import MissingPackageError

    (folder / "d.csv").write_text("a,b,one\n1,2,0\n2,3,1\n4,1,0\n2,2,1\n")
    assert mlreduce.read(folder / "d.csv", ["one"]).Y.sum() == 2
    (folder / "d.arff").write_text("@relation r\n@attribute a numeric\n@attribute one {0,1}\n@data\n1,0\n2,1\n")
    assert mlreduce.read(folder / "d.arff", 1).Y.sum() == 1
    assert len(mlreduce.list_datasets()) > 60
    for use in (
        lambda: mlreduce.load_dataset("emotions", cache=folder),
        lambda: mlreduce.plot.label_cooccurrence(mlreduce.load_dataset("planted-300").Y),
    ):
        try:
            use()
        except MissingPackageError as error:
            print(error)
        else:
            raise AssertionError("an extra is installed; this environment is to have the core alone")


def run_the_command() -> None:
    """Run ``mlreduce``: what doctor misses is what the extras have."""
    program = str(Path(sys.executable).with_name("mlreduce"))
    ran = subprocess.run([program, "doctor", "--json"], capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout)
    missing = {name for name, text in found.items() if str(text).startswith("missing")}
    print(f"mlreduce doctor: {len(found) - len(missing)} lines of what is there, {len(missing)} of what is missing")
    assert {"requests", "matplotlib", "snakemake"} <= missing
    assert "numba" not in missing


def draw() -> None:
    """Draw with the extra ``plot``."""
    import matplotlib as mpl

    import mlreduce

    mpl.use("agg")
    data = mlreduce.load_dataset("planted-300")
    axes = mlreduce.plot.spectrum(mlreduce.PCA(n_components=None).fit(data.X))
    assert axes.has_data()
    ranks = mlreduce.plot.critical_differences
    import pandas as pd

    assert ranks(pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 4], "c": [0.5, 1, 2]})).has_data()
    print("figures drawn")


if __name__ == "__main__":
    import mlreduce

    assert Path(mlreduce.__file__).is_relative_to(sys.prefix), "not the installed wheel"
    if sys.argv[1:] == ["plot"]:
        draw()
    else:
        print(f"import mlreduce: {1000 * seconds_to_import():.0f} ms")
        with tempfile.TemporaryDirectory() as folder:
            read_files(Path(folder))
        run_the_command()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", mlreduce.exceptions.ProjectionWarning)
            fit_everything()
