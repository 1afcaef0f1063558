"""The benchmarks' own rules: which rows are measured again, which peers are refused, what the pages say."""

from __future__ import annotations

import runpy
import subprocess
import sys
import warnings
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import mlreduce

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "benchmarks"))

import digits  # noqa: E402
import extreme  # noqa: E402
import growth  # noqa: E402
import peer_cases  # noqa: E402
import peers  # noqa: E402
import program_cases  # noqa: E402
import programs  # noqa: E402
import scheduling  # noqa: E402
import sizes  # noqa: E402

TABLE = PROJECT / "docs" / "performance" / "peers.csv"
PAGE = PROJECT / "docs" / "performance.md"


@pytest.fixture
def data():
    found = mlreduce.load_dataset("planted-300")
    return found.X, np.asarray(found.Y)


@pytest.fixture
def case():
    return peer_cases.CASES["lsi"]


def test_the_page_is_what_the_tables_say():
    page = PAGE.read_text(encoding="utf-8")
    assert peers.with_table(page, peers.read(TABLE)) == page
    assert digits.with_digits(page, pd.read_csv(digits.FILE, dtype={"reason": str}).fillna("")) == page


def test_the_page_of_label_trees_is_what_its_table_says():
    assert extreme.page_of(extreme.rows_of(extreme.FILE)) == extreme.PAGE.read_text(encoding="utf-8")


def test_the_page_of_programs_is_what_its_table_says():
    page = programs.PAGE.read_text(encoding="utf-8")
    assert programs.page_of(page, programs.read(programs.TABLE)) == page


def test_every_case_has_its_rows_in_the_table_of_programs():
    table = programs.read(programs.TABLE)
    measured = set(table[programs.KEYS].itertuples(index=False, name=None))
    cases = [case for several in program_cases.all_cases().values() for case in several]
    assert measured == {
        (case.method, case.setting, dataset, name)
        for case in cases
        for dataset in case.datasets
        for name in case.results
    }
    assert all(case.method in mlreduce.registry.method_names() for case in cases)


def test_a_program_runs_once_for_each_of_its_commits(monkeypatch, tmp_path):
    folder, table = tmp_path / "someone+theirs", tmp_path / "programs.csv"
    git = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@y"]
    code = "import theirs; scores, ranking, objective = theirs.fit(X)"
    case = program_cases.Case(
        "anova",
        program_cases.Python("someone/theirs", code),
        lambda data: {"scores": data["X"].sum(axis=0), "ranking": [2, 0, 1], "objective": 3.0},
        ("scores", "ranking", "objective"),
        data=lambda X, Y: {"X": X[:, :3]},
        datasets=("planted-300",),
    )

    def run():
        programs.measure({"ami": (case,)}, tmp_path, None, table)
        return programs.read(table).set_index("compared")[["difference", "spearman", "program"]]

    with pytest.raises(SystemExit, match=r"anova is not in .*: git clone https://github.com/someone/theirs"):
        run()
    folder.mkdir()
    subprocess.run([*git, "init", "-q"], check=True)
    for factor in (1.0, 1.5):
        program = f"def fit(X):\n    return {factor} * X.sum(axis=0), [2, 1, 0], 4.0 * {factor}\n"
        (folder / "theirs.py").write_text(program)
        subprocess.run([*git, "add", "theirs.py"], check=True)
        subprocess.run([*git, "commit", "-qm", "theirs"], check=True)
        found = run()
        assert found["difference"].to_dict() == pytest.approx(
            {"scores": 1 - 1 / factor, "ranking": 2 / 3, "objective": 3 / (4 * factor) - 1}, abs=1e-3
        )
        assert found["spearman"]["scores"] == pytest.approx(1)
        assert found["spearman"]["ranking"] == pytest.approx(0.5)
    monkeypatch.setattr(programs, "compared", lambda *_: pytest.fail("measured again"))
    assert run().equals(found)


def test_only_rows_of_this_code_and_these_calls_are_kept(case):
    calls = {"scikit-learn": case.peers["scikit-learn"].text}
    row = {"peer": "scikit-learn", "code": case.code, "call": calls["scikit-learn"]}
    assert peers.is_current(pd.DataFrame([row]), case, calls)
    assert not peers.is_current(pd.DataFrame(columns=peers.COLUMNS), case, calls)
    assert not peers.is_current(pd.DataFrame([row | {"code": "other"}]), case, calls)
    other = replace(case.peers["scikit-learn"], parameters={"n_components": 9})
    assert not peers.is_current(pd.DataFrame([row]), case, {"scikit-learn": other.text})
    newer = row["call"].replace("scikit-learn ", "scikit-learn 9.")
    assert not peers.is_current(pd.DataFrame([row | {"call": newer}]), case, calls)
    assert replace(case, ours=peer_cases.Ours("lsi", {"n_components": 9})).code != case.code
    assert not peers.is_current(pd.DataFrame([row]), case, {**calls, "another": "call"})


