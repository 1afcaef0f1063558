from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mlreduce.datasets.readers.arff import read_arff
from mlreduce.datasets.readers.mulan import read_label_names
from mlreduce.exceptions import DataError

DENSE = """% a comment
@relation 'a set: -C 2'

@attribute id {p1,p2,p3,p4}
@attribute size numeric
@attribute 'two words' REAL
@attribute place {north, 'far south', east}
@attribute flag {YES, NO}
@attribute bit {1,0}
@attribute "Swainson\\'s Thrush" {0,1}
@attribute rain {0,1}

@data
p1, 1.5, ?, north, YES, 1, 0, 1
p2, -2e3, 4, 'far south', NO, 0, 1, 0

% in between
p3, 0, 5, east, YES, 1, 0, 0
p4, 7, 6, ?, NO, 0, 1, 1
"""

SPARSE = """@RELATION words
@ATTRIBUTE a {0,1}
@ATTRIBUTE b NUMERIC
@ATTRIBUTE c {x,y,z}
@ATTRIBUTE l1 {0,1}
@ATTRIBUTE l2 {0,1}
@DATA
{0 1, 1 2.5, 3 1}
{}
{2 y, 4 1}
{ 1 ?, 2 z, 3 1, 4 1 }
"""

XML = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


@pytest.fixture
def write(tmp_path):
    def do(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return do


@pytest.fixture
def labels(write):
    return write("l.xml", XML.format('<label name="rain"/><label name="Swainson\'s Thrush"></label>'))


def test_dense_file_with_everything(write, labels):
    data, attributes = read_arff([write("d.arff", DENSE)], labels, "mine")
    names = ["size", "two words", "place=north", "place=far south", "place=east", "flag", "bit"]
    assert data.feature_names == ["id=p1", "id=p2", "id=p3", "id=p4", *names]
    assert data.label_names == ["Swainson's Thrush", "rain"]  # as in the file, not as in the list
    assert data.dropped == []
    assert attributes == 6
    expected = [
        [1.5, np.nan, 1, 0, 0, 1, 1],
        [-2000, 4, 0, 1, 0, 0, 0],
        [0, 5, 0, 0, 1, 1, 1],
        [7, 6, np.nan, np.nan, np.nan, 0, 0],
    ]
    np.testing.assert_array_equal(data.X, np.hstack([np.eye(4), expected]))
    np.testing.assert_array_equal(data.Y, [[0, 1], [1, 0], [0, 0], [1, 1]])
    listed, _ = read_arff([write("d.arff", DENSE)], labels, label_order="list")
    assert listed.label_names == ["rain", "Swainson's Thrush"]
    np.testing.assert_array_equal(listed.Y, data.Y[:, ::-1])


@pytest.mark.parametrize(("n_rows", "dropped"), [(3, []), (10, []), (11, ["id"])])
def test_identifiers_are_left_out_where_chance_does_not_explain_them_and_said(write, n_rows, dropped):
    values = [f"p{row}" for row in range(n_rows)]
    head = f"@relation x\n@attribute id {{{','.join(values)}}}\n@attribute a real\n@attribute l {{0,1}}\n@data\n"
    path = write("i.arff", head + "".join(f"{value},{row},{row % 2}\n" for row, value in enumerate(values)))
    data, attributes = read_arff([path], 1)
    assert (data.dropped, attributes) == (dropped, 2)
    assert sum("'id'" in note and "keep_identifiers=True" in note for note in data.notes) == len(dropped)
    kept, _ = read_arff([path], 1, keep_identifiers=True)
    assert kept.feature_names == [*(f"id={value}" for value in values), "a"]


def test_sparse_file_stays_sparse(write):
    data, attributes = read_arff([write("s.arff", SPARSE)], 2)
    assert sp.issparse(data.X)
    assert attributes == 3
    assert data.feature_names == ["a", "b", "c=x", "c=y", "c=z"]
    expected = [[1, 2.5, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, np.nan, 0, 0, 1]]
    np.testing.assert_array_equal(data.X.toarray(), expected)
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 0], [0, 1], [1, 1]])


