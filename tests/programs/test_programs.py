"""Programs in the place of methods: what they read, what they may write, their limits, and their end."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import time
import uuid
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import loadmat, savemat
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.programs import ProgramError, digest_of_files, run, run_program
from mlreduce.validation.limits import MemoryLimitError, TimeLimitError, Waiting

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits and ends of processes are those of Linux")


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6))
    return X, (X[:, :3] + 0.5 * rng.standard_normal((40, 3)) > 0).astype(int)


def writing(folder, exchange="csv", **arrays):
    """Return a program that does nothing: what it writes is among the files that are copied to its folder."""
    if exchange == "mat":
        savemat(folder / "output.mat", arrays)
        return {"command": "true", "files": [str(folder / "output.mat")]}
    files = []
    for name, value in arrays.items():
        files.append(str(folder / f"{name}.csv"))
        np.savetxt(files[-1], np.atleast_2d(value), delimiter=",", fmt="%.17g")
    return {"command": "true", "files": files, "exchange": "csv"}


def read_by_program(tmp_path, exchange, pattern, estimator_of, *data):
    """Return the folder of what a program gets: it copies that, and writes nothing."""
    copy = tmp_path / "copy"
    copy.mkdir()
    script = tmp_path / "copy.sh"
    script.write_text(f"cp {pattern} {copy}\n")
    with pytest.raises(ProgramError):
        estimator_of({"command": "sh copy.sh", "files": [str(script)], "exchange": exchange}).fit(*data)
    return copy


# What is read


@pytest.mark.parametrize("exchange", ["mat", "csv", "parquet"])
def test_a_program_reads_features_labels_and_numbers(tmp_path, problem, exchange):
    X, Y = problem
    pattern = "input.mat" if exchange == "mat" else f"*.{exchange}"
    copy = read_by_program(
        *(tmp_path, exchange, pattern),
        lambda program: mlreduce.ProgramSelector(program | {"numbers": {"alpha": 0.1}}, k=2, random_state=3),
        *(X, Y),
    )
    if exchange == "mat":
        given = loadmat(copy / "input.mat")
    elif exchange == "csv":
        given = {path.stem: np.loadtxt(path, delimiter=",", ndmin=2) for path in copy.glob("*.csv")}
    else:
        import pandas as pd

        given = {path.stem: pd.read_parquet(path).to_numpy() for path in copy.glob("*.parquet")}
    np.testing.assert_array_equal(given["X"], X)
    np.testing.assert_array_equal(given["Y"], Y)
    assert [given[name].item() for name in ("k", "alpha")] == [2, 0.1]
    assert given["seed"].item() == np.random.RandomState(3).randint(2**31 - 1)


def test_sparse_features_stay_sparse_in_a_mat_file(tmp_path, problem):
    X, Y = problem
    X = sp.csr_array(np.where(np.abs(X) > 1, X, 0))
    copy = read_by_program(tmp_path, "mat", "input.mat", mlreduce.ProgramSelector, X, Y)
    given = loadmat(copy / "input.mat")["X"]
    assert sp.issparse(given)
    np.testing.assert_array_equal(given.toarray(), X.toarray())


def test_a_matrix_that_a_mat_file_cannot_hold_is_refused(tmp_path, problem, monkeypatch):
    monkeypatch.setattr(run, "_LARGEST", 1000)
    with pytest.raises(DataError, match=r"^X takes .* exchange='parquet' has no such limit$"):
        mlreduce.ProgramSelector("true").fit(*problem)


# What is written


def test_scores_and_rankings_select_features(tmp_path, problem):
    scores = [0.1, 3.0, -1.0, 2.0, 0.0, 0.5]
    by_scores = mlreduce.ProgramSelector(writing(tmp_path, scores=scores), k=2).fit(*problem)
    np.testing.assert_array_equal(by_scores.scores_, scores)
    by_column = mlreduce.ProgramSelector(writing(tmp_path, scores=np.c_[scores]), k=2).fit(*problem)
    by_ranking = mlreduce.ProgramSelector(writing(tmp_path, "mat", ranking=[[2], [4]]), k=2).fit(*problem)
    for method in (by_scores, by_column, by_ranking):
        np.testing.assert_array_equal(method.transform(problem[0]), problem[0][:, [1, 3]])
    np.testing.assert_array_equal(by_ranking.ranking_, [3, 1, 4, 2, 5, 6])


def test_a_program_gets_no_constant_features(tmp_path, problem):
    X, Y = problem
    X = np.insert(X, 2, 7.0, axis=1)
    method = mlreduce.ProgramSelector(writing(tmp_path, scores=[1, 2, 3, 4, 5, 6]), k=3).fit(X, Y)
    np.testing.assert_array_equal(method.ranking_, [6, 5, 7, 4, 3, 2, 1])


def test_written_directions_are_those_of_the_projection_they_are_taken_from(tmp_path, problem):
    X, Y = problem
    ours = mlreduce.PLS(n_components=3).fit(X, Y)
    program = writing(tmp_path, "mat", directions=ours.components_.T)
    theirs = mlreduce.ProgramProjection(program, n_components=3).fit(X, Y)
    np.testing.assert_allclose(theirs.transform(X[:5]), ours.transform(X[:5]), rtol=1e-12)
    fewer = mlreduce.ProgramProjection(program, n_components=2).fit(X, Y)
    np.testing.assert_array_equal(fewer.components_, theirs.components_[:2])


def test_written_codes_are_those_of_the_coder_they_are_taken_from(tmp_path, problem):
    X, Y = problem
    ours = mlreduce.PLST(n_components=2).fit(X, Y)
    program = writing(tmp_path, codes=ours.encode(Y), decoder=ours.components_, mean=ours.mean_)
    theirs = mlreduce.ProgramCoder(program, n_components=2)
    expected = mlreduce.CodedClassifier(mlreduce.PLST(n_components=2)).fit(X, Y).predict_scores(X)
    np.testing.assert_allclose(mlreduce.CodedClassifier(theirs).fit(X, Y).predict_scores(X), expected, atol=1e-10)
    without_mean = mlreduce.ProgramCoder(writing(tmp_path, codes=np.ones((40, 1)), decoder=[[1, 1, 1]]), n_components=1)
    assert not without_mean.fit(X, Y).mean_.any()


def test_a_transformer_gets_training_rows_and_new_ones(tmp_path, problem):
    X, Y = problem
    (tmp_path / "first.sh").write_text("cut -d, -f1,2 X_new.csv > transformed.csv\n")
    program = {"command": "sh first.sh", "files": [str(tmp_path / "first.sh")], "exchange": "csv"}
    method = mlreduce.ProgramTransformer(program, n_components=2).fit(X, Y)
    np.testing.assert_array_equal(method.transform(X[:7]), X[:7, :2])


def test_a_classifier_runs_once_for_scores_and_labels_of_the_same_rows(tmp_path, problem):
    X, Y = problem
    log = tmp_path / "log"
    (tmp_path / "predict.sh").write_text(f"cut -d, -f1-3 X_new.csv > scores.csv\necho run >> {log}\n")
    program = {"command": "sh predict.sh", "files": [str(tmp_path / "predict.sh")], "exchange": "csv"}
    method = mlreduce.ProgramClassifier(program).fit(X, Y)
    np.testing.assert_array_equal(method.decision_function(X), X[:, :3])
    np.testing.assert_array_equal(method.predict(X), X[:, :3] > 0.5)
    assert log.read_text().split() == ["run"]
    method.predict(X[:5])
    assert log.read_text().split() == ["run", "run"]
    named = writing(tmp_path, scores=X[:, :3], labels=Y)
    np.testing.assert_array_equal(mlreduce.ProgramClassifier(named).fit(X, Y).predict(X), Y)


# What is no result


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({}, "the program wrote neither scores nor ranking"),
        ({"scores": [1, 2, 3]}, "the program wrote scores of shape 1 x 3; it must be 1 x 6"),
        ({"scores": [1, 2, 3, 4, 5, np.nan]}, "the program 'true': scores holds 1 numbers that are not finite"),
        ({"ranking": [1, 2, 7]}, "the program wrote a ranking that is not of different features from 1 to 6"),
        ({"ranking": [0, 1]}, "the program wrote a ranking that is not of different features from 1 to 6"),
        ({"ranking": [1, 1]}, "the program wrote a ranking that is not of different features from 1 to 6"),
        ({"ranking": [1.5, 2]}, "the program wrote a ranking that is not of different features from 1 to 6"),
    ],
)
def test_what_is_no_result_of_a_selector_is_said(tmp_path, problem, arrays, sentence):
    with pytest.raises(ProgramError) as error:
        mlreduce.ProgramSelector(writing(tmp_path, **arrays)).fit(*problem)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("scores.csv", '"x"\n1\n', "scores.csv is no table of numbers with commas between them"),
        ("output.mat", "# Created by Octave 7.3.0\n", "output.mat is not in MATLAB's version 5 or 4"),
        ("scores.parquet", "PAR", "scores.parquet is no Parquet file"),
    ],
)
def test_a_file_of_another_format_is_said(tmp_path, problem, name, text, sentence):
    (tmp_path / name).write_text(text)
    exchange = Path(name).suffix[1:]
    with pytest.raises(ProgramError, match=f"^the program 'true': {sentence}"):
        mlreduce.ProgramSelector({"command": "true", "files": [str(tmp_path / name)], "exchange": exchange}).fit(
            *problem
        )


def test_complex_numbers_are_refused_where_they_are_not_real(tmp_path, problem):
    program = writing(tmp_path, "mat", scores=np.arange(6) + 0j)
    np.testing.assert_array_equal(mlreduce.ProgramSelector(program).fit(*problem).scores_, np.arange(6))
    with pytest.raises(ProgramError, match="scores holds complex numbers$"):
        mlreduce.ProgramSelector(writing(tmp_path, "mat", scores=np.arange(6) * 1j)).fit(*problem)


def test_a_failed_program_says_what_it_printed_first_of_its_error(tmp_path, problem):
    (tmp_path / "fail.sh").write_text("echo loading\necho 'error: no rfs here' >&2\necho done\nexit 3\n")
    with pytest.raises(ProgramError) as error:
        mlreduce.ProgramSelector({"command": "sh fail.sh", "files": [str(tmp_path / "fail.sh")]}).fit(*problem)
    assert str(error.value) == "the program 'sh fail.sh' ended with status 3 and printed error: no rfs here | done"
    with pytest.raises(
        ProgramError, match=r"^the program 'sh -c \"kill -9 \$\$\"' was ended by SIGKILL and printed no"
    ):
        mlreduce.ProgramSelector('sh -c "kill -9 $$"').fit(*problem)
    with pytest.raises(ProgramError, match=r"^the program 'true': it wrote no output.mat$"):
        mlreduce.ProgramSelector("true").fit(*problem)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("octav --no-gui", "the program 'octav' cannot be run"),
        ({"command": "true", "files": ["nowhere.m"]}, "files: there is no nowhere.m"),
        ({"command": "true", "format": "csv"}, "unknown key of a program 'format'"),
        ({"command": "true", "exchange": "hdf5"}, "unknown format 'hdf5'"),
        ({"files": []}, "a program needs its command, a text; got None"),
        ({"command": "true", "digest": "0" * 64}, "the files of 'true' have changed since the study was planned"),
    ],
)
def test_a_wrong_description_is_a_configuration_error(problem, program, sentence):
    with pytest.raises(ConfigurationError) as error:
        mlreduce.ProgramSelector(program).fit(*problem)
    assert sentence in str(error.value)


# Limits and ends


@pytest.fixture
def left_over(monkeypatch):
    """Return a function that lists the processes which programs of a test have left."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MLREDUCE_TEST", mark)

    def left():
        marked = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark.encode() in path.read_bytes():
                    marked.append(int(path.parent.name))
        return marked

    return left


