"""A finished study as a research object: results, code and what made them in one archive that says what it holds.

The archive is a Workflow Run RO-Crate, https://w3id.org/ro/wfrun/workflow/0.5: RO-Crate 1.1 with a workflow, one run of
it, the run's parameters and published inputs, and its results. Everything in it comes from the study's files and its
manifest, so that the same study is the same archive, byte for byte.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from mlreduce.configuration import read_yaml
from mlreduce.exceptions import DataError, from_extra
from mlreduce.files import replacing
from mlreduce_studies.provenance.digest import code_files
from mlreduce_studies.provenance.manifest import file_faults, read_manifest

with from_extra("workflow", "research objects"):
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
_TERMS = "https://w3id.org/ro/terms/workflow-run/context"

# In addition to the code: how it is used, its authors and its licence.
_PAPERS = ("README.md", "LICENSE", "CITATION.cff", "pyproject.toml")

_FOLDERS = {
    "workflow": "Rules, scripts and schemas of the workflow",
    "src": "The library mlreduce",
    "config": "The configuration, and the catalogue of data sets",
    "papers": "The study of each paper, and what it prints and claims",
    "comparisons": "Studies that compare methods",
    "envs": "Conda environments, and the locked packages",
}

_FORMATS = {
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}

# Characters of an address that stay as they are.
_SAFE = ":/%#?=&~+,;@"

# The least date that a zip archive knows.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


class Paper(NamedTuple):
    """What a study reproduces."""

    title: str
    #: An address.
    identifier: str | None


def write_crate(
    path: str | Path, results: str | Path, project: str | Path, paper: Paper, used: Mapping[str, Any]
) -> None:
    """Pack a finished study into a zip file: the folder of its results, with its manifest, and the code that made them.

    ``used`` is what the study is run with now, settings and digests of code, under the names that they have in its
    manifest. Raises DataError if a file is not the one that the manifest names, or settings or code of the study are
    not those of the results.
    """
    results, project = Path(results), Path(project)
    manifest = read_manifest(results)
    _, faults = file_faults(results)
    if faults:
        raise DataError(f"{results}: not what its manifest says: {'; '.join(faults)}; run the study again")
    differing = [name for name, value in json.loads(json.dumps(used)).items() if manifest.get(name) != value]
    if differing:
        raise DataError(f"{results}: {', '.join(differing)} of the study are not what made it; run the study again")
    with tempfile.TemporaryDirectory() as folder:
        staged, written = Path(folder) / "project", Path(folder) / "crate"
        for name in [*code_files(project), *(name for name in _PAPERS if (project / name).is_file())]:
            place = staged / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(project / name, place)
        _Crate(results, staged, manifest, paper).crate.write(written)
        with replacing(path) as temporary:
            _pack(written, temporary)


def _pack(folder: Path, path: Path) -> None:
    """Put a folder into an archive: the same files are the same bytes, whenever they were written."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            if file.is_dir():
                entry, content = zipfile.ZipInfo(f"{name}/", _NO_DATE), b""
                entry.external_attr = 0o40755 << 16 | 0x10
            else:
                entry, content = zipfile.ZipInfo(name, _NO_DATE), file.read_bytes()
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, content)


