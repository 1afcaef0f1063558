"""The catalogue of data sets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from mlreduce.datasets.built_in import BUILT_IN, FURTHER, read_entries
from mlreduce.datasets.fetch import FileEntry, copy, default_cache, fetch, mirror_folder
from mlreduce.exceptions import ConfigurationError, DataError, ProjectionWarning, check_known_name, unknown_name, warn
from mlreduce.files import file_sha256
from mlreduce.guards import limited

if TYPE_CHECKING:
    import pandas as pd

    from mlreduce.datasets.data import MultiLabelData

# Columns of `list_datasets` that are numbers; Int64 has missing values.
_NUMBERS = {
    **dict.fromkeys(("instances", "attributes", "labels"), "Int64"),
    **dict.fromkeys(("cardinality", "density"), "float64"),
    "label_sets": "Int64",
    "mean_imbalance": "float64",
    **dict.fromkeys(("files", "bytes"), "Int64"),
}


class Dataset(NamedTuple):
    """One entry of the catalogue."""

    name: str
    reader: str
    #: By role, see `_ROLES`, of several views by view and role; none for embedded sets.
    files: dict[str, list[FileEntry]]
    #: The entry itself, with the options of the reader and the checks.
    options: Mapping[str, Any]

    @property
    def entries(self) -> list[FileEntry]:
        """The files of all roles."""
        return [entry for entries in self.files.values() for entry in entries]

    def to_json(self) -> str:
        """Serialise the entry, with checksums of files of the user.

        Equal texts mean that the same data would be read.
        """
        files = {role: [entry.pinned()._asdict() for entry in entries] for role, entries in self.files.items()}
        return json.dumps(self._asdict() | {"files": files}, default=str, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Dataset:
        """Return the entry that `to_json` serialised."""
        content = json.loads(text)
        files = {
            role: [FileEntry.from_fields(**entry) for entry in entries]
            for role, entries in content.pop("files").items()
        }
        return cls(**content, files=files)

    def summary(self) -> dict[str, Any]:
        """Return title, domain, and the statistics of the literature in the entry, density among them."""
        expect = self.options.get("expect", {})
        known = {"title": self.options.get("title", ""), "domain": self.options.get("domain", ""), **expect}
        if expect.get("labels") and "cardinality" in expect:
            known["density"] = expect["cardinality"] / expect["labels"]
        return known

    def fetch(self, mirror: str | Path | None = None, cache_folder: str | Path | None = None) -> list[Path]:
        """Fetch every file of the data set and return where they are; see `mlreduce.datasets.fetch.fetch`."""
        return [fetch(entry, mirror, cache_folder) for entry in self.entries]

    def is_at_hand(self, mirror: str | Path | None = None) -> bool:
        """Whether the files are available: in the mirror if there is one; unpublished files must be there."""
        folder = mirror_folder(mirror)
        needed = [entry for entry in self.entries if entry.local is None and (folder or not entry.addresses)]
        return all(((folder or default_cache()) / entry.folder / entry.name).is_file() for entry in needed)

    def copy(self, folder: str | Path, mirror: str | Path | None = None, cache: str | Path | None = None) -> None:
        """Fetch every file and copy it into a folder; see `mlreduce.datasets.fetch.copy`."""
        for entry, place in zip(self.entries, self.copies(folder), strict=True):
            copy(entry, place, mirror, cache)

    def copies(self, folder: str | Path) -> list[Path]:
        """Return where copies of the files belong in a folder, in the order of `fetch`.

        They are numbered: files of the user may be in different folders under one name.
        """
        return [Path(folder) / f"{number}-{entry.name}" for number, entry in enumerate(self.entries)]

    def read_copies(self, folder: str | Path) -> MultiLabelData:
        """Read the data set from what `copy` put into a folder; a `DataError` where a file has another checksum."""
        paths = self.copies(folder)
        for entry, path in zip(self.entries, paths, strict=True):
            if not path.is_file() or entry.sha256 not in (None, file_sha256(path)):
                raise DataError(f"{path}: not the file that was fetched; delete the folder {folder} and run again")
        return self.read(paths)

    def read(self, paths: Sequence[Path]) -> MultiLabelData:
        """Read the data set from its files, in the order of `fetch`, and check it against the entry."""
        remaining = iter(paths)
        if self.reader == "views":
            data = _side_by_side(
                [view.read([next(remaining) for files in view.files.values() for _ in files]) for view in self.views()],
                self.name,
            )
            return self._checked(data)
        by_role = {role: [next(remaining) for _ in entries] for role, entries in self.files.items()}
        attributes = None
        parameters = self.options.get("parameters", {})
        # Readers are imported when used: a workflow that only needs names imports none.
        from mlreduce.datasets.reading import FORMATS, TAKES, read_files

        kind = "table" if self.reader == "tables" else self.reader
        if kind in FORMATS:
            options = {key: self.options[key] for key in TAKES[kind] if key in self.options} | parameters
            labels: Any = by_role["labels"][0] if "labels" in by_role else options.pop("labels", None)
            if isinstance(labels, Mapping) and "names" in labels:
                labels = labels["names"]
            files = by_role["features" if kind == "table" else "data"]
            with limited(self.options.get("max_bytes")):
                data, attributes = read_files(
                    kind, files, options | ({} if labels is None else {"labels": labels}), self.name
                )
            if any(entry.local for entry in self.entries):
                for note in data.notes:
                    warn(note, ProjectionWarning)
        elif self.reader == "sgml":
            from mlreduce.datasets.readers.reuters import read_reuters

            data = read_reuters(by_role["data"], name=self.name, **parameters)
        else:
            from mlreduce.datasets import embedded

            generated = getattr(embedded, self.reader)(**parameters)  # digits, planted or documents
            data = replace(getattr(generated, "data", generated), name=self.name)
        return self._checked(data, attributes)

    def views(self) -> list[Dataset]:
        """Return the entries whose features are joined in this one; none where it is read from files."""
        views = []
        for name, entry in self.options.get("views", {}).items():
            files = {key.split()[1]: entries for key, entries in self.files.items() if key.split()[0] == name}
            views.append(Dataset(name, entry["reader"], files, entry))
        return views

    def _checked(self, data: MultiLabelData, attributes: int | None = None) -> MultiLabelData:
        statistics = {
            "instances": data.X.shape[0],
            "attributes": data.X.shape[1] if attributes is None else attributes,
            "labels": data.Y.shape[1],
        }
        expect = self.options.get("expect", {})
        if set(expect) - set(statistics):
            statistics = data.describe() | statistics
        for key, expected in expect.items():
            exact = isinstance(statistics[key], int)
            if abs(statistics[key] - expected) > (0 if exact else 0.0015):
                shown = statistics[key] if exact else round(statistics[key], 3)
                raise DataError(f"{self.name}: expected {expected} {key}, got {shown}; is a file truncated?")
        empty = [data.label_names[i] for i in ((data.Y == 1).sum(axis=0) == 0).nonzero()[0]]
        if empty and self.options.get("empty_labels", "refuse") == "refuse":
            raise DataError(
                f"{self.name}: no instance has the label(s) {', '.join(map(repr, empty[:5]))}"
                f"{' and others' if len(empty) > 5 else ''}; drop them, or set empty_labels: keep in its entry"
            )
        return replace(data, impute=self.options["impute"]) if "impute" in self.options else data


def _side_by_side(views: Sequence[MultiLabelData], name: str) -> MultiLabelData:
    """Return the features of several views of the same instances side by side, unless their labels differ."""
    import numpy as np
    import scipy.sparse as sp

    from mlreduce.validation import is_sparse

    first = views[0]
    known: list[Any] = [sp.csr_array(view.Y if is_sparse(view.Y) else np.nan_to_num(view.Y, nan=-1)) for view in views]
    for view, labels in zip(views[1:], known[1:], strict=True):
        if labels.shape != known[0].shape or list(view.label_names) != list(first.label_names):
            raise DataError(
                f"{name}: {first.name} has {known[0].shape[0]} instances of {known[0].shape[1]} labels, {view.name} "
                f"{labels.shape[0]} of {labels.shape[1]}, or labels of other names; views are of the same instances"
            )
        different = np.unique((labels != known[0]).nonzero()[0])
        if len(different):
            raise DataError(
                f"{name}: {first.name} and {view.name} have other labels in {len(different)} rows, first in row "
                f"{different[0] + 1}; views have the same instances in the same order"
            )
    blocks = [view.X for view in views]
    return replace(
        first,
        X=sp.hstack(blocks, format="csr") if any(map(is_sparse, blocks)) else np.hstack(blocks),
        feature_names=[f"{view.name} {feature}" for view in views for feature in view.feature_names],
        name=name,
        dropped=[f"{view.name} {attribute}" for view in views for attribute in view.dropped],
        texts={f"{view.name} {text}": values for view in views for text, values in view.texts.items()},
        notes=[note for view in views for note in view.notes],
        impute=None,
    )


class Catalogue(Mapping[str, Dataset]):
    """Data sets by name; the error for an unknown one names the nearest.

    Of the datasets files a later one takes precedence. One more, without precedence, ``further``, is read when a name
    is in none of the others or all names are requested.
    """

    def __init__(self, files: Sequence[Path], further: Path | None = None) -> None:
        self._first = {name: dataset for file in files for name, dataset in _entries(file)}
        self._file = further

    @cached_property
    def _all(self) -> dict[str, Dataset]:
        return dict(_entries(self._file) if self._file else []) | self._first

    def __getitem__(self, name: str) -> Dataset:
        if name in self:
            return self._first[name] if name in self._first else self._all[name]
        raise ConfigurationError(unknown_name("data set", name, self))

    def __contains__(self, name: object) -> bool:
        return name in self._first or name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def views_of(self, names: Iterable[str]) -> set[str]:
        """Return the names of the views that are joined in some data sets."""
        return {view.name for name in names for view in self[name].views()}

    def __len__(self) -> int:
        return len(self._all)


def _entries(file: Path) -> Iterator[tuple[str, Dataset]]:
    """Read the entries of a datasets file: ours, which a test checks against the schema, or a user's."""
    if file in (BUILT_IN, FURTHER):
        content = read_entries(file)
    else:
        from mlreduce.configuration import read_yaml, validate

        content = read_yaml(file)
        validate(content, "datasets", str(file))
        for name, entry in content["datasets"].items():
            _check_options(name, entry, file)
    entries = content["datasets"]
    for name, entry in entries.items():
        views = {}
        for view in entry.get("views", ()):
            check_known_name("data set", view, entries, f"views of the data set {name!r}")
            if entries[view]["reader"] not in _ROLES:
                raise ConfigurationError(f"data set {name!r}: its view {view!r} is not read from files")
            views[view] = entries[view]
        files = {
            " ".join([*([of] if views else []), role]): _files(part, role, of, content.get("sources", {}), file.parent)
            for of, part in (views or {name: entry}).items()
            for role in _ROLES.get(part["reader"], ())
        }
        options = entry | {"views": views} if views else entry
        yield name, Dataset(name, entry["reader"], {role: listed for role, listed in files.items() if listed}, options)


