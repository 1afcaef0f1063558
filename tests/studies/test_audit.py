from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlreduce.exceptions import DataError
from mlreduce_studies.gathering.summary import SUMMARY_COLUMNS, at_directions, summarise, write_csv
from mlreduce_studies.gathering.times import RATIO_COLUMNS
from mlreduce_studies.tables import make_table
from mlreduce_studies.tables.sizes import TABLE_COLUMNS, layout, select_table
from mlreduce_studies.verdicts.audit import (
    AUDIT_COLUMNS,
    SIZE_COLUMNS,
    VERDICTS,
    WITHIN,
    audit,
    audit_markdown,
    audit_sentences,
    audit_sizes,
    audit_sums,
    beside_printed,
    read_published,
    read_sizes,
    sums_by_protocol,
    verdict,
)

PROTOCOLS = ("as-printed", "as-stated")
PAPERS = Path(__file__).parents[2] / "papers"


def scores(value=lambda method, split: 0.1 * split + (method == "plst")):
    rows = [
        (
            "cplst-2012",
            protocol,
            "set_a",
            method,
            "{}",
            "linear",
            percent,
            0.0,
            size,
            split,
            "hamming-loss",
            value(method, split),
        )
        for protocol in ("as-printed", "as-stated")
        for method in ("cplst", "plst")
        for percent, size in ((0, 1), (50, 2), (100, 4))
        for split in range(5)
    ]
    columns = ["study", "protocol", "dataset", "method", "parameters", "predictor", "size_percent", "energy"]
    return pd.DataFrame(rows, columns=[*columns, "size", "split", "measure", "value"])


def select(summary, methods):
    return select_table(summary, {"measure": "hamming-loss", "predictor": "linear", "methods": methods})


@pytest.fixture
def table():
    return select(summarise(scores()), ["plst", "cplst"])


@pytest.fixture
def published(tmp_path):
    def write(*rows, header="paper,table,dataset,method,size_percent,mean,se,starred_lowest,collapsed_in_text"):
        path = tmp_path / "published.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return read_published(path)

    return write


def test_a_printed_standard_deviation_is_one_of_the_splits(published):
    header = "table,dataset,method,size_percent,mean,sd,splits"
    (cell,) = published("table3,set_a,plst,50,4.9,0.30,9", header=header).to_dict("records")
    assert cell["printed_se"] == pytest.approx(0.1)
    assert cell["half_unit"] == pytest.approx(0.05)
    with pytest.raises(DataError, match="the column 'splits' is missing"):
        published("table3,set_a,plst,50,4.9,0.30", header=header.removesuffix(",splits"))


def test_the_best_are_the_largest_where_more_is_better(table):
    part = table[table.protocol == "as-printed"]
    (plain, larger) = (layout(part, ["plst", "cplst"], larger=own)[1] for own in (False, True))
    for smallest, largest in zip(plain, larger, strict=True):
        assert [text.startswith("**") for text in smallest[2:]] != [text.startswith("**") for text in largest[2:]]


def test_means_and_standard_errors(table):
    assert tuple(table.columns) == TABLE_COLUMNS
    assert len(table) == 2 * 2 * 2  # protocols, methods, percentages; sizes without a percentage are left out
    cell = table.iloc[0]
    assert cell["mean"] == pytest.approx(0.2)
    assert cell["se"] == pytest.approx(np.std([0, 0.1, 0.2, 0.3, 0.4], ddof=1) / np.sqrt(5))
    assert cell["splits"] == 5
    assert summarise(scores().query("split == 0"))["se"].eq(0).all()


def tidy(*rows):
    made = pd.DataFrame(rows, columns=["method", "size_percent", "energy", "size", "split", "value"])
    constant = {"study": "s", "protocol": "p", "dataset": "d", "parameters": "{}", "predictor": "knn", "measure": "f1"}
    return made.assign(**constant)