@LINUX
def test_a_program_that_does_not_end_is_ended_with_all_that_it_started(problem, left_over):
    before, waited = time.monotonic(), Waiting.seconds
    with pytest.raises(TimeLimitError, match=r"took more than 0.3 s$"):
        mlreduce.ProgramSelector({"command": "sh -c 'setsid sleep 500 & sleep 500'", "seconds": 0.3}).fit(*problem)
    assert time.monotonic() - before < 60
    assert Waiting.seconds - waited >= 0.3
    assert not left_over()


@LINUX
def test_children_that_a_program_leaves_are_ended(tmp_path, problem, left_over):
    program = writing(tmp_path, scores=np.arange(6)) | {"command": "sh -c 'setsid sleep 500 & exit 0'"}
    mlreduce.ProgramSelector(program).fit(*problem)
    assert not left_over()


@LINUX
@pytest.mark.rotating
def test_a_program_ends_with_the_process_that_runs_it(tmp_path, left_over):
    code = (
        "import mlreduce, numpy as np\n"
        "X = np.random.default_rng(0).random((9, 3))\n"
        f"mlreduce.ProgramSelector('sh -c \"echo > {tmp_path / 'began'}; exec sleep 500\"').fit(X, X > 0.5)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    while not (tmp_path / "began").exists():
        assert process.poll() is None
        time.sleep(0.02)
    assert len(left_over()) == 2
    process.kill()
    process.wait()
    deadline = time.monotonic() + 60
    while left_over() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left_over()


@LINUX
def test_memory_and_files_are_limited(tmp_path, problem, monkeypatch):
    command = f"{sys.executable} -S -c 'b\" \" * 10**9'"
    with pytest.raises(MemoryLimitError, match=r"took more than 0.5 GB"):
        mlreduce.ProgramSelector({"command": command, "gigabytes": 0.5}).fit(*problem)
    monkeypatch.setattr(run, "_LARGEST_FILE", 10**5)
    with pytest.raises(ProgramError, match="was ended by SIGXFSZ"):
        mlreduce.ProgramSelector("dd if=/dev/zero of=large bs=1k count=1000").fit(*problem)


@LINUX
@pytest.mark.rotating
def test_lower_limits_of_this_process_hold():
    code = (
        "import resource\n"
        "from mlreduce.programs import run_program\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10**5, 10**5))\n"
        "print(run_program({'command': 'cp k.csv scores.csv', 'exchange': 'csv'}, {'k': 3}, {'scores': True}))\n"
        "run_program('dd if=/dev/zero of=large bs=1k count=1000', {}, {})\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "array([[3.]])" in run.stdout
    assert "was ended by SIGXFSZ" in run.stderr


def test_nothing_is_left_in_the_temporary_folder(tmp_path, problem, monkeypatch):
    monkeypatch.setattr(run.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ProgramError):
        mlreduce.ProgramSelector("true").fit(*problem)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def small_disk(tmp_path, monkeypatch):
    """Let programs have folders on a disk of 64 kB, which is returned."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a disk takes root")
    monkeypatch.setattr(run.tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@LINUX
def test_a_full_disk_is_no_failure_of_a_program_and_leaves_nothing(small_disk, problem):
    X, Y = problem
    for command, features in (("dd if=/dev/zero of=large bs=1k count=100", X), ("true", np.tile(X, 100))):
        with pytest.raises(OSError, match="No space left on device"):
            mlreduce.ProgramSelector(command).fit(features, Y)
    assert not list(small_disk.iterdir())


# In the place of methods


def test_folders_are_copied_and_their_digest_is_of_names_and_bytes(tmp_path):
    (tmp_path / "code" / "inner").mkdir(parents=True)
    (tmp_path / "code" / "inner" / "scores.csv").write_text("4\n")
    program = {"command": "cp code/inner/scores.csv .", "files": [str(tmp_path / "code")], "exchange": "csv"}
    assert run_program(program, {}, {"scores": True})["scores"].item() == 4
    first = digest_of_files([tmp_path / "code"])
    (tmp_path / "code" / "inner" / "scores.csv").rename(tmp_path / "code" / "inner" / "values.csv")
    assert digest_of_files([tmp_path / "code"]) != first


def test_they_are_cloned_and_pickled(tmp_path, problem):
    method = mlreduce.ProgramSelector(writing(tmp_path, scores=np.arange(6)), k=2).fit(*problem)
    copy = pickle.loads(pickle.dumps(method))
    np.testing.assert_array_equal(copy.transform(problem[0]), method.transform(problem[0]))
    assert clone(method).get_params() == method.get_params()


@pytest.mark.rotating
def test_compare_measures_programs_as_it_measures_methods(tmp_path, problem):
    X, Y = problem
    (tmp_path / "select.py").write_text(
        "import numpy as np\n"
        "X, Y = (np.loadtxt(f'{name}.csv', delimiter=',') for name in 'XY')\n"
        "np.savetxt('scores.csv', np.square((X - X.mean(0)).T @ (Y - Y.mean(0))).sum(1))\n"
    )
    program = {"command": f"{sys.executable} select.py", "files": [str(tmp_path / "select.py")], "exchange": "csv"}
    X = StandardScaler().fit_transform(X)
    (tmp_path / "predict.sh").write_text("cut -d, -f1-3 X_new.csv > scores.csv\n")
    predict = {"command": "sh predict.sh", "files": [str(tmp_path / "predict.sh")], "exchange": "csv"}
    result = mlreduce.compare(
        *(X, Y),
        methods={"program": mlreduce.ProgramSelector(program)},
        predictors={"ridge": "ridge", "first": mlreduce.ProgramClassifier(predict)},
        **{"cv": 2, "sizes": [50], "measures": ["micro-f1"], "progress": False, "store": tmp_path / "store"},
    )
    scores = result.scores
    assert {*scores["predictor"]} == {"ridge", "first"}
    assert scores["value"].notna().all()
    with (tmp_path / "select.py").open("a") as file:  # other files are another method: nothing is taken from the store
        file.write("np.savetxt('scores.csv', -np.loadtxt('scores.csv'))\n")
    worst = mlreduce.compare(
        *(X, Y),
        methods={"program": mlreduce.ProgramSelector(program)},
        **{"predictors": ["ridge"], "cv": 2, "sizes": [50], "measures": ["micro-f1"], "progress": False},
        store=tmp_path / "store",
    ).scores
    assert worst["value"].mean() < scores.loc[scores["predictor"] == "ridge", "value"].mean() - 0.1
