"""The output files of a study, the files that each is made from, and the targets of a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from mlreduce.files import file_sha256
from mlreduce_studies.description import describe_study
from mlreduce_studies.options import FIGURES, FILES_OF, LONG, TABLES, source_of
from mlreduce_studies.planning.jobs import Jobs
from mlreduce_studies.planning.plan import Plan
from mlreduce_studies.runs import DESCRIPTION
from mlreduce_studies.study import Study
from mlreduce_studies.verdicts.settings import printable_tables
from mlreduce_studies.verdicts.statements import TABLES as CLAIMED

TABLE_FORMATS = ("csv", "md", "tex")

# Files that hold measured seconds, and so differ from run to run.
TIMED = ("times", "ratios", "costs")


class Outputs:
    """The results of a plan."""

    def __init__(self, plan: Plan, jobs: Jobs) -> None:
        self._plan, self._jobs = plan, jobs
        self._formats = list(plan.config["figure_formats"])

    # Tables and figures

    def figures(self, study: Study, names: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Files of some figures of a study: name of the file to (name in the study, protocol)."""
        return {file: shown for name in names for file, shown in self.variants(study, name).items()}

    def variants(self, study: Study, figure: str) -> dict[str, tuple[str, str]]:
        """Files of a figure, one per protocol that it shows; the first has the figure's name."""
        return {file: (figure, protocol) for file, protocol in study.figure_files(figure).items()}

    def table_files(self, study: Study, *names: str) -> list[str]:
        """Files of some tables; of all where none is named."""
        chosen = names or tuple(study.tables)
        return [f"{self._jobs.folder(study)}/{name}.{suffix}" for name in chosen for suffix in TABLE_FORMATS]

    def figure_files(self, study: Study, *files: str) -> list[str]:
        """Files of some figures, by the names of their files; of all where none is named."""
        return [*self.pictures(study, *files), *self.points(study, *files)]

    def pictures(self, study: Study, *files: str) -> list[str]:
        """Pictures of some figures, or of all."""
        return [
            f"{self._jobs.folder(study)}/{name}.{form}" for name in self._chosen(study, files) for form in self._formats
        ]

    def points(self, study: Study, *files: str) -> list[str]:
        """The numbers that some figures show, or all."""
        return [f"{self._jobs.folder(study)}/{name}.json" for name in self._chosen(study, files)]

    def _chosen(self, study: Study, files: Iterable[str]) -> tuple[str, ...]:
        return tuple(files) or tuple(file for figure in study.figures for file in self.variants(study, figure))

    # What they are made from

    def sources(self, study: Study) -> dict[str, str]:
        """Map tables and figures to the gathered table that each is made from."""
        outputs = ((TABLES, study.tables), (FIGURES, study.figures))
        return {name: source_of(kinds, spec) for kinds, output in outputs for name, spec in output.items()}

    def gathered(self, study: Study) -> list[str]:
        """Names of what is gathered from the jobs of a study."""
        names = {"scores", "summary", "datasets", "failures", self.details(study), *self.sources(study).values()}
        names |= {"areas"} if study.family == "selection" else set()
        names |= {"approximation", "errors", "theorem", "dependencies"} if study.approximation else set()
        names |= {"choices"} if any(group.chooses for group in study.groups.values()) else set()
        names |= {"times"} if "ratios" in names else set()
        return sorted(names)

    def gathered_files(self, study: Study) -> list[str]:
        """Files of what is gathered: Parquet for jobs, and CSV for people where a table is short."""
        return [
            f"{self._jobs.folder(study)}/{name}.{suffix}"
            for name in self.gathered(study)
            for suffix in (["parquet"] if name in LONG else ["csv", "parquet"])
        ]

    def details(self, study: Study) -> str:
        """Name of the gathered table of fits: rankings of features or spectra."""
        return "rankings" if study.family == "selection" else "spectra"

    def printed_tables(self, study: Study) -> list[str]:
        """Tables whose cells may have printed counterparts."""
        return [f"{self._jobs.folder(study)}/{name}.csv" for name in printable_tables(study)]

    def claimed_of(self, study: Study) -> list[str]:
        """Gathered tables that claims are about, in addition to the description of the data sets."""
        about = {"scores", "times", "errors", *CLAIMED} - {"datasets"}
        names = [name for name in self.gathered(study) if name in about]
        return [f"{self._jobs.folder(study)}/{name}.parquet" for name in names]

    def gathered_from(self, study: Study, shown: Mapping[str, Sequence[str]] | None = None) -> dict[str, list[str]]:
        """Files that the tables of a study are gathered from, by kind; or those of what a table or figure shows."""
        jobs, folder, names = self._jobs, self._jobs.folder(study), self.gathered(study)
        datasets = shown["datasets"] if shown else study.datasets
        files = {
            "data": jobs.prepared(study, shown),
            "scores": jobs.scores(study, shown),
            "details": jobs.parts(study, "details", shown=shown),
            # Of all methods: each adds columns for its parameters.
            "choices": jobs.parts(study, "choices") if "choices" in names else [],
            "times": jobs.timed(study, shown) if "times" in names else [],
            "costs": [f"{folder}/costs/{name}.parquet" for name in study.costed] if "costs" in names else [],
        }
        for kind, name in (("errors", "approximations"), ("theorem", "theorems"), ("dependencies", "dependencies")):
            measured = datasets if study.approximation else []
            files[kind] = [f"{folder}/{name}/{dataset}.parquet" for dataset in measured]
        pictured = datasets if "proximities" in names else []
        files["images"] = [f"{folder}/images/{dataset}.parquet" for dataset in pictured]
        return files

    def made_together(self, study: Study, names: Iterable[str]) -> list[tuple[dict[str, list[str]], dict[str, str]]]:
        """Sort tables or figures by the files that they are made from.

        Each list of files by kind has the tables and figures that are made from it, and the gathered table of each. One
        that is ``alone`` in its study file has a list by itself, where jobs are not bundled.
        """
        found: dict[str, tuple[dict[str, list[str]], dict[str, str]]] = {}
        for name, source in self.sources(study).items():
            if name in names:
                files = self.gathered_from(study, study.shown(name))
                inputs = {kind: files[kind] for kind in FILES_OF.get(source, (source,))}
                alone = {**study.tables, **study.figures}[name].get("alone") and not self._plan.config["bundle"]
                found.setdefault(name if alone else json.dumps(inputs), (inputs, {}))[1][name] = source
        return list(found.values())

    @staticmethod
    def averages(study: Study, names: Iterable[str]) -> dict[str, list[str]]:
        """Draws of the methods that some tables and figures show as means."""
        shown = {method for name in names for method in study.shown(name)["methods"]}
        return {name: list(draws) for name, draws in study.averages.items() if name in shown}

    def base_of_ratios(self, study: Study) -> str | None:
        """The method by whose fit times a table of ratios divides."""
        kinds = (spec for spec in study.tables.values() if spec.get("kind") == "time-ratios")
        return next((spec["base"] for spec in kinds), None)

    def ratios(self, study: Study) -> list[str]:
        """Ratios of fit times, of which some are printed."""
        return [f"{self._jobs.folder(study)}/ratios.parquet"] if "ratios" in self.gathered(study) else []

    def image_selection(self, study: Study) -> dict[str, Any] | None:
        """Protocol, measure and predictor of the scores shown with images of proximities."""
        if "proximities" not in self.gathered(study):
            return None
        figure = study.image_figure
        return {key: figure[key] for key in ("measure", "predictor")} | {"protocol": next(iter(study.protocols))}

    def printed_cells(self, study: Study) -> list[str]:
        """Printed numbers of a paper, where it printed tables by size."""
        return present(study.published) if self.printed_tables(study) else []

    def printed_times(self, study: Study) -> list[str]:
        """Printed fit times of a paper, where a table has their ratios."""
        return present(study.published) if "ratios" in self.gathered(study) else []

    def printed_sizes(self, study: Study) -> list[str]:
        """Printed sizes of a paper's data sets, where it printed any."""
        return present(study.published_sizes)

    @staticmethod
    def contents(*paths: str) -> list[str]:
        """Checksums of files: jobs run again when the content of a file changes, whatever its date."""
        return [file_sha256(path) for path in paths]

    # The report

    @cached_property
    def described(self) -> dict[str, Any]:
        """What the report shows: the studies of this run, and finished ones of earlier runs into the same folder."""
        path, planned = Path(self._plan.base) / DESCRIPTION, self._plan.studies
        former = json.loads(path.read_text(encoding="utf-8"))["studies"] if path.is_file() else {}
        kept = [name for name in former if name in planned or (path.parent / name / "manifest.json").is_file()]
        names = [*kept, *(name for name in planned if name not in kept)]
        studies = {name: describe_study(planned[name]) if name in planned else former[name] for name in names}
        return {"title": self._title(studies), "introduction": self._introduction(studies), "studies": studies}

    def _title(self, studies: Mapping[str, Any]) -> str:
        if all(map(self._plan.own_data, self._plan.studies.values())):
            return f"mlreduce on {', '.join(_datasets(studies))}"
        titles = [str(study["title"]) for study in studies.values()]
        return "mlreduce" if len(titles) > 1 or any(map(self._plan.is_paper, studies)) else titles[0]

    def _introduction(self, studies: Mapping[str, Any]) -> str:
        """Introduction of the report: what was run."""
        plan, config = self._plan, self._plan.config
        if plan.is_whole and all(map(plan.is_paper, studies)):
            return {
                "demo": "Every study at a small size, on data that come with the dependencies: a check that all steps "
                "work, not a result. The papers' own data sets: snakemake --configfile config/paper.yaml",
                "paper": "Every table and figure computed from the published data, with the numbers that the papers "
                "print.",
            }[config["scale"]]
        run = f"{', '.join(studies)} on {', '.join(_datasets(studies))}"
        run += f", with {', '.join(config['methods'])} alone" if config.get("methods") else ""
        run += f", on {config['splits']} splits at most" if config.get("splits") else ""
        others = [name for name, study in plan.studies.items() if plan.is_paper(name) and plan.own_data(study)]
        about = f" No claim and no printed number of {', '.join(others)} is about these data." if others else ""
        return f"{run}.{about}"

    # Everything

    def site(self) -> list[str]:
        """Files of the site."""
        return [f"{self._plan.base}/{DESCRIPTION}", f"{self._plan.base}/site/index.html"]

    def page(self, jobs: Iterable[Any]) -> str | None:
        """Page of the results (with the prefix of a module where there is one); None where no job writes it."""
        page = self.site()[1]
        return next((str(file) for job in jobs for file in job.output if str(file).endswith(page)), None)

    def results(self, study: Study) -> list[str]:
        """All output files of a study, except its manifest."""
        folder = self._jobs.folder(study)
        claims = ("claims.csv", "claims-lines.csv", "claims-differences.csv")
        audits = ("audit.csv", "audit-sizes.csv", "audit-order.csv", *claims, "audit.md")
        audit = [f"{folder}/{name}" for name in audits]
        tables = self.table_files(study) if study.tables else []
        figures = self.figure_files(study) if study.figures else []
        return [*tables, *figures, *self.gathered_files(study), *audit]

    def timed_results(self, study: Study) -> list[str]:
        """Names of the results that hold measured times."""
        shown = {name for name, source in self.sources(study).items() if source in TIMED}
        figures = {file for name in shown & set(study.figures) for file in self.variants(study, name)}
        stems = {*TIMED, *(shown & set(study.tables)), *figures}
        if any(Path(path).stem in TIMED for path in self.claimed_of(study)):
            stems |= {"claims", "claims-lines", "claims-differences", "audit"}
        if self.ratios(study):
            stems.add("audit-order")
        return sorted(Path(path).name for path in self.results(study) if Path(path).stem in stems)

    def everything(self, study: Study) -> list[str]:
        """All files of a study that a run restores when they are deleted."""
        promised = [*self.results(study), f"{self._jobs.folder(study)}/manifest.json"]
        promised += [*self._jobs.prepared(study), *self._jobs.scores(study), *self._jobs.parts(study, "details")]
        if self._plan.config["keep_fitted"]:
            promised += self._jobs.parts(study, "fitted", "npz")
        return promised

    def targets(self) -> dict[str, list[str]]:
        """Targets of a run: name of the rule to its files. The short name of a study is what comes before its year."""
        found: dict[str, list[str]] = {}
        for name, study in self._plan.studies.items():
            short = name.split("-")[0].replace(".", "_")
            folder = self._jobs.folder(study)
            found[short] = [*self.results(study), f"{folder}/manifest.json"]
            found[f"{short}_tables"] = self.table_files(study) if study.tables else []
            found[f"{short}_figures"] = self.figure_files(study) if study.figures else []
            found[f"{short}_audit"] = [f"{folder}/audit.md"]
            found[f"{short}_crate"] = [f"{folder}.crate.zip"]
            for table in study.tables:
                found[f"{short}_{table.replace('-', '_')}"] = self.table_files(study, table)
            for figure in study.figures:
                files = list(self.variants(study, figure))
                found[f"{short}_{figure.replace('-', '_')}"] = self.figure_files(study, *files)
        return found


def present(path: Path | None) -> list[str]:
    """Return the path of a file in a list, which is empty where there is none."""
    return [] if path is None else [str(path)]


def _datasets(studies: Mapping[str, Any]) -> list[str]:
    """Data sets of some studies, as `mlreduce_studies.description.describe_study` names them."""
    return sorted({name for study in studies.values() for name in study["datasets"]})