def test_sizes_that_follow_from_the_split_are_averaged():
    summary = summarise(
        tidy(
            *(
                ("pca", 0, 0.99, size, split, value)
                for split, (size, value) in enumerate([(3, 1.0), (4, 2.0), (4, 6.0)])
            ),
            *(("pca", 10, 0.0, size, split, 5.0) for split, size in enumerate([6, 7])),
            *(("pca", 0, 0.0, size, split, 7.0 + split) for size in (9, 8) for split in range(2)),
        )
    )
    assert tuple(summary.columns) == SUMMARY_COLUMNS
    assert summary[["size_percent", "energy", "size", "splits"]].to_numpy().tolist() == [
        [0, 0.0, 8.0, 2],
        [0, 0.0, 9.0, 2],
        [0, 0.99, 11 / 3, 3],
        [10, 0.0, 6.5, 2],
    ]
    assert summary["mean"].tolist() == [7.5, 7.5, 3.0, 5.0]
    assert summary["sd"].tolist() == pytest.approx([0.5**0.5, 0.5**0.5, 7**0.5, 0.0])
    assert summary["se"].tolist() == pytest.approx([0.5, 0.5, (7 / 3) ** 0.5, 0.0])
    assert summary["size"].dtype == float


def test_one_number_of_dimensions_is_one_cell():
    found = [("mfa", 0, 0.0, size, split, value) for split, (size, value) in enumerate([(500, 1.0), (480, 3.0)])]
    both = summarise(tidy(*found, *(("pca", 0, 0.0, 500, split, 5.0) for split in range(2))))
    assert both["method"].tolist() == ["mfa", "pca"]
    assert both[["size", "mean", "splits"]].to_numpy().tolist() == [[490.0, 2.0, 2.0], [500.0, 5.0, 2.0]]
    assert len(summarise(tidy(*found, ("mfa", 0, 0.0, 9, 0, 2.0)))) == 3  # a curve over sizes
    few = [("mfa", 0, 0.0, 10, split, value) for split, value in enumerate([4.0, 6.0])]
    several = summarise(tidy(*found, *few))
    assert several[["size", "mean", "splits"]].to_numpy().tolist() == [[10.0, 5.0, 2.0], [490.0, 2.0, 2.0]]
    assert at_directions(several)["size"].tolist() == [490]
    assert at_directions(several, 20)["size"].tolist() == [10]
    assert at_directions(several, 9).empty


def test_layout_marks_what_is_within_one_standard_error(table):
    header, rows = layout(table[table.protocol == "as-printed"], ["plst", "cplst", "absent"])
    assert header == ["dataset", "method", "50 %", "100 %"]
    assert rows[0] == ["set_a", "plst", "1.2000 ± 0.0707", "1.2000 ± 0.0707"]
    assert rows[1][2] == "**0.2000 ± 0.0707**"
    assert len(rows) == 2


def test_texts_of_a_table(table, tmp_path):
    spec = {
        "measure": "hamming-loss",
        "predictor": "linear",
        "methods": ["plst", "cplst"],
        "caption": "Table 3: 20 % of all",
    }
    made, markdown, latex = make_table(summarise(scores()), spec, "table3")
    pd.testing.assert_frame_equal(made, table)
    assert "## as-stated, 5 splits" in markdown
    assert "| set_a | cplst | **0.2000 ± 0.0707** |" in markdown
    assert r"\textbf{0.2000 $\pm$ 0.0707}" in latex
    assert r"set\_a & plst" in latex
    assert r"20 \% of all (as-printed, 5 splits)" in latex
    assert latex.count(r"\begin{tabular}{llrr}") == 2
    write_csv(table, tmp_path / "t.csv")
    whole = table.reset_index(drop=True).astype({"size": "int64"})  # written without a decimal point
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), whole, rtol=1e-7)


SPEC = {"measure": "hamming-loss", "predictor": "linear", "methods": ["plst", "cplst"], "caption": "Table 3"}


def of_two_lengths():
    """Scores of set_a from five splits and of set_b from two."""
    return pd.concat([scores(), scores().query("split < 2").assign(dataset="set_b")])


