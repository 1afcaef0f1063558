"""The stubs list every class and function, each of which is imported when it is first used."""

from __future__ import annotations

import ast
import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import ConfigurationError

PROJECT = Path(__file__).parents[1]


def names_of(folder: str) -> dict[str, str]:
    """Return the names that a stub imports, each with its module."""
    stub = PROJECT / "src" / "mlreduce" / folder / "__init__.pyi"
    imports = [node for node in ast.parse(stub.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    return {alias.name: "." + (node.module or "") for node in imports for alias in node.names}


def test_the_stub_of_the_package_has_every_class_and_function():
    names = {name: f".{family}" for family in registry.FAMILIES for name in registry.class_names(family)}
    listed = names_of("")
    assert names.items() <= listed.items(), (
        "write each as 'from .FAMILY import NAME as NAME' into src/mlreduce/__init__.pyi"
    )
    assert set(listed) <= set(dir(mlreduce)) >= set(mlreduce.__all__)
    assert all(getattr(mlreduce, name) is not None for name in listed)


@pytest.mark.parametrize("folder", ["datasets", "methods", "metrics", "plot", *registry.FAMILIES])
def test_the_stub_of_a_folder_has_every_class_and_function(folder):
    module = importlib.import_module(f"mlreduce.{folder}")
    names = registry.class_names(folder) if folder in registry.FAMILIES else {}
    names = {name: f".{place.rpartition('.')[2]}" for name, place in names.items()}
    listed = names_of(folder)
    assert names.items() <= listed.items(), (
        f"write each as 'from .NAME import CLASS as CLASS' into {folder}/__init__.pyi"
    )
    assert set(listed) == set(module.__all__) <= set(dir(module))
    assert all(getattr(module, name) is not None for name in listed)


def test_a_missing_name_is_answered_by_the_nearest():
    with pytest.raises(AttributeError, match=r"no attribute 'MLkNN'; did you mean 'MLKNN'\?"):
        mlreduce.MLkNN  # noqa: B018
    with pytest.raises(ConfigurationError, match="did you mean 'mvmd'"):
        mlreduce.make("MVMD")


@pytest.mark.slow
def test_packages_and_classes_are_there_after_one_import():
    code = "import mlreduce as m; assert m.CodedClassifier is m.labelspace.CodedClassifier; m.metrics.evaluate; dir(m)"
    code += "; assert set(m.__all__) <= set(dir(m)); [getattr(m, name) for name in m.__all__]"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_a_misspelt_parameter_is_a_type_error(tmp_path):
    shutil.copytree(PROJECT / "src" / "mlreduce", tmp_path / "src" / "mlreduce", ignore=lambda *_: {"__pycache__"})
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
