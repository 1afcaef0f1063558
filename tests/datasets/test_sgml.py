from __future__ import annotations

import time

import pytest

from mlreduce.datasets.readers.reuters import read_reuters
from mlreduce.datasets.readers.sgml import Document, read_sgml
from mlreduce.exceptions import DataError

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
STORY = """<REUTERS TOPICS="{mark}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="{number}">
<DATE>26-FEB-1987 15:01:01.79</DATE>
<MKNOTE>a note</MKNOTE>
<TOPICS>{topics}</TOPICS>
<PLACES>{places}</PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>
&#5;&#5;C T
&#22;&#1;f0704&#31;reute</UNKNOWN>
{text}
</REUTERS>
"""
TEXT = (
    "<TEXT>&#2;\n<TITLE>WHEAT &lt;W> &amp; CORN</TITLE>\n<AUTHOR>    By A. Person</AUTHOR>\n"
    "<DATELINE>    SALVADOR, Feb 26 - </DATELINE><BODY>Z\xfcrich &#252; sold\nwheat.\n Reuter\n&#3;</BODY></TEXT>"
)


def story(number=1, topics="", places="", text=TEXT, mark="YES", split="TRAIN"):
    listed = [
        "".join(f"<D>{name}</D>" for name in names.split()) if "<" not in names else names for names in (topics, places)
    ]
    return STORY.format(number=number, topics=listed[0], places=listed[1], text=text, mark=mark, split=split)


GOOD = (
    HEAD
    + story(1, "wheat corn", "usa")
    + story(2, text='<TEXT TYPE="UNPROC">&#2;\nAS IT CAME > 3\n&#3;</TEXT>', mark="NO")
)


@pytest.fixture
def write(tmp_path):
    def do(text, name="reut2-000.sgm"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("latin-1"))
        return path

    return do


def test_documents_are_read_with_all_they_have(write):
    first, second = read_sgml(write(GOOD))
    categories = {"topics": ("wheat", "corn"), "places": ("usa",), "people": (), "orgs": (), "exchanges": ()}
    title, body = "WHEAT <W> & CORN", "Zürich ü sold\nwheat.\n Reuter\n "
    text = f" \n\n{title}\n\n\n    By A. Person\n\n\n    SALVADOR, Feb 26 - \n\n{body}\n"
    assert first == Document(1, "YES", "TRAIN", categories, title, body, text)
    assert (second.number, second.mark, second.title, second.body) == (2, "NO", "", "")
    assert second.text.split() == ["AS", "IT", "CAME", ">", "3"]


def test_control_characters_separate_and_white_space_stays(write):
    text = "<TEXT>a&#0;b\x01c\x7fd&#159;e\tf\r\ng&#10;h</TEXT>"
    assert read_sgml(write(HEAD + story(text=text)))[0].text == "a b c d e\tf\r\ng\nh"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (HEAD, "", 'line 1: a file of Reuters-21578 begins with <!DOCTYPE lewis SYSTEM "lewis.dtd">'),
        (HEAD, '<!DOCTYPE lewis [<!ENTITY a "b">]>\n', "line 1: a file of Reuters-21578 begins with"),
        ("<TITLE>WHEAT", "<TITLE>WHEAT < CORN", "line 15: '< CORN &lt;W> &amp; CORN</TITLE>' is no tag; .* &lt;"),
        ("&lt;W>", "&apos;W>", "line 15: '&apos;W> &am' is no reference to a character; .* &amp;"),
        ("&amp; CORN", "& CORN", "line 15: '& CORN</TITL' is no reference"),
        ("&#252;", "&#256;", "line 17: '&#256; sold' is no reference to a character; .* numbers end at 255"),
        ("<D>wheat</D>", "wheat", "line 5: the text 'wheat' is directly in <TOPICS>, where only elements may be"),
        ("<D>wheat</D>", "<D>wheat", "line 5: <D> is not allowed in <D>, which holds text only"),
        ("<D>wheat</D>", "<B>wheat</B>", "line 5: <B> is not allowed in <TOPICS>, which holds <D>"),
        ("</TITLE>", "</TITEL>", "line 15: '</TITEL>' comes where </TITLE> should"),
        ("</DATE>", '</DATE A="1">', "line 3: .* comes where </DATE> should"),
        ("<PEOPLE></PEOPLE>", "", "line 21: the document has no <PEOPLE>; each has one, if an empty one"),
        ("<PEOPLE></PEOPLE>", "<TOPICS></TOPICS>", "line 7: <TOPICS> comes a second time in <REUTERS>"),
        ('TOPICS="YES"', 'TOPICS="yes"', "line 2: the attribute TOPICS of <REUTERS> is 'yes'; it should be YES or NO"),
        ('NEWID="1"', "", "line 2: the attribute NEWID of <REUTERS> is missing; it should be a number"),
        ('NEWID="1"', 'NEWID="' + "9" * 5000 + '"', "line 2: the attribute NEWID of <REUTERS> is '9+'; it should"),
        ('LEWISSPLIT="TRAIN"', "LEWISSPLIT=TRAIN", "line 2: '<REUTERS TOPICS=.*' is no tag"),
        ("</REUTERS>\n<REUTERS", "</REUTERS>\nhm\n<REUTERS", "line 22: the text 'hm' is outside the documents"),
        ("</REUTERS>\n<REUTERS", "</REUTERS>\n</REUTERS>\n<REUTERS", "line 22: '</REUTERS>' comes where <REUTERS ...>"),
        (GOOD[-30:], "", "line 3.: the file ends inside <TEXT>, which begins in line 34; is it truncated"),
        (GOOD[len(HEAD) :], "\n \n", "line 4: the file holds no <REUTERS> document; is it truncated"),
        (GOOD, "", "line 1: a file of Reuters-21578 begins"),
    ],
)
def test_deviations_are_named_with_their_line(write, old, new, message):
    assert old in GOOD
    with pytest.raises(DataError, match=rf"reut2-000\.sgm, {message}"):
        read_sgml(write(GOOD.replace(old, new, 1)))


