from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlreduce.exceptions import DataError
from mlreduce.stats.ranks import critical_difference, friedman
from mlreduce_studies.gathering.summary import SUMMARY_COLUMNS, write_csv
from mlreduce_studies.tables import make_table, table_parts
from mlreduce_studies.tables.average_ranks import AVERAGE_RANK_COLUMNS, average_rank_table
from mlreduce_studies.tables.ranked import RANKED_COLUMNS, ranked_layout, ranked_table

METHODS = ["mvmd", "pca", "ml_da"]
MEANS = {"yeast": [0.5, 0.4, 0.3], "birds": [0.2, 0.2, 0.6], "scene": [0.9, 0.1, 0.5]}


def summary(means=MEANS, measure="instance-f1", protocol="stated", percent=0, energy=0.99):
    rows = [
        (protocol, dataset, method, "mlknn", measure, percent, energy, 2.5, mean, 0.01, 0.0316, 10)
        for dataset, row in means.items()
        for method, mean in zip(METHODS, row, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def f1_table(data, methods=METHODS, **options):
    spec = {"measure": "instance-f1", "predictor": "mlknn", "methods": methods, "energy": 0.99, **options}
    return ranked_table(data, spec)


@pytest.fixture
def ranked():
    return f1_table(summary())


def test_ranks_within_a_data_set_and_protocol():
    both = pd.concat([summary(), summary({"yeast": [0.1, 0.2, 0.3]}, protocol="printed")])
    table = f1_table(both)
    assert tuple(table.columns) == RANKED_COLUMNS
    assert table[["protocol", "dataset", "method", "rank"]].to_numpy().tolist() == [
        ["printed", "yeast", "ml_da", 1.0],
        ["printed", "yeast", "mvmd", 3.0],
        ["printed", "yeast", "pca", 2.0],
        ["stated", "birds", "ml_da", 1.0],
        ["stated", "birds", "mvmd", 2.5],
        ["stated", "birds", "pca", 2.5],
        ["stated", "scene", "ml_da", 2.0],
        ["stated", "scene", "mvmd", 1.0],
        ["stated", "scene", "pca", 3.0],
        ["stated", "yeast", "ml_da", 3.0],
        ["stated", "yeast", "mvmd", 1.0],
        ["stated", "yeast", "pca", 2.0],
    ]
    assert table["size"].eq(2.5).all()
    assert table["sd"].eq(0.0316).all()


def test_only_what_is_asked_for_is_ranked():
    other = [
        summary({"yeast": [9, 9, 9]}, energy=0.9),
        summary({"yeast": [8, 8, 8]}, percent=10, energy=0.0),
        summary({"yeast": [7, 7, 7]}, measure="hamming-loss"),
        summary({"yeast": [6, 6, 6]}).assign(predictor="linear"),
    ]
    data = pd.concat([summary({"yeast": [3, 1, 2]}), *other])
    assert f1_table(data, METHODS[:2])["mean"].tolist() == [3, 1]
    assert f1_table(data, energy=0.9)["mean"].tolist() == [9, 9, 9]
    assert f1_table(data, energy=0.0, size_percent=10)["mean"].tolist() == [8, 8, 8]
    lowest = f1_table(data.assign(measure="hamming-loss")[:3], measure="hamming-loss")
    assert lowest.set_index("method")["rank"].to_dict() == {"mvmd": 3, "pca": 1, "ml_da": 2}


def test_a_missing_or_repeated_value_is_named():
    data = summary()
    with pytest.raises(DataError, match="data set 'birds' has no value of method 'pca'"):
        f1_table(data[~((data["dataset"] == "birds") & (data["method"] == "pca"))])
    with pytest.raises(DataError, match="data set 'birds' has no value of method 'cca'"):
        f1_table(data, [*METHODS, "cca"])
    with pytest.raises(DataError, match="method 'mvmd' has several values on data set 'yeast'"):
        f1_table(pd.concat([data, summary().assign(size=7.0)]))


def test_layout_marks_the_best_and_averages_ranks(ranked):
    header, rows = ranked_layout(ranked, [*METHODS, "absent"])
    assert header == ["dataset", "mvmd", "pca", "ml_da", "absent"]
    assert [row[0] for row in rows] == ["birds", "scene", "yeast", "average rank"]
    assert rows[0][1:] == ["0.2000 ± 0.0316 (2.5)", "0.2000 ± 0.0316 (2.5)", "**0.6000 ± 0.0316 (1)**", ""]
    assert rows[3][1:] == ["1.50", "2.50", "2.00", ""]
    _, rows = ranked_layout(f1_table(summary({"yeast": [0.7, 0.7, 0.1]})), METHODS)
    assert [cell.startswith("**") for cell in rows[0][1:]] == [True, True, False]
    assert rows[1] == ["average rank", "1.50", "1.50", "3.00"]


def spec(kind, caption, **options):
    return {"kind": kind, "caption": caption, "methods": METHODS, "predictor": "mlknn", "energy": 0.99, **options}


def test_texts_of_a_ranked_table(ranked):
    table, markdown, latex = make_table(summary(), spec("ranked", "F1 at 99 %", measure="instance-f1"), "table4")
    pd.testing.assert_frame_equal(table, ranked)
    assert markdown.startswith("# F1 at 99 %\n\nMean ± standard deviation")
    assert "## stated, 10 splits\n\n| dataset | mvmd |" in markdown
    assert "| average rank | 1.50 | 2.50 | 2.00 |" in markdown
    assert r"\caption{F1 at 99 \% (stated, 10 splits)}" in latex
    assert r"\label{tab:table4-stated}" in latex
    assert r"\begin{tabular}{lrrr}" in latex
    assert r"dataset & mvmd & pca & ml\_da \\" in latex
    assert r"\textbf{0.6000 $\pm$ 0.0316 (1)}" in latex


def test_a_table_without_some_of_the_data_sets():
    tidy, _, _ = make_table(summary(), spec("ranked", "F1", measure="instance-f1", leave_out=["scene", "a"]), "t")
    assert set(tidy["dataset"]) == {"birds", "yeast"}


def test_numbers_of_splits_that_differ():
    data = summary()
    data["splits"] = data["splits"].where(data["dataset"] != "scene", 3)
    _, markdown, latex = make_table(data, spec("ranked", "F1", measure="instance-f1"), "table4")
    assert "## stated\n\n| dataset | splits | mvmd |" in markdown
    assert "| birds | 10 | 0.2000" in markdown
    assert "| scene | 3 | " in markdown
    assert "| average rank |  | 1.50 |" in markdown
    assert r"\begin{tabular}{lrrrr}" in latex


def test_tables_of_nothing(ranked):
    empty = f1_table(summary().iloc[:0])
    assert tuple(empty.columns) == RANKED_COLUMNS
    assert empty.empty
    assert ranked_layout(empty, METHODS) == (["dataset", *METHODS], [])
    _, markdown, latex = make_table(summary().iloc[:0], spec("ranked", "T", measure="instance-f1"), "t")
    assert markdown.startswith("# T\n")
    assert "|" not in markdown
    assert latex == "\n"
    table, markdown, _ = make_table(summary().iloc[:0], spec("average-ranks", "T", measures=["instance-f1"]), "t")
    assert table["data_sets"].eq(0).all()
    assert table.drop(columns=["measure", "method", "data_sets"]).isna().all(axis=None)
    assert markdown.endswith("| F1 |  |  |  |  |  |  | 0 |\n")


LOSSES = {"yeast": [0.1, 0.2, 0.3], "birds": [0.1, 0.3, 0.2], "scene": [0.3, 0.2, 0.1]}
BOTH = ["instance-f1", "hamming-loss"]


def averages(data, measures=BOTH):
    return average_rank_table(data, spec("average-ranks", "c", measures=measures))


def two_measures():
    return pd.concat([summary(), summary(LOSSES, "hamming-loss")])


def test_average_ranks_by_hand():
    table = averages(two_measures())
    assert tuple(table.columns) == AVERAGE_RANK_COLUMNS
    assert table["measure"].tolist() == ["instance-f1"] * 3 + ["hamming-loss"] * 3 + ["all"] * 3
    assert table["method"].tolist() == METHODS * 3
    of_measures = table.groupby("measure", sort=False)["average_rank"].apply(list)
    assert of_measures["instance-f1"] == pytest.approx([1.5, 2.5, 2.0])
    assert of_measures["hamming-loss"] == pytest.approx([5 / 3, 7 / 3, 2.0])
    # Ranks over both measures: yeast 1, 2, 3; birds (2.5+1)/2, (2.5+3)/2, (1+2)/2; scene (1+3)/2, (3+2)/2, (2+1)/2.
    over_measures = np.array([[1, 2, 3], [1.75, 2.75, 1.5], [2, 2.5, 1.5]])
    assert of_measures["all"] == pytest.approx([(1 + 2 + 2) / 3, (2 + 3 + 3) / 3, (3 + 1 + 1) / 3])
    last = table.iloc[-1]
    assert last["data_sets"] == 3
    assert (last["friedman_statistic"], last["friedman_p"]) == pytest.approx(friedman(pd.DataFrame(over_measures)))
    assert table["critical_difference"].to_numpy() == pytest.approx(critical_difference(3, 3))


def test_a_data_set_that_one_measure_lacks_is_named():
    data = two_measures()
    with pytest.raises(DataError, match="data set 'scene' has no value of method 'mvmd'"):
        averages(data[(data["measure"] != "hamming-loss") | (data["dataset"] != "scene")])


def test_two_protocols_are_not_mixed():
    with pytest.raises(DataError, match="several values on data set .* ranks need one protocol"):
        averages(pd.concat([two_measures(), summary(protocol="printed")]))


def test_texts_of_average_ranks(tmp_path):
    table, markdown, latex = make_table(two_measures(), spec("average-ranks", "Ranks of 3", measures=BOTH), "ranks")
    write_csv(table, tmp_path / "ranks.csv")
    shown = spec("average-ranks", "c", measures=BOTH) | {"methods": [*METHODS, "absent"]}
    ((_, title, header, rows),) = table_parts(pd.read_csv(tmp_path / "ranks.csv"), shown)
    assert title == "over the data sets"
    assert header == ["measure", *METHODS, "absent", "Friedman", "p", "CD", "data sets"]
    assert [row[0] for row in rows] == ["F1", "Hamming loss", "all measures"]
    assert rows[2][1:5] == ["**1.67**", "2.67", "**1.67**", ""]
    assert rows[0][-2:] == ["1.91", "3"]
    assert markdown.startswith("# Ranks of 3\n\nAverage rank over the data sets")
    assert "| F1 | **1.50** | 2.50 | 2.00 |" in markdown
    assert r"\begin{tabular}{lrrrrrrr}" in latex
    assert r"\caption{Ranks of 3 (over the data sets)}" in latex


def test_one_data_set_has_ranks_and_no_test():
    table, markdown, _ = make_table(
        summary({"yeast": [0.5, 0.4, 0.3]}), spec("average-ranks", "c", measures=BOTH[:1]), "t"
    )
    assert table["average_rank"].tolist() == [1, 2, 3]  # of one measure there is no row of all
    assert table["friedman_p"].isna().all()
    assert "| F1 | **1.00** | 2.00 | 3.00 |  |  |  | 1 |" in markdown
