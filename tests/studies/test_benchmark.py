"""The benchmark: its protocol, folds, plan and pieces, and what refuses those of another."""

from __future__ import annotations

import json
import runpy
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import mlreduce
from mlreduce import registry
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.evaluation.entries import without_search
from mlreduce.evaluation.scores import SCORE_COLUMNS
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.files import file_sha256
from mlreduce.methods.facts import facts_of
from mlreduce.predictors import ml_knn
from mlreduce_studies.benchmark.costs import LONGEST_SEARCH, cost_of, plan, shape_of
from mlreduce_studies.benchmark.folds import check_folds, fold_rows, read_folds, write_folds
from mlreduce_studies.benchmark.pieces import PIECE_COLUMNS, WARNING_COLUMNS, Pieces, job_files
from mlreduce_studies.benchmark.protocol import VERSIONS, Protocol, digest_of_scores, protocol_files
from mlreduce_studies.benchmark.scores import CHOICES
from mlreduce_studies.figures import save
from mlreduce_studies.gathering.job_tables import write_table

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "benchmarks"))

import reducebench  # noqa: E402

FROZEN = runpy.run_path(str(PROJECT / "docs" / "update_frozen.py"))
# Sets that exist twice, or in several views: at most one of each.
DUPLICATES = (
    {"image", "image-boomer"},
    {"tmc2007-500", "tmc2007"},
    *({f"{name}-go", f"{name}-pse-aac", name} for name in ("virus", "gpositive", "gnegative", "plant", "human")),
    {"reuters", "reuters-copies"},
    {"languagelog", "langlog"},
)


@pytest.fixture(scope="module")
def protocol():
    return Protocol(PROJECT)


@pytest.fixture(scope="module")
def studies(protocol):
    return protocol.studies()


@pytest.fixture
def copy(tmp_path):
    """A project with the files of the protocol alone."""
    for file in protocol_files(PROJECT):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / file, tmp_path / file)
    return Protocol(tmp_path)


def expected(name):
    return read_catalogue()[name].options["expect"]


# Protocol


def test_there_are_enough_data_sets_of_each_kind(protocol):
    sets = [expected(name) for name in protocol.datasets]
    assert len(sets) >= 40
    assert min(own["labels"] for own in sets) >= 6
    assert sum(own["labels"] > 100 for own in sets) >= 8
    assert sum(own["attributes"] > 1500 for own in sets) >= 5
    assert all(len(own & set(protocol.datasets)) <= 1 for own in DUPLICATES)


def test_every_published_set_is_run_or_left_out_with_a_reason(protocol):
    catalogue = read_catalogue()
    published = {name for name in catalogue if catalogue[name].files}
    assert published == set(protocol.datasets) | set(protocol.shared["excluded"])


def test_the_studies_share_what_decides(studies):
    first, *others = studies.values()
    assert {study.family for study in studies.values()} == {"selection", "labelspace", "projection"}
    for study in others:
        for key in ("datasets", "protocols", "dimensions", "measures", "limits", "excluded"):
            assert getattr(study, key) == getattr(first, key)
        assert [study.splits_of(next(iter(study.groups)), name) for name in study.datasets] == [
            first.splits_of(next(iter(first.groups)), name) for name in study.datasets
        ]


def test_methods_are_tuned_for_each_predictor_and_measure(studies):
    for study in studies.values():
        measured = {}
        for group in study.groups.values():
            searched = [label for label, entry in group.methods.items() if "search" in entry]
            assert bool(searched) == (group.search is not None)
            for label in searched:
                (predictor,) = group.predictors
                assert group.search["candidates"] >= 20
                assert group.search["measure"] in group.measures
                measured.setdefault((label, predictor), []).extend(group.measures)
        assert measured
        assert all(sorted(own) == sorted(study.measures) for own in measured.values())


@pytest.mark.parametrize("control", [("selectors", "all-features"), ("projections", "all-features"), ("coders", "br")])
def test_every_family_has_controls(studies, control):
    family, whole = control
    study = studies[f"benchmark-2-{family}"]
    assert whole in study.methods
    assert study.groups["majority"].methods.keys() == {"majority-labels"}
    assert any(name in study.averages for name in ("random", "random-projection", "pbr"))


