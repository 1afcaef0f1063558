"""Tables, tests, figures and the page where cells failed; and that nothing changes where none did."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.evaluation.scores import SPECTRUM_COLUMNS
from mlreduce.exceptions import DataError
from mlreduce_studies.figures import make_figure
from mlreduce_studies.gathering.areas import area_scores, averaged_draws
from mlreduce_studies.gathering.failed_cells import RULE, add_failures_of_draws, footnotes, with_failed_rows, with_gaps
from mlreduce_studies.gathering.summary import SUMMARY_COLUMNS, summarise, write_csv
from mlreduce_studies.gathering.times import RATIO_COLUMNS, gathered_times, time_ratios
from mlreduce_studies.tables import make_table
from mlreduce_studies.tables.sizes import TABLE_COLUMNS
from mlreduce_studies.verdicts.audit import AUDIT_COLUMNS, audit, audit_markdown, audit_sentences, beside_printed

METHODS = ["plst", "cplst", "cs"]
SETS = ["emotions", "scene", "yeast"]
SPEC = {"measure": "hamming-loss", "predictor": "linear", "methods": METHODS, "caption": "Table 3"}
RANKED = SPEC | {"kind": "ranked", "size_percent": 100}
AVERAGES = {**RANKED, "kind": "average-ranks", "measures": ["hamming-loss", "loss-bound"]}


def failures(*cells, error="ValueError", message="boom", step="predict", predictor="linear", **same):
    """Failed cells as (data set, method, split)."""
    common = {"study": "s", "protocol": "p", "group": "g", "where": "mine.py:3 (fit)", **same}
    rows = [
        common
        | {"dataset": dataset, "method": method, "predictor": predictor, "split": split, "step": step}
        | {"error": error, "message": message}
        for dataset, method, split in cells
    ]
    return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS)).astype({"split": "Int64"})


ONE = failures(("scene", "plst", 1))
ALL = failures(*(("scene", "cs", split) for split in range(3)), step="reduce", message="no | direction_")


def scores(failed=None, methods=METHODS, sets=SETS):
    """Scores on three splits, without those that failed."""
    rows = [
        {"study": "s", "protocol": "p", "dataset": dataset, "method": method, "parameters": "{}", "predictor": "linear"}
        | {"size_percent": percent, "energy": 0.0, "size": percent // 10, "split": split, "measure": measure}
        | {"value": 0.1 * place + 0.01 * number + 0.001 * split * (number + 1) + 0.05 * (measure == "loss-bound")}
        for place, dataset in enumerate(sets, 1)
        for number, method in enumerate(methods)
        for percent in (50, 100)
        for split in range(3)
        for measure in ("hamming-loss", "loss-bound")
    ]
    table = pd.DataFrame(rows)
    if failed is None:
        return table
    return table.merge(failed[["dataset", "method", "split"]], how="left_anti")


def summary(*parts):
    """A summary as it comes back from its file."""
    failed = pd.concat(parts) if parts else failures()
    text = io.StringIO()
    with_gaps(summarise(scores(failed)), failed).to_csv(text, index=False)
    return pd.read_csv(io.StringIO(text.getvalue()))


def test_without_failures_nothing_changes():
    whole = summarise(scores())
    assert with_gaps(whole, failures()) is whole
    times = pd.DataFrame({"dataset": ["a"], "method": ["b"], "split": [0], "seconds": [1.0]})
    assert with_failed_rows(times, failures()) is times
    assert footnotes(whole) == []
    # What failed stands in another table.
    spec = SPEC | {"methods": ["cplst"]}
    plain, some = (make_table(source, spec, "t") for source in (whole, summary(ONE, ALL)))
    pd.testing.assert_frame_equal(plain[0], some[0])
    assert plain[1:] == some[1:]


def test_a_mean_is_over_the_splits_on_which_the_method_ran():
    table = summary(ONE, ALL)
    assert tuple(table.columns) == (*SUMMARY_COLUMNS, "failed", "reason")
    cell = table[(table["dataset"] == "scene") & (table["method"] == "plst")].iloc[0]
    own = scores(ONE).query("dataset == 'scene' and method == 'plst' and measure == 'hamming-loss'")
    values = own.query("size_percent == 50")["value"]
    assert (cell["splits"], cell["failed"]) == (2, 1)
    assert cell["mean"] == pytest.approx(values.mean())
    assert cell["se"] == pytest.approx(values.std() / np.sqrt(2))
    assert cell["reason"] == "ValueError: boom (predict, split 1)"
    rest = table[table["dataset"] != "scene"]
    assert set(rest["failed"]) == {0}
    assert rest["reason"].isna().all()


def test_a_cell_without_splits_is_a_row_without_values():
    table = summary(ALL)
    gaps = table[table["splits"] == 0]
    assert gaps[["dataset", "method"]].drop_duplicates().values.tolist() == [["scene", "cs"]]
    assert gaps[["measure", "size_percent"]].values.tolist() == [
        *(["hamming-loss", 50], ["hamming-loss", 100], ["loss-bound", 50], ["loss-bound", 100]),
    ]
    assert gaps[["size", "mean", "se", "sd"]].isna().all(axis=None)
    assert set(gaps["failed"]) == {3}
    assert set(gaps["reason"]) == {"ValueError: no | direction_ (reduce, 3 splits, 0 the first)"}
    assert len(table) == len(summarise(scores()))


def test_a_method_without_sizes_gets_those_of_others():
    everywhere = failures(*((dataset, "cs", split) for dataset in SETS for split in range(3)))
    gaps = summary(everywhere).query("method == 'cs'")
    assert len(gaps) == 3 * 2 * 2
    nothing = failures(*((dataset, m, split) for dataset in SETS for m in METHODS for split in range(3)))
    assert summary(nothing).empty


def test_the_error_of_one_remaining_split_is_unknown():
    table = summary(failures(("scene", "plst", 0), ("scene", "plst", 2)))
    cells = table.query("dataset == 'scene' and method == 'plst'")
    assert set(cells["splits"]) == {1}
    assert cells[["se", "sd"]].isna().all(axis=None)
    assert cells["reason"].iloc[0] == "ValueError: boom (predict, 2 splits, 0 the first)"
    assert "| **0.2010 ± –** |" in make_table(table, SPEC, "t")[1]


def test_several_reasons_are_the_commonest_and_a_number():
    several = pd.concat([ONE, failures(("scene", "plst", 0), message="other"), failures(("scene", "plst", 2))])
    cells = with_gaps(summarise(scores(several)), several).query("dataset == 'scene' and method == 'plst'")
    assert set(cells["reason"]) == {"ValueError: boom (predict, 2 splits, 1 the first); and 1 more"}
    assert with_gaps(summarise(scores(ONE)), failures(("scene", "plst", 1), message=""))["reason"].max() == (
        "ValueError (predict, split 1)"
    )


def test_a_table_shows_splits_gaps_and_footnotes():
    table, markdown, latex = make_table(summary(ONE, ALL), SPEC, "table3")
    assert tuple(table.columns) == (*TABLE_COLUMNS, "failed", "reason")
    assert "| scene | plst | 2 | **0.2010 ± 0.0010** |" in markdown
    assert "| scene | cs | 0 | – | – |" in markdown
    assert "| yeast | cs | 3 | 0.3230 ± 0.0017 |" in markdown
    end = [
        RULE,
        "",
        "- cs on scene, p: ran on 0 of 3 splits; ValueError: no \\| direction_ (reduce, 3 splits, 0 the first)",
        "- plst on scene, p: ran on 2 of 3 splits; ValueError: boom (predict, split 1)",
    ]
    assert markdown.endswith("\n".join(end) + "\n")
    assert r"scene & cs & 0 & -- & -- \\" in latex
    assert r"plst on scene, p: ran on 2 of 3 splits; ValueError: boom (predict, split 1)\\" in latex
    assert r"no \textbar{} direction\_ (reduce" in latex
    assert latex.count(r"\begin{flushleft}") == latex.count(r"\end{flushleft}") == 1


def test_many_footnotes_are_cut():
    many = failures(*((f"set{i}", "a", 0) for i in range(20)))
    rows = with_failed_rows(pd.DataFrame({"dataset": [], "method": [], "split": [], "seconds": []}), many)
    notes = footnotes(rows)
    assert len(notes) == 14
    assert notes[-1] == "and 8 more, in failures.csv"


def test_ranks_leave_out_data_sets_with_a_gap():
    table, markdown, _ = make_table(summary(ONE, ALL), RANKED, "t")
    assert table.loc[table["dataset"] == "scene", "rank"].isna().all()
    whole = make_table(summarise(scores(sets=SETS)), RANKED, "t")[0]
    others = table[table["dataset"] != "scene"]
    pd.testing.assert_series_equal(others["rank"], whole.loc[whole["dataset"] != "scene", "rank"])
    assert "| scene | 0 to 3 | 0.2010 ± 0.0014 | 0.2120 ± 0.0020 | – |" in markdown
    assert "| average rank, 2 of 3 data sets |  | 1.00 | 2.00 | 3.00 |" in markdown
    # On fewer splits a method has a rank.
    some = make_table(summary(ONE), RANKED, "t")
    assert some[0]["rank"].notna().all()
    assert "| average rank |  |" in some[1]


def test_values_missing_without_a_reason_are_refused():
    table = summary(ALL)
    with pytest.raises(DataError, match="data set 'yeast' has no value of method 'cs'"):
        make_table(table[(table["dataset"] != "yeast") | (table["method"] != "cs")], RANKED, "t")
    undefined = table.assign(mean=table["mean"].where(table["dataset"] != "yeast"))
    with pytest.raises(DataError, match="data set 'yeast' has no value"):
        make_table(undefined, RANKED, "t")


def test_tests_are_those_of_the_data_sets_that_are_left():
    sets = [*SETS, "enron", "medical"]
    some = with_gaps(summarise(scores(ALL, sets=sets)), ALL)
    table, markdown, _ = make_table(some, AVERAGES, "t")
    rest = make_table(summarise(scores(sets=[name for name in sets if name != "scene"])), AVERAGES, "t")[0]
    pd.testing.assert_frame_equal(table.drop(columns=["left_out", "reason"]), rest)
    assert set(table["left_out"]) == {1}
    assert set(table["data_sets"]) == {4}
    assert "| 4 (1 left out) |" in markdown
    reason = r"ValueError: no \| direction_ (reduce, 3 splits, 0 the first)"
    assert markdown.endswith(f"- left out: scene, where cs failed: {reason}\n")
    figure = make_figure(some, AVERAGES | {"kind": "critical-differences"}, "p")
    shown = [axis.get_title() for axis in figure.axes if axis.get_visible()]
    assert len(shown) == 3
    assert all(title.endswith("4 data sets, 1 left out)") for title in shown)
    plt.close(figure)


def test_gaps_everywhere_leave_no_rank_and_no_test():
    everywhere = failures(*((dataset, "cs", split) for dataset in SETS for split in range(3)))
    table, markdown, _ = make_table(summary(everywhere), AVERAGES, "t")
    assert table["average_rank"].isna().all()
    assert set(table["data_sets"]) == {0}
    assert "| 0 (3 left out) |" in markdown
    ranked = make_table(summary(everywhere), RANKED, "t")
    assert ranked[0]["rank"].isna().all()
    assert "| average rank, 0 of 3 data sets |" in ranked[1]
    figure = make_figure(summary(everywhere), AVERAGES | {"kind": "critical-differences"}, "p")
    assert "there are 3 on 0, 3 left out" in figure.axes[0].texts[0].get_text()
    plt.close(figure)


def test_a_mean_of_draws_needs_every_draw_of_a_split():
    methods, averages = ["a-0", "a-1", "b"], {"a": ["a-0", "a-1"]}
    one = failures(("scene", "a-1", 2))
    rows = scores(one, methods)
    with pytest.raises(DataError, match="draw 'a-1' is missing in split 2"):
        averaged_draws(rows, averages)
    averaged = averaged_draws(rows, averages, one)
    assert set(averaged.query("method == 'a' and dataset == 'scene'")["split"]) == {0, 1}
    whole = averaged_draws(scores(methods=methods), averages)
    kept = whole.query("method == 'a' and (dataset != 'scene' or split != 2)").reset_index(drop=True)
    pd.testing.assert_frame_equal(averaged[averaged["method"] == "a"].reset_index(drop=True), kept)
    table = with_gaps(summarise(averaged), add_failures_of_draws(one, averages)).query(
        "dataset == 'scene' and size_percent == 50"
    )
    failed = table.drop_duplicates("method").set_index("method")["failed"]
    assert failed.to_dict() == {"a": 1, "a-0": 0, "a-1": 1, "b": 0}
    areas = with_gaps(summarise(area_scores(averaged)), add_failures_of_draws(one, averages))
    assert areas.query("dataset == 'scene' and method == 'a'")["splits"].tolist() == [2, 2]


def test_the_audit_says_what_failed(tmp_path):
    published = pd.DataFrame(
        [("table3", dataset, method, 100, 0.2, 0.01, 0.0005, "") for dataset in SETS[1:] for method in METHODS],
        columns=["table", "dataset", "method", "size_percent", "printed", "printed_se", "half_unit", "note"],
    )
    cells = audit({"table3": make_table(summary(ONE, ALL), SPEC, "t")[0]}, published)
    assert tuple(cells.columns) == AUDIT_COLUMNS
    of_scene = cells[cells["dataset"] == "scene"].set_index("method")
    assert of_scene["verdict"].to_dict() == {"plst": "reproduced", "cplst": "reproduced", "cs": "failed"}
    assert of_scene.loc["plst", "note"] == "ValueError: boom (predict, split 1)"
    assert "0 were not run, 1 failed." in audit_sentences(cells)[0]
    text = audit_markdown(cells, "s")
    assert r"|  |  |  | failed |  | ValueError: no \| direction_ (reduce, 3 splits, 0 the first) |" in text
    assert "| scene | cs | 0 | **– (0.2000)** |" in beside_printed(cells, "table3", "p")
    alone = failures(("scene", "plst", 0), ("scene", "plst", 2))
    cells = audit({"table3": make_table(summary(alone), SPEC, "t")[0]}, published)
    left = cells.query("dataset == 'scene' and method == 'plst'")
    assert left[["verdict", "equivalence"]].to_numpy().tolist() == [["failed", ""]]
    assert left["ours"].notna().all()  # of the one split that is left, from which nothing follows


TIMED = failures(("scene", "cs", 0), ("scene", "cs", 1), ("scene", "plst", 1), step="time", predictor="", protocol="")


def times(failed=None):
    rows = [(d, m, split, 1.0 + split) for d in SETS for m in METHODS for split in range(2)]
    table = pd.DataFrame(rows, columns=["dataset", "method", "split", "seconds"])
    if failed is None:
        return table
    return table.merge(failed[["dataset", "method", "split"]], how="left_anti")


def written(table, folder):
    """A table as it comes back from its file."""
    write_csv(table, folder / "table.csv")
    return pd.read_csv(folder / "table.csv")


def test_times_show_gaps_and_reasons(tmp_path):
    spec = {"kind": "times", "methods": METHODS, "caption": "Seconds"}
    pd.testing.assert_frame_equal(gathered_times(times(), failures(), {}), times())
    table, markdown, _ = make_table(written(gathered_times(times(TIMED), TIMED, {}), tmp_path), spec, "t")
    assert "## mean of 0 to 2 training sets" in markdown
    assert "| scene | 1 | 1.5 | – |" in markdown
    assert "- plst on scene: ran on 1 of 2 splits; ValueError: boom (time, split 1)" in markdown
    assert "- cs on scene: ran on 0 of 2 splits; ValueError: boom (time, 2 splits, 0 the first)" in markdown
    assert table["splits"].tolist() == [2, 2, 2, 2, 0, 1, 2, 2, 2]
    figure = make_figure(gathered_times(times(TIMED), TIMED, {}), spec | {"kind": "times"}, "p")
    assert [len(axis.lines) for axis in figure.axes] == [3, 2, 3]
    plt.close(figure)


def test_the_mean_time_of_draws_needs_them_all():
    averages = {"mean": ["plst", "cs"]}
    table = gathered_times(times(TIMED), TIMED, averages)
    mean = table[table["method"] == "mean"].set_index(["dataset", "split"])
    assert mean.loc["emotions", "seconds"].tolist() == [1.0, 2.0]
    assert mean.loc["scene", "seconds"].isna().all()
    assert mean.loc["scene", "reason"].tolist() == ["ValueError: boom (time)"] * 2


def test_ratios_of_times_show_gaps_and_reasons(tmp_path):
    printed = pd.DataFrame({"dataset": ["yeast"], "method": ["cs"], "seconds": [3.0]})
    ratios = time_ratios(written(gathered_times(times(TIMED), TIMED, {}), tmp_path), printed, "plst")
    assert tuple(ratios.columns) == (*RATIO_COLUMNS, "reason")
    spec = {"kind": "time-ratios", "methods": ["cplst", "cs"], "base": "plst", "caption": "Ratios"}
    _, markdown, _ = make_table(written(ratios, tmp_path), spec, "t")
    assert "| scene | 1.5 | – |" in markdown
    assert "- cs on scene: ValueError: boom (time, 2 splits, 0 the first)" in markdown


def test_choices_show_gaps_and_reasons(tmp_path):
    rows = [("p", d, m, split, 2.0, 4.0, 0.1) for d in SETS for m in ("plst", "cs") for split in range(2)]
    choices = pd.DataFrame(rows, columns=["protocol", "dataset", "method", "split", "gamma", "alpha", "loss"])
    one = failures(("scene", "cs", 0), ("scene", "cs", 1), ("yeast", "cs", 1), step="choose", predictor="")
    kept = choices.merge(one[["dataset", "method", "split"]], how="left_anti")
    spec = {"kind": "choices", "methods": ["plst", "cs"], "caption": "Chosen"}
    _, markdown, _ = make_table(written(with_failed_rows(kept, one), tmp_path), spec, "t")
    assert "| scene | cs | 0 | – | – |" in markdown
    assert "| yeast | cs | 1 | 1 | 2 |" in markdown
    assert "- yeast" not in markdown
    assert "- cs on yeast, p: ran on 1 of 2 splits; ValueError: boom (choose, split 1)" in markdown
    searched = kept.drop(columns=["gamma", "alpha", "loss"]).assign(parameters="{}", score=0.5, ranged=1, at_end="")
    _, markdown, _ = make_table(
        written(with_failed_rows(searched, one[:1]), tmp_path), spec | {"kind": "searched"}, "t"
    )
    assert "| scene | cs | – | – |" in markdown


def test_stability_leaves_out_failed_splits():
    rng = np.random.default_rng(0)
    rows = [
        ("s", "p", d, m, split, feature, rank, 0.0)
        for d in ("scene", "yeast")
        for m in ("gmba-0", "gmba-1", "spec")
        for split in range(3)
        for rank, feature in enumerate(rng.permutation(10), 1)
    ]
    columns = ["study", "protocol", "dataset", "method", "split", "feature", "rank", "score"]
    rankings = pd.DataFrame(rows, columns=columns)
    gone = [("scene", "gmba-1", 2), *(("yeast", "spec", split) for split in range(3))]
    failed = failures(*gone, step="rank", predictor="")
    kept = rankings.merge(failed[["dataset", "method", "split"]], how="left_anti")
    spec = {"kind": "stability", "methods": ["gmba", "spec"], "size_percents": [50], "caption": "Stability"}
    table, markdown, _ = make_table(with_failed_rows(kept, failed), spec, "t")
    without = rankings[(rankings["split"] != 2) | (rankings["dataset"] != "scene")]
    expected = make_table(without, spec, "t")[0].set_index(["dataset", "method"])
    found = table.set_index(["dataset", "method"])
    assert found.loc[("scene", "gmba"), "stability"] == expected.loc[("scene", "gmba"), "stability"]
    assert found.loc[("scene", "gmba"), "order_correlation"] == expected.loc[("scene", "gmba"), "order_correlation"]
    assert found["splits"].to_dict() == {
        **{("scene", "gmba"): 2, ("scene", "spec"): 3, ("yeast", "gmba"): 3, ("yeast", "spec"): 0},
    }
    assert np.isnan(found.loc[("yeast", "spec"), "stability"])
    assert "| – |" in markdown
    assert "- gmba on scene, p: ran on 2 of 3 splits; ValueError: boom (rank, split 2)" in markdown


def test_figures_draw_what_there_is():
    spec = SPEC | {"kind": "dimensions"}
    figure = make_figure(summary(ONE, ALL), spec, "p")
    named = [[line for line in axis.lines if not line.get_label().startswith("_")] for axis in figure.axes]
    assert [len(lines) for lines in named] == [3, 2, 3]
    curves = make_figure(summary(ONE, ALL), SPEC | {"measures": ["hamming-loss"]}, "p", "scene")
    drawn = {bar.get_label(): len(bar.lines[0].get_xdata()) for bar in curves.axes[0].containers}
    assert drawn == {"plst": 2, "cplst": 2, "cs": 0}
    spectra = pd.DataFrame([("s", "p", "scene", "cs", 0, 1, 2.0)], columns=list(SPECTRUM_COLUMNS))
    shown = {"kind": "spectra", "methods": ["plst"], "caption": "Spectra", "labels": {}}
    with pytest.raises(DataError, match="nothing to draw"):
        make_figure(spectra, shown, "p")
    empty = make_figure(with_failed_rows(spectra, failures(("scene", "plst", 0), step="reduce")), shown, "p")
    assert empty.axes[0].texts[0].get_text() == "nothing to draw: every cell failed"
    only = {"kind": "dimensions", "methods": ["cs"], "measure": "hamming-loss", "predictor": "linear", "caption": "c"}
    alone = make_figure(summary(ALL).query("dataset == 'scene'"), only, "p")
    assert alone.axes[0].texts[0].get_text() == "nothing to draw: every cell failed"
    plt.close("all")
