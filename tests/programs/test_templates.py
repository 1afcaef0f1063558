"""The templates of examples/programs in Octave, R and Java, and programs in a study."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml
from documents import pieces

import mlreduce
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import ConfigurationError
from mlreduce.programs import digest_of_files
from mlreduce_studies.programs import versions
from mlreduce_studies.study import load_study
from mlreduce_studies.tables.layout import fill_block

EXAMPLES = Path(__file__).parents[2] / "examples" / "programs"
sys.path[:0] = [str(EXAMPLES.parents[1] / "benchmarks")]

import meka  # noqa: E402

OCTAVE, R, JAVA = "octave --no-gui --quiet", "Rscript", "java"


@cache
def runs(name):
    """Whether a program is installed, and not only in part, as while Debian's packages are being unpacked."""
    found = shutil.which(name)
    return found is not None and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0


def template(command, file, **more):
    """Return the program of a template; skip where its language is not installed."""
    name = command.split()[0]
    if not runs(name):
        pytest.skip(f"{name} is not installed; make programs installs Octave and R where it may")
    given = {"command": f"{command} {Path(file).name}", "files": [str(EXAMPLES / file)], **more}
    return given if command == OCTAVE else given | {"exchange": "csv"}


@pytest.fixture(scope="module")
def data():
    return mlreduce.load_dataset("planted-300")


@pytest.mark.parametrize(
    ("command", "file"), [(OCTAVE, "octave/select.m"), (R, "r/select.R"), (JAVA, "java/Select.java")]
)
@pytest.mark.rotating
def test_selectors_score_features_by_squared_correlations(data, command, file):
    scores = mlreduce.ProgramSelector(template(command, file)).fit(data.X, data.Y).scores_
    correlations = np.corrcoef(data.X, data.Y, rowvar=False)[: data.X.shape[1], data.X.shape[1] :]
    np.testing.assert_allclose(scores, np.square(correlations).sum(axis=1), rtol=1e-9)


def test_the_projection_in_octave_finds_directions_of_the_largest_covariance(data):
    method = mlreduce.ProgramProjection(template(OCTAVE, "octave/project.m"), n_components=3).fit(data.X, data.Y)
    cross = (data.X - data.X.mean(0)).T @ (data.Y - data.Y.mean(0))
    expected = np.linalg.svd(cross)[0][:, :3].T
    np.testing.assert_allclose(np.abs(np.sum(method.components_ * expected, axis=1)), 1, rtol=1e-9)


def test_the_coder_in_octave_is_plst(data):
    program = template(OCTAVE, "octave/encode.m")
    theirs, ours = (
        mlreduce.CodedClassifier(coder).fit(data.X, data.Y).predict_scores(data.X)
        for coder in (mlreduce.ProgramCoder(program, n_components=3), mlreduce.PLST(n_components=3))
    )
    np.testing.assert_allclose(theirs, ours, atol=1e-9)


def test_the_predictor_in_r_is_ridge_regression(data):
    method = mlreduce.ProgramClassifier(template(R, "r/predict.R", numbers={"penalty": 2.0})).fit(data.X, data.Y)
    expected = mlreduce.make("ridge", alpha=2.0).fit(data.X, data.Y).predict(data.X)
    np.testing.assert_allclose(method.decision_function(data.X), expected, atol=1e-9)


# The page


PAGE = EXAMPLES.parents[1] / "docs" / "programs.md"


def test_the_script_of_the_page_is_a_template():
    scripts = [piece.text for piece in pieces(PAGE) if piece.language == "octave"]
    assert scripts == [(EXAMPLES / "octave" / "select.m").read_text(encoding="utf-8")]


def test_the_table_of_meka_is_that_of_the_measurements():
    text = PAGE.read_text(encoding="utf-8")
    assert fill_block(text, "meka measured", meka.table()) == text


@pytest.mark.slow
def test_what_the_page_prints_runs_where_octave_is(tmp_path, monkeypatch):
    template(OCTAVE, "octave/select.m")
    shutil.copy(EXAMPLES / "octave" / "select.m", tmp_path)
    monkeypatch.chdir(tmp_path)
    (code,) = (piece.text for piece in pieces(PAGE) if piece.language == "python")
    names = {}
    exec(code, names)
    assert names["selector"].transform(names["X"]).shape == (300, 5)
    (content,) = (piece.text for piece in pieces(PAGE) if piece.language == "yaml")
    (tmp_path / "my-program.yaml").write_text(content)
    settings = ["--config", f"studies=[{tmp_path / 'my-program.yaml'}]", f"results={tmp_path / 'results'}"]
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *settings]
    run = subprocess.run(command, cwd=EXAMPLES.parents[1], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (folder,) = tmp_path.glob("results/demo/my-program")
    assert "mine" in (folder / "table-loss.md").read_text(encoding="utf-8")
    assert len((folder / "failures.csv").read_text(encoding="utf-8").splitlines()) == 1
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["programs"]["mine"].startswith("GNU Octave, version ")


# In a study


@pytest.fixture
def study(tmp_path):
    """Return what writes a study with a program in it, and loads it."""

    def load(methods, predictors=None):
        content = {
            **{"title": "Programs", "protocols": {"two-thirds": {"train": 0.67}}},
            "scales": {key: {"datasets": ["planted-300"], "splits": 2} for key in ("demo", "paper")},
            **{"methods": {"all": methods}, "predictors": predictors or {"ridge": {}}, "sizes": [50]},
            **{"measures": ["micro-f1"], "tables": {}, "figures": {}},
        }
        path = tmp_path / "programs.yaml"
        path.write_text(yaml.safe_dump(content))
        return load_study(path, "demo", read_catalogue())

    return load


def test_programs_stand_for_classes_with_a_digest_of_their_files(tmp_path, study, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "select.m").write_text("scores = 1\n")
    program = {"command": "octave select.m", "files": ["select.m"], "version": "echo 7.3"}
    loaded = study(
        {"mine": {"program": program, "writes": "scores", "k": 3}}, {"theirs": {"program": "Rscript predict.R"}}
    )
    assert loaded.family == "selection"
    digest = digest_of_files(["select.m"])
    assert loaded.methods["mine"] == {
        **{"class": "mlreduce.programs.ProgramSelector", "program": program | {"digest": digest}, "k": 3}
    }
    assert loaded.predictors["theirs"]["class"] == "mlreduce.programs.ProgramClassifier"
    assert versions(loaded.methods.items()) == {"mine": "7.3"}
    (tmp_path / "select.m").write_text("scores = 2\n")
    assert study({"mine": {"program": program, "writes": "scores"}}).methods["mine"]["program"]["digest"] != digest


@pytest.mark.parametrize(
    ("writes", "family"),
    [("ranking", "selection"), ("directions", "projection"), ("transformed", "projection"), ("codes", "labelspace")],
)
def test_what_a_program_writes_says_what_it_is(study, writes, family):
    assert study({"mine": {"program": "octave mine.m", "writes": writes}}).family == family


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"program": "octave mine.m"}, "mine: writes must say what the program writes: scores, ranking, directions"),
        ({"program": "octave mine.m", "writes": "weights"}, "writes"),
        ({"program": {"files": []}, "writes": "scores"}, "program"),
        ({"program": {"command": "octave mine.m", "files": ["mine.m"]}, "writes": "scores"}, "there is no"),
    ],
)
def test_a_wrong_program_of_a_study_is_named(study, entry, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        study({"mine": entry})