def test_fewer_candidates(protocol):
    few, none = (next(iter(protocol.studies(number).values())) for number in (5, 1))
    assert {group.search["candidates"] for group in few.groups.values() if group.search} == {5}
    assert not any(group.chooses for group in none.groups.values())
    assert few.methods.keys() == none.methods.keys()


def test_scores_belong_to_files_that_were_amended_without_another_score(tmp_path):
    file = "comparisons/benchmark.yaml"
    (tmp_path / "comparisons").mkdir()
    (tmp_path / file).write_text("now")
    now = file_sha256(tmp_path / file)
    amendments = [{"file": file, "digest": now, "same_scores": True}, {"file": "another", "digest": "2"}]
    frozen = {"files": {file: "frozen"}, "amendments": amendments}

    def digest():
        (tmp_path / "comparisons" / "frozen.yaml").write_text(yaml.safe_dump(frozen))
        return digest_of_scores(tmp_path, file, 1)

    assert digest() == "frozen"
    (tmp_path / file).write_text("changed since")
    assert digest() == file_sha256(tmp_path / file)
    (tmp_path / file).write_text("now")
    amendments[0]["same_scores"] = False
    assert digest() == now


def test_a_run_of_fewer_candidates_has_a_name(protocol, monkeypatch):
    commands = []
    monkeypatch.delenv("MLREDUCE_MIRROR", raising=False)
    monkeypatch.setattr(reducebench.subprocess, "run", lambda command, **_: commands.append(command))
    for candidates in (20, 1):
        reducebench.call_workflow(protocol, candidates, ["target"], 2)
    tuned, defaults = (command[command.index("--keep-going") + 1 : command.index("--")] for command in commands)
    assert defaults == ["--config", "candidates=1", "name=reducebench-2-1-candidates"]
    # Methods without parameters have one candidate.
    assert tuned[0] == "--config"
    assert tuned[1].startswith("methods=[ami,anova,")
    assert "all-features" not in tuned[1]
    assert tuned[2] == "name=reducebench-2"


def test_what_is_searched_has_defaults_that_can_be_fitted(studies):
    """Those of the timed fits, and where there is one candidate."""
    rng = np.random.default_rng(0)
    X, Y = rng.random((80, 8)), rng.integers(0, 2, (80, 3))  # label sets that recur
    for study in studies.values():
        searched = {label: entry for label, entry in study.methods.items() if "search" in entry}
        assert searched
        for label, entry in searched.items():
            registry.make_entry(label, without_search(entry)).fit(X, Y)


def test_an_unknown_or_excluded_data_set_is_refused_in_a_sentence(capsys):
    for name, said in (
        ("flaks", "unknown data set 'flaks'.*did you mean 'flags'"),
        ("tox21", "tox21 is not in the bench"),
    ):
        with pytest.raises(SystemExit, match=f"reducebench: .*{said}"):
            reducebench.main(["plan", name])


# What studies may say since


def study_file(tmp_path, content, shared=None):
    if shared is not None:
        (tmp_path / "shared.yaml").write_text(yaml.safe_dump(shared))
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(content))
    return file


def test_a_study_includes_keys_that_it_does_not_have(tmp_path, studies):
    from mlreduce_studies.study import study_content

    whole = study_content(PROJECT / "comparisons" / "selectors" / "study.yaml")
    own = {key: whole.pop(key) for key in ("title", "measures")}
    file = study_file(tmp_path, {**own, "include": "shared.yaml"}, {**whole, "title": "another"})
    assert study_content(file) == {**whole, **own}
    with pytest.raises(ConfigurationError, match=r"mine.yaml: include: there is no file none.yaml in the same folder"):
        study_content(study_file(tmp_path, {**own, "include": "none.yaml"}))


def test_a_set_cannot_be_run_and_left_out(tmp_path):
    from mlreduce_studies.study import load_study, study_content

    content = study_content(PROJECT / "comparisons" / "coders" / "study.yaml") | {"excluded": {"flags": "small"}}
    with pytest.raises(ConfigurationError, match="excluded: flags is one of the data sets"):
        load_study(study_file(tmp_path, content), "demo", read_catalogue())


