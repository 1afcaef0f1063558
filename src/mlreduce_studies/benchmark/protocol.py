"""The protocol of the benchmark: its files, their digest, and its studies."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from mlreduce.configuration import read_yaml
from mlreduce.datasets.catalogue import Catalogue, read_catalogue
from mlreduce.exceptions import ConfigurationError, check_known_name
from mlreduce.files import file_sha256
from mlreduce_studies.study import Study, load_study, study_content, study_file

#: Of the benchmark; the first is withdrawn as advice.
VERSIONS = (1, 2)


def name_of_version(version: int) -> str:
    """Return the name of a version's files: its configuration, what its studies have in common, folds, pieces."""
    return "benchmark" if version == 1 else f"benchmark-{version}"


def frozen_file(version: int) -> str:
    """Return the file with the digests of a version's frozen files, from the root of the project."""
    return "comparisons/frozen.yaml" if version == 1 else f"comparisons/frozen-{version}.yaml"


def protocol_files(project: str | Path, version: int = 2) -> list[str]:
    """Return the files that decide the scores of the benchmark, from the root of the project."""
    name = name_of_version(version)
    studies = read_yaml(Path(project, "config", f"{name}.yaml"))["studies"]
    files = [f"comparisons/{study}/study.yaml" for study in sorted(studies)]
    return [f"config/{name}.yaml", f"comparisons/{name}.yaml", *files, f"comparisons/{name}-folds.csv"]


def digest_of_files(files: Mapping[str, str]) -> str:
    """Return the SHA-256 of files by their names and SHA-256, in the order given."""
    lines = "".join(f"{name} {sha256}\n" for name, sha256 in files.items())
    return hashlib.sha256(lines.encode()).hexdigest()


def digest_of_scores(project: Path, file: str, version: int = 2) -> str:
    """Return the SHA-256 of a file of the protocol by which the scores are known.

    It is that of the frozen file where the file was amended without a change of the scores, as where a default of the
    library that has changed is named: `same_scores` of the last amendment in the freeze of the version.
    """
    sha256, path = file_sha256(project / file), project / frozen_file(version)
    frozen = read_yaml(path) if path.is_file() else {}
    for amendment in reversed(frozen.get("amendments", [])):
        if amendment["file"] == file:
            same = amendment.get("same_scores", False) and amendment.get("digest") == sha256
            return str(frozen["files"][file]) if same else sha256
    return sha256


@dataclass(frozen=True)
class Protocol:
    """The benchmark of a project."""

    #: With ``config`` and ``comparisons``.
    project: Path
    #: Where data sets are read from.
    mirror: str | Path | None = None
    #: One of 1, 2.
    version: int = 2

    @property
    def name(self) -> str:
        """The name of its files."""
        return name_of_version(self.version)

    @property
    def config_file(self) -> str:
        """The configuration of its runs, from the root of the project."""
        return f"config/{self.name}.yaml"

    @property
    def folds_file(self) -> str:
        """The digests of the rows of its folds, from the root of the project."""
        return f"comparisons/{self.name}-folds.csv"

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """What the configuration of its runs says."""
        config: Mapping[str, Any] = read_yaml(self.project / self.config_file)
        return config

    @cached_property
    def shared(self) -> dict[str, Any]:
        """What the first of the studies says, with all that the studies have in common."""
        return study_content(study_file(self.config["studies"][0], self.project))

    @cached_property
    def catalogue(self) -> Catalogue:
        """The data sets there are."""
        return read_catalogue()

    def studies(self, candidates: int | None = None) -> dict[str, Study]:
        """Return the studies by name, with fewer candidates or all."""
        return _studies(self, candidates)

    @cached_property
    def datasets(self) -> list[str]:
        """The data sets."""
        return list(self.shared["scales"]["paper"]["datasets"])

    @property
    def candidates(self) -> int:
        """How many candidates a search has."""
        number: int = self.shared["search"]["candidates"]
        return number

    @property
    def budgets(self) -> dict[int, list[str]]:
        """Numbers of candidates to the data sets on which they are run."""
        fewer = self.shared["budgets"]
        return {
            self.candidates: self.datasets,
            **dict.fromkeys(fewer["candidates"], fewer.get("datasets", self.datasets)),
        }

    def base(self, candidates: int) -> str:
        """Return the folder of results of a run, from the root of the project."""
        return f"{self.config['results']}/{self.run_name(candidates)}"

    def run_name(self, candidates: int) -> str:
        """Return the name of the run with a number of candidates."""
        name = str(self.config["name"])
        return name if candidates == self.candidates else f"{name}-{candidates}-candidates"

    def check_datasets(self, names: list[str]) -> list[str]:
        """Return names of data sets of the benchmark.

        Raises ConfigurationError if one is none of them; the sentence says why, or holds the nearest known name.
        """
        for name in names:
            if name in self.shared["excluded"]:
                raise ConfigurationError(f"{name} is not in the benchmark: {self.shared['excluded'][name]}")
            check_known_name("data set", name, self.datasets, "the benchmark")
        return names

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the files of the protocol, by which a piece knows its own."""
        files = protocol_files(self.project, self.version)
        return digest_of_files({file: digest_of_scores(self.project, file, self.version) for file in files})


@cache
def _studies(protocol: Protocol, candidates: int | None) -> dict[str, Study]:
    files = {name: study_file(name, protocol.project) for name in protocol.config["studies"]}
    return {
        name: load_study(file, "paper", protocol.catalogue, mirror=protocol.mirror, candidates=candidates)
        for name, file in files.items()
    }
