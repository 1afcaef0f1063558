"""One ranking stands behind site, guide, peers, figure and `recommend`: none of them contradicts another."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd
import pytest
import update_evidence
import update_results

import mlreduce
from mlreduce.methods import evidence
from mlreduce.methods.evidence import foremost
from mlreduce.plot.colours import MOST, base_method, colour_of
from mlreduce.stats.ranking import CONTROLS, highlighted, rank, variants
from mlreduce_studies.description import describe_study
from mlreduce_studies.figures.kinds import _named
from mlreduce_studies.figures.near_best import _ranked
from mlreduce_studies.gathering.rankings import main_measure, main_ranking, names_of, rankings_of, sized_cells
from mlreduce_studies.options import kept
from mlreduce_studies.runs import Run, StudyResults
from mlreduce_studies.site.entries import Entries
from mlreduce_studies.site.findings import answers

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "benchmarks"))

import reducebench  # noqa: E402

REFERENCE = PROJECT / "results" / "reference"
#: Studies, their families, and their rankings in docs/tables with ridge regression.
FAMILIES = {
    "selectors": ("selection", "all-selectors-ridge"),
    "coders": ("labelspace", "all-coders"),
    "projections": ("projection", "all-projections"),
}
STUDIES = pytest.mark.parametrize("study", FAMILIES)
NUMBERS = ["near", "low", "high", "rank", "won", "mean"]


@pytest.fixture(scope="module")
def entries(reference):
    described = {name: describe_study(update_evidence.study_of(name)) for name in FAMILIES}
    studies = [StudyResults(name, REFERENCE / name, own) for name, own in described.items()]
    return Entries(Run(studies, "", ""))


@pytest.fixture(scope="module")
def recommended():
    """What is recommended, a list per family as it is printed: with what reduces nothing in its place."""
    data = mlreduce.load_dataset("planted-300")
    found = mlreduce.recommend((data.X - data.X.min(axis=0)), data.Y)
    return {family: found._with_unreduced(own) for family, own in found.table.groupby("family")}


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:1] == "|"]


def block(page: str, name: str) -> list[list[str]]:
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    return rows_of(re.search(f"<!-- {name}: begin -->(.*?)<!-- {name}: end -->", text, re.DOTALL)[1])[2:]


@STUDIES
def test_the_site_the_guide_and_recommend_rank_alike(study, entries, recommended):
    family, table = FAMILIES[study]
    own = foremost(family)
    order = [one.method for one in own]
    shown = entries.foremost[study].ranking
    pd.testing.assert_frame_equal(update_results.ranked(table).ranking.table[NUMBERS], shown.table[NUMBERS])
    order_shown = [row[0] for row in block("peers.md", f"evidence {table}")]
    assert pd.read_csv(update_results.COMPLETE / f"ranking-{table}.csv")["method"].to_list() == list(shown.table.index)
    assert order_shown == [name for name in shown.table.index if name in order_shown]
    assert {*order_shown} == {*shown.table.index[: update_results.SHOWN]} | ({*CONTROLS} & {*shown.table.index})
    # Advice is that of the comparison, or of the benchmark where it has been run.
    assert own[0].study == f"benchmark-2-{study}"
    ranking = update_evidence.studied(own[0].study)[0].ranking
    assert list(ranking.table.index) == order
    for one in own:
        for name in NUMBERS:
            assert getattr(one, name) == pytest.approx(ranking.table.loc[one.method, name], abs=1e-6)
            if name != "mean":
                assert f"{getattr(one, name):.2f}" == f"{ranking.table.loc[one.method, name]:.2f}"
    shown = recommended[family]
    fits = [name for name in order if shown["fits"].get(name)]
    if not own[0].weighted:  # otherwise the order is that for data like these
        assert list(shown.index[: len(fits)]) == fits


@STUDIES
def test_front_page_methods_data_sets_figure_and_comparison_say_the_same(study, entries):
    made, measure = entries.foremost[study], entries.judged_by[study]
    ranking = made.ranking
    ordered = entries.methods_in_order
    assert sorted(ordered) == sorted(entries.methods)
    begin = ordered.index(ranking.table.index[0])
    assert ordered[begin : begin + len(ranking.table)] == list(ranking.table.index)
    for own in (one for one in entries.rankings[study] if one.measure in entries.highlighted(study)):
        named = entries.highlighted(study)[own.measure]
        assert len(named) <= MOST
        # No two of them are alike, so that each has the same colour everywhere.
        assert len({colour_of(name) for name in named}) == len(named)
    assert entries.highlighted(study)[measure] == [made.labels[name] for name in highlighted(ranking.table)]
    best = ranking.table.index[0]
    page = entries.method(best)
    assert [page["by_study"][0][name] for name in ("study", "near", "rank")] == [
        study,
        *ranking.table.loc[best, ["near", "rank"]],
    ]
    assert {row["dataset"] for row in page["by_dataset"] if row["study"] == study} == set(ranking.data_sets)
    for dataset in ranking.data_sets[:3]:
        near, ranks = (ranking.by_set[name].loc[dataset] for name in ("near", "rank"))
        expected = min(ranking.table.index, key=lambda name: (-near[name], ranks[name], name))
        said = entries.dataset(dataset)
        assert next(row["method"] for row in said["ranks"] if row["study"] == study) == expected
    spec = update_evidence.study_of(study).figure_spec("figure-near-best")
    # The figure shows all that is ranked.
    drawn, labels = _ranked(
        pd.read_csv(REFERENCE / study / "summary.csv.gz").query("predictor == @made.predictor"), spec
    )
    pd.testing.assert_frame_equal(drawn.table[NUMBERS], ranking.table[NUMBERS])
    assert labels == dict(made.labels)


def test_pages_of_methods_begin_with_what_recommend_says(entries):
    for own in answers():
        family = own["family"]
        shown_here = (one for one in (own["first"], *own["then"]) if one.method in entries.methods)
        for one in (one for one in shown_here if one.family == family and one not in own["controls"]):
            benchmark = entries.method(one.method)["benchmark"]
            assert benchmark == one


def test_the_first_choices_of_the_guide_are_those_of_recommend(recommended):
    cases = dict(zip(update_results.CASES.values(), block("which-method.md", "first-choices"), strict=True))
    for (family, wanted), row in cases.items():
        named = re.match(r"`([\w-]+)` (\S+) ", row[1])
        own = foremost(family, wanted)[0]
        assert (named[1], named[2]) == (own.method, f"{own.near:.2f}")
        if wanted in (evidence.ANY, evidence.Wanted("ridge")):
            assert recommended[family].index[0] == own.method


@pytest.mark.parametrize("study", sorted(path.parent.name for path in REFERENCE.glob("*/summary.csv.gz")))
def test_every_study_is_ranked_over_sizes_and_sets_that_its_methods_share(study):
    for one in update_evidence.studied(study):
        ranking = one.ranking
        assert len(set(one.labels.values())) == len(ranking.table) == len(one.labels)
        assert not ranking.left_out
        for control in {*CONTROLS} & {*ranking.table.index}:
            assert ranking.by_set["rank"][control].notna().all()


LINES = ("approximation", "costs", "curves", "dimensions", "panels", "spectra", "times")


@pytest.mark.parametrize("study", sorted(path.parent.name for path in REFERENCE.glob("*/summary.csv.gz")))
def test_charts_of_the_committed_results_name_eight_lines_at_most_each_in_its_own_colour(study):
    made, table = update_evidence.study_of(study), pd.read_csv(REFERENCE / study / "summary.csv.gz")
    for figure in made.figures:
        spec = made.figure_spec(figure)
        if spec.get("kind", "curves") not in LINES:
            continue
        rows = kept(table, spec)
        rows = rows[rows["protocol"] == next(iter(made.figure_files(figure).values()))]
        rows = rows[rows["predictor"] == spec.get("predictor", rows["predictor"])]
        named = spec["methods"] if len(spec["methods"]) <= MOST else _named(rows, spec)
        assert len(named) + len(spec.get("references", {})) + len(spec.get("thin", {})) <= MOST, figure
        assert len({colour_of(name) for name in named}) == len({base_method(name) for name in named}), figure


def summary(rows):
    columns = ["dataset", "method", "predictor", "size_percent", "energy", "size", "mean"]
    table = pd.DataFrame(rows, columns=columns).assign(protocol="p", measure="micro-f1", splits=2)
    return table


def test_sizes_of_a_summary():
    rows = [
        ("d", "a", "r", 10, 0.0, 1.0, 0.1),
        ("d", "a", "r", 0, 0.99, 3.0, 0.2),
        ("d", "a", "r", 0, 0.0, 5.0, 0.3),
        ("d", "b", "r", 0, 0.99, 3.0, 0.4),
        ("d", "b", "r", 0, 0.0, 5.0, 0.5),
        ("d", "c", "r", 0, 0.0, 4.0, 0.6),
        ("d", "c", "r", 0, 0.0, 5.0, 0.7),
    ]
    found = sized_cells(summary(rows)).sort_values("method")
    assert found[["method", "size", "value"]].to_numpy().tolist() == [["a", 10, 0.1], ["b", 0.99, 0.4], ["c", 5, 0.7]]


def test_no_ranking_is_over_several_predictors_and_that_with_ridge_is_first():
    values = {
        "k": {"a": 0.5, "b": 0.9},
        "m": {"a": 0.9},
        "n": {"a": 0.9, "b": 0.2, "x": 0.1},
        "ridge": {"a": 0.9, "b": 0.5},
    }
    rows = [("d", m, p, 10, 0.0, 1.0, v) for p, own in values.items() for m, v in own.items()]
    found = rankings_of(summary(rows), {"a": "a", "b": "b", "x": "x"}, {})
    assert [(one.predictor, list(one.ranking.table.index)) for one in found] == [
        ("ridge", ["a", "b"]),
        ("k", ["b", "a"]),
        ("n", ["a", "b", "x"]),
    ]
    assert main_ranking(found).predictor == "ridge"
    assert main_ranking(found[1:]).predictor == "n"  # without it that of the most methods
    assert main_ranking([]) is None


def test_names_and_the_measure_of_a_study():
    registered = {"pca": "pca", "r-0": "random-features", "r-1": "random-features"}
    assert names_of(registered, {"r": ["r-0", "r-1"]}) == {"pca": "pca", "r": "random-features"}
    assert variants(["r", "pca"], names_of(registered, {"r": ["r-0", "r-1"]})) == {"pca": "pca", "random-features": "r"}
    tables = {"t": {"measure": "encoding-error"}, "u": {"measures": ["macro-f1", "micro-f1"]}}
    assert main_measure(tables, ["hamming-loss", "encoding-error", "macro-f1"]) == "macro-f1"
    assert main_measure({}, ["encoding-error", "hamming-loss"]) == "hamming-loss"


@pytest.mark.slow
@pytest.mark.promise
def test_advice_on_data_sets_left_out_is_that_of_the_studies():
    kept = pd.read_csv(PROJECT / "docs" / "benchmark" / "leave-one-out.csv")
    pd.testing.assert_frame_equal(reducebench.advice(), kept, rtol=1e-3, check_dtype=False)
    # Weighted advice is given where it won, and nowhere else.
    weighted = {row.study for row in kept.itertuples() if row.advice == "weighted"}
    assert weighted == {*pd.read_csv(evidence.RANKS).query("weighted")["study"]}


def test_seconds_stand_for_data_of_ordinary_size():
    sizes = pd.read_csv(evidence.SETS).query("study in @FAMILIES")[["instances", "features", "labels"]].median()
    shape = evidence.TYPICAL
    for median, own in zip(sizes, (shape.n, shape.d, shape.q), strict=True):
        assert 1 / 3 < median / own < 3
    assert evidence.typical_seconds("mine") is None
    cells = pd.DataFrame(
        [("d", name, 10, 0.1) for name in ("pca", "mine")], columns=["dataset", "method", "size", "value"]
    )
    made = rank(cells, True, seconds={"pca": evidence.typical_seconds("pca")})
    assert made.table["front"].to_dict() == {"mine": False, "pca": True}


def test_the_answers_of_the_front_page_are_those_of_guide_and_recommend(recommended):
    rows = {row[0]: row for row in block("which-method.md", "first-choices")}
    for one in answers():
        case = next(
            case for case, own in update_results.CASES.items() if own == (one["family"], evidence.Wanted("ridge"))
        )
        named = [", ".join(f"`{own.method}` {own.near:.2f}" for own in part) for part in (one["then"], one["controls"])]
        first = one["first"]
        assert rows[case][1:4] == [f"`{first.method}` {first.near:.2f} ({first.low:.2f} to {first.high:.2f})", *named]
        assert rows[case][4].startswith(one["by"])
        assert recommended[one["family"]].index[0] == first.method