@pytest.mark.parametrize(
    ("measure", "said"),
    [("micro-f1@one-treshold", "did you mean 'one-threshold'"), ("ranking-loss@half", "does not change ranking-loss")],
)
def test_a_decision_that_a_measure_cannot_have_is_refused(tmp_path, measure, said):
    from mlreduce_studies.study import load_study, study_content

    content = study_content(PROJECT / "comparisons" / "coders" / "study.yaml")
    with pytest.raises(ConfigurationError, match=f"measures: {measure}: .*{said}"):
        load_study(
            study_file(tmp_path, content | {"measures": [*content["measures"], measure]}), "demo", read_catalogue()
        )


# Folds


def test_committed_folds_are_those_of_the_protocol(protocol, studies):
    study = next(iter(studies.values()))
    folds = read_folds(protocol)
    assert list(folds) == protocol.datasets
    for name, rows in folds.items():
        shape = shape_of(study, protocol.catalogue[name])
        assert [row[1] for row in rows] == list(range(shape.splits))
        # Rows with the same features are on one side, so that a part may have more than its share.
        if shape.rows > shape.train + shape.test:
            assert all(shape.train <= row[2] <= 1.6 * shape.train for row in rows), name
        else:
            assert all(row[2] + row[3] == shape.rows for row in rows), name
            assert all(abs(row[2] - shape.train) <= 0.15 * shape.train for row in rows), name
        assert len({row[4] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", ["flags", "virus-go", "emotions"])
def test_committed_folds_are_drawn_again(protocol, studies, mirror, name):
    data = mlreduce.load_dataset(name, mirror=mirror)
    for study in studies.values():
        check_folds(protocol, study, data)


def test_committed_choices_of_a_predictor_are_made_again(protocol, mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("MLREDUCE_MIRROR", str(mirror))
    committed = pd.read_csv(Pieces(protocol).folder / CHOICES)
    assert list(committed["dataset"].unique()) == protocol.datasets
    pieces = Pieces(protocol, tmp_path)
    reducebench.predictors(protocol, pieces, ["flags"])
    again = pd.read_csv(pieces.folder / CHOICES)
    expected = committed[committed["dataset"] == "flags"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, expected)
    assert len(again) == 3 * 5 * 2


def test_other_folds_are_refused(copy, studies):
    study = next(iter(studies.values()))
    data = replace(mlreduce.load_dataset("planted-300"), name="flags")
    rows = fold_rows(copy, study, data)
    write_folds(copy, rows)
    check_folds(copy, study, data)
    write_folds(copy, [(*row[:4], "0" * 64) for row in rows])
    with pytest.raises(DataError, match="flags, split 0: 240 rows train .* the data or the seed are others"):
        check_folds(copy, study, data)
    write_folds(copy, [])
    with pytest.raises(DataError, match="has no folds of flags"):
        check_folds(copy, study, data)


# Plan


def test_the_plan_fits_into_two_nights_of_two_cores(protocol):
    costs = plan(protocol)
    assert sum(candidates == 1 for candidates, *_ in costs) == 3 * len(protocol.datasets)
    assert len(costs) > 5 * len(protocol.datasets)  # but for the longest searches
    assert sum(cost.seconds for cost in costs.values()) / 3600 <= 48
    page = (PROJECT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert f"not where this would take more than {LONGEST_SEARCH / 3600:g} hours" in page


def test_costs_grow_with_the_data_and_the_candidates(protocol, studies):
    for name, study in studies.items():
        small = shape_of(study, protocol.catalogue["flags"])
        larger = replace(small, train=4 * small.train, test=4 * small.test, columns=40 * small.columns, labels=90)
        assert cost_of(study, larger).predict > cost_of(study, small).predict
        assert cost_of(study, replace(small, splits=1)).choose * small.splits == pytest.approx(
            cost_of(study, small).choose
        )
        assert cost_of(protocol.studies(5)[name], small).choose < cost_of(study, small).choose
        assert cost_of(protocol.studies(1)[name], small).choose == 0


def test_the_pages_are_what_protocol_and_pieces_say(protocol):
    made = reducebench.texts_of(protocol)
    for path, page in made.items():
        assert path.read_text(encoding="utf-8") == page, "run: python benchmarks/reducebench.py page"
    text = made[reducebench.PAGE]
    facts, flat = protocol.shared, " ".join(text.split())
    (rule,) = facts["protocols"].values()
    sizes = facts["dimensions"]["folds"]["default"]
    *others, last = ml_knn._CANDIDATES
    assert (
        f"more than {facts['limits']['seconds']} seconds of the processor or {facts['limits']['gigabytes']} GB" in flat
    )
    assert rule["folds"] == 5
    assert "| folds | five, stratified by label;" in text
    assert f"| sizes | {', '.join(map(str, sorted(sizes)))} features, directions or codes" in text
    assert f"| {', '.join(map(str, others))} or {last} neighbours, by the likelihood" in text
    assert f"| the mean of {', '.join(map(str, others))} or {last}, by the squared error" in text
    assert f"| tuned methods | {protocol.candidates} candidates" in text
    coders = protocol.studies()["benchmark-2-coders"].predictors["k-nn"]["param_grid"]["n_neighbors"]
    assert coders == list(ml_knn._CANDIDATES)
    selectors = protocol.studies()["benchmark-2-selectors"]
    *percents, share, _ = selectors.sizes
    assert f"selectors {', '.join(map(str, percents))} and {share} % of the features, too" in text
    assert {entry.get("k") for entry in selectors.methods.values()} == {None, share / 100}
    assert facts["ties"] == "expected"
    assert rule["duplicates"] == "together"
    assert facts["scaling"] == "chosen"


@pytest.mark.slow
@pytest.mark.promise
def test_what_it_says_is_what_the_pieces_give(protocol, tmp_path):
    if not reducebench.ANSWERS.is_file():
        pytest.skip("not run yet: python benchmarks/reducebench.py run")
    kept = json.loads(reducebench.ANSWERS.read_text(encoding="utf-8"))
    found = json.loads(json.dumps(reducebench.answered(), default=float))
    assert list(found) == list(kept)
    for question, by in found.items():
        for measure, own in by.items():
            for part in ("sentences", "table"):
                assert own[part] == kept[question][measure][part], "run: python benchmarks/reducebench.py answers"
    for name, drawn in reducebench.figures().items():
        save(drawn, [tmp_path / "drawn.svg"])
        assert (tmp_path / "drawn.svg").read_bytes() == (reducebench.RESULTS / f"{name}.svg").read_bytes(), name
        if name == "gains":
            assert_names_are_joined_to_points(drawn)


def assert_names_are_joined_to_points(figure):
    """A line from a name ends at a drawn point, also where panels share an axis."""
    figure.canvas.draw()
    for axis in figure.axes:
        points = [axis.transData.transform(line.get_xydata()) for line in axis.get_lines() if line.get_marker() == "o"]
        points = np.concatenate(points)
        joined = [line for line in axis.get_lines() if line.get_label() == "_end"]
        assert joined
        for line in joined:
            end = axis.transAxes.transform(line.get_xydata()[0])
            assert np.hypot(*(points - end).T).min() < 0.5  # pixels


# Pieces


def job(base, study, dataset, rows, failures=(), costs=(("pca", 0.25, 2.0), ("opls", 0.5, 3.0))):
    """Write what the workflow would, from (method, percent, size, split, value)."""
    cells = [(dataset, method, "{}", "ridge", percent, 0.0, size, split, "ranking-loss", value)
             for method, percent, size, split, value in rows]  # fmt: skip
    table = pd.DataFrame(cells, columns=SCORE_COLUMNS).assign(study=study, protocol="folds", warnings="", at_edge="")
    place = {"study": study, "protocol": "folds", "dataset": dataset, "predictor": "", "split": 0, "step": "reduce"}
    failed = pd.DataFrame(
        [
            {**place, "group": group, "method": method, "error": error, "message": message, "where": ""}
            for group, method, error, message in failures
        ]
    )
    files = {kind: base / file for kind, file in job_files(study, dataset).items()}
    for file in files.values():
        file.parent.mkdir(parents=True, exist_ok=True)
    write_table(files["scores"], table, failed if failures else None)
    times = pd.DataFrame(
        [(dataset, method, 0, *own) for method, *own in costs],
        columns=["dataset", "method", "split", "seconds", "megabytes"],
    )
    write_table(files["times"], times)


@pytest.fixture
def kept(protocol, studies, tmp_path):
    """Pieces with one of projections on flags: PCA has all sizes, OPLS six directions, LSI failed."""
    pca = [("pca", percent, size, 0, size / 100) for percent, size in ((10, 1), (0, 8), (0, 16), (0, 19))]
    opls = [("opls", percent, size, 0, 0.123456789) for percent, size in ((10, 1), (0, 6))]
    late = ("without-labels", "lsi", "TimeLimitError", "took more than 20 s, the limit of the study")
    job(tmp_path / "base", "benchmark-2-projections", "flags", pca + opls, [late])
    pieces = Pieces(protocol, tmp_path / "kept")
    pieces.keep(studies["benchmark-2-projections"], "flags", 20, tmp_path / "base")
    return pieces


def test_a_piece_has_every_value_by_what_it_stands_for(kept):
    (piece,) = kept.listed()
    table = kept.read(piece)
    assert list(table.columns) == ["study", "dataset", "candidates", *PIECE_COLUMNS, *WARNING_COLUMNS]
    assert len(table) == piece.rows
    own = table[table["status"] == "ok"].set_index(["method", "percent", "number"])
    assert own.loc[("pca", 0, 16), "size"] == 16
    # With fewer directions than asked for it has all that there are, as with percentages.
    assert {number: own.loc[("opls", 0, number), "size"] for number in (8, 16, 32)} == {8: 6, 16: 6, 32: 6}
    assert own.loc[("opls", 10, 0), "value"] == np.float32(0.12346)
    assert own.loc[("opls", 10, 0), ["seconds", "megabytes"]].tolist() == [0.5, 3.0]


def test_a_run_goes_on_after_sets_that_fail_and_names_them(protocol, monkeypatch):
    done, tried = set(), []
    monkeypatch.setattr(reducebench, "keep", lambda *_: 0)
    monkeypatch.setattr(reducebench, "check_folds", lambda *_: None)
    monkeypatch.setattr(reducebench, "load_dataset", lambda name: name)
    waiting = [(1.0, 5, "flags", ["a"]), (2.0, 5, "birds", ["a"]), (3.0, 20, "flags", ["a"]), (4.0, 20, "birds", ["a"])]
    monkeypatch.setattr(reducebench, "missing", lambda *_: [own for own in waiting if own[1:3] not in done])
    monkeypatch.setattr(reducebench, "job_files", lambda study, name: {"scores": name})

    def call(own, candidates, targets, cores):
        names = {target.rpartition("/")[2] for target in targets}
        tried.append((candidates, names))
        done.update((candidates, name) for name in names if (candidates, name) != (20, "birds"))

    monkeypatch.setattr(reducebench, "call_workflow", call)
    with pytest.raises(SystemExit, match=r"not finished, see the logs in results/reducebench-2: birds$"):
        reducebench.run(protocol, None, [], 1.0, 2)
    assert tried == [(5, {"flags", "birds"}), (20, {"flags", "birds"})]


def test_what_failed_has_a_row_for_each_value(kept, studies):
    table = kept.read(kept.listed()[0])
    failed = table[table["method"] == "lsi"]
    study = studies["benchmark-2-projections"]
    predictors = study.groups["without-labels"].predictors
    assert set(failed["status"]) == {"time"}
    assert failed["value"].isna().all()
    assert len(failed) == len(predictors) * len(study.measures) * (len(study.sizes) + 5)
    assert not failed.duplicated(["predictor", "measure", "percent", "number", "fold"]).any()


def test_what_is_kept_is_not_run_again(kept, protocol):
    assert kept.done() == {("benchmark-2-projections", "flags", 20)}
    (own,) = (own for own in reducebench.missing(protocol, kept, ["flags"]) if own[1] == 20)
    assert own[3] == ["benchmark-2-selectors", "benchmark-2-coders"]
    expected = [own[0] for own in reducebench.missing(protocol, kept, [])]
    assert expected == sorted(expected)


def test_a_piece_is_the_same_file_when_it_is_made_again(kept, protocol, studies, tmp_path):
    (piece,) = kept.listed()
    again = Pieces(protocol, tmp_path / "again")
    assert again.keep(studies["benchmark-2-projections"], "flags", 20, tmp_path / "base") == piece


def test_a_piece_that_was_changed_is_refused(kept):
    path = kept.folder / kept.listed()[0].file
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(DataError, match=r"flags.20.parquet: its SHA-256 is not that of pieces.csv"):
        kept.done()
    path.unlink()
    with pytest.raises(DataError, match=r"flags.20.parquet: in pieces.csv, but missing"):
        kept.done()


def test_a_piece_of_another_protocol_is_refused(kept, copy, protocol):
    file = copy.project / "comparisons" / "benchmark-2.yaml"
    file.write_text(file.read_text().replace("candidates: 20\n", "candidates: 21\n"))
    with pytest.raises(DataError, match=f"flags.20.parquet: made by the protocol {protocol.digest[:8]}, not by"):
        Pieces(copy, kept.folder).check()


def test_a_piece_that_is_not_listed_is_refused(kept):
    shutil.copy(kept.folder / kept.listed()[0].file, kept.folder / "benchmark-2-projections" / "emotions.20.parquet")
    with pytest.raises(DataError, match=r"emotions.20.parquet: not in pieces.csv"):
        kept.check()


@pytest.mark.parametrize("version", VERSIONS)
def test_committed_pieces_are_those_of_the_list_and_the_protocol(version):
    Pieces(Protocol(PROJECT, version=version)).check()


# Freeze


@pytest.mark.parametrize("version", VERSIONS)
def test_the_protocol_and_what_ranks_are_frozen(version):
    files, of_protocol = FROZEN["benchmark_files"](version), protocol_files(PROJECT, version)
    assert files[: len(of_protocol)] == of_protocol
    content = yaml.safe_load(FROZEN["BENCHMARKS"][version].read_text())
    released = {change["file"] for change in content["amendments"] if change.get("released")}
    assert [file for file in content["files"] if file not in released] == files
    assert FROZEN["changed_files"](content) == []


def test_all_methods_that_take_several_labels_are_in_version_2():
    there = {
        registry.entry_name(name, entry)
        for study in Protocol(PROJECT).studies().values()
        for name, entry in study.methods.items()
    }
    families = ("selection", "projection", "propagation", "labelspace")
    wanted = {name for family in families for name in registry.method_names(family) if not facts_of(name).single_label}
    assert wanted <= there
    assert not [name for name in there if not registry.is_import_path(name) and facts_of(name).single_label]


def test_a_change_after_the_freeze_is_found_until_it_is_entered(copy, monkeypatch):
    script, root = FROZEN["changed_files"].__globals__, copy.project
    monkeypatch.setitem(script, "PROJECT", root)
    monkeypatch.setitem(script, "BENCHMARKS", {2: root / "frozen.yaml"})
    monkeypatch.setitem(script, "RANKING", ())
    FROZEN["freeze_benchmark"]()

    def content():
        return yaml.safe_load((root / "frozen.yaml").read_text())

    assert FROZEN["changed_files"](content()) == []
    (root / "config" / "benchmark-2.yaml").write_text("seed: 1\n")
    assert FROZEN["changed_files"](content()) == ["config/benchmark-2.yaml"]
    shutil.copy(PROJECT / "config" / "benchmark-2.yaml", root / "config")
    file = root / "comparisons" / "benchmark-2-folds.csv"
    file.write_text(file.read_text() + "\n")
    FROZEN["amend"](["comparisons/benchmark-2-folds.csv"], "a line", benchmark=True)
    assert FROZEN["changed_files"](content()) == []
    with pytest.raises(SystemExit, match="a change is an amendment"):
        FROZEN["freeze_benchmark"]()


@pytest.mark.parametrize("step", reducebench.ANSWERING)
def test_version_1_is_answered_no_longer(step, capsys):
    with pytest.raises(SystemExit):
        reducebench.main([step, "--version", "1"])
    assert f"version 1 is withdrawn; {step} is of version 2" in capsys.readouterr().err