def test_numbers_of_splits_that_differ_have_a_column():
    _, markdown, latex = make_table(summarise(of_two_lengths()), SPEC, "table3")
    assert "## as-stated\n" in markdown
    assert "| dataset | method | splits | 50 % | 100 % |" in markdown
    assert "| set_a | cplst | 5 | **0.2000 ± 0.0707** |" in markdown
    assert "| set_b | plst | 2 | 1.0500 ± 0.0500 |" in markdown
    assert "Table 3 (as-printed)}" in latex
    assert latex.count(r"\begin{tabular}{llrrr}") == 2
    assert r"set\_b & plst & 2 & 1.0500" in latex


def test_the_audit_says_where_numbers_of_splits_differ(published):
    printed = published(
        "p,table3,set_a,cplst,50,0.1500,0.0200,,",
        "p,table3,set_a,occa,50,0.1500,0.0200,,",
        "p,table3,set_b,cplst,50,0.1500,0.0200,,",
        "p,table3,set_b,plst,100,0.1500,0.0200,,",
    )
    uneven = make_table(summarise(of_two_lengths()), SPEC, "table3")[0]
    cells = audit({"table3": uneven}, printed)
    sentence = audit_sentences(cells)[0]
    assert sentence.endswith(". Splits: 5 on set_a; 2 on set_b.")
    beside = beside_printed(cells, "table3", "as-printed")
    assert "| data set | method | splits | 50 % | 100 % |" in beside
    assert "| set_b | cplst | 2 | " in beside
    assert "| set_a | occa |  | " in beside
    columns = [line.count("|") for line in beside.splitlines() if line.startswith("|")]
    assert len(set(columns)) == 1  # a cell stands below its size, whatever others are printed
    assert next(line for line in beside.splitlines() if "| plst |" in line).startswith("| set_b | plst | 2 |  | ")
    even = audit({"table3": uneven[uneven["dataset"] == "set_a"]}, printed)
    assert "Splits" not in audit_sentences(even)[0]
    assert "splits" not in beside_printed(even, "table3", "as-printed")


def test_audit_by_hand(table, published):
    printed = published(
        "p,table3,set_a,cplst,50,0.1500,0.0200,,",
        "p,table3,set_a,cplst,100,0.2000,0.0000,,yes",
        "p,table3,set_a,plst,50,0.2000,0.0010,,",
        "p,table3,set_a,occa,50,0.2000,0.0010,,",
        "p,table3,set_b,plst,50,0.2000,0.0010,,",
        "p,table4,set_a,plst,50,0.2000,0.0010,,",
    )
    cells = audit({"table3": table}, printed)
    assert len(cells) == 2 * 4  # both protocols; another table and a data set that was not run are left out
    first = cells.iloc[0]
    assert first["z"] == pytest.approx(0.05 / np.hypot(0.02, first["our_se"]))
    second = cells.iloc[1]
    assert second["z"] == pytest.approx(0, abs=1e-9)
    assert second["note"] == "one value printed for the whole row"
    assert list(cells["verdict"][:4]) == ["reproduced", "reproduced", "not run", "differs"]
    sentence = audit_sentences(cells)[0]
    assert "2 of 4 printed cells are reproduced" in sentence
    assert "1 differ, 1 were not run" in sentence
    assert "set_a plst at 50 %" in sentence
    text = audit_markdown(cells, "p")
    assert (
        "| set_a | plst | 50 % | as-printed | 0.2000 ± 0.0010 | 1.20000 ± 0.07071 | 5 | +14.14 | differs "
        "| +500.00 % (beyond 5 %) |"
    ) in text


