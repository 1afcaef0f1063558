"""Attributes of a table as features and labels: nominal values, texts, words for labels, and which are labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.arrays import as_labels, dense_unless_many
from mlreduce.datasets.checks import counting_columns
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.attributes import Attribute, Table
from mlreduce.datasets.readers.label_lists import with_label_columns
from mlreduce.datasets.readers.mulan import read_label_names
from mlreduce.exceptions import ConfigurationError, DataError, unknown_name
from mlreduce.guards import check_names
from mlreduce.validation import is_sparse

#: Declaration of the attributes that are labels: a file, how many of the last, ``{"first": n}``, or names.
Labels: TypeAlias = str | Path | int | Mapping[str, int] | Sequence[str] | None

# What Meka writes behind the name: how many attributes are labels, from the front; from the back if negative.
_MEKA = re.compile(r"-C\s+(-?[0-9]{1,9})\b", re.IGNORECASE)
# What Weka adds when it removes or moves attributes: the option is copied, though it may hold no longer.
_MOVED = re.compile(r"weka\.filters\.\w+\.attribute\.", re.IGNORECASE)
_WORDS = {**dict.fromkeys(("yes", "true", "y", "t"), 1.0), **dict.fromkeys(("no", "false", "n", "f"), 0.0)}
# In fewer rows all values of a nominal attribute differ by chance: in ten rows once in 2,755 tables of ten values.
_LEAST_ROWS = 10
# Columns that n-grams of a text are hashed into.
_N_GRAMS = 1024


class Columns(NamedTuple):
    """How attributes, or columns, become features and labels; see the arguments of `mlreduce.datasets.read`."""

    drop: Sequence[str] = ()
    keep_text: Sequence[str] = ()
    categories: Sequence[str] = ()
    ngrams: Sequence[str] = ()
    label_values: Sequence[str | float] | None = None
    label_sep: str | None = None
    keep_identifiers: bool = False

    def checked(self, names: Sequence[str], where: str) -> Columns:
        """Return this after checking that the names are there, and that ``label_values`` are two."""
        known = set(names)
        for option in ("drop", "keep_text", "categories", "ngrams"):
            given = getattr(self, option)
            if isinstance(given, str):
                raise ConfigurationError(f"{option} is a list of names; got the text {given!r}")
            for name in given:
                if name not in known:
                    raise DataError(unknown_name(f"attribute of {Path(where).name}", name, names, option))
        values = self.label_values
        if values is not None and (isinstance(values, str) or len(values) != 2 or values[0] == values[1]):
            raise ConfigurationError(
                f"label_values are two, the one that means 0 and the one that means 1; got {values!r}"
            )
        if self.label_sep is not None and (not isinstance(self.label_sep, str) or not self.label_sep):
            raise ConfigurationError(
                f"label_sep is the text between the labels of a cell, '[]' or '<>'; got {self.label_sep!r}"
            )
        if None not in (values, self.label_sep):
            raise ConfigurationError("label_values and label_sep exclude each other: cells are values, or hold labels")
        return self


def encoded(
    table: Table,
    labels: tuple[Table, str] | list[str],
    name: str,
    where: str,
    check: Callable[..., None],
    columns: Columns | None = None,
    notes: Sequence[str] = (),
) -> MultiLabelData:
    """Make a data set of a table with nominal values, as `mlreduce.datasets.readers.arff.read_arff` describes.

    ``labels`` are the attributes that are labels, or a table of labels with the same rows and its file. ``name`` is
    that of the data set, and ``where`` the file for messages. ``check`` is called with the bytes that arrays will need
    and, as ``what``, their name, and raises DataError where these are too many. ``notes`` say what the caller left out
    or assumed.
    """
    columns = (columns or Columns()).checked([attribute.name for attribute in table.attributes], where)
    rest = [index for index, attribute in enumerate(table.attributes) if attribute.name not in columns.drop]
    source, origin = labels if isinstance(labels, tuple) else (table, where)
    if isinstance(labels, tuple):
        which = list(range(len(source.attributes)))
    else:
        position = {attribute.name: index for index, attribute in enumerate(table.attributes)}
        which = [position[label] for label in labels]
        chosen = set(which)
        rest = [index for index in rest if index not in chosen]
    unnamed = next(
        (table.attributes[index].name for index in rest if table.attributes[index].name in table.lists), None
    )
    if unnamed is not None:
        raise DataError(
            f"{where}: the column {unnamed[:40]!r} holds lists, which are no features; name it as labels, "
            f"labels=[{unnamed!r}], where it lists those of a row, or leave it out with drop=[{unnamed!r}]"
        )
    notes = [*notes]
    if columns.label_sep is not None or {source.attributes[index].name for index in which} & set(source.lists):
        source, added = with_label_columns(source, which, columns.label_sep, origin)
        which = list(range(len(source.attributes)))
        notes += added
    n_rows = table.values.shape[0]
    texts: dict[str, list[str]] = {}
    counts: dict[str, list[str]] = {}
    for index in list(rest):
        attribute = table.attributes[index]
        for option in ("keep_text", "ngrams"):
            if attribute.name in getattr(columns, option):
                texts_of_column = _texts(attribute, _column(table.values, index), where, option)
                (texts if option == "keep_text" else counts)[attribute.name] = texts_of_column
        if attribute.name in {**texts, **counts}:
            rest.remove(index)
    X, feature_names, dropped = _encode(table, rest, columns, check, where)
    if counts:
        parts = [_ngrams(column, partial(check, what=f"n-grams of {name[:40]!r}")) for name, column in counts.items()]
        X = sp.csr_array(sp.hstack([sp.csr_array(X), *parts]))
        feature_names += [f"{name} n-gram {place}" for name in counts for place in range(_N_GRAMS)]
    if not feature_names:
        raise DataError(f"{where}: no attribute or column is left as a feature")
    check_labels = partial(check, what=f"{len(which)} labels of {n_rows} rows")
    Y = _labels(source, which, origin, columns.label_values, check_labels)
    label_names = [source.attributes[index].name for index in which]
    for names, what in ((feature_names, "feature"), (label_names, "label"), (dropped, "dropped attribute")):
        check_names(names, what, where)
    notes += [
        f"{where}: the attribute {identifier!r} differs in every row, is no feature, and was left out; "
        "keep_identifiers=True keeps it"
        for identifier in dropped
    ]
    notes += [
        f"{where}: the column {feature_names[index]!r} counts the rows; if it is no feature, leave it out with "
        f"drop=[{feature_names[index]!r}]"
        for index in counting_columns(X)
    ]
    return MultiLabelData(
        X, Y, feature_names, label_names, name, dropped, sample_weight=table.weights, texts=texts, notes=notes
    )


def _labels(
    table: Table,
    which: Sequence[int],
    where: str,
    given: Sequence[str | float] | None,
    check: Callable[[int], None],
) -> Any:
    values, attributes = table.values, [table.attributes[index] for index in which]
    codes = [_label_codes(attribute, where, given) for attribute in attributes]

    def recode(column: NDArray[np.float64], place: int) -> None:
        known, numbers = ~np.isnan(column), codes[place]
        if numbers is not None:
            column[known] = numbers[column[known].astype(np.int64)]
        elif given is not None:
            low, high = (_number(value) for value in given)
            column[known] = np.select([column[known] == low, column[known] == high], [0, 1], 2)

    columns = values.tocsc()[:, which] if is_sparse(values) else values[:, which]
    omitted = np.zeros((len(which), 1))
    if is_sparse(values):
        for place, value in enumerate(omitted):  # what a sparse row leaves out may mean 1
            recode(value, place)
    columns = dense_unless_many(columns, check, unless=not omitted.any())
    for place in range(len(which)):
        recode(
            columns.data[columns.indptr[place] : columns.indptr[place + 1]]
            if is_sparse(columns)
            else columns[:, place],
            place,
        )
    names = [attribute.name for attribute in attributes]
    return as_labels(columns, names, where, ", or name the values for 0 and 1, as in label_values=[1, 2]")


def _label_codes(attribute: Attribute, where: str, given: Sequence[str | float] | None) -> NDArray[np.float64] | None:
    """Return the number for each value of a nominal label; None for a numeric one."""
    name, places, is_text = attribute
    if places is None:
        return None
    values = [value.strip() for value in places][is_text:]  # the first of a text has no meaning
    about = f"{where}: the label {name[:40]!r} has"
    if len(values) != 2 and not is_text:
        raise DataError(f"{about} {len(values)} values; a label has two, 0 and 1")
    if given is not None:
        meaning = {str(value).lower(): float(code) for code, value in enumerate(given)}
        codes = [meaning.get(value.lower(), np.nan) for value in values]
    elif is_text:
        codes = [_WORDS.get(value.lower(), _number(value)) for value in values]
    else:
        codes = list(_two_values(attribute))
    if np.isnan(codes).any():
        wrong = values[int(np.isnan(codes).argmax())]
        raise DataError(
            f"{about} the value {wrong[:40]!r}; labels are 0/1, -1/1, no/yes or false/true, "
            "label_values=['no word', 'yes word'] names others, and label_sep=';' reads cells of several labels, a;b"
        )
    return np.array([0.0, *codes] if is_text else codes)


def _number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        return np.nan


def _ngrams(texts: Sequence[str], check: Callable[[int], None]) -> sp.csr_array:
    """Count the runs of one to three characters of texts, hashed into columns."""
    from sklearn.feature_extraction.text import HashingVectorizer  # slow to import

    check(3 * 12 * sum(map(len, texts)))
    counter = HashingVectorizer(
        analyzer="char", ngram_range=(1, 3), n_features=_N_GRAMS, norm=None, alternate_sign=False, lowercase=False
    )
    return sp.csr_array(counter.transform(texts))


def _texts(attribute: Attribute, column: NDArray[np.float64], where: str, option: str) -> list[str]:
    if attribute.places is None:
        raise DataError(f"{where}: {option} names {attribute.name[:40]!r}, which is numeric")
    values = list(attribute.places)
    return ["" if np.isnan(place) else values[int(place)] for place in column]


def _two_values(attribute: Attribute) -> tuple[float, float]:
    """Return the numbers for the first and second value of a nominal attribute."""
    words = [value.strip().lower() for value in attribute.places or ()]
    if (_WORDS.get(words[0]), _WORDS.get(words[1])) == (1, 0):
        return 1.0, 0.0
    try:
        numbers = float(words[0]), float(words[1])
    except ValueError:
        return 0.0, 1.0
    return numbers if all(map(np.isfinite, numbers)) else (0.0, 1.0)


def _column(values: Any, index: int) -> NDArray[np.float64]:
    column = values[:, [index]]
    return np.asarray(column.toarray() if is_sparse(column) else column).ravel()


def _one_hot(column: NDArray[np.float64], n_values: int, sparse: bool) -> Any:
    """Return one column per value of a list; NaN in all where the value is missing."""
    missing, known = np.flatnonzero(np.isnan(column)), np.flatnonzero(~np.isnan(column))
    rows = np.concatenate([known, np.repeat(missing, n_values)])
    columns = np.concatenate([column[known].astype(np.int64), np.tile(np.arange(n_values), len(missing))])
    values = np.repeat([1.0, np.nan], [len(known), len(missing) * n_values])
    shape = len(column), n_values
    if sparse:
        return sp.csc_array((values, (rows, columns)), shape=shape)
    block = np.zeros(shape)
    block[rows, columns] = values
    return block


def _as_category(attribute: Attribute, column: NDArray[np.float64]) -> tuple[Attribute, NDArray[np.float64]]:
    """Return a text attribute as a nominal one, whose list is sorted."""
    places, codes = np.unique(column[~np.isnan(column)], return_inverse=True)
    values = list(attribute.places or ())
    texts = [values[int(place)] for place in places]
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=int)
    ranks = np.empty(len(order))
    ranks[order] = np.arange(len(order))
    column = column.copy()
    column[~np.isnan(column)] = ranks[codes]
    return Attribute(attribute.name, {texts[place]: float(rank) for rank, place in enumerate(order)}), column


def _text_error(attribute: Attribute, where: str) -> DataError:
    name = attribute.name[:40]
    shown = next((value for value in attribute.places or () if value), "")[:40]
    hint = ""
    thousands = re.fullmatch(r"[-+]?[0-9]{1,3}(?:([,.])[0-9]{3})+", shown)
    if thousands:
        mark = thousands[1]
        decimal = " with decimal=','" if mark == "." else ""
        hint = (
            f" Are these numbers with marks of thousands? thousands={mark!r}{decimal} reads {shown.replace(mark, '')}."
        )
    if re.fullmatch(r"[-+]?[0-9]+,[0-9]+", shown):
        point = shown.replace(",", ".")
        hint += f" Are these numbers with decimal commas? decimal=',' reads them, as {point}."
    return DataError(
        f"{where}: the column {name!r} is not numeric, it holds text such as {shown!r}.{hint} Leave it out with "
        f"drop=[{name!r}], keep it as text with keep_text=[{name!r}], make a 0/1 column of each of its values with "
        f"categories=[{name!r}], or count its n-grams with ngrams=[{name!r}]"
    )


def _encode(
    table: Table, which: Sequence[int], columns: Columns, check: Callable[..., None], where: str
) -> tuple[Any, list[str], list[str]]:
    """Turn attributes into numeric columns; return them, their names and the dropped identifiers."""
    sparse = is_sparse(table.values)
    values = table.values.tocsc() if sparse else table.values
    n_rows = values.shape[0]
    blocks: list[Any] = []
    names: list[str] = []
    dropped: list[str] = []
    numeric: list[int] = []
    needed = 0

    def flush() -> None:
        if numeric:
            blocks.append(values[:, list(numeric)])
            numeric.clear()

    for index in which:
        attribute = table.attributes[index]
        name, places, is_text = attribute
        if places is None or (not is_text and len(places) == 2 and _two_values(attribute) == (0.0, 1.0)):
            numeric.append(index)
            names.append(name)
            continue
        flush()
        column = _column(values, index)
        if is_text and name not in columns.categories:
            if not all(value.lower() in _WORDS for value in places if value):
                raise _text_error(attribute, where)
            numbers = np.array([_WORDS.get(value.lower(), np.nan) for value in places])
            known = ~np.isnan(column)
            column[known] = numbers[column[known].astype(np.int64)]
            blocks.append(column[:, np.newaxis])
            names.append(name)
            continue
        if is_text:
            attribute, column = _as_category(attribute, column)
            places = attribute.places or {}
        differ = len(places) >= n_rows > _LEAST_ROWS and len(np.unique(column)) == n_rows
        if differ and not columns.keep_identifiers and not is_text:
            dropped.append(name)
            continue
        # Memory per value, including rows of sparse files without any text.
        missing = np.count_nonzero(np.isnan(column)) if sparse else n_rows
        needed += 8 * max(n_rows, (missing + 1) * len(places))
        check(needed, what=f"a column for each value of the attributes to {name[:40]!r} and {n_rows} rows")
        if len(places) <= 2:
            alone = _WORDS.get("".join(places).lower(), 0.0) if is_text else 0.0
            low, high = _two_values(attribute) if len(places) == 2 else (alone, alone)
            column = np.where(np.isnan(column), column, np.where(column == 0, low, high))  # missing values stay NaN
            blocks.append(column[:, np.newaxis])
            names.append(name)
        else:
            blocks.append(_one_hot(column, len(places), sparse))
            names.extend(f"{name}={value}" for value in places)
    flush()
    if not blocks:
        return np.empty((n_rows, 0)), names, dropped
    if sparse:
        return sp.csr_array(sp.hstack([sp.csc_array(block) for block in blocks], format="csr")), names, dropped
    return np.hstack(blocks), names, dropped


def counted_labels(labels: Labels, n_labels: int | None, path: str | Path) -> Labels:
    """Return ``labels``, and ``{"first": n_labels}`` for "first", and likewise for "last"; one needs the other."""
    end = labels if isinstance(labels, str) and labels in ("first", "last") else None
    if (end is None) != (n_labels is None):
        raise DataError(
            f'{path}: labels="first" or "last" and n_labels, their number, go together; got labels={labels!r} and '
            f"n_labels={n_labels!r}"
        )
    counts: list[Any] = [*labels.values()] if isinstance(labels, Mapping) else []
    counts += [] if isinstance(labels, (str, Path, Iterable)) or labels is None else [labels]
    for count in [*counts, *([] if n_labels is None else [n_labels])]:
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)):
            raise DataError(
                f'{path}: how many columns are labels is an integer, as in labels=6 or labels={{"last": 6}}; got '
                f"{count!r}"
            )
    return labels if end is None or n_labels is None else {end: n_labels}


def chosen_labels(labels: Labels, names: Sequence[str], path: str | Path, relation: str = "") -> list[str]:
    """Return which attributes, or columns, are labels, of all ``names``; ``relation`` may have Meka's option.

    Raises DataError if labels are not declared, or other attributes are named.
    """
    if isinstance(labels, (int, Mapping)) or labels is None:
        return _at_an_end(labels, relation, names, path)
    source = "the names given"
    if isinstance(labels, (str, Path)):
        chosen, source = read_label_names(labels), str(labels)
    else:
        chosen = list(labels)
        wrong = next((label for label in chosen if not isinstance(label, str)), None)
        if wrong is not None:
            raise DataError(
                f"{path}: labels are names of columns, or how many are the first or the last, as in "
                f'labels={{"last": 2}}; got {wrong!r} among the names'
            )
        check_names(chosen, "label", source)
    if not chosen:
        raise DataError(f"{path}: labels names no attribute")
    known = set(names)
    for label in chosen:
        if label not in known:
            raise DataError(unknown_name(f"attribute of {Path(path).name}", label, names, source))
    return chosen


def _at_an_end(
    given: int | Mapping[str, int] | None, relation: str, names: Sequence[str], path: str | Path
) -> list[str]:
    """Return the names of the labels, which are the first or the last attributes."""
    written, moved, added = relation.partition("weka.filters")
    meka = _MEKA.search(written)
    option = 0 if meka is None else int(meka.group(1))
    if option and _MOVED.search(moved + added):
        if given is None:
            raise DataError(
                f"{path}: its relation has the option -C {option} of Meka's, but Weka removed or moved "
                "attributes since. Name Mulan's XML file, or give how many are the first or the last"
            )
        option = 0
    if given is None:
        if not option:
            raise DataError(
                f"{path}: no attributes are declared as labels: its relation has no option -C of Meka's. Name "
                "Mulan's XML file, or give how many are the first or the last"
            )
        end, number = "first" if option > 0 else "last", abs(option)
    else:
        ends = {"last": given} if isinstance(given, int) else dict(given)
        if len(ends) != 1 or not set(ends) <= {"first", "last"}:
            raise DataError(f"labels must be {{'first': n}} or {{'last': n}}; got {ends!r}")
        end, number = next(iter(ends.items()))
    if not 0 < number < len(names):
        raise DataError(f"{path}: cannot take the {end} {number} of {len(names)} attributes as labels")
    if option and (option > 0, abs(option)) != (end == "first", number):
        raise DataError(
            f"{path}: the {end} {number} attributes are requested as labels, but the option -C {option} of Meka's in "
            f"its relation declares the {'first' if option > 0 else 'last'} {abs(option)}"
        )
    return list(names[:number] if end == "first" else names[-number:])