def test_parts_are_stacked_and_must_agree(write, labels):
    whole, _ = read_arff([write("d.arff", DENSE)] * 2, labels)
    assert whole.X.shape[0] == 8
    other = write("o.arff", DENSE.replace("place {north,", "place {west,").replace("north", "west"))
    with pytest.raises(DataError, match=r"o\.arff: its attribute 'place' is not 'place'"):
        read_arff([write("d.arff", DENSE), other], labels)
    fewer = write("f.arff", SPARSE)
    with pytest.raises(DataError, match=r"f\.arff"):
        read_arff([write("d.arff", DENSE), fewer], labels)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("p3, 0, 5, east, YES, 1, 0, 0\n", "p3, 0, 5"), r"bad\.arff, line 18: .*wrong number of values or is cut off"),
        (("p3, 0, 5, east", "p3, 0, 5, west"), r"line 18: the value 'west' is not in the list of attribute 'place'"),
        (("p3, 0, 5", "p3, none, 5"), r"line 18: 'none' is not a number.*attribute 'size' is numeric"),
        (("@attribute size numeric", "@attribute size date"), r"the column 'size' is not numeric, .* drop=\['size'\]"),
        (
            ("@attribute size numeric", "@attribute rain numeric"),
            r"line 11: .*'rain' is already declared in line 5",
        ),
        (("south', east}", "south', east, ?}"), r"attribute 'place' lists \? or nothing"),
        (
            ("@attribute size numeric", "@attribute size string"),
            r"the column 'size' is not numeric, .* drop=\['size'\], .* keep_text=\['size'\]",
        ),
        ((DENSE[DENSE.index("@data") :], ""), r"cut off or not laid out"),
        ((DENSE[DENSE.index("p1, 1.5") :], ""), r"no rows of data.*truncated"),
        (("@attribute size numeric", "@attribute size relational"), r"line 5: .*'size' is of the type 'relational'"),
        (("p1, 1.5", "p1, 1e400"), r"line 14: the number 1e400 of attribute 'size' is too large"),
        (("p1, 1.5", "p1, 1_5"), "line 14: '1_5' is not a number"),
        (("north, YES, 1", "north', YES, 1"), "line 14: a quote or brace is out of place"),
        (("p1, 1.5", "{0 p1}\np1, 1.5"), "line 15: a sparse row is in braces"),
        (("p2, -2e3", "{0 p1}\np2, -2e3"), "line 15: a quote or brace is out of place"),
        (("{YES, NO}", "{YES, YES}"), "line 8: the attribute 'flag' lists a value twice"),
        (("{YES, NO}", "{YES, 'NO}"), "line 8: the attribute 'flag' has a quote or brace out of place"),
        (("'two words'", "two words"), r"line 6: the attribute 'two' is of the type 'words REAL'"),
        (("'two words'", "'two words"), "line 6: an attribute is '@attribute name type'"),
        (("@relation", "@attribute"), "line 2: the file is cut off or not laid out as ARFF: expected @RELATION"),
        (("@data", "@relation b\n@data"), "line 13: .* expected @ATTRIBUTE or @DATA, got '@relation b'"),
        (
            ("@attribute id", "@attribute 'i\x07d'"),
            r"bad\.arff: the name of a feature contains",
        ),
        (("@attribute size", "@attribute place=north"), r"bad\.arff: two features are called 'place=north'"),
    ],
)
def test_bad_dense_files_are_named_with_their_line(write, labels, change, message):
    path = write("bad.arff", DENSE.replace(*change))
    with pytest.raises(DataError, match=message):
        read_arff([path], labels)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{2 y, 4 ", "a sparse row is in braces; this one is cut off"),
        ("{2 q, 4 1}", "the value 'q' is not"),
        ("{2 y, 99999999999999999999 ?}", "there is no attribute 9+: the file has 5"),
        ("{2 y, 4 7}", "the value '7' is not"),
        ("{0 1, 0 0}", "attribute 0 has two values"),
        ("{-1 1}", "expected the place of an attribute and its value, got '-1 1'"),
        ("{0 1,}", "expected the place of an attribute and its value, got ''"),
        ("{0 1 1 2}", "expected the place of an attribute and its value"),
        ("{1 1e400}", "the number 1e400 of attribute 'b' is too large"),
        ("{1 1_0}", "'1_0' is not a number"),
        ("{" + "9" * 5000 + " 1}", "there is no attribute 9{40}: the file has 5"),
        ("{", "a sparse row is in braces; this one is cut off"),
    ],
)
def test_bad_sparse_files_are_named_with_their_line(write, row, message):
    with pytest.raises(DataError, match=rf"bad\.arff, line 10: {message}"):
        read_arff([write("bad.arff", SPARSE.replace("{2 y, 4 1}", row))], 2)


