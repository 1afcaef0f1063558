"""What works with the core alone, and the sentence where an extra is missing."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mlreduce.commandline.doctor import EXTRAS, packages_of_extras
from mlreduce.exceptions import MissingPackageError, MLReduceError, from_extra

PROJECT = Path(__file__).parents[2]

# Runs where the packages of the extras cannot be imported, as where they are not installed.
WITHOUT = """
import json, sys
from importlib.abc import MetaPathFinder

class Without(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in without:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

without = {packages!r}
sys.meta_path.insert(0, Without())
import contextlib, html, pathlib
import mlreduce
from mlreduce.commandline import main
from mlreduce.exceptions import MissingPackageError

pathlib.Path("d.csv").write_text("a,b,one\\n1,2,0\\n2,3,1\\n4,1,0\\n2,2,1\\n")
pathlib.Path("d.arff").write_text("@relation r\\n@attribute a numeric\\n@attribute one {{0,1}}\\n@data\\n1,0\\n2,1\\n")
pathlib.Path("d.xml").write_text("<labels><label name='one'/></labels>")
pathlib.Path("d.parquet").write_bytes(b"PAR1")
assert len(mlreduce.list_datasets()) > 60
assert mlreduce.load_dataset("planted-300").X.shape == (300, 30)
assert mlreduce.read("d.csv", ["one"]).Y.sum() == 2
assert mlreduce.read("d.arff", 1).Y.sum() == 1
assert mlreduce.read("d.arff", "d.xml").Y.sum() == 1
data = mlreduce.load_dataset("digits-300")
found = mlreduce.compare(data, methods=["pca", "mddmp"], predictors=["ridge"], sizes=[10], cv=2)
assert len(found.table("ridge")) == 2
page = html.unescape(found.to_html("page.html").read_text())
assert "<img" not in page and "pip install 'mlreduce[plot]'" in page
command = "compare planted-300 --methods pca --predictors ridge --folds 2 --jobs 1 -o report"
with contextlib.redirect_stdout(sys.stderr):
    assert main(command.split()) == 0
assert "<table" in pathlib.Path("report/index.html").read_text()

def stemmed():
    from mlreduce.datasets.readers.text import count_terms
    count_terms(["words"])

def study():
    from mlreduce_studies.study import load_study

def report():
    from mlreduce_studies.site.writing import write_site

def crate():
    from mlreduce_studies.provenance.crate import write_crate

sentences = {{}}
for name, use in {{
    "cache": lambda: mlreduce.load_dataset("emotions"),
    "download": lambda: mlreduce.load_dataset("emotions", cache="cache"),
    "own catalogue": lambda: mlreduce.load_dataset("mine", catalogue="my.yaml"),
    "parquet": lambda: mlreduce.read("d.parquet", ["one"]),
    "stems": stemmed,
    "plot": lambda: mlreduce.plot.label_cooccurrence(data.Y),
    "study": study,
    "report": report,
    "crate": crate,
}}.items():
    if name == "report":
        without = {of_workflow!r}
    try:
        use()
    except MissingPackageError as error:
        sentences[name] = str(error)
print(json.dumps(sentences))
"""


def extras():
    """The optional packages as pyproject.toml lists them, by the names to import."""
    listed = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return {extra: {text.split(">=")[0].partition("[")[0].lower() for text in listed[extra]} for extra in EXTRAS}


@pytest.mark.slow
def test_the_core_works_alone_and_names_what_is_missing(tmp_path):
    modules = {"pyyaml": "yaml", "scikit-posthocs": "scikit_posthocs"}
    listed = {extra: {modules.get(name, name) for name in own} - {"mlreduce"} for extra, own in extras().items()}
    code = WITHOUT.format(packages=set.union(*listed.values()), of_workflow=listed["workflow"])
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"MLREDUCE_MIRROR": "", "PATH": "/usr/bin:/bin", "PYTHONWARNINGS": "error"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        name: f"{use}, which is not installed: pip install 'mlreduce[{extra}]'"
        for name, use, extra in (
            ("cache", "downloads need platformdirs", "data"),
            ("download", "downloads need requests", "data"),
            ("own catalogue", "configuration files need jsonschema", "data"),
            ("parquet", "Parquet files need pyarrow", "data"),
            ("stems", "texts need snowballstemmer", "data"),
            ("plot", "figures need matplotlib", "plot"),
            ("study", "configuration files need jsonschema", "data"),
            ("report", "sites need latex2mathml", "workflow"),
            ("crate", "research objects need rocrate", "workflow"),
        )
    }


def test_what_is_missing_is_both_kinds_of_error():
    with (
        pytest.raises(MissingPackageError, match="^pictures need no_such_package, which") as caught,
        from_extra("plot", "pictures"),
    ):
        import no_such_package.inner  # noqa: F401
    assert isinstance(caught.value, MLReduceError)
    assert isinstance(caught.value, ImportError)


def test_extras_are_those_of_the_project():
    listed = extras()
    assert packages_of_extras() == {
        name: extra for extra in reversed(EXTRAS) for name in listed[extra] - {"mlreduce"}
    } | {name: extra for extra in ("plot", "data") for name in listed[extra]}
