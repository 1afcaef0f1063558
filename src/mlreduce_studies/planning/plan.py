"""The plan of a run: its configuration, studies, data sets and folders, and the set-up of its process before jobs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from mlreduce.configuration import validate
from mlreduce.datasets.catalogue import Catalogue, read_catalogue
from mlreduce.exceptions import ConfigurationError, check_known_name
from mlreduce_studies.study import PAPERS, Study, load_study, study_file, study_files, study_name
from mlreduce_studies.verdicts.reading import Known, read_claims
from mlreduce_studies.verdicts.settings import claim_settings

# The study that runs by default on data that no paper has.
_COMPARISON = "comparison"

# Keys on which results depend, in addition to the files of studies and of data sets.
_DECIDING = ("scale", "run_on", "methods", "splits", "candidates", "ties", "seed")
# Of config.yaml, and of paper.yaml and peers.yaml.
_SEEDS = {"demo": 2012, "paper": 26112026}
_LONGEST_NAME = 60

# Keys that are true or false, and their values on the command line.
_SWITCHES, _WORDS = ("bundle", "job_per_fit", "keep_fitted", "retry_failed"), ("true", "false")


@dataclass(frozen=True)
class Plan:
    """A run of some studies."""

    #: See config/README.md.
    config: Mapping[str, Any]
    #: Folder of the Snakefile, as seen from where it runs: a project that is moved takes its results along.
    project: Path
    catalogue: Catalogue
    studies: Mapping[str, Study]
    #: Folder of the studies' results.
    base: str
    #: The content of `run_file`: all that the results in this folder depend on.
    record: Mapping[str, Any]

    @property
    def data(self) -> str:
        """Folder of the data sets, which all scales share."""
        return f"{self.config['results']}/data"

    @property
    def run_file(self) -> str:
        """File that describes the run of the folder."""
        return f"{self.base}/run/record.json"

    @property
    def rerun_file(self) -> str:
        """File whose date is that of the last run in which jobs had to run again; all scales share it.

        In a separate folder: what Snakemake has seen in the others it does not look for again.
        """
        return f"{self.config['results']}/logs/rerun/date.txt"

    @property
    def is_whole(self) -> bool:
        """Whether studies are run as their files say, with all their methods, data sets, splits and candidates."""
        return all(self.record[key] is None for key in ("run_on", "methods", "splits", "candidates", "ties"))

    def is_paper(self, study: str) -> bool:
        """Whether a study is that of a paper of this project."""
        return study in study_files(self.project, [PAPERS]) and self.record["studies"].get(study) is None

    @staticmethod
    def own_data(study: Study) -> bool:
        """Whether a study is run on none of its data sets: no claim or printed number is about such results."""
        return set(study.known_datasets).isdisjoint(study.datasets)

    def claims(self, study: Study) -> list[str]:
        """File of what a paper claims, where the study is run on its data."""
        return [] if study.claims is None or self.own_data(study) else [str(study.claims)]

    def check_claims(self) -> None:
        """Read the claims on all studies, so that an invalid claim is an error before anything is computed.

        Claims are not read in a run of some methods, which does not know the names of the others. Raises
        ConfigurationError as `mlreduce_studies.verdicts.reading.read_claims`.
        """
        taken: dict[str, str] = {}
        for study in self.studies.values() if self.config.get("methods") is None else ():
            names = Known(**claim_settings(study)["names"])
            for path in self.claims(study):
                taken |= {claim.id: path for claim in read_claims(path, names, taken)}


def words(value: Any) -> Any:
    """Return a list of names that may be given as text with commas; YAML reads a name such as 2016 as a number."""
    if isinstance(value, str):
        return [word for word in value.replace(",", " ").split() if word]
    if isinstance(value, int | float):
        value = [value]
    if isinstance(value, list):
        return [str(name) if isinstance(name, int | float) else name for name in value]
    return value


def make_plan(config: Mapping[str, Any], project: str | Path) -> Plan:
    """Check a configuration, as Snakemake has it, and read the studies that it names in the folder of the Snakefile.

    Raises ConfigurationError if a key, study, data set or method is unknown; the message has the nearest known name.
    """
    project = Path(os.path.relpath(project))
    config = _checked(config)
    catalogue = _catalogue_of(config)
    studies = _with_methods(_named_studies(config, project, catalogue), config.get("methods"))
    sample = config.get("sample", {})
    studies |= {name: _sampled(studies[name], value["curves"]) for name, value in sample.items() if name in studies}
    _check_case({name for study in studies.values() for name in study.datasets}, catalogue)
    base, record = f"{config['results']}/{_folder(config)}", _record(config, studies)
    return _with_former(Plan(config, project, catalogue, studies, base, record))


def _checked(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with lists and switches that the command line gives as text; refuse a wrong one."""
    lists = {key: words(config[key]) for key in ("studies", "run_on", "methods", "figure_formats") if key in config}
    switches = {key: {"true": True, "false": False}[word] for key in _SWITCHES if (word := config.get(key)) in _WORDS}
    checked = {**config, **lists, **switches}
    validate(checked, "config", "configuration")
    if checked.get("job_per_fit"):
        checked |= {"bundle": False, "splits_per_job": 1}
    for key in ("mirror", "finished"):
        if key in checked and not Path(checked[key]).is_dir():
            raise ConfigurationError(f"{key}: {checked[key]} is no folder")
    return checked