def test_sums_of_cells_by_hand(published):
    """All of ours are 0.2: 1 % off 0.198 and 0.202, 5 % off 0.19 and 0.21."""
    table = select(summarise(scores(lambda method, split: 0.2)), ["plst", "cplst"])
    printed = published(
        "p,table3,set_a,cplst,50,0.2000,0.0000,,",
        "p,table3,set_a,cplst,100,0.2000,0.0000,,",
        "p,table3,set_a,plst,50,0.2010,0.0000,,",
        "p,table3,set_a,plst,100,0.1905,0.0030,,",
        "p,table3,set_a,occa,100,0.2000,0.0000,,",
    )
    cells = audit({"table3": table}, printed)
    own = cells[cells["protocol"] == "as-printed"].set_index(["method", "size_percent"])
    assert own["relative"].round(6).to_dict() == pytest.approx(
        {
            **{("cplst", 50): 0, ("cplst", 100): 0, ("plst", 50): -0.004975, ("plst", 100): 0.049869},
            ("occa", 100): np.nan,
        },
        nan_ok=True,
    )
    assert own["equivalence"].to_dict() == {
        **dict.fromkeys([("cplst", 50), ("cplst", 100), ("plst", 50)], "within 1 %"),
        **{("plst", 100): "within 5 %", ("occa", 100): ""},
    }
    sums = sums_by_protocol(cells, ["as-stated", "as-printed", "elsewhere"])
    assert list(sums) == ["as-stated", "as-printed"]
    assert sums["as-printed"] == (
        5,
        {"reproduced": 2, "near": 1, "differs": 1, "failed": 0, "not run": 1},
        {1: 3, 5: 4},
        3,
        0,
    )
    assert str(sums["as-printed"]) == "2 of 5 (0 of 3 without rows that repeat one value), 3 within 1 %, 4 within 5 %"
    assert audit_sentences(cells)[0].startswith(
        "table3, as-printed: 2 of 5 printed cells are reproduced (|z| <= 2.5; 0 of 3 without rows that repeat one "
        "value), 1 are near (|z| <= 4), 1 differ, 1 were not run. Ours against the printed number: 3 within 1 %, "
        "4 within 5 %."
    )


def test_of_several_tables_the_whole_is_said_too(table, published):
    printed = published("p,table3,set_a,plst,50,1.2,0.1,,", "p,table4,set_a,plst,50,0.2,0.001,,")
    sentences = audit_sentences(audit({"table3": table, "table4": table}, printed))
    assert [text.partition(" of ")[0] for text in sentences] == [
        *(f"{name}, {protocol}: {number}" for name, number in (("table3", 1), ("table4", 0)) for protocol in PROTOCOLS),
        *(f"All tables, {protocol}: 1" for protocol in PROTOCOLS),
    ]


cell = st.tuples(
    st.sampled_from(["table3", "table4"]), st.sampled_from("ab"), st.integers(1, 4), st.sampled_from([0.0, 0.1, 0.2]),
    st.sampled_from([np.nan, 0.1, 0.101, 0.104, 0.2]),
)  # fmt: skip


@settings(max_examples=20)
@given(st.lists(cell, unique_by=lambda own: own[:3]))
def test_sums_add_up(rows):
    cells = pd.DataFrame(rows, columns=["table", "method", "size_percent", "printed", "ours"])
    cells = cells.assign(protocol="p", dataset="d", z=(cells["ours"] - cells["printed"]) / 0.02)
    cells["verdict"] = [verdict(z) for z in cells["z"]]
    whole, parts = audit_sums(cells), [audit_sums(part) for _, part in cells.groupby("table")]
    assert sum(whole.verdicts.values()) == whole.cells == len(cells) == sum(part.cells for part in parts)
    for word in (*VERDICTS, "not run"):
        assert whole.verdicts[word] == sum(part.verdicts[word] for part in parts)
    inside = [whole.within[percent] for percent in WITHIN]
    assert inside == sorted(inside) == [sum(part.within[percent] for part in parts) for percent in WITHIN]
    assert inside[-1] <= whole.cells - whole.verdicts["not run"]
    rows_of = cells.groupby(["table", "method"])["printed"].agg(list)
    repeated = [own for own in rows_of if len(own) > 1 and len(set(own)) == 1]
    assert whole.single == whole.cells - sum(map(len, repeated))
    assert whole.single_reproduced <= min(whole.single, whole.verdicts["reproduced"])


