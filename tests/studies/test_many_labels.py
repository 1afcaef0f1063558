"""The study of many labels: pieces make up models, rows are measured as scores of all labels, pages say what is so."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from project import PROJECT

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.metrics import evaluate, propensities
from mlreduce_studies.many_labels import __main__ as pages
from mlreduce_studies.many_labels import answer, peer, steps, store
from mlreduce_studies.many_labels.data import Data, prepare
from mlreduce_studies.many_labels.models import Piece, fit_piece, join
from mlreduce_studies.many_labels.reduction import reduce
from mlreduce_studies.many_labels.settings import FILE, Settings

TINY = Settings.read(PROJECT / "tests" / "many-labels.yaml")
MODELS = TINY.models("tiny", "none")
LIMITS, COMMON = TINY.entry("tiny")["limits"], TINY.entry("tiny")
PROGRAM = {"kind": "peer", "pieces": 1}


@pytest.fixture(scope="module")
def data() -> Data:
    return prepare({"generated": "400x60x120"}, "tiny", None)


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings.read(PROJECT / FILE, peers=True)


def pieces_of(data, model, reducer="none", **common):
    reduced = reduce(data, reducer, LIMITS)
    entry = MODELS[model]
    parts = (fit_piece(data, reduced, model, piece, entry, {**COMMON, **common}) for piece in range(entry["pieces"]))
    return [piece for part in parts for piece in part]


def top(scores, k=5):
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def test_training_validation_and_test_rows_are_apart_and_labels_without_rows_are_not_trained(data):
    first, second = data.starts
    assert (first, second, *data.Y.shape) == (320, 350, 400, 120)
    assert (data.Y[:first].sum(axis=0)[data.present] > 0).all()
    assert len(data.present) < 120
    assert len(data.present) == np.count_nonzero(data.Y[:first].sum(axis=0)) == data.labels.shape[1]


def test_trees_of_pieces_are_those_of_a_fit_at_once(data):
    pieces, cut = pieces_of(data, "trees"), data.starts[0]
    forest = mlreduce.LabelTreeClassifier(2, max_leaf=10, C=0.1, random_state=0).fit(data.X[:cut], data.labels)
    scores = forest.predict_top(data.X[cut:], len(data.present)).toarray()
    np.testing.assert_allclose(join(pieces, "trees").scores.toarray(), scores, atol=1e-12)


def test_shards_are_the_columns_of_binary_relevance(data):
    model = join(pieces_of(data, "br"), "shards")
    cut, width = data.starts[0], len(data.present)
    parts = [
        mlreduce.LabelTreeClassifier(1, max_leaf=width, C=0.1, random_state=0)
        .fit(data.X[:cut], data.labels[:, columns])
        .predict_top(data.X[cut:], len(columns))
        .toarray()
        for columns in np.array_split(np.arange(width), 3)
    ]
    assert np.array_equal(top(model.scores.toarray()), top(np.hstack(parts)))


def test_costs_of_pieces_add_up_and_the_largest_memory_counts():
    one, other = Piece("trees", "{}", 0, 1.0, 2.0, 3.0, 5.0, sp.eye_array(2)), Piece("trees", "{}", 1, 1, 1, 1, 4)
    joined = join([one, other._replace(scores=sp.eye_array(2))], "trees")
    assert (joined.fit, joined.predict, joined.size, joined.peak) == (2, 3, 4, 5)
    assert join([one, other._replace(reason="over")], "trees").reason == "over"


def test_hashing_adds_each_feature_to_one_with_a_sign(data):
    reduced = reduce(data, "hashing-20", LIMITS)
    assert sp.issparse(reduced.X)
    sketch = reduce(data._replace(X=sp.csr_array(sp.eye_array(60)), starts=(30, 40)), "hashing-20", LIMITS).X.toarray()
    assert sketch.shape == (60, 12)
    assert np.array_equal(np.abs(sketch).sum(axis=1), np.ones(60))
    np.testing.assert_allclose(reduced.X.toarray(), data.X.toarray() @ sketch)


@pytest.mark.parametrize("reducer", ["chi2-20", "pls-10"])
def test_reducers_are_fitted_to_training_rows(data, reducer):
    reduced = reduce(data, reducer, LIMITS)
    first = data.starts[0]
    changed = reduce(data._replace(X=sp.csr_array(sp.vstack([data.X[:first], 2 * data.X[first:]]))), reducer, LIMITS)
    X, other = (np.asarray(item.X.todense() if sp.issparse(item.X) else item.X) for item in (reduced, changed))
    np.testing.assert_array_equal(X[:first], other[:first])


def test_what_fails_says_why(data, monkeypatch):
    assert "chi3" in reduce(data, "chi3-20", LIMITS).reason
    dense = pieces_of(data, "trees", "pls-50", most_stored=0.1)
    assert {piece.reason for piece in dense} == {dense[0].reason}
    assert "times as many stored numbers" in dense[0].reason
    assert pieces_of(data, "plst", "pls-50", most_stored=0.1)[0].reason == ""
    monkeypatch.setattr(mlreduce.CodedClassifier, "fit", lambda *_: any(number < 0 for number in itertools.count()))
    assert pieces_of(data, "plst", limits={"seconds": 0.02})[0].reason.startswith("TimeLimitError")


def test_a_row_is_measured_as_scores_of_all_labels(data):
    first, second = data.starts
    model = join(pieces_of(data, "plst"), "codes")
    row = steps.measure(data, reduce(data, "none", LIMITS), model, {"propensity": {"a": 0.5, "b": 0.4}})
    scores = np.full((data.X.shape[0] - first, data.Y.shape[1]), -1e9)
    coded = mlreduce.CodedClassifier(
        mlreduce.PLST(8, random_state=0), mlreduce.RidgeRegressor(alpha=1.0), decision="half"
    ).fit(data.X[:first], data.labels)
    scores[:, data.present] = coded.predict_top(data.X[first:], len(data.present)).toarray()
    Y = data.Y.toarray()
    propensity = propensities(Y[:first], 0.5, 0.4)
    for column, name in steps.MEASURES.items():
        given = {"propensity": propensity} if "psp" in name else {}
        assert row[column] == pytest.approx(evaluate(name, Y[second:], scores[second - first :], **given), abs=1e-12)
    assert row["valid"] == pytest.approx(evaluate("precision-at-5", Y[first:second], scores[: second - first]))


def test_a_file_holds_what_was_written(tmp_path, data):
    path = str(tmp_path / "data.npz")
    store.write(path, data)
    (again,) = store.read(path, Data)
    assert tuple(again.starts) == data.starts
    assert np.array_equal(again.present, data.present)
    assert (again.X != data.X).nnz == (again.Y != data.Y).nnz == 0


def test_steps_make_the_rows_of_a_study(tmp_path):
    settings = TINY
    folder = tmp_path / "many-labels"
    steps.prepare_data([], str(folder / "data/tiny.npz"), settings, "tiny")
    data = str(folder / "data/tiny.npz")
    for _, reducer, model in settings.plan():
        features = folder / "features/tiny" / f"{reducer}.npz"
        if not features.is_file():
            steps.reduce_features([data], str(features), settings, "tiny", reducer)
        for job in settings.jobs("tiny", reducer, model):
            output = folder / "pieces/tiny" / reducer / model / f"{job}.npz"
            steps.fit_pieces([data, str(features)], str(output), settings, "tiny", reducer, model, job)
    (folder / "pieces/tiny/chi2-20/trees/1.npz").unlink()  # a run that has not ended
    steps.gather(pages.ended_rows(settings, folder), str(tmp_path / "rows.csv"))
    rows = answer.read(tmp_path / "rows.csv")
    assert sorted(zip(rows["reducer"], rows["model"], strict=True)) == sorted(
        (reducer, model) for _, reducer, model in settings.plan() if (reducer, model) != ("chi2-20", "trees")
    )
    assert (rows["reason"] == "").all()
    assert rows[[*steps.MEASURES, "valid"]].stack().between(0, 1).all()


def test_data_are_named_and_published_files_have_the_published_sizes(tmp_path, settings):
    assert settings.data() == ["eurlex", "wiki10", "amazon"]
    with pytest.raises(ConfigurationError, match="EUR-Lex"):
        settings.data(["EUR-Lx"])
    entry = settings.entry("EUR-Lex")
    with pytest.raises(DataError, match="folder=FOLDER"):
        prepare(entry, "EUR-Lex", None)
    tiny = prepare({"generated": "80x30x20"}, "tiny", None)
    (tmp_path / "EUR-Lex").mkdir()
    names = [list(map(str, range(width))) for width in (30, 20)]
    for file in ("train", "test"):
        saved = tmp_path / "EUR-Lex" / f"{file}.xmc"
        mlreduce.datasets.MultiLabelData(tiny.X, tiny.Y, *names, file).save(saved)
        saved.rename(saved.with_suffix(".txt"))
    with pytest.raises(DataError, match="published are"):
        prepare(entry, "EUR-Lex", tmp_path)
    read = prepare({**entry, "shape": [tiny.X.shape[0], 30, 20]}, "EUR-Lex", tmp_path)
    assert (sp.vstack([read.X[: read.starts[1]]]) != tiny.X).nnz == 0


def test_other_programs_get_the_training_rows_and_give_scores(tmp_path, monkeypatch, data):
    # In place of a program: the frequency of each label, by the interface of one.
    program = tmp_path / "peer.py"
    program.write_text(
        "import json, sys, pathlib\n"
        "folder = pathlib.Path(sys.argv[2])\n"
        "lines = (folder / 'train.xmc').read_text().splitlines()\n"
        "assert len(lines) == 321, len(lines)\n"
        "n = len((folder / 'test.xmc').read_text().splitlines()) - 1\n"
        "(folder / 'scores.txt').write_text(''.join(f'{row} 0 1.5\\n' for row in range(n)))\n"
        "(folder / 'costs.json').write_text(json.dumps({'fit': 1, 'predict': 2, 'size': 3, 'peak': 4}))\n"
    )
    import mlreduce_studies.many_labels.models as models

    monkeypatch.setattr(models, "__file__", str(tmp_path / "models.py"))
    reduced = reduce(data, "none", LIMITS)
    (piece,) = fit_piece(
        data, reduced, "omikuji", 0, {"kind": "peer", "pieces": 1}, {**COMMON, "peers": sys.executable}
    )
    assert (piece.fit, piece.predict, piece.size, piece.peak, piece.reason) == (1, 2, 3, 4, "")
    assert np.array_equal(piece.scores.toarray()[:, 0], np.full(data.X.shape[0] - data.starts[0], 1.5))
    program.write_text("raise SystemExit('not installed')")
    (piece,) = fit_piece(
        data, reduced, "omikuji", 0, {"kind": "peer", "pieces": 1}, {**COMMON, "peers": sys.executable}
    )
    assert piece.reason == "not installed"


def test_other_programs_read_the_same_rows(tmp_path, data):
    names = [list(map(str, range(width))) for width in (data.X.shape[1], data.Y.shape[1])]
    mlreduce.datasets.MultiLabelData(data.X, data.Y, *names, "all").save(tmp_path / "all.xmc")
    X, labels, sizes = peer.read(tmp_path / "all.xmc")
    assert sizes == (*data.X.shape, data.Y.shape[1])
    np.testing.assert_allclose(X.toarray(), data.X.toarray(), rtol=1e-6)
    assert np.array_equal(peer._indicators(labels, sizes[2]).toarray(), data.Y.toarray())


def planted(*rows):
    names = ("data", "reducer", "model", "setting", "reduce", "fit", "predict", "valid", "P@5", "error", "reason")
    table = pd.DataFrame([dict(zip(names, row, strict=True)) for row in rows])
    return table.assign(seconds=table["reduce"] + table["fit"], megabytes=1.0, size=1.0, per_row=1.0)


WITHOUT = ("eurlex", "none", "trees", "{}", 0.0, 10.0, 1.0, 0.18, 0.18, 0.003, "")


@pytest.mark.parametrize(
    ("precision", "seconds", "words"),
    [
        (0.20, 5.0, "a gain of +0.020 ± 0.004 in P@5, by chi-square to 20 %"),
        (0.16, 5.0, "a loss of -0.020 ± 0.004"),
        (0.185, 5.0, "no clear difference of +0.005 ± 0.004"),
        (0.20, 11.0, "no reduced model takes less time"),
    ],
)
def test_the_answer_compares_at_equal_time(settings, precision, seconds, words):
    reduced = ("eurlex", "chi2-20", "trees", "{}", 1.0, seconds - 1, 1.0, precision, precision, 0.003, "")
    (text,) = answer.sentences(planted(WITHOUT, reduced), settings)
    assert words in text


def test_the_answer_goes_by_validation_rows_and_not_by_other_programs(settings):
    rows = planted(
        WITHOUT,
        ("eurlex", "none", "trees", '{"C": 0.1}', 0.0, 3.0, 1.0, 0.10, 0.30, 0.003, ""),
        ("eurlex", "none", "omikuji", "{}", 0.0, 3.0, 1.0, 0.40, 0.40, 0.003, ""),
        ("eurlex", "chi2-20", "trees", "{}", 1.0, 3.0, 1.0, 0.19, 0.17, 0.003, ""),
        ("eurlex", "mim-20", "trees", "{}", 1.0, 3.0, 1.0, 0.18, 0.30, 0.003, ""),
        ("eurlex", "hashing-20", "trees", "{}", 0.5, 1.0, 1.0, 0.175, 0.18, 0.003, ""),
        ("eurlex", "hashing-5", "trees", "{}", 0.5, 0.5, 1.0, 0.16, 0.18, 0.003, ""),
        ("eurlex", "pls-20", "trees", "{}", 1.0, 3.0, 1.0, 0.99, 0.99, 0.003, "over"),
    )
    found = answer.Answer(rows, settings)
    assert (found.without["P@5"], found.reduced["reducer"], found.quickest["reducer"]) == (
        0.18,
        "chi2-20",
        "hashing-20",
    )


def test_a_setting_at_the_end_of_its_range_is_named(settings):
    rows = planted((*WITHOUT[:3], '{"C": 0.1}', *WITHOUT[4:]))
    rows[[*steps.MEASURES]] = 0.1
    assert "The last of the settings was chosen of three label trees" in "\n".join(answer.tables(rows, settings))
    rows["setting"] = '{"C": 1.0}'
    assert "The last of the settings" not in "\n".join(answer.tables(rows, settings))


def test_many_nodes_take_the_longest_way_or_their_share(settings):
    reduced = ("eurlex", "chi2-20", "plst", "{}", 100.0, 50.0, 2.0, 0.19, 0.19, 0.003, "")
    rows = planted(WITHOUT, reduced)
    assert "| eurlex | 6 | 0.05 | 152 s | 152 s |" in "\n".join(answer.nodes(rows, settings))
    assert "| 163 s |" in "\n".join(answer.nodes(rows, settings, n_nodes=1))


def test_the_pages_are_what_the_rows_say(settings):
    rows = answer.read(pages.TABLE)
    for name, text in pages.pages_of(rows, settings).items():
        assert text == pages.PAGES[name].read_text(encoding="utf-8")


def test_the_picture_has_a_line_for_a_reducer_and_marks_no_reduction(settings):
    rows = planted(
        WITHOUT,
        ("eurlex", "chi2-20", "trees", "{}", 1.0, 3.0, 1.0, 0.19, 0.17, 0.003, ""),
        ("eurlex", "chi2-5", "trees", "{}", 1.0, 1.0, 1.0, 0.19, 0.15, 0.003, ""),
    )
    (axis,) = answer.picture(rows, settings).axes
    lines = {line.get_label(): line.get_xydata().tolist() for line in axis.lines if len(line.get_xydata())}
    assert lines["chi-square"] == [[2.0, 0.15], [4.0, 0.17]]  # the smaller percentage first
    assert lines["no reduction"] == [[10.0, 0.18]]
    assert axis.get_xscale() == "log"


def test_a_folder_without_a_model_changes_no_page(tmp_path, monkeypatch):
    before = {name: path.read_bytes() for name, path in pages.PAGES.items()}
    monkeypatch.setattr("sys.argv", ["many_labels", str(tmp_path)])
    with pytest.raises(SystemExit, match="no model has ended there"):
        pages.main()
    assert {name: path.read_bytes() for name, path in pages.PAGES.items()} == before