def test_a_peer_is_refused_with_the_reason(case, data):
    X, Y = data
    ours = case.ours(X, Y)

    def first(**changes):
        peer = replace(case.peers["scikit-learn"], **changes)
        return peers.first_fit(replace(case, peers={"it": peer}), "it", X, Y, ours)

    def warning(cls, parameters, X, Y):
        warnings.warn("the graph is not connected", UserWarning, stacklevel=1)
        return cls(**parameters).fit(X)

    def deprecated(cls, parameters, X, Y):
        warnings.warn("another name", FutureWarning, stacklevel=1)
        return cls(**parameters).fit(X)

    assert first() < 1e-6
    assert first(call=deprecated) < 1e-6
    with pytest.raises(peers.Refused, match="warns: the graph is not connected"):
        first(call=warning)
    with pytest.raises(peers.Refused, match="other work: n_components 9, ours 10"):
        first(parameters={"n_components": 9})
    with pytest.raises(peers.Refused, match="another result: sine of the angle"):
        first(parameters={"n_components": 9}, same=())
    with pytest.raises(peers.Refused, match="ValueError"):
        first(parameters={"n_components": 10_000})
    coarse = {"n_components": 10, "algorithm": "randomized", "n_iter": 0, "random_state": 0}
    assert first(parameters=coarse, kind=peer_cases.APPROXIMATE) > 1e-6


def test_rows_are_measured_again_where_something_changed(case, monkeypatch, tmp_path):
    @contextmanager
    def no_process():
        yield SimpleNamespace(submit=lambda *arguments: SimpleNamespace(result=lambda: 0.0))

    measured = []
    fits = peers.compared
    monkeypatch.setattr(peers, "fresh_process", no_process)
    monkeypatch.setattr(peers, "MOST", 1)
    monkeypatch.setattr(peers, "compared", lambda *arguments: measured.append(arguments[0]) or fits(*arguments))
    monkeypatch.setitem(peers.CASES, "lsi", case)

    def run():
        measured.clear()
        peers.measure(["planted-300"], ["lsi"], None, tmp_path / "peers.csv")
        return peers.read(tmp_path / "peers.csv")

    table = run()
    assert measured == ["lsi"]
    assert set(table["peer"]) == set(case.peers)
    assert (table["ratio"] > 0).all()
    assert run().equals(table)
    assert not measured
    monkeypatch.setitem(peers.CASES, "lsi", replace(case, ours=peer_cases.Ours("lsi", {"n_components": 9})))
    changed = run()
    assert measured == ["lsi"]
    assert len(changed) == len(table)
    assert set(changed["refused"]) == {"other work: n_components 10, ours 9"}
    # A peer that is not here any more: its row says that ours was another one.
    fewer = {who: peer for who, peer in case.peers.items() if who == "scikit-learn"}
    gone = replace(case.peers["scikit-learn, randomised"], package="no-such-package")
    monkeypatch.setitem(peers.CASES, "lsi", replace(case, peers={**fewer, "scikit-learn, randomised": gone}))
    reasons = dict(zip(run()["peer"], peers.read(tmp_path / "peers.csv")["refused"], strict=True))
    assert reasons == {"scikit-learn": "", "scikit-learn, randomised": "not installed where our code was measured"}