def test_what_the_text_has_as_one_value_is_counted_apart():
    printed = read_published(PAPERS / "cplst-2012" / "published.csv")
    cells = printed.assign(protocol="p", ours=np.nan, z=np.nan, verdict="not run")
    row = ["table", "dataset", "method"]
    noted = printed[printed["note"] != ""]
    assert (noted.groupby(row)["printed"].agg(["size", "nunique"]) == [5, 1]).all(axis=None)
    assert audit_sums(cells).single == len(printed) - len(noted)


def test_printed_errors_are_at_least_half_a_unit(published):
    exact = scores(lambda method, split: 0.2001)
    table = select(summarise(exact), ["plst"])
    cells = audit({"table3": table}, published("p,table3,set_a,plst,50,0.2000,0.0000,,"))
    assert cells.iloc[0]["z"] == pytest.approx(2.0)
    cells = audit({"table3": table}, published("p,table3,set_a,plst,50,0.200,0.000,,"))
    assert cells.iloc[0]["z"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("z", "word"),
    [(0, "reproduced"), (-2.5, "reproduced"), (2.51, "near"), (-4, "near"), (4.01, "differs"), (np.nan, "not run")],
)
def test_verdicts(z, word):
    assert verdict(z) == word


def test_audit_of_nothing(table, published):
    for cells in (audit({"table3": table}, None), audit({"table3": table}, published("p,table9,x,y,20,1.0,0.1,,"))):
        assert cells.empty
        assert audit_sentences(cells) == ["No printed number belongs to the data sets of this run."]
        assert "No printed number" in audit_markdown(cells, "p")


def test_published_file_without_a_column(published):
    with pytest.raises(DataError, match="the column 'se' is missing"):
        published("a,b,c,20,1.0", header="table,dataset,method,size_percent,mean")


def test_a_table_of_choices_says_where_they_lie():
    rows = [
        ("as-printed", "set_a", "plst", split, 2.0**g, 2.0**a)
        for split, (g, a) in enumerate([(-3, 1), (-1, 1), (-2, 1)])
    ]
    rows += [("as-stated", "set_a", "br", 0, 4.0, 0.5), ("as-stated", "set_a", "cplst", 0, 1.0, 1.0)]
    choices = pd.DataFrame(rows, columns=["protocol", "dataset", "method", "split", "gamma", "alpha"])
    spec = {"kind": "choices", "caption": "Chosen", "methods": ["plst", "br"]}
    table, markdown, latex = make_table(choices, spec, "table-choices")
    assert table[["method", "log2_gamma_median", "log2_gamma_min", "log2_gamma_max", "splits"]].values.tolist() == [
        ["br", 2, 2, 2, 1],
        ["plst", -2, -3, -1, 3],
    ]
    assert "| set_a | plst | 3 | -2 (-3 to -1) | 1 |" in markdown
    assert "| set_a | br | 1 | 2 | -1 |" in markdown
    assert r"\label{tab:table-choices-as-stated}" in latex


DATASETS = pd.DataFrame(
    [("birds", 645, 271, 19, 1.01395), ("genbase", 662, 1185, 27, 1.2523), ("yeast", 2417, 103, 14, 4.237)],
    columns=["dataset", "instances", "features", "labels", "cardinality"],
)


