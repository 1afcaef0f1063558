"""Entries of the leaderboard, each a file ``leaderboard/NAME.yaml`` that names one class or program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.configuration import read_yaml, validate
from mlreduce.exceptions import ConfigurationError, check_known_name
from mlreduce.files import file_sha256
from mlreduce_studies.benchmark.protocol import digest_of_files
from mlreduce_studies.programs import FAMILIES as PROGRAM_FAMILIES
from mlreduce_studies.programs import class_of_program

#: Folder of the entries, in the project.
FOLDER = "leaderboard"

#: Folder of its files in the process that runs it, from the working folder there.
CODE = f"code/{FOLDER}"

#: The data sets of the benchmark on which entries are run: few rows, 6 to 174 labels, 19 to 1,186 features.
SETS = ("flags", "virus-go", "emotions", "birds", "genbase", "cal500")

#: Families to the studies of the benchmark whose protocol they follow.
FAMILIES = {
    "projection": "benchmark-2-projections",
    "selection": "benchmark-2-selectors",
    "labelspace": "benchmark-2-coders",
}

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Entry:
    """An entry, read and checked."""

    name: str
    #: Its file; a module and a lock file are in the same folder.
    path: Path
    title: str
    family: str
    class_path: str
    #: Of the class; what is tried by a search.
    parameters: Mapping[str, Any]
    search: Mapping[str, Any]
    #: Names to versions.
    packages: Mapping[str, str]
    entered_by: str
    reference: str
    #: See the schema, workflow/schemas/entry.schema.yaml.
    size: str | None = None
    batch: str | None = None
    #: Files and folders of its program.
    programs: tuple[Path, ...] = ()

    @property
    def module(self) -> Path:
        """File of a separate module, which need not be there."""
        return self.path.with_name(f"{self.name.replace('-', '_')}.py")

    @property
    def lock(self) -> Path:
        """Lock file of its packages with hashes, in addition to those of the project; it need not exist."""
        return self.path.with_suffix(".lock")

    @property
    def files(self) -> list[Path]:
        """Files and folders that its code needs where it is run."""
        return [*([self.module] if self.module.is_file() else []), *self.programs]

    @property
    def digest(self) -> str:
        """SHA-256 of its files; an entry whose digest has changed has to be run again."""
        parts = (path for path in (self.path, self.module, self.lock) if path.is_file())
        program = {"program": self.parameters["program"]["digest"]} if "program" in self.parameters else {}
        return digest_of_files({**{path.name: file_sha256(path) for path in parts}, **program})

    @property
    def one_size(self) -> bool:
        """Whether it is a transformer without a parameter for its number of dimensions."""
        return self.family == "projection" and self.size is None

    @property
    def method(self) -> dict[str, Any]:
        """The entry of a study file, with its default number of dimensions."""
        search = {"search": dict(self.search)} if self.search else {}
        return {"class": self.class_path, **self.parameters, **search}

    def methods(self, dimensions: list[int]) -> dict[str, dict[str, Any]]:
        """Return labels to entries of a study file: one, or one per number of dimensions where `size` is given."""
        if self.size is None:
            return {self.name: self.method}
        inner = {"class": self.class_path, **self.parameters}
        at = {"class": "mlreduce_studies.outside.AtMost", "transformer": inner, "parameter": self.size}
        search = (
            {"search": {f"transformer.{name}": value for name, value in self.search.items()}} if self.search else {}
        )
        return {f"{self.name}@{number}": {**at, "size": number, **search} for number in dimensions}


def entry_names(project: str | Path) -> list[str]:
    """Return the names of all entries of a project, sorted."""
    return sorted(path.stem for path in Path(project, FOLDER).glob("*.yaml"))


def entries(project: str | Path) -> dict[str, Entry]:
    """Return all entries of a project by name."""
    return {name: read_entry(name, project) for name in entry_names(project)}


def read_entry(name: str, project: str | Path) -> Entry:
    """Read an entry, without importing any of its code.

    Raises ConfigurationError if there is no entry of this name, it does not match the schema, or its parts are
    inconsistent.
    """
    check_known_name("entry", name, entry_names(project), f"{project}/{FOLDER}")
    path = Path(project, FOLDER, f"{name}.yaml")
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"{path}: an entry is named in lower case with hyphens, as in truncated-svd.yaml")
    if name in registry.method_names():
        raise ConfigurationError(f"{path}: {name!r} is a method of mlreduce; take another name")
    content = read_yaml(path)
    validate(content, "entry", str(path))
    if ("class" in content) == ("program" in content):
        raise ConfigurationError(f"{path}: an entry is either a class or a program; give one of the two")
    fields = {"parameters": {}, "search": {}, **content}
    if "program" in fields:
        fields = _with_program(fields, path)
    found = Entry(name, path, class_path=fields.pop("class"), **fields)
    _check(found)
    return found


def _with_program(fields: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the fields of an entry with the class that stands for its program, and the files of this."""
    given = fields["program"] if isinstance(fields["program"], dict) else {}
    for file in given.get("files", []):
        # By this name a pull request that changes the file is known to change the entry.
        if ".." in Path(file).parts or str(Path(file)).partition("/")[0].partition(".")[0] != path.stem:
            raise ConfigurationError(f"{path}: files: {file!r} must be in {FOLDER}/{path.stem}, or named {path.stem}.*")
    made = class_of_program(str(path), fields, path.parent)
    family = PROGRAM_FAMILIES[made["class"]]
    if family != fields["family"]:
        raise ConfigurationError(f"{path}: a program that writes {fields['writes']} is of the family {family}")
    files = tuple(map(Path, made["program"]["files"]))
    program = {**made["program"], "files": [f"{CODE}/{file.name}" for file in files]}
    others = {key: value for key, value in fields.items() if key not in ("program", "writes")}
    size = {"size": "n_components"} if family == "projection" else {}
    parameters = {**fields["parameters"], "program": program}
    return {**others, **size, "class": made["class"], "parameters": parameters, "programs": files}


def _check(entry: Entry) -> None:
    """Check that the parts of an entry fit together."""
    place, *rest = entry.class_path.split(".")
    if place == FOLDER and (len(rest) != 2 or rest[0] != entry.module.stem):
        raise ConfigurationError(
            f"{entry.path}: class: {entry.class_path} is in the module of another entry; the class must be defined in "
            f"{FOLDER}.{entry.module.stem}"
        )
    if place == FOLDER and not entry.module.is_file():
        raise ConfigurationError(f"{entry.path}: class: {entry.module} is missing, the module with {entry.class_path}")
    for file in (inside for path in entry.files for inside in (path, *path.rglob("*"))):
        if file.is_symlink():  # the scorer copies what it leads to, which the entry may not read
            raise ConfigurationError(f"{entry.path}: {file} is a link; put the file itself there")
    for key, value in (("size", entry.size), ("batch", entry.batch)):
        if value is not None and entry.family != "projection":
            raise ConfigurationError(f"{entry.path}: {key} is for projections; leave it out")
    twice = sorted({*entry.search, entry.size or ""}.intersection(entry.parameters))
    if twice:
        raise ConfigurationError(f"{entry.path}: parameters: {twice[0]!r} is given under size or search too")
