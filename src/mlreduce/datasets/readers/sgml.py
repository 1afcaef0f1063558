"""Parser of the SGML files of Reuters-21578."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from mlreduce.exceptions import DataError
from mlreduce.guards import opened

#: The five sets of categories.
FIELDS = ("topics", "places", "people", "orgs", "exchanges")
#: Values of a document's attribute TOPICS, which is about an older collection and not about the categories.
MARKS = ("YES", "NO", "BYPASS")
#: Values of a document's attribute LEWISSPLIT.
SPLITS = ("TRAIN", "TEST", "NOT-USED")

_LISTS = {field.upper() for field in FIELDS} | {"COMPANIES"}
_PARTS = {"TITLE", "AUTHOR", "DATELINE", "BODY"}
# Allowed children of each element; "" is the file itself.
_CHILDREN = {
    "": {"REUTERS"},
    "REUTERS": {"DATE", "MKNOTE", "UNKNOWN", "TEXT", *_LISTS},
    **{name: {"D"} for name in _LISTS},
    "TEXT": _PARTS,
}
_REPEATED = {"REUTERS", "MKNOTE", "UNKNOWN", "D"}
_NEEDED = {field.upper() for field in FIELDS} | {"TEXT"}
# Elements that hold only elements and white space.
_WITHOUT_TEXT = {"", "REUTERS", *_LISTS}
_ATTRIBUTES = {
    "TOPICS": (re.compile("|".join(MARKS)), " or ".join(MARKS)),
    "LEWISSPLIT": (re.compile("|".join(SPLITS)), " or ".join(SPLITS)),
    "NEWID": (re.compile("[0-9]{1,9}"), "a number"),
}

_DOCTYPE = re.compile(r'\s*<!DOCTYPE\s+lewis\s+SYSTEM\s+"lewis\.dtd"\s*>')
# A tag, or a "<" that does not begin one; possessive quantifiers never backtrack.
_TAG = re.compile(r'<(/?)([A-Z]++)((?:\s++[A-Z]++="[^"<>]*+")*+)\s*+>|<')
_ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
_REFERENCE = re.compile(r"&(?:#([0-9]{1,3});|(lt|gt|amp);)?")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&"}
# Control characters become spaces, except white space.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Document(NamedTuple):
    """One newswire story."""

    #: Attribute NEWID, from 1 on.
    number: int
    #: Attribute TOPICS, of `MARKS`.
    mark: str
    #: Attribute LEWISSPLIT, of `SPLITS`.
    split: str
    #: By the names of `FIELDS`, as listed.
    categories: dict[str, tuple[str, ...]]
    #: Empty where there is none, as the body.
    title: str
    body: str
    #: Content of the element TEXT: title, author, dateline and body, or unstructured text.
    text: str


def read_sgml(path: str | Path) -> list[Document]:
    """Read the documents of one file of Reuters-21578.

    Only the elements of ``lewis.dtd`` with all their tags are read, and anything else is refused. The document type is
    never opened and no entity can be declared. Bytes are Latin-1; ``&lt;``, ``&gt;``, ``&amp;`` and numeric references
    below 256 are decoded, and control characters become spaces. Reading takes time linear in the length of the file.
    Raises DataError if the file deviates from the format; the sentence names file and line, and what would be right.
    """
    file = Path(path)
    with opened(file) as stream:
        content = stream.read().decode("latin-1")
    return _Reading(file, content).documents()


class _Open(NamedTuple):
    """An open element."""

    name: str
    tag: int  # position of its tag
    seen: set[str]  # children read so far


class _Reading:
    """One pass over the tags of a file, with the elements that are open at a tag."""

    def __init__(self, path: Path, content: str) -> None:
        self.path = path
        self.content = content
        self.opened = [_Open("", 0, set())]

    def wrong(self, position: int, sentence: str) -> DataError:
        return DataError(f"{self.path}, line {self.content.count(chr(10), 0, position) + 1}: {sentence}")

    def documents(self) -> list[Document]:
        doctype = _DOCTYPE.match(self.content)
        if doctype is None:
            raise self.wrong(0, 'a file of Reuters-21578 begins with <!DOCTYPE lewis SYSTEM "lewis.dtd">')
        read: list[Document] = []
        opened = self.opened
        position = doctype.end()
        for tag in _TAG.finditer(self.content, position):
            start = tag.start()
            name = tag.group(2)
            if name is None:
                shown = self.content[start : start + 40].split("\n")[0]
                raise self.wrong(start, f"{shown!r} is no tag; a '<' in the text is written &lt;")
            inside = opened[-1].name
            if inside in _WITHOUT_TEXT:
                self._check_empty(position, start, inside)
            elif opened[2:] and opened[2].name == "TEXT":
                self.pieces.append((inside, self._decoded(position, start)))
            elif inside == "D":
                self.listed[opened[-2].name].append(self._decoded(position, start).strip())
            if tag.group(1):
                self._close(tag)
                if name == "REUTERS":
                    read.append(self._document())
            else:
                self._open(tag)
                if name == "REUTERS":
                    self._begin(tag)
            position = tag.end()
        if len(opened) > 1:
            raise self.wrong(
                len(self.content),
                f"the file ends inside <{opened[-1].name}>, which begins in line "
                f"{self.content.count(chr(10), 0, opened[-1].tag) + 1}; is it truncated?",
            )
        self._check_empty(position, len(self.content), "")
        if not read:
            raise self.wrong(len(self.content), "the file holds no <REUTERS> document; is it truncated?")
        return read

    def _check_empty(self, start: int, stop: int, inside: str) -> None:
        between = self.content[start:stop]
        if between and not between.isspace():
            place = f"directly in <{inside}>" if inside else "outside the documents"
            shown = between.strip()[:40]
            offset = start + len(between) - len(between.lstrip())
            raise self.wrong(offset, f"the text {shown!r} is {place}, where only elements may be")

    def _open(self, tag: re.Match[str]) -> None:
        name, inside = tag.group(2), self.opened[-1]
        allowed = _CHILDREN.get(inside.name, set())
        if name not in allowed:
            place = f"<{inside.name}>" if inside.name else "a file"
            known = ", ".join(f"<{child}>" for child in sorted(allowed)) or "text only"
            raise self.wrong(tag.start(), f"<{name}> is not allowed in {place}, which holds {known}")
        if name in inside.seen and name not in _REPEATED:
            raise self.wrong(tag.start(), f"<{name}> comes a second time in <{inside.name}>; it may be there once")
        inside.seen.add(name)
        self.opened.append(_Open(name, tag.start(), set()))

    def _close(self, tag: re.Match[str]) -> None:
        name, inside = tag.group(2), self.opened[-1]
        if name != inside.name or tag.group(3):
            right = f"</{inside.name}>" if inside.name else "<REUTERS ...>"
            raise self.wrong(tag.start(), f"{tag.group()[:40]!r} comes where {right} should")
        if name == "REUTERS" and not inside.seen >= _NEEDED:
            missing = min(_NEEDED - inside.seen)
            raise self.wrong(tag.start(), f"the document has no <{missing}>; each has one, if an empty one")
        self.opened.pop()

    def _begin(self, tag: re.Match[str]) -> None:
        attributes = dict(_ATTRIBUTE.findall(tag.group(3)))
        for name, (pattern, right) in _ATTRIBUTES.items():
            value = attributes.get(name)
            if value is None or not pattern.fullmatch(value):
                problem = "is missing" if value is None else f"is {value[:40]!r}"
                raise self.wrong(tag.start(), f"the attribute {name} of <REUTERS> {problem}; it should be {right}")
        self.attributes = attributes
        self.listed: dict[str, list[str]] = {name: [] for name in _LISTS}
        self.pieces: list[tuple[str, str]] = []

    def _document(self) -> Document:
        by_part = dict(self.pieces)
        return Document(
            int(self.attributes["NEWID"]),
            self.attributes["TOPICS"],
            self.attributes["LEWISSPLIT"],
            {field: tuple(self.listed[field.upper()]) for field in FIELDS},
            by_part.get("TITLE", ""),
            by_part.get("BODY", ""),
            "\n".join(piece for _, piece in self.pieces),
        )

    def _decoded(self, start: int, stop: int) -> str:
        def character(reference: re.Match[str]) -> str:
            number, name = reference.groups()
            if name:
                return _ENTITIES[name]
            if number is None or int(number) > 255:
                shown = self.content[start + reference.start() :][:12].split("\n")[0]
                raise self.wrong(
                    start + reference.start(),
                    f"{shown!r} is no reference to a character; an '&' in the text is written &amp;, and numbers "
                    "end at 255",
                )
            return chr(int(number))

        return _CONTROL.sub(" ", _REFERENCE.sub(character, self.content[start:stop]))