def _catalogue_of(config: Mapping[str, Any]) -> Catalogue:
    """Return the data sets that a run may use; refuse one that `run_on` names and the catalogue does not have."""
    catalogue = read_catalogue(config.get("datasets"))
    _check_own(config.get("datasets"))
    for name in config.get("run_on") or []:
        check_known_name("data set", name, catalogue, "run_on")
    return catalogue


def _named_studies(config: Mapping[str, Any], project: Path, catalogue: Catalogue) -> dict[str, Study]:
    """Return the studies that a configuration names; the papers, or for data that no paper has the comparison."""
    named = config.get("studies")
    studies = _load_studies(named or study_files(project, [PAPERS]), config, project, catalogue)
    if named is None and config.get("methods") is None:
        of_papers = {name for study in studies.values() for name in study.known_datasets}
        if not of_papers.issuperset(config.get("run_on") or []):
            return _load_studies([_COMPARISON], config, project, catalogue)
    return studies


def _load_studies(
    names: Iterable[str], config: Mapping[str, Any], project: Path, catalogue: Catalogue
) -> dict[str, Study]:
    """Read studies by their names or files."""
    studies: dict[str, Study] = {}
    for file in (Path(name) if _is_file(name) else study_file(name, project) for name in names):
        study = study_name(file)
        if not re.fullmatch("[a-z0-9-]+", study) or study in studies:
            raise ConfigurationError(
                f"studies: {file}: a study has the name of its file, or of its folder where that is study.yaml, "
                "which is of a-z, 0-9 and hyphens, and of no other study; rename the file"
            )
        sampled = config.get("sample", {}).get(study, config)
        studies[study] = load_study(
            file,
            config["scale"],
            catalogue,
            **{key: sampled.get(key) for key in ("splits", "run_on")},
            **{key: config.get(key) for key in ("mirror", "candidates", "ties")},
        )
    return studies


def _with_methods(studies: dict[str, Study], methods: Sequence[str] | None) -> dict[str, Study]:
    """Return studies with some of their methods, those that have any of them."""
    if methods is None:
        return studies
    known = {name for study in studies.values() for name in (*study.methods, *study.averages)}
    for name in methods:
        check_known_name("method", name, known, f"methods, of {', '.join(studies)}")
    chosen = {name: study.only(methods) for name, study in studies.items()}
    return {name: study for name, study in chosen.items() if study.groups}


def _check_own(file: str | None) -> None:
    """Refuse data of a user that are called like published ones: they would be judged as these."""
    published = read_catalogue()
    for name in Catalogue([Path(file)] if file is not None else []):
        if name in published:
            raise ConfigurationError(
                f"{file}: datasets.{name}: the catalogue has a data set of this name, as which these data would be "
                f"judged; rename the entry, for example {name}-2, and run_on with it"
            )


def _check_case(names: Iterable[str], catalogue: Catalogue) -> None:
    """Refuse two data sets whose files would be one where case does not count."""
    for name in sorted(names):
        others = [other for other in catalogue if other.casefold() == name.casefold() and other != name]
        if others:
            raise ConfigurationError(
                f"data sets {name!r} and {others[0]!r} differ in upper and lower case only, and some disks take their "
                "files for one; rename one of them"
            )