def test_the_summary_counts_kinds_apart():
    rows = [
        ("pca", "a", "x", "exact", 0.5, ""),
        ("pca", "b", "x", "exact", 1.25, ""),
        ("pca", "c", "x", "exact", 0.1, "warns: so"),
        ("lsi", "a", "y", "approximate", 2.0, ""),
    ]
    table = pd.DataFrame(rows, columns=["method", "dataset", "peer", "kind", "ratio", "refused"])
    exact, approximate, refused = peers.summary(table)
    assert "in 1 of 2 comparisons" in exact
    assert "approximate" in approximate
    assert "in 0 of 1 comparisons" in approximate
    assert refused.startswith("- 1 comparisons are refused")
    said, _, _, _, *behind = peers.slowest(table.assign(ours=1.0))
    assert "2 in which it is behind" in said
    assert behind == ["| lsi | y | approximate | a | 1 | 2 |", "| pca | x | exact | b | 1 | 1.25 |"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in digits.REGRESSIONS else name
        for name in (*digits.PROJECTIONS, *digits.SELECTORS)
    ],
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.rotating
def test_methods_have_the_digits_of_the_table(name):
    table = pd.read_csv(digits.FILE).set_index(["method", "dataset"])
    dataset = next(iter(digits.SETS))
    if (name, dataset) not in table.index:
        pytest.fail(f"{name} is not in {digits.FILE.name}: python benchmarks/digits.py")
    promised = table.loc[(name, dataset)]
    X, Y = digits.data_of(dataset, None)
    found = digits.digits_of(name, X, Y)
    if digits.REASONS.get(name) == digits.TOLERANCE and found["rows"] < promised["rows"]:
        # Scores of a feature that hardly lowers the objective are those of where the iteration ends.
        rows = np.random.default_rng(0).permutation(len(X))
        fitted = [mlreduce.make(name, **digits.REGRESSIONS[name]).fit(*one) for one in ((X, Y), (X[rows], Y[rows]))]
        assert fitted[1].objective_[-1] == pytest.approx(fitted[0].objective_[-1], rel=1e-7)
        return
    assert found["columns"] >= promised["columns"]
    assert found["rows"] >= promised["rows"]


def test_by_what_seconds_are_off():
    said = pd.DataFrame(
        [("a", 1.0, 4.0), ("b", 0.4, 0.1), ("c", 1e-4, 9e-4), ("d", 1.0, np.nan)],
        columns=["method", "seconds_said", "seconds"],
    )
    # Up to a millisecond the clock says more than the method; what could not be fitted says nothing.
    assert growth.off_by(said).to_dict() == pytest.approx({"a": 4.0, "b": 4.0, "c": 1.0})


def test_generated_shapes_are_the_same_each_time_and_of_both_kinds():
    drawn = growth.shapes(30)
    assert drawn == growth.shapes(30)
    assert sum(own["dense"] for own in drawn) == 15
    for axis, (least, most) in growth.SHAPES.items():
        assert all(least <= own[axis] <= most for own in drawn)
        assert max(own[axis] for own in drawn) > 5 * min(own[axis] for own in drawn)
    X, Y = growth.documents(**drawn[1])
    assert (X.shape, Y.shape) == ((drawn[1]["n"], drawn[1]["d"]), (drawn[1]["n"], drawn[1]["c"]))
    assert (X > 0).all()


@pytest.mark.slow
@pytest.mark.promise
def test_the_page_of_scale_says_what_was_measured():
    text = growth.PAGE.read_text(encoding="utf-8")
    tables = (pd.read_csv(path) for path in (growth.FITS, growth.CHECKED, growth.LARGE_CHECKED))
    assert growth.page_of(text, *tables) == text


@pytest.mark.slow
@pytest.mark.promise
def test_the_page_of_scale_says_what_jobs_cost():
    table = pd.read_csv(scheduling.TABLE)
    assert "\n".join(scheduling.rows_of_page(table)) in scheduling.PAGE.read_text(encoding="utf-8")
    packed = table[table["call"] == "in packs"]
    share = (packed["seconds"] + packed["in_jobs"]) / packed["jobs"] / scheduling.seconds_of_a_job()
    assert len(packed)
    assert (share <= 0.03).all()


def test_no_slope_is_far_above_the_declared_one():
    above = growth.above_declared(pd.read_csv(growth.FITS))
    assert above.empty, above[["method", "axis", "exponent", "half_width", "declared"]]


def test_a_slope_above_the_declared_one_is_returned():
    points = [{**growth.BASE, axis: size, "axis": axis} for axis in ("n", "c") for size in growth.DECADES[axis]]
    fits = pd.DataFrame(points).assign(family="selection", gigabytes=0.1)
    # Both are declared linear in instances, and only PMU is quadratic in labels.
    parts = [fits.assign(method=name, seconds=1e-6 * fits["n"] * fits["c"] ** 2) for name in ("mutual-info", "pmu")]
    above = growth.above_declared(pd.concat(parts))
    assert above[["method", "axis"]].to_numpy().tolist() == [["mutual-info", "c"]]
    assert above["declared"].tolist() == pytest.approx([1.0])