def test_sizes_of_data_sets_are_audited(tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text(
        "paper,place,dataset,instances,features,labels,cardinality\n"
        "p,Table 1,genbase,662,1186,27,1.25\np,Table 1,scene,2407,294,6,\np,Table 2,yeast,,,14,4.2\n"
        "p,Table 2,birds,,260,,1.02\n"
    )
    sizes = audit_sizes(read_sizes(path), DATASETS)
    assert tuple(sizes.columns) == SIZE_COLUMNS
    verdicts = {(c["dataset"], c["quantity"]): c["verdict"] for c in sizes.to_dict("records")}
    assert verdicts == {
        **dict.fromkeys([("genbase", q) for q in ("instances", "labels", "cardinality")], "same"),
        **dict.fromkeys([("yeast", "labels"), ("yeast", "cardinality")], "same"),
        **dict.fromkeys([("genbase", "features"), ("birds", "features"), ("birds", "cardinality")], "differs"),
    }
    empty = pd.DataFrame(columns=list(AUDIT_COLUMNS))
    assert audit_sentences(empty, sizes) == [
        "Table 1, sizes of the data sets: 3 of 4 are ours; 1 differ: genbase features printed 1186, ours 1185.",
        "Table 2, sizes of the data sets: 2 of 4 are ours; 2 differ: birds cardinality printed 1.02, ours 1.01395; "
        "birds features printed 260, ours 271.",
    ]
    text = audit_markdown(empty, "s", sizes)
    assert "| Table 1 | genbase | features | 1186 | 1185 | differs |" in text
    path.write_text("place,dataset,instances,features,labels\n")
    with pytest.raises(DataError, match="the column 'cardinality' is missing"):
        read_sizes(path)


def test_without_printed_sizes_there_is_nothing_to_say():
    assert audit_sizes(None, DATASETS).empty
    sentences = audit_sentences(pd.DataFrame(columns=list(AUDIT_COLUMNS)), audit_sizes(None, DATASETS))
    assert sentences == ["No printed number belongs to the data sets of this run."]


#: Sizes that papers print otherwise than our files have them.
OTHERWISE = {
    "gmba-2016": [("genbase", "features", 1186, 1185)],  # the name of a protein is an attribute of the file
    "mope-mesd-2012": [("reuters", "features", 24012, 23263), ("reuters", "instances", 9980, 9035)],
    "qpfs-lowrank-2016": [("birds", "features", 260, 271)],
}


@pytest.mark.parametrize("study", sorted(path.parent.name for path in PAPERS.glob("*/published-datasets.csv")))
def test_shipped_sizes_are_those_of_the_reference_runs_but_for_these(study, reference):
    if not (reference / study).is_dir():
        pytest.skip("not run yet")
    described = pd.read_csv(reference / study / "datasets.csv")
    sizes = audit_sizes(read_sizes(PAPERS / study / "published-datasets.csv"), described)
    assert set(sizes["dataset"]) <= set(described["dataset"])
    assert (sizes["verdict"] == "same").any()
    differing = sizes[sizes["verdict"] == "differs"]
    assert [tuple(cell) for cell in differing[["dataset", "quantity", "printed", "ours"]].to_numpy()] == OTHERWISE.get(
        study, []
    )


def test_printed_times_are_compared_by_their_ratios():
    rows = [
        ("birds", "a", 2.0, 1.0, 0.1, 1.0),
        ("birds", "b", 8.0, 4.0, 0.2, 2.0),
        ("birds", "c", 2.0, 1.0, 0.1, 1.0),
        ("yeast", "a", 1.0, 1.0, 0.5, 1.0),
        ("yeast", "b", 3.0, 3.0, 4.0, 8.0),
        ("yeast", "c", 2.0, 2.0, np.nan, np.nan),
        ("yeast", "d", np.nan, np.nan, 1.0, 2.0),
    ]
    ratios = pd.DataFrame(rows, columns=list(RATIO_COLUMNS))
    (sentence,) = audit_sentences(pd.DataFrame(columns=list(AUDIT_COLUMNS)), None, ratios)
    assert sentence.startswith("Times: 6 are printed.")
    assert "ratios to a are compared: 2 of 3 are within a factor of 2 of the printed ones" in sentence
    assert sentence.endswith("Printed (ours): birds b 4 (2), birds c 1 (1), yeast b 3 (8).")
    nothing = audit_sentences(pd.DataFrame(columns=list(AUDIT_COLUMNS)), None, ratios[6:])
    assert nothing == ["No printed number belongs to the data sets of this run."]
