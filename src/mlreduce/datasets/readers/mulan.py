"""Lists of labels in Mulan's XML files."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

from mlreduce.exceptions import DataError
from mlreduce.guards import check_names, opened


def read_label_names(path: str | Path) -> list[str]:
    """Return the label names of a Mulan XML file, in its order; nested labels count too.

    Raises DataError if it is not well-formed XML, declares entities or a document type, or names no or a repeated
    label.
    """
    names: list[str | None] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition("}")[2] == "label":
            names.append(attributes.get("name"))

    def refuse(*_: Any) -> None:
        raise DataError(f"{path}: declares a document type or an entity, which a list of labels never needs; refused")

    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler = begin
    parser.StartDoctypeDeclHandler = refuse  # without a document type no entity can be declared
    with opened(path) as file:
        content = file.read()
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise DataError(f"{path}: not well-formed XML: {error}") from error
    except DataError:
        raise
    except (UnicodeDecodeError, LookupError, ValueError) as error:
        raise DataError(f"{path}: the text cannot be decoded: {error}") from error
    if not names or None in names:
        raise DataError(f'{path}: expected elements <label name="...">; got {len(names)}, one without a name')
    labels = [str(name) for name in names]
    check_names(labels, "label", str(path))
    return labels