def test_by_what_estimates_of_many_features_are_off():
    rows = [
        ("a", "ends", 1.0, 4.0, 0.1, 0.4),
        ("b", "slow", 60.0, 30.0, 0.2, 0.1),  # took more than 30 s: 60 s may be right
        ("c", "slow", 1.0, 30.0, 0.2, 0.1),
        ("d", "refuses", 1.0, 0.1, 9.0, 0.1),
    ]
    columns = ["method", "outcome", "seconds_said", "seconds", "gigabytes_said", "gigabytes"]
    off = growth.off_large(pd.DataFrame(rows, columns=columns).assign(family="selection"))
    assert off["method"].tolist() == ["a", "b", "c"]
    assert off["seconds"].tolist() == pytest.approx([4.0, 1.0, 30.0])
    assert off["gigabytes"].tolist() == pytest.approx([4.0, 1.0, 1.0])


def test_what_is_said_of_the_smallest_shape_is_what_recommend_says():
    table = pd.read_csv(growth.CHECKED)
    shape = min(growth.shapes(30), key=lambda own: own["n"] * own["d"] * own["c"])
    tables = growth.said_of(shape)
    rows = table[(table[list(shape)] == pd.Series(shape)).all(axis=1)]
    said = [float(f"{tables[row.family].loc[row.method, 'seconds']:.4g}") for row in rows.itertuples()]
    assert len(said) > 100
    assert rows["seconds_said"].tolist() == said, "run: python benchmarks/growth.py --shapes 30"


def test_recommended_seconds_are_right_to_a_factor_of_four():
    off = growth.off_by(pd.read_csv(growth.CHECKED))
    assert (off <= growth.FACTOR).mean() >= 0.9
    assert (off.groupby(level=0).median() <= growth.FACTOR).mean() >= 0.95


def test_a_peer_that_predicts_is_not_compared_with_a_fit_alone(data):
    peer = peer_cases.Peer("sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 3}, predicts=True)
    for predicts, reason in ((False, "other work: fits and predicts, ours fits"), (True, None)):
        case = peer_cases.Case(peer_cases.Ours("br-knn", predicts=predicts), {"theirs": peer})
        if reason is None:
            assert np.isnan(peers.first_fit(case, "theirs", *data, case.ours(*data)))
        else:
            with pytest.raises(peers.Refused, match=reason):
                peers.first_fit(case, "theirs", *data, case.ours(*data))


def test_the_page_of_common_sizes_is_what_its_table_says():
    page = sizes.PAGE.read_text(encoding="utf-8")
    assert sizes.fill_block(page, "sizes", sizes.page(pd.read_csv(sizes.MEASURED))) == page


def test_what_does_not_end_comes_first_in_the_table_of_common_sizes():
    rows = [
        ("text", "predictors", "slow", "slow", 61.0, 0.1, ""),
        ("embeddings", "predictors", "slow", "ends", 1, 0, ""),
    ]
    rows += [("text", "predictors", name, "ends", seconds, 0.2, "") for name, seconds in (("quick", 0.1), ("long", 50))]
    lines = sizes.page(pd.DataFrame(rows, columns=list(sizes.COLUMNS)))
    assert [line.split("|")[1].strip() for line in lines[-3:]] == ["slow", "long", "quick"]
    assert lines[2].split("|")[1:4] == [" 5,000 x 20,000 sparse x 100 ", " 2 ", " 1 "]


@pytest.mark.parametrize(
    ("name", "given", "outcome"),
    [("majority-labels", 30, "ends"), ("chi2", -30, "fails"), ("label-tree", 30, "slow"), ("pca", 30, "large")],
)
def test_a_fit_at_a_common_size_ends_within_its_limits_or_not(monkeypatch, name, given, outcome):
    if outcome == "slow":  # as of one call into compiled code, which no limit interrupts
        monkeypatch.setattr(sizes, "SECONDS", -1)
        monkeypatch.setattr(growth, "within_limits", lambda _: nullcontext())
    monkeypatch.setattr(sizes, "GIGABYTES", -1.0 if outcome == "large" else 1.0)
    X, Y = growth.documents(300, 40, 6)
    family = mlreduce.registry.kind_of(name)
    assert sizes.end(family, name, given / 30 * X, Y)[0] == outcome


def test_the_page_says_up_to_where_neighbours_have_a_table():
    from mlreduce.spectral.graphs.neighbours import TABLE_BYTES

    limit = f"at most {TABLE_BYTES / 1e9:.2f} GB ({int((TABLE_BYTES // 8) ** 0.5):,} instances)"
    assert limit in growth.PAGE.read_text(encoding="utf-8")


def test_the_page_of_verdicts_has_the_rates_of_the_stored_tables():
    page_of = runpy.run_path(str(PROJECT / "benchmarks" / "verdicts.py"))["page_of"]
    text = (PROJECT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    assert page_of(text) == text
