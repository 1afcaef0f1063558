"""The command ``mlreduce compare``."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce.commandline import main
from mlreduce.datasets.embedded import planted

QUICK = ["--methods", "pca,pls", "--predictors", "linear", "--folds", "2", "--sizes", "20", "--jobs", "1"]
QUICK += ["--decision", "cardinality"]


@pytest.fixture(scope="module")
def given():
    return planted(n_samples=60, n_features=8, n_labels=4, n_latent=2, n_distractors=2).data


@pytest.fixture
def data(given, tmp_path):
    table = given.as_frame()
    path = tmp_path / "data.csv"
    pd.concat(table, axis=1).to_csv(path, index=False)
    return path


def refused(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("mlreduce: ")
    assert len(error.splitlines()) <= 3
    return error


def test_writes_the_page_and_the_tables(given, data, tmp_path, capsys):
    output = tmp_path / "report"
    arguments = ["compare", str(data), "--labels", "4", "-o", str(output), "--json", *QUICK]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""  # no bar where nobody watches
    found = mlreduce.compare(
        mlreduce.read(data, 4),
        None,
        ["pca", "pls"],
        ["linear"],
        cv=2,
        sizes=[20],
        store=output / "fits",
        decision="cardinality",
    )
    said = json.loads(out)
    assert said == {"page": str(output / "index.html"), "verdict": found.explain().splitlines()}
    pd.testing.assert_frame_equal(pd.read_csv(output / "scores.csv"), found.scores, check_dtype=False)
    pd.testing.assert_frame_equal(pd.read_csv(output / "pairs.csv"), found.pairs(), check_dtype=False)
    before = {path: path.stat().st_mtime_ns for path in (output / "fits").iterdir()}
    assert len(before) == 4
    assert main(arguments) == 0
    assert {path: path.stat().st_mtime_ns for path in (output / "fits").iterdir()} == before
    assert (output / "index.html").read_text() == found.to_html(tmp_path / "again.html").read_text()


def test_missing_values_are_filled(given, tmp_path, capsys):
    table = pd.concat(given.as_frame(), axis=1)
    table.iloc[3, 1] = np.nan
    table.to_csv(tmp_path / "gap.csv", index=False, sep=";")
    own = ["compare", tmp_path / "gap.csv", "--labels", 4, "--read", "sep=;", "-o", tmp_path / "report", *QUICK]
    assert "mlreduce compare by --impute" in refused(capsys, *own)
    assert main([str(each) for each in [*own, "--impute", "median"]]) == 0
    assert "Missing values: median." in (tmp_path / "report" / "index.html").read_text()


def test_files_of_others_are_replaced_by_force_alone(data, tmp_path, capsys):
    output = tmp_path / "mine"
    output.mkdir()
    arguments = ["compare", data, "--labels", "4", "-o", output, *QUICK]
    for name in ("index.html", "scores.csv", "pairs.csv"):
        (output / name).write_text("mine")
        assert f"{name}: not a file of an earlier output" in refused(capsys, *arguments)
        assert [(path.name, path.read_text()) for path in output.iterdir()] == [(name, "mine")]  # before any fit
        (output / name).unlink()
    (output / "scores.csv").write_text("mine")
    (output / "thesis.txt").write_text("mine")
    assert main([*map(str, arguments), "--force"]) == 0
    assert main([str(argument) for argument in arguments]) == 0  # its own it replaces
    assert (output / "thesis.txt").read_text() == "mine"
    (output / "index.html").write_text("changed")
    assert "index.html: not a file of an earlier output, or changed since" in refused(capsys, *arguments)
    assert (output / "index.html").read_text() == "changed"


def test_a_published_set_by_name(tmp_path, capsys):
    assert main(["compare", "planted-300", "-o", str(tmp_path), *QUICK]) == 0
    assert f"{tmp_path}/index.html" in capsys.readouterr().out
    data = mlreduce.load_dataset("planted-300")
    assert f"{data.X.shape[0]} instances" in (tmp_path / "index.html").read_text()


def test_what_is_wrong_is_said(data, tmp_path, capsys):
    rest = ["-o", tmp_path / "report", *QUICK]
    assert "did you mean 'emotions'" in refused(capsys, "compare", "emotion", *rest)
    assert "leave --labels out" in refused(capsys, "compare", "emotions", "--labels", 6, *rest)
    assert "no.csv" in refused(capsys, "compare", tmp_path / "no.csv", *rest)
    assert "no columns are declared as labels" in refused(capsys, "compare", data, *rest)
    own = ["compare", data, "--labels", "4", "-o", tmp_path / "report"]
    assert "did you mean 'mvmd'" in refused(capsys, *own, "--methods", "mvdm")
    assert "did you mean 'ridge'" in refused(capsys, *own, "--predictors", "rigde")
    assert "did you mean 'micro-f1'" in refused(capsys, *own, "--measures", "micro-f2")
    assert "as in 10,25,50" in refused(capsys, *own, "--sizes", "ten")
    assert "at least 2" in refused(capsys, *own, "--folds", 1)
    assert "must be at least 0; got -1" in refused(capsys, *own, "--minutes", -1)
    assert not (tmp_path / "report").exists()
    (tmp_path / "file").touch()
    own[-1] = tmp_path / "file" / "report"
    assert refused(capsys, *own).endswith("file is not a folder with the right to write\n")
    page = tmp_path / "file" / "page.html"
    assert "cannot be written" in refused(capsys, "auto", data, "--labels", "4", "--page", page)
    with pytest.raises(SystemExit, match="2"):
        main(["compare", str(data)])


@pytest.mark.filterwarnings("default")
def test_warnings_are_printed_as_errors_are(data, tmp_path, capsys):
    arguments = ["compare", str(data), "--labels", "4", "-o", str(tmp_path / "report"), *QUICK]
    arguments[arguments.index("pca,pls")] = "pca,sklearn.decomposition.NMF"
    assert main(arguments) == 0
    error = capsys.readouterr().err
    assert error.startswith("mlreduce: 2 of 4 evaluations failed, the first: sklearn.decomposition.NMF with linear on")
    assert len(error.splitlines()) == 1


def on_a_terminal(*arguments):
    """Start the command with a terminal as its standard error; returns the process and the terminal's other end."""
    watching, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 120))
    process = subprocess.Popen(
        [sys.executable, "-m", "mlreduce", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=terminal, start_new_session=True, text=True,
    )  # fmt: skip
    os.close(terminal)
    return process, watching


def all_shown(watching):
    """Return what a terminal shows until the program ends."""
    shown = ""
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while piece := os.read(watching, 4096):
            shown += piece.decode()
    os.close(watching)
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_on_a_terminal_it_goes_on(data, given, tmp_path, jobs):
    options = ["compare", data, "--labels", 4, "-o", tmp_path / "report", *QUICK[:4], "--sizes", "20", "--jobs", jobs]
    options += ["--folds", 30]
    process, watching = on_a_terminal(*options)
    fits = tmp_path / "report" / "fits"
    while process.poll() is None and len(list(fits.glob("[!.]*"))) < 5:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    shown = all_shown(watching)
    assert process.communicate()[0] == ""
    assert process.returncode == 130
    assert "Traceback" not in shown
    assert shown.splitlines()[-1] == "mlreduce: interrupted; the same command resumes with the results that are saved"
    kept = list(fits.iterdir())
    assert 5 <= len(kept) < 60
    for path in kept:
        json.loads(path.read_text())
    process, watching = on_a_terminal(*options)
    shown = all_shown(watching)
    assert process.communicate()[0].startswith("With linear, ")
    assert process.returncode == 0
    assert f"{60 - len(kept)}/{60 - len(kept)}" in shown
    scores = pd.read_csv(tmp_path / "report" / "scores.csv")
    found = mlreduce.compare(mlreduce.read(data, 4), None, ["pca", "pls"], ["linear"], cv=30, sizes=[20])
    np.testing.assert_array_equal(scores["value"], found.scores["value"])


def alive(session):
    """Numbers of the processes of a session that have not ended."""
    listed = subprocess.run(["ps", "-eo", "pid,sid,stat"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()[1:]]
    return [int(pid) for pid, sid, state in rows if sid == str(session) and not state.startswith("Z")]


def wait_until(true, seconds):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.1)
    return true()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_is_left_by_a_signal(number, data, tmp_path):
    output = tmp_path / "report"
    command = [sys.executable, "-m", "mlreduce", "compare", str(data), "--labels", "4", "-o", str(output)]
    command += ["--folds", "20", "--predictors", "ml-knn,br-knn,mlnb,lift", "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            assert wait_until(lambda: len(list(output.glob("fits/*"))) > 2, 300)
            assert len(alive(process.pid)) >= 3  # this one and two more
            process.send_signal(number)
            process.wait(60)
            assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
            assert wait_until(lambda: not alive(process.pid), 15)
        finally:
            for left in alive(process.pid):
                os.kill(left, signal.SIGKILL)