class _Crate:
    """The description of a study's results, put together entity by entity."""

    def __init__(self, results: Path, project: Path, manifest: Mapping[str, Any], paper: Paper) -> None:
        self.crate = ROCrate(version="1.1")
        self.crate.metadata.extra_contexts.append(_TERMS)
        self._results, self._project, self._manifest, self._paper = results, project, manifest, paper
        citation = project / "CITATION.cff"
        self._citation: Mapping[str, Any] = read_yaml(citation) if citation.is_file() else {}
        workflow = self._workflow()
        used, made = [*self._settings(), *self._published()], list(self._made())
        self._parameters(workflow, used, made)
        run = self.crate.add_action(
            workflow,
            identifier="#run",
            object=[entity for _, entity in used],
            result=[entity for _, entity in made],
            properties=_filled(
                {
                    "name": f"Run of {manifest['study']} at scale {manifest['scale']}",
                    "startTime": manifest["run"]["started"],
                    "endTime": manifest["run"]["ended"],
                    "description": f"Data sets: {', '.join(manifest['datasets'])}; splits: {manifest['splits']}",
                    "actionStatus": "http://schema.org/CompletedActionStatus",
                }
            ),
        )
        self._root(run)

    def _entity(self, address: str, kind: str, properties: Mapping[str, Any]) -> Any:
        return self.crate.add(ContextEntity(self.crate, address, properties=_filled({"@type": kind, **properties})))

    def _workflow(self) -> Any:
        source = self._manifest["run"]["source"]
        workflow = self.crate.add_workflow(
            self._project / "Snakefile",
            "Snakefile",
            main=True,
            lang="snakemake",
            lang_version=self._manifest["run"]["packages"].get("snakemake"),
            properties=_filled(
                {
                    "name": str(self._citation.get("title", "mlreduce")),
                    "description": self._citation.get("abstract"),
                    "encodingFormat": "text/plain",
                    "version": self._citation.get("version"),
                    "identifier": source["commit"],
                    "codeRepository": self._citation.get("repository-code"),
                }
            ),
        )
        for name, description in _FOLDERS.items():
            folder = self._project / name
            if folder.is_dir():
                self.crate.add_dataset(folder, name, properties={"name": name, "description": description})
        for name in _PAPERS:
            if (self._project / name).is_file():
                properties = {"name": name, "encodingFormat": _format(name)}
                file = self.crate.add_file(self._project / name, name, properties=properties)
                if name == "README.md":
                    file["about"] = self.crate.root_dataset
        workflow["license"], workflow["author"] = self._licence(), _single(list(self._authors()))
        return workflow

    def _licence(self) -> Any:
        name = str(self._citation.get("license", "unknown"))
        if name == "unknown":
            return "not stated"
        address = f"https://spdx.org/licenses/{name}"
        return self._entity(address, "CreativeWork", {"name": name, "identifier": address})

    def _authors(self) -> Iterator[Any]:
        for number, author in enumerate(self._citation.get("authors", []), start=1):
            identifier = author.get("orcid", f"#author-{number}")
            if "family-names" in author:
                names = {"familyName": author["family-names"], "givenName": author.get("given-names")}
                name = " ".join(filter(None, [names["givenName"], names["familyName"]]))
                yield self._entity(identifier, "Person", {"name": name, **names})
            else:
                yield self._entity(identifier, "Organization", {"name": author.get("name")})

    def _settings(self) -> Iterator[tuple[str, Any]]:
        """Yield the settings of the run, each under the name of a parameter of the workflow."""
        for name in ("study", "scale", "seed", "splits", "datasets"):
            value = self._manifest[name]
            text = ", ".join(value) if isinstance(value, list) else value
            yield name, self._entity(f"#setting-{name}", "PropertyValue", {"name": name, "value": text})

    def _published(self) -> Iterator[tuple[str, Any]]:
        """Yield the files that data sets were read from: by their addresses, or, of a user's own, by digest alone."""
        seen = set()
        for dataset, description in self._manifest["inputs"].items():
            for file in description["files"]:
                if file["sha256"] in seen:
                    continue  # several data sets may be read from the same files
                seen.add(file["sha256"])
                named = {"name": f"{dataset}/{file['name']}", "sha256": file["sha256"]}
                if not file["addresses"]:
                    value = {"name": named["name"], "propertyID": "sha256", "value": file["sha256"]}
                    yield "files", self._entity(f"#file-{file['sha256']}", "PropertyValue", value)
                    continue
                first, *others = file["addresses"]
                properties = {**named, "encodingFormat": _format(file["name"])}
                if others:
                    properties["sameAs"] = _single([{"@id": quote(address, safe=_SAFE)} for address in others])
                yield "files", self.crate.add_file(quote(first, safe=_SAFE), properties=properties)

    def _made(self) -> Iterator[tuple[str, Any]]:
        """Yield the results, each under the name of an output of the workflow."""
        named = self._manifest["outputs"] | self._manifest["run"]["outputs"]
        for name in [*sorted(named), "manifest.json"]:
            source = self._results / name
            properties = {"name": name, "encodingFormat": _format(name)}
            if name in named:
                properties["sha256"] = named[name]
            file = self.crate.add_file(source, f"results/{name}", properties=properties, record_size=True)
            yield _kind(name), file

    def _parameters(self, workflow: Any, used: Iterable[tuple[str, Any]], made: Iterable[tuple[str, Any]]) -> None:
        """Describe what the workflow takes and gives, and what it took and gave this time."""
        for role, examples in (("input", used), ("output", made)):
            by_name: dict[str, list[Any]] = {}
            for name, entity in examples:
                by_name.setdefault(name, []).append(entity)
            parameters = []
            for name, entities in by_name.items():
                kind = "Integer" if name in ("seed", "splits") else "Text"
                parameter = self.crate.add_formal_parameter(
                    name,
                    "File" if role == "output" or name == "files" else kind,
                    identifier=f"#{role}-{name}",
                    description=_DESCRIPTIONS[name],
                    properties={"multipleValues": len(entities) > 1},
                )
                parameter["workExample"] = _single(entities)
                for entity in entities:
                    entity["exampleOfWork"] = parameter
                parameters.append(parameter)
            workflow[role] = parameters

    def _root(self, run: Any) -> None:
        root, manifest = self.crate.root_dataset, self._manifest
        for identifier, name in _PROFILES.items():
            version = identifier.rpartition("/")[2]
            profile = self._entity(identifier, "CreativeWork", {"name": name, "version": version})
            root.append_to("conformsTo", profile)
        root["name"] = f"{manifest['study']}: results of {self._citation.get('title', 'mlreduce')}"
        root["description"] = (
            f"Tables, figures and scores of a run that recomputes {self._paper.title}, and the workflow that made them."
        )
        if manifest["run"]["ended"]:
            root["datePublished"] = manifest["run"]["ended"]
        workflow = self.crate.mainEntity
        root["license"], root["author"] = workflow["license"], workflow["author"]
        root["mentions"] = run
        article = {"name": self._paper.title, "identifier": self._paper.identifier}
        root["citation"] = self._entity(self._paper.identifier or "#paper", "ScholarlyArticle", article)