def _check_options(name: str, entry: Mapping[str, Any], file: Path) -> None:
    """Refuse arguments of another reader, which would be ignored."""
    from mlreduce.datasets.reading import TAKES

    takes = TAKES | {"tables": TAKES["table"], "views": ("views",)}
    taken = takes.get(entry["reader"], ())
    known = {option for options in takes.values() for option in options}
    for option in sorted((known & set(entry)) - set(taken) - {"labels"}):
        raise ConfigurationError(f"{file}: datasets.{name}: the reader {entry['reader']} takes no {option}")


def _files(entry: Mapping[str, Any], role: str, name: str, sources: Mapping[str, str], base: Path) -> list[FileEntry]:
    value = entry.get(role, [])
    if isinstance(value, Mapping) and {"first", "last", "names"} & set(value):
        return []
    files = []
    folder = entry.get("folder", name)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            files.append(FileEntry(name, Path(item).name, local=_path(base / item, name)))
            continue
        if "sources" not in item:
            files.append(FileEntry(folder, item["name"]))
            continue
        for source in item["sources"]:
            check_known_name("source", source, sources, f"data set {name!r}")
        # Not by `str.format`, whose templates can access attributes.
        templates = (sources[source] for source in item["sources"])
        addresses = tuple(text.replace("{dataset}", folder).replace("{file}", item["name"]) for text in templates)
        files.append(FileEntry(folder, item["name"], addresses, item["sha256"]))
    return files