@pytest.mark.parametrize(
    "hostile",
    ["<" * 500_000, "<REUTERS " + " " * 500_000, "<REUTERS" + ' A="1"' * 200_000, "&" * 500_000, "<D>" * 300_000],
    ids=["open", "spaces", "attributes", "references", "nested"],
)
def test_work_is_linear_whatever_the_file_holds(write, hostile):
    path = write(HEAD + story(text=f"<TEXT>{hostile}</TEXT>") + hostile)
    start = time.process_time()
    with pytest.raises(DataError):
        read_sgml(path)
    assert time.process_time() - start < 2  # a quadratic pass over half a million characters takes minutes


SET = (
    HEAD
    + story(1, "wheat corn", "usa", "<TEXT>Wheat, wheats wheated</TEXT>")
    + story(2, "wheat wheat", "uk", "<TEXT>corn wheat</TEXT>", mark="NO")
    + story(3, "", "usa", "<TEXT>nothing</TEXT>", split="TEST")
    + story(4, "gold", "usa uk", "<TEXT>gold wheat</TEXT>", split="NOT-USED")
)


def test_documents_become_labels_and_counts(write):
    data = read_reuters([write(SET)], {"top": 2}, "set")
    assert data.label_names == ["wheat", "corn"]  # corn and gold are as frequent; the name decides
    assert data.Y.tolist() == [[1, 1], [1, 0]]
    assert data.feature_names == ["corn", "wheat", "wheat,"]
    assert data.X.toarray().tolist() == [[0, 2, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("options", "rows", "labels"),
    [
        ({"categories": ["gold", "corn"]}, [[0, 1], [1, 0]], ["gold", "corn"]),
        ({"categories": {"top": 1}, "marks": ["NO"]}, [[1]], ["wheat"]),
        ({"categories": {"top": 9}, "splits": ["NOT-USED", "TEST"]}, [[1]], ["gold"]),
        ({"categories": ["uk", "wheat"], "fields": ["topics", "places"]}, [[0, 1], [1, 1], [1, 0]], ["uk", "wheat"]),
        ({"categories": ["corn", "wheat"], "copies": True}, [[1, 1], [1, 1], [0, 1]], ["corn", "wheat"]),
        ({"categories": {"top": 1}, "fields": ["places"]}, [[1]] * 3, ["usa"]),
    ],
)
def test_entries_select_documents_and_labels(write, options, rows, labels):
    data = read_reuters([write(SET)], **options)
    assert data.Y.tolist() == rows
    assert data.label_names == labels


def test_missing_categories_are_named(write):
    path = write(SET)
    with pytest.raises(DataError, match="set: topics: unknown category 'weat'; did you mean 'wheat'"):
        read_reuters([path], ["weat"], "set")
    with pytest.raises(DataError, match="set: no document has a category among the 0 that the entry selects"):
        read_reuters([path], {"top": 1}, "set", marks=["BYPASS"])
    with pytest.raises(DataError, match=r"again\.sgm: a document with NEWID 1 was read before"):
        read_reuters([path, write(SET, "again.sgm")], {"top": 1})
