"""Every reader on damaged files: each is data or one sentence, within bounded time and memory."""

from __future__ import annotations

import functools
import gc
import sys
import time
from pathlib import Path

import hostile_readers
import pytest
import yaml
from hostile_readers import READERS, attempt, scratch, sgml_document
from hypothesis import given, settings
from hypothesis import strategies as st

from mlreduce.exceptions import MLReduceError

FOUND = Path(__file__).parents[1] / "hostile"
#: Of the files that were found, those that are data after all, or a catalogue with a data set that is none.
GOOD = {
    "arff-far-apart-values",
    "catalogue-features-without-end",
    "parquet-index-of-a-type-that-is-none",
    "parquet-noted-beside-is-no-object",
    "study-parameter-that-is-a-list",
    "svmlight-labels-alike-to-six-digits",
    "yaml-no-such-day",
}
#: What a hundred-line file of settings takes is a hundred times what a table of six rows does.
EXAMPLES = {"study": 100, "catalogue": 100, "claims": 100, "parquet": 150}


@pytest.fixture(scope="module", autouse=True)
def little_to_collect():
    """Exclude the objects of earlier tests from garbage collection, which would count as a reader's time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@functools.cache
def seeds(name: str) -> list[bytes]:
    return READERS[name].seeds()


@st.composite
def damaged(draw, name):
    """A readable file with up to four changes."""
    content = draw(st.sampled_from(seeds(name)))
    words = st.sampled_from([*READERS[name].words, b"\n", b" ", b'"', b"'", b""])
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.sampled_from([0, 0, 1, 2, 5, 20])))
        change = draw(st.sampled_from(["word", "word", "bytes", "again", "many", "cut", "swap", "lines", "code"]))
        if change == "word":
            content = content[:start] + draw(words) + content[stop:]
        elif change == "bytes":
            content = content[:start] + draw(st.binary(max_size=4)) + content[stop:]
        elif change == "again":
            content = content[:stop] + content[start:]
        elif change == "many":
            content = content[:start] + content[start:stop] * draw(st.sampled_from([2, 10, 1000])) + content[stop:]
        elif change == "cut":
            content = content[:start]
        elif change == "swap":
            content = content.translate(bytes.maketrans(b"'\"{}[]", b"\"'}{]["))
        elif change == "lines":
            lines = content.split(b"\n")
            place = draw(st.integers(0, len(lines) - 1))
            content = draw(st.sampled_from([b"\n", b"\r\n", b"\r"])).join([*lines[place:], *lines[:place]])
        else:
            encoding = draw(st.sampled_from(["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "utf-7"]))
            content = content.decode("latin-1").encode(encoding)
    return content


def read_damaged(name, examples):
    @settings(max_examples=examples)
    @given(damaged(name))
    def read(content):
        attempt(READERS[name], content, Path(scratch()))

    read()


@pytest.mark.parametrize("name", READERS)
@pytest.mark.rotating
def test_a_damaged_file_is_data_or_one_sentence(name):
    read_damaged(name, 20)


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize("name", READERS)
def test_many_damaged_files_are_data_or_one_sentence(name):
    read_damaged(name, EXAMPLES.get(name, 300))


@pytest.mark.parametrize("name", READERS)
def test_the_files_to_begin_from_can_be_read(name):
    results = [attempt(READERS[name], content, Path(scratch())) for content in seeds(name)]
    assert not isinstance(results[0], MLReduceError), results[0]


# Two files of each reader in the normal run, all in the slow one.
KEPT = [
    pytest.param(
        path, id=f"{folder.name}-{path.name}", marks=[pytest.mark.slow, pytest.mark.fuzz] if number > 1 else []
    )
    for folder in sorted(FOUND.iterdir())
    for number, path in enumerate(sorted(folder.iterdir()))
]


@pytest.mark.parametrize("path", KEPT)
def test_files_found_by_the_fuzzer_are_refused(path):
    result = attempt(READERS[path.parent.name], path.read_bytes(), Path(scratch()))
    assert isinstance(result, MLReduceError) == (f"{path.parent.name}-{path.name}" not in GOOD), result


HEAD = "@relation x\n@attribute a {0,1}\n"
# Each of these takes a reader that goes back over its text, or compares all with all, minutes or years.
LONG = {
    "values of an attribute that do not end": ("arff", "@relation x\n@attribute a {" + "a," * 20_000),
    "quotes that do not end": ("arff", HEAD + "@data\n" + "'\\\\" * 20_000),
    "a row of quotes": ("arff", HEAD + "@attribute b {0,1}\n@data\n" + "'a' " * 15_000),
    "a value of 140,000 digits": ("arff", HEAD + "@attribute n numeric\n@data\n1," + "1" * 140_000),
    "an attribute of spaces": ("arff", "@relation x\n@attribute " + " " * 60_000 + "\0"),
    "many attributes": (
        "arff",
        HEAD + "".join(f"@attribute a{i} {{0,1}}\n" for i in range(2500)) + "@data\n{}",
    ),
    "many labels": ("mulan-xml", "<labels>" + "".join(f'<label name="{i}"/>' for i in range(3000)) + "</labels>"),
    "a label of digits": ("svmlight", "1" * 60_000),
    "features of digits": ("svmlight", "1 " + "1:" + "1" * 4000 + " 1:1" * 10_000),
    "a header of digits": ("xmc", "1" * 60_000),
    "rows of labels": ("xmc", "1 9 4\n" + "1," * 30_000),
    "many small elements": ("mat", "MATLAB".ljust(124) + "\x00\x01IM" + "\x0e\0\0\0\0\0\0\0" * 5000),
    "a word of one letter": ("sgml", sgml_document("<D>a</D>", "ay" * 30_000)),
    "many categories": ("sgml", sgml_document("".join(f"<D>{i}</D>" for i in range(5000)), "words of many kinds")),
    "a wide table": ("csv", ",".join(f"c{i}" for i in range(2000)) + "\n" + ",".join(["1"] * 2000) + "\n"),
    "a name for 10,000 columns": ("csv", "a" + ",a" * 10_000),
    "a long cell": ("csv", 'a\n"' + "1" * 200_000 + '"\n'),
    "brackets in brackets": ("yaml", "[" * 60_000),
    "an alias of aliases": (
        "yaml",
        "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1},*a{i - 1}]\n" for i in range(1, 60)),
    ),
    "a merge of merges": (
        "yaml",
        "a0: &a0 {k: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [*a{i - 1},*a{i - 1}]}}\n" for i in range(1, 60)),
    ),
    "a number of sixties": ("yaml", "a: " + "1:" * 10_000 + "1"),
    "an unknown key": ("config", "x" * 60_000 + ": 1"),
    "a manifest of many names": ("manifest", "{" + ",".join(f'"{i}": 0' for i in range(5000)) + "}"),
    "many data sets that are none": (
        "catalogue",
        "datasets:\n" + "".join(f" d{i}: {{reader: x}}\n" for i in range(2000)),
    ),
}


def reference():
    """Seconds that PyYAML takes now for a short text: a measure of the machine's speed and load."""
    text = "- {a: 1}\n" * 100
    started = time.process_time()
    yaml.safe_load(text)
    return time.process_time() - started


@pytest.mark.parametrize("what", LONG)
@pytest.mark.rotating
def test_reading_time_is_bounded(what, monkeypatch):
    name, text = LONG[what]
    tracer = sys.gettrace()
    sys.settrace(None)  # the second is the reader's: the measuring of coverage would take three of its own
    try:
        slowly = 50 * min(reference() for _ in range(3))  # half a second, more where the machine has much else to do
        monkeypatch.setattr(hostile_readers, "SECONDS", max(hostile_readers.SECONDS, slowly))
        attempt(READERS[name], text.encode(), Path(scratch()))
    finally:
        sys.settrace(tracer)
