"""The leaderboard: what an entry may be, what is noticed of one that breaks a rule, and how entries are ranked."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD

from mlreduce import registry
from mlreduce.configuration import read_yaml
from mlreduce.datasets import load_dataset
from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.scores import as_table
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.files import file_sha256
from mlreduce_studies import enter
from mlreduce_studies.benchmark import pieces as benchmark_pieces
from mlreduce_studies.benchmark.pieces import PIECE_COLUMNS, Piece, Pieces
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.leaderboard import apart, packages, page, run
from mlreduce_studies.leaderboard.apart import set_apart
from mlreduce_studies.leaderboard.checks import draw_sample, failure_of
from mlreduce_studies.leaderboard.entry import FAMILIES, SETS, Entry, entries, read_entry
from mlreduce_studies.leaderboard.kept import KeptEntry, keep, read_kept
from mlreduce_studies.leaderboard.run import Outcome, study_of
from mlreduce_studies.outside import AtMost
from mlreduce_studies.study import load_study

pytestmark = pytest.mark.rotating

PROJECT = Path(__file__).parents[2]
BAD = PROJECT / "tests" / "bad_entries.py"
ENTRIES = entries(PROJECT)
LIMITS, SEED = {"seconds": 0.3, "gigabytes": 1}, 2


def entry_of(name, family="projection", path=PROJECT, **more):
    file = Path(path, "leaderboard", "mine.yaml")
    own = Entry("mine", file, "Mine", family, name, {}, {}, {}, "me", "https://doi.org/1")
    return replace(own, **more)


@pytest.fixture
def project(tmp_path):
    """A project with the entry "mine", whose class is put into it, beside another whose results are there."""
    for folder in ("comparisons", "config", "envs"):
        (tmp_path / folder).symlink_to(PROJECT / folder)
    for folder in ("docs", "leaderboard"):
        (tmp_path / folder).mkdir()
    shutil.copy(PROJECT / page.PAGE, tmp_path / page.PAGE)
    other = read_yaml(PROJECT / "leaderboard" / "truncated-svd.yaml")

    def write(**keys):
        content = {**other, "title": "Mine", "class": "bad_entries.First", **keys}
        for name, own in (("other", other), ("mine", content)):
            own = {key: value for key, value in own.items() if value is not None}
            (tmp_path / "leaderboard" / f"{name}.yaml").write_text(yaml.safe_dump(own))
        return tmp_path

    return write


# What an entry does


@pytest.mark.parametrize(
    ("name", "family", "sentence"),
    [
        ("bad_entries.Raises", "projection", "ValueError: there is"),
        ("bad_entries.Busy", "projection", "took more than 0.3 s, the limit of the study"),
        pytest.param(
            *("bad_entries.Waits", "projection", "took more than 0.3 s, the limit of the study"), marks=pytest.mark.slow
        ),
        ("bad_entries.Ends", "projection", "ended its process by signal 9"),
        ("bad_entries.Hungry", "projection", "took more memory than the limit of the study"),
        ("bad_entries.Missing", "projection", "numbers that are not finite"),
        ("bad_entries.RatesNothing", "selection", "predicts NaN: 39 of 39 features that vary have no rating"),
        pytest.param("bad_coders.MissingCodes", "labelspace", "numbers that are not finite", marks=pytest.mark.slow),
        ("bad_entries.Drawn", "projection", "is not the same twice with one seed"),
        ("bad_entries.ByBatch", "projection", "looks at test rows: the image of a row depends on how many rows are"),
        pytest.param(
            *("cheating_entries.KnowsShape", "projection", "looks at test rows: the image of a row depends on"),
            marks=pytest.mark.slow,
        ),
        ("bad_entries.Nothing", "projection", "unknown class of bad_entries 'Nothing'"),
        ("bad_entries.Rates", "projection", "it has no transform"),
        ("bad_entries.First", "selection", "First rates no features"),
        pytest.param("bad_entries.First", "labelspace", "is no label coder", marks=pytest.mark.slow),
    ],
)
def test_what_breaks_a_rule_is_said_in_one_sentence(name, family, sentence):
    limits = LIMITS if "0.3 s" in sentence else {**LIMITS, "seconds": 20}
    found = failure_of(entry_of(name, family), limits, SEED, [BAD.parent])
    assert sentence in found
    assert "\n" not in found


@pytest.mark.parametrize(
    ("name", "family", "more"),
    [
        pytest.param("bad_entries.First", "projection", {}, marks=pytest.mark.slow),
        ("bad_entries.First", "projection", {"size": "n_components"}),
        ("bad_entries.ByBatch", "projection", {"batch": "its mean is that of the rows"}),
        ("bad_entries.Rates", "selection", {}),
        ("bad_coders.Codes", "labelspace", {}),
    ],
)
def test_what_keeps_the_rules_passes(name, family, more):
    limits = {**LIMITS, "seconds": 20}
    assert failure_of(entry_of(name, family, **more), limits, SEED, [BAD.parent]) is None


def test_what_is_checked_has_a_shape_by_chance():
    samples = [draw_sample(seed) for seed in range(40)]
    assert len({sample.X.shape for sample in samples}) > 30
    assert len({len(sample.others) for sample in samples}) > 20
    assert len({sample.Y.shape[1] for sample in samples}) > 3
    for sample in samples:
        assert sample.X.min() == 0
        assert np.ptp(sample.X, axis=0).all()
    np.testing.assert_array_equal(draw_sample(0).X, samples[0].X)


# Programs of entries: what Python runs, so that it can be run everywhere.
PROGRAMS = {
    "scores": "import numpy as np\nX = np.loadtxt('X.csv', delimiter=',')\nnp.savetxt('scores.csv', X.var(axis=0))\n",
    "directions": "import numpy as np\nX = np.loadtxt('X.csv', delimiter=',')\n"
    "np.savetxt('directions.csv', np.eye(X.shape[1])[:, : int(np.loadtxt('k.csv'))], delimiter=',')\n",
    "reads": f"import numpy as np\nopen({str(BAD)!r})\n",
}


def program_of(project, text, writes="scores", family="selection", **keys):
    folder = project(
        **{"class": None, "size": None, "family": family, "packages": {}, "writes": writes},
        program={"command": f"{sys.executable} mine/run.py", "files": ["mine"], "exchange": "csv"},
        **keys,
    )
    (folder / "leaderboard" / "mine").mkdir(exist_ok=True)
    (folder / "leaderboard" / "mine" / "run.py").write_text(text)
    return read_entry("mine", folder)


@pytest.mark.parametrize(
    ("writes", "family"),
    [("scores", "selection"), pytest.param("directions", "projection", marks=pytest.mark.slow)],
)
def test_a_program_is_an_entry(project, writes, family):
    entry = program_of(project, PROGRAMS[writes], writes, family)
    limits = {"seconds": 20, "gigabytes": 1}
    assert failure_of(entry, limits, SEED) is None
    assert entry.size == (None if family == "selection" else "n_components")
    method = set_apart(family, next(iter(entry.methods([2]).values())), limits, [], entry.files)
    fitted = registry.make_entry("mine", method).fit(*draw_sample(SEED)[:2])
    apart.close()
    X, _, others = draw_sample(SEED)
    if family == "selection":
        np.testing.assert_allclose(fitted.scores_, X.var(axis=0))
    else:
        np.testing.assert_allclose(fitted.transform(others), (others - X.mean(axis=0))[:, :2])


@pytest.mark.skipif(not apart.refuses_files(), reason="the system has no Landlock")
def test_a_program_reads_no_files_of_the_user(project):
    entry = program_of(project, PROGRAMS["reads"])
    assert "PermissionError" in failure_of(entry, {"seconds": 20, "gigabytes": 1}, SEED)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("octave") is None, reason="Octave is not installed")
def test_a_program_in_octave_is_an_entry(project):
    octave = PROJECT / "examples" / "programs" / "octave" / "select.m"
    folder = project(
        **{"class": None, "size": None, "family": "selection", "packages": {}, "writes": "scores"},
        program={"command": "octave --no-gui --quiet mine.m", "files": ["mine.m"]},
    )
    shutil.copy(octave, folder / "leaderboard" / "mine.m")
    assert failure_of(read_entry("mine", folder), {"seconds": 60, "gigabytes": 3}, SEED) is None


@pytest.mark.parametrize("place", ["mine/labels.csv", "mine.py"])
def test_links_in_the_files_of_an_entry_are_refused(project, place):
    program_of(project, PROGRAMS["scores"])
    (project() / "leaderboard" / place).symlink_to(BAD)
    with pytest.raises(ConfigurationError, match=f"mine.yaml: .*{place} is a link"):
        program_of(project, PROGRAMS["scores"])


def test_another_program_is_another_entry(project):
    first, second = (program_of(project, text).digest for text in (PROGRAMS["scores"], PROGRAMS["directions"]))
    assert first != second


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"family": "projection"}, "a program that writes scores is of the family selection"),
        ({"class": "bad_entries.First"}, "either a class or a program"),
        ({"writes": None}, "writes"),
        ({"program": {"command": "true", "files": ["mine.m"]}}, "there is no"),
        ({"program": {"command": "true", "files": ["other.m"]}}, "'other.m' must be in leaderboard/mine"),
        ({"program": {"command": "true", "files": ["mine/../../results"]}}, "must be in leaderboard/mine"),
        ({"program": {"command": "true", "files": [""]}}, "'' must be in leaderboard/mine"),
    ],
)
def test_a_program_that_is_described_wrongly_is_refused(project, keys, sentence):
    given = {"class": None, "size": None, "family": "selection", "packages": {}, "writes": "scores", "program": "true"}
    with pytest.raises(ConfigurationError, match=re.escape(sentence)) as error:
        read_entry("mine", project(**{**given, **keys}))
    assert "mine.yaml" in str(error.value)


@pytest.mark.parametrize(
    ("name", "family"), [("First", "projection"), ("Rates", "selection"), ("bad_coders.Codes", "labelspace")]
)
def test_a_class_set_apart_has_the_scores_that_it_has_in_the_process_of_the_scorer(name, family, monkeypatch):
    monkeypatch.syspath_prepend(BAD.parent)
    name = name if "." in name else f"bad_entries.{name}"
    method = entry_of(name, family).method
    apart_entry = set_apart(family, method, {"seconds": 20, "gigabytes": 1}, [BAD.parent])
    task = {
        **{"protocol": "halves", "group": "all", "rule": {"train": 0.5}, "splits": [0, 0], "dimensions": [2]},
        "predictors": {"ridge": {"alpha": "gcv"}},
    }
    tables = []
    for methods in ({"mine": method}, {"mine": apart_entry}):
        settings = {
            "family": family,
            "space": {"scaling": "none" if family == "labelspace" else "unit", "relation": None},
            "tasks": [{**task, "methods": methods}],
            "measured": {"sizes": [20, 50], "measures": ["average-precision", "micro-f1", "micro-f1@one-threshold"]},
        }
        experiment, fitted = Experiment("check", load_dataset("planted-300"), settings, 3), {}
        _, failures = experiment.fit(None, as_table([], FAILURE_COLUMNS), fitted.__setitem__)
        table, more = experiment.predict(fitted, None, as_table([], FAILURE_COLUMNS))
        assert not len(failures)
        assert not len(more)
        tables.append(table.drop(columns="parameters", errors="ignore"))
    apart.close()
    np.testing.assert_allclose(tables[1]["value"], tables[0]["value"], rtol=0, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(rows=st.integers(2, 12), columns=st.integers(2, 12), size=st.integers(1, 16))
def test_a_transformer_has_as_many_dimensions_as_data_allow(rows, columns, size):
    X = np.random.default_rng(rows).random((rows, columns))
    found = AtMost(TruncatedSVD(), size, random_state=3).fit(X)
    assert found.transform(X).shape == (rows, min(size, rows, columns))
    assert found.transformer_.random_state == 3


# Files of entries


def test_the_sets_are_those_of_the_benchmark_and_small():
    protocol = Protocol(PROJECT)
    assert len(set(SETS)) == 6
    assert set(SETS) <= set(protocol.datasets)
    assert set(FAMILIES.values()) == set(protocol.config["studies"])
    rows = pd.read_csv(PROJECT / "docs" / "benchmark" / "data-sets.csv", index_col="data set")["rows"]
    assert all(rows[name] <= 700 for name in SETS)


@pytest.mark.parametrize("name", ENTRIES)
def test_entries_are_studies_with_pinned_packages(name):
    entry = ENTRIES[name]
    locked = packages.pins((PROJECT / "envs" / "requirements.lock").read_text())
    own = packages.pins(entry.lock.read_text()) if entry.lock.is_file() else {}
    assert not own.keys() & locked.keys()
    assert {**locked, **own}.items() >= entry.packages.items()
    if own:
        blocks = re.split(r"^(?=[a-z])", entry.lock.read_text(), flags=re.MULTILINE)[1:]
        assert all("--hash=sha256:" in block for block in blocks)
    content = study_of(entry, PROJECT, SETS)
    benchmark = read_yaml(PROJECT / "comparisons" / "benchmark-2.yaml")
    for key in ("dimensions", "limits", "measures", "ties", "scaling"):
        assert content[key] == benchmark[key], key


@pytest.mark.parametrize("name", [name for name, own in ENTRIES.items() if own.class_path.startswith("sklearn")])
def test_an_entry_s_study_is_of_its_family(name, tmp_path):
    entry = ENTRIES[name]
    file = tmp_path / f"{name}.yaml"
    file.write_text(json.dumps(study_of(entry, PROJECT, SETS)))
    study = load_study(file, "paper", Protocol(PROJECT).catalogue)
    assert study.family == entry.family
    assert study.ties == "expected"
    assert study.tasks("flags") == [("folds", "entry"), ("folds", "controls")]
    benchmark = Protocol(PROJECT).studies()[FAMILIES[entry.family]]
    for own in SETS:
        assert study.rule_of("folds", own) == benchmark.rule_of("folds", own)
        assert study.splits_of("entry", own) == benchmark.splits_of(next(iter(benchmark.groups)), own)
        assert study.space_of(own) == benchmark.space_of(own)
    predictors = benchmark.groups[next(iter(benchmark.groups))].predictors
    assert study.predictors_of("flags", "folds", "entry") == list(predictors)


def test_a_coder_of_one_s_own_is_an_entry(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(BAD.parent)
    file = tmp_path / "mine.yaml"
    for name in ("bad_coders.Codes", "bad_entries.Rates"):
        file.write_text(json.dumps(study_of(entry_of(name, "labelspace"), PROJECT, SETS)))
        if name == "bad_coders.Codes":
            assert load_study(file, "paper", Protocol(PROJECT).catalogue).family == "labelspace"
        else:
            with pytest.raises(ConfigurationError, match="'mine' is a class of another package, and is no label coder"):
                load_study(file, "paper", Protocol(PROJECT).catalogue)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"family": "reduction"}, "family"),
        ({"packages": {"scikit-learn": ">=1.9"}}, "packages.scikit-learn"),
        ({"class": "TruncatedSVD"}, "class"),
        ({"reference": None}, "reference"),
        ({"title": "two\nlines"}, "title"),
        ({"parameters": {"n_components": 3}}, "'n_components' is given under size or search too"),
        (
            {"class": "leaderboard.other.Mine"},
            "is in the module of another entry; the class must be defined in leaderboard.mine",
        ),
        ({"class": "leaderboard.mine.Mine"}, "mine.py is missing, the module with leaderboard.mine.Mine"),
        ({"family": "selection"}, "size is for projections; leave it out"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(project, keys, sentence):
    folder = project(**keys)
    with pytest.raises(ConfigurationError, match=re.escape(sentence)) as error:
        read_entry("mine", folder)
    assert "mine.yaml" in str(error.value)


def test_an_unknown_entry_has_the_nearest_known_name(project, capsys):
    assert enter.main(["mime", "--project", str(project())]) == 1
    assert "'mine'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("versions", "lock", "sentence"),
    [
        ({"scikit-learn": "1.0"}, None, "the project locks"),
        ({"no-such-package": "1.0"}, None, "is wanted, and here is none. Write"),
        ({"no-such-package": "1.0"}, "no-such-package==1.1 --hash=sha256:00\n", "1.0 is required, it has 1.1"),
        ({"no-such-package": "1.0"}, "no-such-package==1.0\nnumpy==1.0\n", "numpy is locked by the project"),
        ({"no-such-package": "1.0"}, "no-such-package[all]==1.1\n", "1.0 is required, it has 1.1"),
    ],
)
def test_packages_that_are_not_there_need_a_lock(project, tmp_path, versions, lock, sentence):
    entry = read_entry("mine", project(packages=versions))
    if lock is not None:
        entry.lock.write_text(lock)
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        packages.folder_of_packages(entry, PROJECT, tmp_path / "packages")


@pytest.mark.parametrize(
    "line",
    [
        "--no-binary :all:",
        "--index-url https://example.org",
        "-r other.lock",
        "-e .",
        "./no-such-package",
        "no-such-package @ https://example.org/no-such-package.tar.gz",
        "no-such-package>=1.0",
        "no-such-package==${VERSION}",
        "no-such-package==1.0 --config-settings=a=b --hash=sha256:00",
        "no-such-package==1.0 \\\n    --global-option=a",
        "no-such-package==1.0 ; python_version > '3 --global-option=a'",
        "no-such-package==1.0 ; python_version > '3' --global-option=a",
    ],
)
def test_a_lock_with_anything_but_pins_and_hashes_is_refused(project, tmp_path, line):
    there = line.startswith("--")  # whether the packages are installed does not matter
    versions = packages.missing_packages({"numpy": "none of these"}) if there else {"no-such-package": "1.0"}
    entry = read_entry("mine", project(packages=versions))
    entry.lock.write_text(f"# Of the entry\nno-such-package==1.0 \\\n    --hash=sha256:00\n{line}\n")
    with pytest.raises(
        ConfigurationError, match="not a pinned package with hashes: .*; the only option of a lock is --hash"
    ):
        packages.folder_of_packages(entry, PROJECT, tmp_path / "packages")


def test_packages_that_are_there_need_nothing(project):
    there = packages.missing_packages({"numpy": "none of these"})
    assert packages.folder_of_packages(read_entry("mine", project(packages=there)), PROJECT, "nowhere") is None


# What is kept, and the page


def scores_of(entry, values, control):
    """What the workflow measures of an entry, by data set, and of its control."""
    rows = []
    for name, value in values.items():
        for label in (*entry.methods([8, 16]), control):
            own, fitted = (0.5, 16) if label == control else (value, int(label.partition("@")[2] or 16))
            sizes = [(0, 8), (0, 16), (5, 0), (10, 0), (100, 0)]
            for percent, number in sizes[-1:] if (entry.family, label) == ("selection", control) else sizes:
                size = number or fitted
                rows.append((name, label, 0, percent, number, size, "ridge", page.MEASURE, own, 0.1, 9.0, "ok"))
    return run.at_own_sizes(entry, pd.DataFrame(rows, columns=["dataset", *PIECE_COLUMNS]))


def outcome_of(entry, values):
    control = next(iter(run._CONTROLS[entry.family]))
    return Outcome(None, scores_of(entry, values, control), {"numpy": "2"}, 60.0)


@pytest.mark.parametrize(
    ("family", "size"), [("projection", "n_components"), ("projection", None), ("selection", None)]
)
def test_entries_are_ranked_with_their_control_at_every_size(project, family, size):
    folder = project(size=size, family=family)
    entry = read_entry("mine", folder)
    kept = keep(entry, folder, outcome_of(entry, {**dict.fromkeys(SETS, 0.6), SETS[0]: 0.4}), SETS)
    assert kept.whole
    table = page.ranked(family, {"mine": kept}, {"mine": entry}, pd.DataFrame()).table
    assert list(table.index) == ["mine", "all-features"]
    assert table["near"]["mine"] == pytest.approx(5 / 6)
    assert table["mean"]["mine"] == pytest.approx((5 * 0.6 + 0.4) / 6)
    assert table["rank"]["mine"] == pytest.approx((5 * 1 + 2) / 6)


def test_methods_of_the_benchmark_are_ranked_beside_entries(project):
    folder = project()
    entry = read_entry("mine", folder)
    kept = keep(entry, folder, outcome_of(entry, dict.fromkeys(SETS, 0.6)), SETS)
    rows = [(name, "pca", float(size), "ridge", 0.7, 0.2) for name in SETS for size in (8, 16)]
    committed = pd.DataFrame(rows, columns=["dataset", "method", "size", "predictor", "value", "seconds"])
    table = page.ranked("projection", {"mine": kept}, {"mine": entry}, committed).table
    assert list(table.index) == ["pca", "mine", "all-features"]


def test_pieces_of_the_benchmark_stand_beside_entries_once_all_sets_have_one(project):
    folder = project()
    protocol = Protocol(folder)
    pieces = Pieces(protocol)
    methods = ("pca", "wmlda", "random-0", "random-1", "random-2", "all-features")
    rows = [
        (method, 0, percent, number, number or 64, predictor, page.MEASURE, 0.5 + 0.01 * place, 0.1, 9.0, "ok")
        for place, method in enumerate(methods)
        for percent, number in ((0, 8), (0, 16), (100, 0))
        for predictor in ("ridge", "ml-knn")
    ]
    table = pd.DataFrame(rows, columns=list(PIECE_COLUMNS)).assign(warnings="", at_edge="")
    for name in SETS:
        assert page._committed("projection", folder).empty
        own = Piece("benchmark-2-projections", name, 1, len(table), 0, "", protocol.digest)
        path = pieces.folder / own.file
        path.parent.mkdir(parents=True, exist_ok=True)
        benchmark_pieces._write(path, table, {})
        with (pieces.folder / benchmark_pieces.LIST).open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([Piece._fields] if name == SETS[0] else [])
            writer.writerow(own._replace(sha256=file_sha256(path)))
    found = page._committed("projection", folder)
    assert set(found["predictor"]) == {"ridge"}
    assert found[found["method"] == "all-features"]["size"].eq(0).all()
    means = found.groupby("method")["value"].mean().round(6)
    # The mean of the draws is one method.
    assert means.to_dict() == {"all-features": 0.55, "pca": 0.5, "random-projection": 0.53, "wmlda": 0.51}
    assert found["seconds"].round(6).eq(0.1).all()
    entry = read_entry("mine", folder)
    keep(entry, folder, outcome_of(entry, dict.fromkeys(SETS, 0.6)), SETS)
    text = page.texts_of((folder / page.PAGE).read_text(), folder)[0]
    projections = text.partition("## Projections")[2].partition("## Selectors")[0]
    shown = re.findall(r"^\| (?!method|---)(.*?) \|", projections, re.MULTILINE)
    assert [name.partition("]")[0].strip("[") for name in shown][:2] == ["Mine", "all-features"]
    assert "has not been run" not in projections


def test_what_failed_has_a_row_and_touches_nothing_else(project, monkeypatch, capsys, tmp_path):
    folder = project()
    other = read_entry("other", folder)
    keep(other, folder, outcome_of(other, dict.fromkeys(SETS, 0.6)), SETS)
    page.write_page(folder)
    before = {path: path.read_bytes() for path in folder.glob("results/leaderboard/other/*")}
    lines = (folder / page.PAGE).read_text().splitlines()
    monkeypatch.setattr(run, "failure_of", lambda *_: "looks at | test rows")
    options = ["--project", str(folder), "--to", str(tmp_path / "run")]
    assert enter.main(["mine", *options]) == 1
    assert "mlreduce: mine looks at | test rows" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in folder.glob("results/leaderboard/other/*")}
    new = (folder / page.PAGE).read_text().splitlines()
    changed = [line for line in new if line not in lines]
    assert len(changed) == 1
    assert "failed: looks at" in changed[0]
    assert [line for line in lines if line not in new] == [
        changed[0].replace(changed[0].split(" | ")[1], "not run yet")
    ]


def test_a_run_that_does_not_end_has_failed(project, monkeypatch, tmp_path):
    folder = project()
    monkeypatch.setattr(run, "failure_of", lambda *_: None)
    monkeypatch.setattr(run, "run_workflow", lambda *_: False)
    outcome = run.run_entry(read_entry("mine", folder), folder, tmp_path / "run", SETS, minutes=3)
    assert (outcome.failed, outcome.scores) == ("is not finished after 3 minutes", None)


def test_scores_belong_to_the_files_of_an_entry(project):
    folder = project()
    entry = read_entry("mine", folder)
    kept = keep(entry, folder, outcome_of(entry, {"flags": 0.6}), ["flags"])
    assert kept.is_of(entry, folder)
    assert not kept.whole
    assert "run on 1 of 6 sets" in page.texts_of((folder / page.PAGE).read_text(), folder)[0]
    changed = read_entry("mine", project(parameters={"n_iter": 3}))
    assert not kept.is_of(changed, folder)
    assert "run in another version" in page.texts_of((folder / page.PAGE).read_text(), folder)[0]
    path = folder / "results" / "leaderboard" / "mine" / "scores.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(DataError, match="its SHA-256 is not that of entry.json; run it again: make enter METHOD=mine"):
        read_kept("mine", folder)


@pytest.fixture
def rerun(project, monkeypatch, capsys):
    """What ``--verify`` prints where a run has scores, and others are committed, which are forged."""

    def verified(forge=lambda scores: scores, failed=None):
        folder = project()
        entry = read_entry("mine", folder)
        honest = outcome_of(entry, {"flags": 0.6, "birds": 0.4})
        keep(entry, folder, replace(honest, scores=forge(honest.scores.copy())), ["flags", "birds"])
        before = {path: path.read_bytes() for path in folder.rglob("results/**/*") if path.is_file()}
        new = Outcome(failed, None, {}, 1.0) if failed else honest
        monkeypatch.setattr(enter, "run_entry", lambda *_: new)
        monkeypatch.setattr(enter, "missing_protections", list)
        status = enter.main(["mine", "--project", str(folder), "--verify", "--sets", "flags", "birds"])
        assert before == {path: path.read_bytes() for path in folder.rglob("results/**/*") if path.is_file()}
        return status, "".join(capsys.readouterr())

    return verified


def test_scores_that_a_new_run_has_are_verified(rerun):
    assert rerun() == (0, "mine: a new run reproduces the scores on flags, birds within 1e-9\n")


@pytest.mark.parametrize(
    ("forge", "sentence"),
    [
        (lambda scores: scores.assign(value=0.999), "6 of 6 scores differ from those of a new run"),
        (lambda scores: scores.assign(value=scores["value"].where(scores.index != 1, 0.61)), "1 of 6 scores differ"),
        (lambda scores: scores.assign(value=scores["value"] + 2e-7), "6 of 6 scores differ"),
        (lambda scores: scores[scores["method"] != "mine"], "4 of 6 scores differ from those of a new run"),
        (lambda scores: scores[scores["dataset"] != "birds"], "3 of 6 scores differ from those of a new run"),
        (lambda scores: scores.assign(value=np.nan, status="time"), "nan is committed, and a new run has 0.5"),
        (lambda scores: scores.assign(size=3), "12 of 12 scores differ"),
    ],
)
def test_forged_scores_are_noticed(rerun, forge, sentence):
    status, text = rerun(forge)
    assert status == 1
    assert sentence in text


def test_scores_of_an_entry_that_fails_are_noticed(rerun):
    status, text = rerun(failed="hangs")
    assert status == 1
    assert "committed is: it did not fail; a new run has: hangs" in text


def test_what_fails_in_all_its_fits_has_failed(project):
    entry = read_entry("mine", project())
    scores = scores_of(entry, {"flags": np.nan}, "all-features").assign(status="time")
    assert run._failed_everywhere(entry, scores) == "failed in all its fits (time)"
    some = scores.assign(value=scores["value"].where(scores.index != 0, 0.3))
    assert run._failed_everywhere(entry, some) is None


def test_the_page_is_that_of_the_kept_scores():
    text = (PROJECT / page.PAGE).read_text(encoding="utf-8")
    table = (PROJECT / page.TABLE).read_text(encoding="utf-8")
    assert page.texts_of(text, PROJECT) == (text, table)
    (shown,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert shown == (PROJECT / "leaderboard" / "truncated-svd.yaml").read_text()
    keys = yaml.safe_load((PROJECT / "workflow" / "schemas" / "entry.schema.yaml").read_text())["properties"]
    assert {key for key in keys if f"`{key}`" not in text} == {"title"}
    assert f"at most {run.MINUTES:g} minutes on two cores" in text


def test_an_entry_is_run_for_a_pull_request_without_rights():
    jobs = yaml.safe_load((PROJECT / ".github" / "workflows" / "leaderboard.yml").read_text())
    # YAML reads "on" as true. Scores alone can be changed too.
    assert jobs[True] == {"pull_request": {"paths": ["leaderboard/**", "results/leaderboard/**"]}}
    assert jobs["permissions"] == {}
    for job in jobs["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        assert job["timeout-minutes"] <= 60
        checkouts = [step for step in job["steps"] if "checkout" in step.get("uses", "")]
        assert [step["with"]["persist-credentials"] for step in checkouts] == [False]
        for step in job["steps"]:  # what a pull request names is no part of a command
            assert "${{" not in step.get("run", "")
    text = (PROJECT / ".github" / "workflows" / "leaderboard.yml").read_text()
    assert "secrets." not in text
    (enters,) = (step for step in jobs["jobs"]["enter"]["steps"] if "make enter" in step.get("run", ""))
    assert enters["timeout-minutes"] > run.MINUTES
    assert "ulimit -v" in enters["run"]
    assert "--verify" in enters["run"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["truncated-svd", "random-forest"])
def test_an_entry_is_run_by_the_workflow(name, tmp_path):
    """On embedded data: checks, fits at the benchmark's sizes, and scores in its form."""
    entry = ENTRIES[name]
    outcome = run.run_entry(entry, PROJECT, tmp_path, ["digits-300"])
    assert outcome.failed is None
    assert outcome.versions.items() >= entry.packages.items()
    assert list(outcome.scores) == [*PIECE_COLUMNS, "dataset"]
    own = outcome.scores[outcome.scores["method"] == name]
    assert own["status"].eq("ok").all()
    assert not own.duplicated(["fold", "percent", "number", "predictor", "measure"]).any()
    assert set(own["number"]) >= {8, 16, 32}
    kept = KeptEntry(name, {"failed": None, "sets": ["digits-300"]}, outcome.scores)
    table = page.ranked(entry.family, {name: kept}, {name: entry}, pd.DataFrame()).table
    assert set(table.index) == {name, "all-features"}
    assert table["mean"].between(0.5, 1).all()
