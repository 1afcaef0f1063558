"""Types and completion see every class, though classes are imported when first asked for."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mlreduce
from mlreduce import registry

PROJECT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("write_stubs", PROJECT / "envs" / "write_stubs.py")
write_stubs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(write_stubs)


def names_of(folder: str) -> set[str]:
    return {line.rsplit(" ", 1)[1] for line in write_stubs.stub(folder).splitlines() if line.startswith("from")}


def test_stubs_name_what_is_there():
    names = names_of("")
    assert names >= registry.class_names().keys()
    for name in names:
        assert getattr(mlreduce, name) is not None


@pytest.mark.parametrize("folder", write_stubs.PACKAGES)
def test_stubs_have_what_the_packages_offer(folder):
    module = importlib.import_module(f"mlreduce.{folder}".strip("."))
    assert names_of(folder) >= set(module.__all__) - {"__version__"}


@pytest.mark.slow
def test_packages_and_classes_are_there_after_one_import():
    code = "import mlreduce as m; assert m.CodedClassifier is m.labelspace.CodedClassifier; m.metrics.evaluate; dir(m)"
    code += "; assert set(m.__all__) | set(m.PACKAGES) <= set(dir(m)); [getattr(m, name) for name in m.PACKAGES]"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_a_misspelt_parameter_is_a_type_error(tmp_path):
    shutil.copytree(PROJECT / "src" / "mlreduce", tmp_path / "src" / "mlreduce", ignore=lambda *_: {"__pycache__"})
    write_stubs.write(tmp_path / "src" / "mlreduce")
    script = tmp_path / "use.py"
    script.write_text(
        "import mlreduce\nmlreduce.MVMD(n_componnets=3)\nmlreduce.MVMD(n_components=3)\nmlreduce.MVDM()\n"
        "from mlreduce.labelspace import CodedClassifier\nfrom mlreduce.datasets import MultiLabelData\n"
        "data: MultiLabelData = mlreduce.load_dataset('digits')\n"
        "model: CodedClassifier = mlreduce.CodedClassifier(mlreduce.CPLST(n_components=4)).fit(data.X, data.Y)\n"
        "mlreduce.metrics.evaluate('hamming-loss', data.Y, model.predict(data.X))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--no-incremental", "--follow-imports=silent", str(script)],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(tmp_path / "src"), "PATH": "/usr/bin:/bin"},
    )
    found = [line.split(": error: ")[1] for line in ran.stdout.splitlines() if ": error: " in line]
    assert len(found) == 2, ran.stdout + ran.stderr
    assert 'Unexpected keyword argument "n_componnets"' in found[0]
    assert 'has no attribute "MVDM"' in found[1]