def test_labels_must_be_attributes_with_two_values(write):
    path = write("d.arff", DENSE)
    with pytest.raises(DataError, match=r"l\.xml: unknown attribute of d\.arff 'rein'; did you mean 'rain'\?"):
        read_arff([path], write("l.xml", XML.format('<label name="rein"/>')))
    with pytest.raises(DataError, match="the label 'place' has 3 values"):
        read_arff([path], write("l.xml", XML.format('<label name="place"/>')))
    with pytest.raises(DataError, match="the label 'size' is 1.5 in data row 1"):
        read_arff([path], write("l.xml", XML.format('<label name="size"/>')))
    with pytest.raises(DataError, match="cannot take the first 99"):
        read_arff([path], {"first": 99})
    everything = "".join(f'<label name="{n}"/>' for n in ("a", "l1", "l2"))
    text = SPARSE.replace("@ATTRIBUTE b NUMERIC\n@ATTRIBUTE c {x,y,z}\n", "").split("@DATA")[0] + "@DATA\n{0 1}\n"
    with pytest.raises(DataError, match="no attribute or column is left"):
        read_arff([write("n.arff", text)], write("l.xml", XML.format(everything)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<labels><label name='a'>", "not well-formed"),
        ("<labels/>", "expected elements"),
        ("<labels><label/></labels>", "without a name"),
        ("<labels><label name='a'/><label name='a'/></labels>", "two labels are called 'a'"),
        ("<!DOCTYPE x [<!ENTITY a 'aaaa'>]><labels><label name='&a;'/></labels>", "refused"),
        ("<!DOCTYPE x SYSTEM 'file:///etc/passwd'><labels><label name='a'/></labels>", "refused"),
        ("", "not well-formed"),
    ],
)
def test_bad_label_files(write, text, message):
    with pytest.raises(DataError, match=message):
        read_label_names(write("l.xml", text))


def test_nested_labels_count(write):
    path = write("l.xml", XML.format('<label name="a"><label name="a1"/></label>'))
    assert read_label_names(path) == ["a", "a1"]


def test_dense_and_sparse_parts_do_not_mix(write):
    dense = SPARSE[: SPARSE.index("@DATA")] + "@DATA\n0,1,x,1,0\n"
    with pytest.raises(DataError, match="is sparse ARFF and the other dense"):
        read_arff([write("s.arff", SPARSE), write("d.arff", dense)], 2)


def test_byte_order_marks_are_no_text(write):
    data, _ = read_arff([write("s.arff", "\ufeff" + SPARSE)], 2)
    assert data.X.shape == (4, 5)


def test_not_text(tmp_path, labels):
    path = tmp_path / "b.arff"
    path.write_bytes(b"@relation x\n\xff\xfe")
    with pytest.raises(DataError, match="not UTF-8"):
        read_arff([path], labels)
    path.write_bytes(b"\xff\xff<labels/>")
    with pytest.raises(DataError):
        read_label_names(path)


def test_line_ends_quotes_and_order_of_entries_do_not_matter(write):
    whole, _ = read_arff([write("s.arff", SPARSE)], 2)
    other = SPARSE.replace("{0 1, 1 2.5, 3 1}", "{ 3 '1' , 0 1,1 \"2.5\" }").replace("{x,y,z}", "{ x , 'y', z}")
    (write("o.arff", "")).write_bytes(other.replace("\n", "\r\n").encode())
    data, _ = read_arff([write("s.arff", SPARSE).with_name("o.arff")], 2)
    np.testing.assert_array_equal(data.X.toarray(), whole.X.toarray())
    np.testing.assert_array_equal(data.Y, whole.Y)
    assert data.feature_names == whole.feature_names


def test_values_far_apart_are_themselves(write):
    text = "@relation x\n@attribute a {1e308,-1e308}\n@attribute l {0,1}\n@data\n1e308,1\n-1e308,0\n?,0\n"
    np.testing.assert_array_equal(read_arff([write("f.arff", text)], 1)[0].X.ravel(), [1e308, -1e308, np.nan])


