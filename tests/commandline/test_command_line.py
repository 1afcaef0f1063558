"""The command ``mlreduce``."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

import mlreduce
from mlreduce import commandline
from mlreduce.commandline import listing
from mlreduce.commandline.arguments import in_options
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.arff import read_arff
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.methods.facts import facts_of

ARFF = (
    "@relation r\n"
    + "".join(f"@attribute {name} numeric\n" for name in "abc")
    + "".join(f"@attribute {name} {{0,1}}\n" for name in ("one", "two"))
)


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    rows = [[*(round(v, 3) for v in rng.normal(size=3)), *rng.integers(0, 2, 2)] for _ in range(20)]
    path = tmp_path / "d.arff"
    path.write_text(ARFF + "@data\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return path


def said(capsys, *arguments):
    assert commandline.main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    assert commandline.main([str(argument) for argument in arguments]) == 1
    error = capsys.readouterr().err
    assert len(error.splitlines()) <= 3
    return error


def test_lists(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    facts = [facts_of(name) for name in mlreduce.registry.method_names()]
    head, *lines = said(capsys, "list").splitlines()
    assert head == "name                family       year  method"
    assert lines == [f"{fact.name:<18}  {fact.family:<11}  {fact.year or '':<4}  {fact.full_name}" for fact in facts]
    assert "lpp                 projection   2003  Locality preserving projections (LPP)" in lines
    takes = [line.split()[0] for line in said(capsys, "list", "--unknown-labels", "cells").splitlines()[1:]]
    assert takes == mlreduce.list_methods(unknown_labels="cells").index.tolist()
    records = json.loads(said(capsys, "list", "--family", "selection", "--json"))
    assert [record["name"] for record in records] == mlreduce.registry.method_names("selection")
    assert {record["family"] for record in records} == {"selection"}
    datasets = {entry["name"]: entry for entry in json.loads(said(capsys, "list", "datasets", "--json"))}
    assert datasets["yeast"]["instances"] == 2417
    assert "yeast" in said(capsys, "list", "datasets")


def test_recommends_as_the_library_does(data, capsys, monkeypatch):
    given = read_arff([data], 2)[0]
    expected = mlreduce.recommend(given, goal="projection", time_budget=5)
    options = ["recommend", data, "--labels", 2, "--goal", "projection", "--seconds", 5]
    records = json.loads(said(capsys, *options, "--json"))
    pd.testing.assert_frame_equal(
        pd.DataFrame(records).set_index("name"), expected.table, check_dtype=False, check_exact=False
    )
    shown = said(capsys, *options)
    assert "mlreduce.compare" not in shown
    shown = shown.replace("mlreduce compare", "mlreduce.compare").replace("; --json has all)", ", in .table)")
    assert shown.split() == str(expected).split()
    monkeypatch.setenv("COLUMNS", "1000")
    assert "takes one label per instance" in said(capsys, "recommend", "digits-300", "--goal", "projection")


def test_without_a_command_it_shows_help(capsys):
    shown = said(capsys)
    assert shown.startswith("usage: mlreduce")
    assert "recommend" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("list", "datasets"),
        ("info", "mvmd"),
        ("info", "digits-300"),
        ("recommend", "digits-300"),
        ("doctor",),
    ],
)
def test_no_line_is_wider_than_the_terminal(capsys, monkeypatch, arguments):
    monkeypatch.setenv("COLUMNS", "1000")
    wide = said(capsys, *arguments)
    for columns in (60, 80, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        if columns == 80:  # where the width is not known
            monkeypatch.delenv("COLUMNS")
        shown = said(capsys, *arguments)
        # A path is not cut.
        assert all(len(line) <= columns or " " not in line.strip() for line in shown.splitlines())
        assert "".join(shown.split()) == "".join(wide.split())


def test_info(capsys):
    found = json.loads(said(capsys, "info", "mvmd", "--json"))
    assert (found["class"], found["family"]) == ("mlreduce.projection.mvmd.MVMD", "projection")
    assert found["parameters"]["beta"] == "0.5"
    assert said(capsys, "info", "mvmd").split() == str(mlreduce.describe("mvmd")).split()
    own, given = json.loads(said(capsys, "info", "digits-300", "--json")), mlreduce.load_dataset("digits-300")
    assert (own["instances"], own["features"], own["labels"]) == (*given.X.shape, given.Y.shape[1])
    assert own["cardinality"] == pytest.approx(given.Y.sum(axis=1).mean(), abs=1e-4)
    assert "did you mean 'mvmd'" in refused(capsys, "info", "mvdm")


def test_info_of_a_file(data, capsys):
    own, given = json.loads(said(capsys, "info", data, "--labels", 2, "--json")), read_arff([data], 2)[0]
    described = {key: round(value, 4) for key, value in given.describe().items()}
    assert own == {"name": "d", **described, "checks": "; ".join(given.check()) or "no problems"}
    for labels in ((), ("--labels", 2)):
        assert (
            refused(capsys, "info", data.parent / "no.csv", *labels)
            == f"mlreduce: {data.parent}/no.csv: no such file\n"
        )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_reduces_as_the_library_does(data, tmp_path, capsys, suffix):
    output, (given, _) = tmp_path / f"out.{suffix}", read_arff([data], 2)
    options = ["reduce", data, "--labels", 2, "-o", output, "--method"]
    assert "20" in said(capsys, *options, "mvmd", "--components", 2, "--set", "beta=0.3")
    table = pd.read_csv(output) if suffix == "csv" else pd.read_parquet(output)
    assert list(table.columns) == ["mvmd0", "mvmd1", "one", "two"]
    expected = mlreduce.MVMD(n_components=2, beta=0.3).fit_transform(given.X, given.Y)
    np.testing.assert_allclose(table[["mvmd0", "mvmd1"]], expected)
    np.testing.assert_array_equal(table[["one", "two"]], given.Y)
    said(capsys, *options, "mlfs", "--components", "40%", "--force")
    table = pd.read_csv(output) if suffix == "csv" else pd.read_parquet(output)
    assert list(table.columns) == [
        *mlreduce.MLFS(k=1).fit(given.X, given.Y).get_feature_names_out(list("abc")),
        "one",
        "two",
    ]


@pytest.fixture(scope="module")
def formats(tmp_path_factory):
    """The same data in every format, by what says the labels: path and arguments."""
    folder = tmp_path_factory.mktemp("formats")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)).round(3)
    Y = rng.integers(0, 2, (20, 2))
    lines = "\n".join(",".join(map(str, [*x, *y])) for x, y in zip(X, Y, strict=True))
    (folder / "mulan.arff").write_text(f"{ARFF}@data\n{lines}\n")
    (folder / "mulan.xml").write_text('<labels><label name="one"></label><label name="two"></label></labels>')
    (folder / "meka.arff").write_text(f"{ARFF}@data\n{lines}\n".replace("@relation r", "@relation 'r: -C -2'"))
    table = pd.DataFrame(np.column_stack([X, Y]), columns=[*"abc", "one", "two"]).astype({"one": int, "two": int})
    table.to_csv(folder / "t.csv", index=False)
    table.to_csv(folder / "t.tsv", index=False, sep="\t")
    table.to_parquet(folder / "t.parquet", index=False)
    savemat(folder / "m.mat", {"X": X, "Y": Y})
    rows = [
        f"{','.join(str(label) for label in np.flatnonzero(y))} " + " ".join(f"{i}:{v}" for i, v in enumerate(x))
        for x, y in zip(X, Y, strict=True)
    ]
    (folder / "x.xmc").write_text("20 3 2\n" + "\n".join(rows) + "\n")
    ones = [
        f"{','.join(str(label) for label in np.flatnonzero(y))} " + " ".join(f"{i + 1}:{v}" for i, v in enumerate(x))
        for x, y in zip(X, Y, strict=True)
    ]
    (folder / "s.svm").write_text("\n".join(ones) + "\n")
    MultiLabelData(X, Y.astype(np.int8), list("abc"), ["one", "two"], "n").save(folder / "n.npz")
    return folder, X, Y


@pytest.mark.parametrize(
    ("file", "labels"),
    [("mulan.arff", None), ("meka.arff", None), ("t.csv", "one,two"), ("t.tsv", "last:2"), ("t.parquet", "2"),
     ("m.mat", None), ("x.xmc", None), ("s.svm", None), ("n.npz", None)],
)  # fmt: skip
def test_reduces_every_format(formats, tmp_path, capsys, file, labels):
    folder, X, Y = formats
    output = tmp_path / "out.csv"
    asked = [] if labels is None else ["--labels", labels]
    said(capsys, "reduce", folder / file, *asked, "--method", "mvmd", "--components", 2, "-o", output)
    table = pd.read_csv(output)
    np.testing.assert_array_equal(table.iloc[:, 2:], Y)
    expected = mlreduce.MVMD(n_components=2).fit_transform(X, Y)
    np.testing.assert_allclose(np.abs(table.iloc[:, :2]), np.abs(expected), atol=1e-8)


def test_arguments_of_read(tmp_path, capsys):
    """What the sentences on a refused file say is typed as they say it; lists also with commas."""
    path = tmp_path / "market.csv"
    path.write_text("id;area;x;y\nc1;north;1,5;off\nc2;south;2,5;on\n")
    given = ["info", path, "--labels", 1, "--read", "sep=;", "--read", "decimal=,", "--read", "label_values=off,on"]
    for lists in (["drop=id,area"], ["drop=['id', 'area']"], ['drop=["id"]', "categories=area"]):
        more = [part for own in lists for part in ("--read", own)]
        found = json.loads(said(capsys, *given, *more, "--json"))
        assert (found["features"], found["cardinality"]) == (len(lists), 0.5)
    for same in ('sep=";"', "sep=';'"):
        assert "its first line has no" not in refused(capsys, "info", path, "--labels", 1, "--read", same)
    assert "Give --read sep=';'" in refused(capsys, "info", path, "--labels", 1)
    sentences = {
        "spe=;": "--read: unknown argument 'spe'; did you mean 'sep'?",
        "labels=1": "unknown argument 'labels'",
        "sep": "--read takes NAME=VALUE, as in --read sep=';'; got 'sep'",
        "n_features=many": "--read n_features takes an integer; got 'many'",
        "keep_identifiers=perhaps": "--read keep_identifiers takes true or false; got 'perhaps'",
        "keep_identifiers=True": "the format table takes no keep_identifiers; got True",
        "drop=[[1]]": "drop: unknown attribute of market.csv '[[1]]'",
        "encoding=5": "--read encoding=5 is not the name of an encoding",
    }
    for own, sentence in sentences.items():
        assert sentence in refused(capsys, *given, "--read", own)
    assert "leave --labels out, and --read" in refused(capsys, "info", "emotions", "--read", "sep=;")


def test_reduces_a_published_set(tmp_path, capsys):
    said(capsys, "reduce", "planted-300", "--method", "pca", "--components", 2, "-o", tmp_path / "out.csv")
    data = mlreduce.load_dataset("planted-300")
    np.testing.assert_allclose(
        pd.read_csv(tmp_path / "out.csv")[["pca0", "pca1"]], mlreduce.PCA(n_components=2).fit_transform(data.X)
    )


def test_what_cannot_be_reduced_is_said_and_nothing_written(data, tmp_path, capsys):
    output = tmp_path / "out.csv"
    options = ["reduce", data, "--labels", 2, "-o", output, "--method"]
    assert "'n_components'" in refused(capsys, *options, "mvmd", "--set", "n_componnets=2")
    assert "family labelspace" in refused(capsys, *options, "cplst")
    assert "NAME=VALUE" in refused(capsys, *options, "mvmd", "--set", "beta")
    assert "must end in .csv or .parquet" in refused(capsys, *options[:5], tmp_path / "out.txt", "--method", "mvmd")
    assert "no.arff" in refused(capsys, "reduce", tmp_path / "no.arff", *options[2:], "mvmd")
    assert not output.exists()


#: What messages name in Python: an argument with a value, a call, a name of the package.
PYTHON = re.compile(
    r"(?<!--read )\b[a-z_]+=['\"\[({\w ,;.)]|\{['\"]\w+['\"]: |\bmlreduce\.[a-z]|[a-z]\(\)|\bNone\b"
    r"|leaderboard_|\.table"
)
#: Beginnings of what it does not print, since it passes no such argument: labels apart from the features, n_labels, ...
OTHERS = (
    "'x': --labels first or",
    "header is True",
    "a data set has its labels with it",
    "no candidate that was finished",
)
OTHERS += ("{what} holds sets of labels", "a multi-label method requires")
#: Modules of which the command line prints messages.
MODULES = ("datasets/reading", "datasets/readers/*", "datasets/fetch", "evaluation/compare", "evaluation/budget")
MODULES += ("evaluation/jobs", "auto/reducer", "auto/explanation", "methods/recommendation", "guards", "validation/*")


def messages():
    """Sentences of the modules, with a value in the place of each part that is computed."""
    for pattern in MODULES:
        for path in sorted((Path(mlreduce.__file__).parent).glob(f"{pattern}.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call | ast.Yield | ast.Return | ast.Assign | ast.BinOp | ast.List):
                    continue
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.JoinedStr):
                        shown = [each.value if isinstance(each, ast.Constant) else "'x'" for each in part.values]
                        yield "".join(shown)
                    elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value


def test_messages_name_options_and_nothing_of_python():
    also = {
        "time_budget": "--seconds",
        "memory_limit": "--gigabytes",
        "n_jobs": "--jobs",
        "n_components": "--components",
    }
    shown = [in_options(each, also) for each in messages() if " " in each]
    assert len(shown) > 200
    assert [each for each in shown if PYTHON.search(each) and not each.startswith(OTHERS)] == []
    given = "drop=['a, [b]', 'c'] or labels={\"last\": 6}, sep=';', header=True, variables=('both',), impute=)"
    assert in_options(given) == (
        """--read drop='["a, [b]", "c"]' or --labels last:6, --read sep=';', --read header=true, """
        "--read variables=both, --impute)"
    )


@pytest.mark.parametrize(
    ("text", "labels", "typed"),
    [
        ("x;y\n1,5;0\n2,5;1\n", "--labels 1", ["--read sep=';'", "--read decimal=,"]),
        ("x,y1,y2,y3,y4,y5,y6\n1,1,0,1,0,1,0\n2,0,1,0,1,0,1\n", "", ["--labels last:6"]),
        ("x,a day,y\n1,2020-01-02,0\n2,2020-01-03,1\n", "--labels 1", ["--read drop='a day'"]),
        ("1,2,0\n2,3,1\n", "--labels 1", ["--read header=false"]),
        ("größe,y\n1,0\n2,1\n", "--labels 1", ["--read encoding=latin-1"]),
    ],
)
def test_what_a_refusal_says_can_be_typed(tmp_path, capsys, text, labels, typed):
    (tmp_path / "t.csv").write_text(text, encoding="latin-1")
    given = ["info", tmp_path / "t.csv", *labels.split()]
    message = refused(capsys, *given)
    assert all(option in message for option in typed)
    assert "features" in said(capsys, *given, *shlex.split(" ".join(typed)))


def test_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        commandline.main(["--version"])
    assert capsys.readouterr().out == f"mlreduce {mlreduce.__version__}\n"


def test_fetches_from_a_mirror_what_it_can(tmp_path, capsys):
    assert "did you mean 'yeast'" in refused(capsys, "fetch", "yeest", "--to", tmp_path)
    (tmp_path / "empty").mkdir()
    error = refused(capsys, "fetch", "flags", "yeast", "--to", tmp_path / "to", "--mirror", tmp_path / "empty")
    assert "2 of 2 data sets were not fetched" in error
    entry = next(own for entries in read_catalogue()["yeast"].files.values() for own in entries)
    mine = tmp_path / "to" / entry.folder / entry.name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    assert f"{mine}: this is not the published file; move it" in refused(
        capsys, "fetch", "yeast", "--to", tmp_path / "to"
    )
    assert mine.read_text() == "mine"


def test_doctor_names_what_is_missing(capsys, monkeypatch):
    assert json.loads(said(capsys, "doctor", "--json"))["numpy"] == np.__version__
    monkeypatch.setattr("mlreduce.commandline.doctor.packages_of_extras", lambda: {"numba": "plot"})
    assert "missing" not in said(capsys, "doctor")
    monkeypatch.setattr("mlreduce.commandline.doctor.packages_of_extras", lambda: {"no-such-package": "plot"})
    assert "no-such-package  missing: pip install 'mlreduce[plot]'" in said(capsys, "doctor")


def test_a_command_that_is_none(capsys):
    with pytest.raises(SystemExit) as ended:
        commandline.main(["lsit"])
    assert ended.value.code == 2
    assert "invalid choice: 'lsit'" in capsys.readouterr().err


def test_as_a_program():
    command = f"{shlex.quote(sys.executable)} -m mlreduce list | head -1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("name                family       year  method\n", "")


def test_help_imports_little():
    code = "import sys; from mlreduce.commandline import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print(sorted({'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib', 'argcomplete'} & sys.modules.keys()))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("[]\n")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("mlreduce comp", ["compare"]),
        ("mlreduce info mv", ["mvmd"]),
        pytest.param("mlreduce info yea", ["yeast"], marks=pytest.mark.slow),
        pytest.param("mlreduce reduce x.csv --method mlf", ["mlfs"], marks=pytest.mark.slow),
    ],
)
def test_completion_in_the_shell(typed, expected):
    """As the code that register-python-argcomplete prints asks for it: the answer comes in the eighth file."""
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": typed, "COMP_POINT": str(len(typed)), "COMP_TYPE": "9"}
    command = f"{shlex.quote(sys.executable)} -m mlreduce 8>&1 9>/dev/null"
    ran = subprocess.run(
        ["bash", "-c", command], env={**os.environ, **asked, "_ARGCOMPLETE_IFS": "\n"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (ran.stdout.split(), ran.stderr) == (expected, "")


def test_a_shell_completes_the_names_of_all_methods_and_data_sets():
    assert sorted(listing._names()) == sorted([*mlreduce.registry.method_names(), *read_catalogue()])


@pytest.mark.slow
def test_what_was_fetched_is_a_mirror(tmp_path, capsys, mirror):
    """Also of a set whose files belong to the folder of another name."""
    said(capsys, "fetch", "reuters", "flags", "--to", tmp_path, "--mirror", mirror)
    catalogue = read_catalogue()
    assert all(catalogue[name].is_at_hand(tmp_path) for name in ("flags", "reuters", "reuters-copies"))
    assert mlreduce.load_dataset("flags", mirror=tmp_path).Y.shape == (194, 7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirection", "sentence"),
    [
        ("> /dev/full", "mlreduce: the result cannot be written: [Errno 28] No space left on device"),
        (">&-", "mlreduce: standard output is closed: the result is not shown"),
        ("> /dev/full 2>&-", ""),
    ],
)
@pytest.mark.parametrize("command", ["list", "list --json"])
def test_a_result_that_cannot_be_written_is_a_sentence(command, redirection, sentence):
    program = shlex.join([sys.executable, "-m", "mlreduce"])
    done = subprocess.run(f"{program} {command} {redirection}", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, sentence)


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", "d\0.csv", "--labels", "2"],
        ["compare", "d.arff", "--labels", "2", "-o", "x\0y"],
        ["reduce", "d.arff", "--labels", "2", "--method", "pca", "-o", "a\0.csv"],
        ["info", "d.arff", "--labels", "x\0.xml"],
    ],
)
def test_a_name_with_nul_is_refused(arguments, capsys):
    assert refused(capsys, *arguments) == "mlreduce: an argument holds a NUL character, which no name of a file has\n"


@pytest.mark.parametrize("labels", [1.0, True, {"last": 1.0}, {"first": "2"}, {"last": None}, object()])
def test_a_number_of_labels_is_whole(labels, data):
    with pytest.raises(DataError, match="how many columns are labels is an integer"):
        mlreduce.read(data, labels)
    table = data.with_suffix(".csv")
    table.write_text("a,b,one\n1,2,0\n2,1,1\n")
    with pytest.raises(DataError, match="how many columns are labels is an integer"):
        mlreduce.read(table, labels)


def test_a_path_with_nul_is_refused(data):
    for arguments in (("d\0.csv", 2), ([str(data) + "\0"], 2), (data, "x\0.xml")):
        with pytest.raises(ConfigurationError, match="holds a NUL character"):
            mlreduce.read(*arguments)