def _path(path: Path, name: str) -> Path:
    """Return a path that a file may have, whether one is there or not."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last of a zero byte, which the schema refuses
        return path
    except OSError as error:
        raise ConfigurationError(
            f"data set {name!r}: {str(path)[:80]!r}... can be no path: {error.strerror}"
        ) from error
    return path


# Roles of the files of an entry, by reader.
_ROLES = {
    "arff": ("data", "labels"),
    "xmc": ("data", "labels"),
    "tables": ("features", "labels"),
    **dict.fromkeys(("sgml", "svmlight", "mat"), ("data",)),
}


@cache
def _built_in() -> Catalogue:
    return Catalogue([BUILT_IN], FURTHER)


def read_catalogue(path: str | Path | None = None) -> Catalogue:
    """Read the catalogue, extended by a file of the user.

    Parameters
    ----------
    path : path or None, default=None
        Your datasets file; its entries extend the built-in ones and take precedence.
        Files that it names are relative to its folder.

    Returns
    -------
    Catalogue
        Name to data set.

    Raises
    ------
    ConfigurationError
        If an entry has an unknown or missing key; the message names the file, the key and what is allowed.

    Examples
    --------
    >>> from mlreduce.datasets import read_catalogue
    >>> "emotions" in read_catalogue()
    True
    """
    # Read each time: the user's file may have been edited, and a relative path may mean another one.
    return Catalogue([BUILT_IN, Path(path)], FURTHER) if path else _built_in()


def list_datasets(catalogue: str | Path | None = None) -> pd.DataFrame:
    """List the data sets that `load_dataset` knows, without reading any.

    Parameters
    ----------
    catalogue : path or None, default=None
        Your datasets file with further entries.

    Returns
    -------
    DataFrame
        Indexed by name: domain, instances, attributes (as published, identifiers included), labels; cardinality,
        density, label_sets and mean_imbalance, as `MultiLabelData.describe` has them; number of files to download and
        their bytes together; title; licence. Numbers were computed from the published files; what this project has not
        seen, or the catalogue does not have, is missing.

    Examples
    --------
    >>> import mlreduce
    >>> table = mlreduce.list_datasets()
    >>> int(table.loc["yeast", "labels"])
    14
    >>> table[(table["domain"] == "music") & (table["bytes"] < 1_000_000)].index.tolist()
    ['cal500', 'emotions']
    """
    import pandas as pd  # slow to import, and jobs on arrays need it not

    rows = {
        name: {
            **dict.fromkeys(("domain", *_NUMBERS, "title", "licence")),
            **dataset.summary(),
            "files": sum(len(entries) for entries in dataset.files.values()),
            "bytes": dataset.options.get("bytes"),
            "licence": dataset.options.get("licence", ""),
        }
        for name, dataset in sorted(read_catalogue(catalogue).items())
    }
    return pd.DataFrame.from_dict(rows, orient="index").astype(_NUMBERS).rename_axis("name")


@overload
def load_dataset(
    name: str,
    mirror: str | Path | None = ...,
    *,
    catalogue: str | Path | None = ...,
    cache: str | Path | None = ...,
    sparse_labels: bool | None = ...,
    return_X_y: Literal[False] = ...,
    as_frame: Literal[False] = ...,
) -> MultiLabelData: ...


@overload
def load_dataset(
    name: str,
    mirror: str | Path | None = ...,
    *,
    catalogue: str | Path | None = ...,
    cache: str | Path | None = ...,
    sparse_labels: bool | None = ...,
    return_X_y: bool = ...,
    as_frame: bool = ...,
) -> Any: ...


def load_dataset(
    name: str,
    mirror: str | Path | None = None,
    *,
    catalogue: str | Path | None = None,
    cache: str | Path | None = None,
    sparse_labels: bool | None = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> MultiLabelData | tuple[Any, Any]:
    """Load a data set, downloading its files when they are not in the cache yet.

    Parameters
    ----------
    name : str
        One of `list_datasets`. "digits", "planted", "mediamill-shape" and "eep-shape" need no file; those of "eep" are
        yours to supply; all others are published files.
    mirror : path or None, default=None
        A folder to read from instead, with the files as ``<data set>/<file>``; also the environment variable
        MLREDUCE_MIRROR. The checksums are checked all the same.
    catalogue : path or None, default=None
        Your datasets file with further entries.
    cache : path or None, default=None
        Folder of downloads; also the environment variable MLREDUCE_CACHE. The default is the user's cache
        folder, shared by all checkouts.
    sparse_labels : bool or None, default=None
        Whether Y is a CSR array; None where there are more than 2**25 cells, most of them 0.
    return_X_y : bool, default=False
        Return features and labels only.
    as_frame : bool, default=False
        Return features and labels, as DataFrames with their names.

    Returns
    -------
    MultiLabelData
        With ``X``, ``Y``, ``feature_names``, ``label_names`` and ``describe()``; or a pair of X and Y.

    Raises
    ------
    ConfigurationError
        If the name is unknown.
    FetchError
        If a file cannot be had, or is not the published one.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> import mlreduce
    >>> mlreduce.load_dataset("digits")
    MultiLabelData('digits': 1797 instances, 64 dense features, 8 labels, cardinality 3.294)
    """
    dataset = read_catalogue(catalogue)[name]
    from mlreduce.datasets.reading import keep_labels

    data = keep_labels(dataset.read(dataset.fetch(mirror, cache)), sparse_labels)
    if as_frame:
        return data.as_frame()
    return (data.X, data.Y) if return_X_y else data