MEKA = "@relation 'songs: {}'\n" + "".join(
    f"@attribute {line}\n" for line in ("one {{0,1}}", "a numeric", "b numeric", "two {{0,1}}")
)
ROWS = "@data\n1,0.5,2,0\n0,1.5,3,1\n1,2.5,4,1\n"


@pytest.mark.parametrize(
    ("option", "labels", "names"),
    [
        ("-C 1", None, ["one"]),
        ("-c 1 -split 50", None, ["one"]),
        ("-C -1", None, ["two"]),
        ("-C 1", {"first": 1}, ["one"]),
        ("-C -1", {"last": 1}, ["two"]),
        ("-C -1", 1, ["two"]),
        ("none", {"first": 1}, ["one"]),
        ("none", 1, ["two"]),
        ("none", ["one", "two"], ["one", "two"]),
        ("-C 1", ["two"], ["two"]),
    ],
)
def test_where_the_labels_are(write, option, labels, names):
    data, _ = read_arff([write("m.arff", MEKA.format(option) + ROWS)], labels)
    assert data.label_names == names
    columns = {"one": [1, 0, 1], "two": [0, 1, 1]}
    np.testing.assert_array_equal(data.Y, np.array([columns[name] for name in names]).T)
    np.testing.assert_array_equal(data.X[:, data.feature_names.index("a")], [0.5, 1.5, 2.5])


@pytest.mark.parametrize(
    ("option", "labels", "sentence"),
    [
        ("none", None, "no attributes are declared as labels"),
        ("-C 1", 1, "the last 1 attributes are requested as labels, but the option -C 1 of Meka's"),
        ("-C -1", {"first": 1}, "declares the last 1"),
        ("-C 4", None, "cannot take the first 4 of 4 attributes as labels"),
        ("none", {"first": 9}, "cannot take the first 9 of 4"),
        ("none", {"middle": 1}, "labels must be {'first': n} or {'last': n}"),
        ("none", ["tow"], "unknown attribute of m.arff 'tow'; did you mean 'two'"),
    ],
)
def test_where_the_labels_are_must_be_said_and_fit(write, option, labels, sentence):
    with pytest.raises(DataError) as refused:
        read_arff([write("m.arff", MEKA.format(option) + ROWS)], labels)
    assert sentence in str(refused.value)


def test_a_count_goes_with_its_end(write):
    path = write("m.arff", MEKA.format("none") + ROWS)
    assert read_arff([path], "first", n_labels=1)[0].label_names == ["one"]
    assert read_arff([path], "last", n_labels=1)[0].label_names == ["two"]
    for labels, n_labels in (("first", None), (None, 1), (["one"], 1)):
        with pytest.raises(DataError, match=r'm\.arff: labels="first" or "last" and n_labels.* go together'):
            read_arff([path], labels, n_labels=n_labels)


def test_other_numbers_than_mekas_are_refused(write):
    text = "@relation 'songs: -C 2'\n" + "".join(f"@attribute {name} {{0,1}}\n" for name in "abcd") + "@data\n0,1,0,1\n"
    with pytest.raises(
        DataError, match="the first 1 attributes are requested as labels, but the option -C 2 of Meka's"
    ):
        read_arff([write("m.arff", text)], {"first": 1})


# As of Mulan's medical.arff: the labels were removed at the front and appended at the end, and the option stayed.
MOVED = "songs: -C 1 -I 0-weka.filters.unsupervised.attribute.Remove-R1_songs: -C 1 -I 0"


def test_mekas_option_holds_no_longer_after_weka_moved_attributes(write):
    path = write("m.arff", MEKA.format(MOVED) + ROWS)
    with pytest.raises(DataError, match="has the option -C 1 of Meka's, but Weka removed or moved attributes since"):
        read_arff([path])
    assert read_arff([path], {"last": 1})[0].label_names == ["two"]
    rows = write("n.arff", MEKA.format("songs: -C 1-weka.filters.unsupervised.instance.NonSparseToSparse") + ROWS)
    assert read_arff([rows])[0].label_names == ["one"]


def test_options_of_weka_are_not_mekas(write):
    path = write("m.arff", MEKA.format("songs-weka.filters.unsupervised.attribute.Add-C 1") + ROWS)
    with pytest.raises(DataError, match="no attributes are declared as labels"):
        read_arff([path])
