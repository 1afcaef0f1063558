"""What the study runs: data, reducers of the features, models and their pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlreduce.configuration import read_yaml
from mlreduce.exceptions import check_known_name

FILE = Path("comparisons") / "many-labels" / "many-labels.yaml"
#: The reducer that leaves the features, the job with all pieces of a model, and the kind of other programs.
NONE, ALL, PEER = "none", "all", "peer"


@dataclass(frozen=True)
class Settings:
    """The study's file, as docs/many-labels.md describes it."""

    content: Mapping[str, Any]
    #: Whether the other programs run.
    peers: bool = False

    @classmethod
    def read(cls, path: str | Path, peers: bool = False) -> Settings:
        """Read the study's file."""
        return cls(read_yaml(Path(path)), peers)

    def data(self, names: Iterable[str] | None = None) -> list[str]:
        """Return the requested data sets; without names those that are generated.

        Raises ConfigurationError if one of the names is unknown.
        """
        known = self.content["data"]
        if names is None:
            return [name for name, entry in known.items() if "generated" in entry]
        for name in (names := list(names)):
            check_known_name("data set", name, known, str(FILE))
        return names

    def only(self, data: str) -> dict[str, Any]:
        """Return the content that one data set needs."""
        return {**self.content, "data": {data: self.content["data"][data]}}

    def entry(self, data: str) -> dict[str, Any]:
        """Return the entry of a data set, with the limits and reducers of the study where it has none."""
        common = {key: self.content[key] for key in ("limits", "reducers", "percents", "most_stored", "width")}
        return {**common, "models": list(self.content["models"]), **self.content["data"][data]}

    def reducers(self, data: str) -> list[str]:
        """Return no reduction, and each reducer with each percentage of the features."""
        entry = self.entry(data)
        return [NONE, *(f"{name}-{percent}" for name in entry["reducers"] for percent in entry["percents"])]

    def models(self, data: str, reducer: str) -> dict[str, Any]:
        """Return the models that are trained on some features."""
        numbers = self.entry(data).get("pieces", {})
        entries = {name: self.content["models"][name] for name in self.entry(data)["models"]}
        return {
            name: {**entry, "pieces": numbers.get(name, entry.get("pieces", 1))}
            for name, entry in entries.items()
            if reducer in entry.get("reducers", [reducer]) and (self.peers or entry["kind"] != PEER)
        }

    def plan(self, data: Iterable[str] | None = None) -> list[tuple[str, str, str]]:
        """Return data, reducer and model of all rows, of some data sets or of all."""
        return [
            (name, reducer, model)
            for name in (self.content["data"] if data is None else data)
            for reducer in self.reducers(name)
            for model in self.models(name, reducer)
        ]

    def jobs(self, data: str, reducer: str, model: str) -> list[str]:
        """Return the names of the jobs of a model: a number for a piece, or one for all where they are bundled."""
        bundled = self.entry(data).get("bundle")
        return [ALL] if bundled else [str(piece) for piece in range(self.models(data, reducer)[model]["pieces"])]


def name_and_percent(reducer: str) -> tuple[str, int]:
    """Return the method and the percentage of the features that a reducer's name has; 100 of none."""
    name, _, percent = reducer.rpartition("-")
    return (name, int(percent)) if name else (NONE, 100)