def _folder(config: Mapping[str, Any]) -> str:
    """Return the name of the folder of a run: as given, or the scale and what differs from the studies' files."""
    if config.get("name") is not None:
        return str(config["name"])
    series, scale = config.get("series"), config["scale"]
    parts = [scale] if series is None else [series, *([scale] if scale != "paper" else [])]
    parts += [*(config.get("run_on") or []), *(config.get("methods") or [])]
    parts += [f"{config[key]}-{key}" for key in ("splits", "candidates") if config.get(key)]
    parts += [f"{config['ties']}-ties"] if config.get("ties") else []
    parts += [f"seed-{config['seed']}"] if config["seed"] != _SEEDS[scale] else []
    name = re.sub("[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")
    if len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 9].rstrip('-')}-{digest}"


def _record(config: Mapping[str, Any], studies: Mapping[str, Study]) -> dict[str, Any]:
    """Return what decides the results of a run; of files their places, so that a file that is edited is run again."""
    further = Catalogue([Path(config["datasets"])] if config.get("datasets") is not None else [])
    run = sorted({name for study in studies.values() for name in study.datasets})
    files = {study_name(name): os.path.relpath(name) for name in config.get("studies") or [] if _is_file(name)}
    return {
        **{key: config.get(key) for key in _DECIDING},
        "datasets": {name: os.path.relpath(config["datasets"]) if name in further else None for name in run},
        "studies": {name: files.get(name) for name in studies},
    }


def _with_former(plan: Plan) -> Plan:
    """Return a plan with what its folder holds already; refuse a folder that holds results of another run.

    Studies and data sets may be added to a folder. What decides the results of those that are there may not change.
    """
    path = Path(plan.run_file)
    if not path.is_file():
        return plan
    try:
        former = json.loads(path.read_text(encoding="utf-8"))
        kinds = {kind: dict(former[kind]) for kind in ("datasets", "studies")}
    except (ValueError, KeyError, TypeError):
        sentence = f"{path}: not the record of a run; delete {plan.base}, or name another folder: name=..."
        raise ConfigurationError(sentence) from None
    record = plan.record
    differing = [(key, former.get(key), record[key]) for key in _DECIDING if former.get(key) != record[key]]
    for kind, old in kinds.items():
        differing += [(name, old[name], file) for name, file in record[kind].items() if old.get(name, file) != file]
    if not differing:
        return replace(plan, record={**former, **record, **{kind: old | record[kind] for kind, old in kinds.items()}})
    results, name = Path(plan.config["results"]), Path(plan.base).name
    names = chain([_folder({**plan.config, "name": None})], (f"{name}-{number}" for number in count(2)))
    free = next(name for name in names if not (results / name).exists())
    differences = "; ".join(f"{key} {_said(there)} there and {_said(here)} here" for key, there, here in differing)
    raise ConfigurationError(
        f"{plan.base} holds the results of another run: {differences}. They stay as they are. For a separate folder "
        f"add name={free} after --config; to replace them delete {plan.base}"
    )


def _said(value: Any) -> str:
    """Say what a key is in a run."""
    return "not given" if value is None else ",".join(value) if isinstance(value, list) else str(value)


def _is_file(name: str) -> bool:
    """Say whether a study is named by its file."""
    return name.endswith((".yaml", ".yml"))


def _sampled(study: Study, curves: Sequence[Sequence[str]]) -> Study:
    """Return a study that computes only some curves: see `mlreduce_studies.provenance.verify`."""
    datasets = sorted({dataset for _, dataset, _, _ in curves})
    return replace(study, datasets=datasets, sample=tuple((a, b, c, d) for a, b, c, d in curves))


def name_python_for_shells() -> None:
    """Name this Python so that a shell understands it, wherever the checkout is.

    Snakemake writes `sys.executable` into the commands of jobs without quotes. Where its folder has a space, a quote or
    another character that shells treat as special, it becomes a plain name, with that folder first on the path.
    """
    python = Path(sys.executable)
    if shlex.quote(sys.executable) != sys.executable:
        os.environ["PATH"] = f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        sys.executable = python.name


def end_with_the_terminal() -> None:
    """Treat SIGHUP, which a closed terminal sends, as SIGTERM, unless it is ignored, as under ``nohup``."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