_DESCRIPTIONS = {
    "study": "Which study: a folder of papers or comparisons",
    "scale": "Which of the study's sizes",
    "seed": "Of all splits and random methods",
    "splits": "Number of random splits, or of folds",
    "datasets": "The data sets that were run",
    "files": "The files that data sets are read from, as published",
    "tables": "Tables of the paper: tidy, as Markdown and as LaTeX",
    "figures": "Figures of the paper",
    "scores": "Scores, rankings and eigenvalues, a row a value",
    "audit": "Printed numbers compared with ours, and verdicts on the paper's claims",
    "summaries": "Means and errors, and what tables and figures are made from",
    "manifest": "What the results were made of, with and at what cost",
}


def _format(name: str) -> str:
    """Return the media type of a file, by how its name ends."""
    return _FORMATS.get(Path(name).suffix, "text/plain")


def _kind(name: str) -> str:
    """Return to which output of the workflow a file belongs."""
    stem, suffix = Path(name).stem, Path(name).suffix
    if name in ("manifest.json", "jobs.csv"):
        return "manifest"
    if suffix == ".parquet":
        return "scores"
    if suffix in (".svg", ".png", ".pdf"):
        return "figures"
    if stem in ("audit", "audit-sizes", "audit-order", "claims", "claims-lines", "claims-differences"):
        return "audit"
    return "tables" if stem.startswith("table") else "summaries"


def _single(values: list[Any]) -> Any:
    """Return the value of a list of one: RO-Crate has no lists of one."""
    return values[0] if len(values) == 1 else values


def _filled(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is not known."""
    return {key: value for key, value in properties.items() if value is not None}
