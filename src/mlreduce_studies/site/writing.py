"""Writing the pages: templates, which escape everything, and further files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mlreduce.escaping import visible, visible_json
from mlreduce.exceptions import from_extra
from mlreduce.files import write_text
from mlreduce.folders import replacing_folder
from mlreduce.metrics import measure_label
from mlreduce.plot.colours import PALETTE, colour_of
from mlreduce.stats.ranking import MARGIN
from mlreduce_studies.runs import Run, StudyResults
from mlreduce_studies.site import papers
from mlreduce_studies.site.assets import write_assets
from mlreduce_studies.site.claim_texts import project_address
from mlreduce_studies.site.drawing import placed_figures
from mlreduce_studies.site.entries import Entries, page_names
from mlreduce_studies.site.formulas import typeset, typeset_paragraphs
from mlreduce_studies.site.navigation import SITE, header
from mlreduce_studies.site.overview import downloads_of, front_page
from mlreduce_studies.site.scores import LIMIT, is_summarised, scores_by_measure
from mlreduce_studies.site.search import write_index
from mlreduce_studies.site.shapes import form_data
from mlreduce_studies.tables.layout import counted

with from_extra("workflow", "sites"):
    import jinja2
    import markupsafe

_BOLD = re.compile(r"^\*\*(.*)\*\*$")


class Site:
    """The pages of a run; the parameters are those of `write_site`."""

    def __init__(self, run: Run, target: Path, limit: int, documented: bool) -> None:
        self.run, self.target, self._limit, self._documented = run, target, limit, documented
        self.studies = run.studies
        self.pages = page_names(study.name for study in self.studies)
        self.entries = Entries(run, every=documented)
        self._claims: dict[str, list[dict[str, Any]]] = {}

    def write(self) -> None:
        """Write everything."""
        write_assets(self.target / "assets")
        files = downloads_of(self.studies, self.pages, self.target / "files", whole=self._documented)
        for study in self.studies:
            self._write_study(study, [file for file in files if file["study"] == study.name])
        self._write_front()
        self._write_entries()
        self._write_comparison()
        self._page("downloads.html", "downloads", files=files)
        if not self._documented:
            self._page("search.html", "search")
            write_index(self.target)

    def _write_study(self, study: StudyResults, downloads: Sequence[Mapping[str, Any]]) -> None:
        page, figures = self.pages[study.name], []
        for figure in placed_figures(study, self.target / "files" / page):
            script, key = f"data/{page}-{figure['file']}.js", f"{page}/{figure['file']}"
            hover = bool(figure["data"]["panels"])
            if hover:
                self._script(script, key, figure["data"])
            picture = f"files/{page}/{figure['picture']}"
            figures.append(figure | {"picture": picture, "points": script if hover else "", "key": key})
        tables, printed = papers.tables_of(study), papers.beside_printed_tables(study)
        claims = papers.claims_of(study, papers.parts_of(tables, printed, figures))
        self._claims[study.name] = claims
        self._page(
            f"papers/{page}.html",
            "paper",
            study=study,
            tables=tables,
            printed=printed,
            figures=figures,
            claims=claims,
            headline=papers.headline_claim(claims, study.description["headline"]),
            audit=papers.audit_of(study),
            failed=papers.failed_of(study),
            downloads=downloads,
        )

    def _write_front(self) -> None:
        pages = {"datasets": self.entries.datasets, "methods": self.entries.methods}
        self._script("data/shapes.js", "shapes", form_data() | {"margin": MARGIN, "pages": pages})
        self._page("index.html", "index", **front_page(self.studies, self.pages, self._claims))

    def _write_entries(self) -> None:
        for folder, kind in {"methods": "method", "datasets": "dataset"}.items():
            pages: Mapping[str, str] = getattr(self.entries, folder)
            names = self.entries.methods_in_order if kind == "method" else pages
            entries = [getattr(self.entries, kind)(name) | {"page": pages[name]} for name in names]
            self._page(f"{folder}/index.html", "entries", kind=kind, listed=entries)
            for entry in entries:
                self._page(f"{folder}/{entry['page']}.html", kind, entry=entry)

    def _write_comparison(self) -> None:
        known = []
        for study in self.studies:
            page, measures = self.pages[study.name], []
            for measure, text in scores_by_measure(study, self._limit):
                file = f"data/scores-{page}-{page_names([measure])[measure]}.js"
                self._script(file, f"{page}/{measure}", text)
                measures.append({"name": measure, "label": measure_label(measure), "file": file})
            order = list(study.description["measures"])
            measures.sort(key=lambda entry: order.index(entry["name"]) if entry["name"] in order else len(order))
            methods = {label: colour_of(label) for label in study.methods}
            known.append(
                {"key": study.name, "page": page, "measures": measures, "methods": methods}
                | {"predictors": list(study.description["predictors"])}
                | {"summarised": is_summarised(study, self._limit), "first": self.entries.highlighted(study.name)}
            )
        self._script("data/studies.js", "studies", known)
        self._script("data/palette.js", "palette", PALETTE)
        self._page("compare.html", "compare", known=known)

    def _script(self, file: str, key: str, content: Any) -> None:
        """Write data, or their JSON, as a script: pages opened from the file system can load nothing else."""
        text = content if isinstance(content, str) else json.dumps(content, separators=(",", ":"))
        write_text(self.target / file, f"(window.mlreduceData ??= {{}})[{json.dumps(key)}] = {visible_json(text)};\n")

    def _page(self, path: str, template: str, **content: Any) -> None:
        root = "../" * path.count("/")
        shared = {"run": self.run, "entries": self.entries, "pages": self.pages, "signs": papers.SIGNS}
        shared |= {name: project_address(name.capitalize()).rstrip("/") for name in ("repository", "documentation")}
        if self._documented:
            shared["documentation"] = f"{root}.."
        above = [f"{SITE}{part}index.html" for part in (f"{path.rpartition('/')[0]}/", "")]
        shared |= {"header": header(f"{SITE}{path}", above, documented=self._documented), "root": root, "path": path}
        text = _environment().get_template(f"{template}.html").render(shared | content)
        write_text(self.target / path, visible(text) + "\n")


@cache  # compiling the templates takes half of the time of a small site
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mlreduce_studies.site"), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip

    def bold(text: Any) -> Any:
        match = _BOLD.match(str(text))
        return markupsafe.Markup("<b>{}</b>").format(match[1]) if match else text

    environment.filters |= {
        **{"bold": bold, "counted": counted, "brief": brief, "questions": papers.questions, "measure": measure_label},
        **{"colour": cache(colour_of)},  # of a few methods in thousands of rows
        **{"typeset": typeset, "typeset_paragraphs": typeset_paragraphs},
    }
    environment.globals["margin"] = MARGIN
    return environment


def brief(text: str, longest: int = 140) -> str:
    """Return the beginning of a text, to the end of a word, without a remark in brackets at its end.

    Examples
    --------
    >>> brief("A is better than B (here: by F1)."), brief("A is better than B", 10)
    ('A is better than B.', 'A is…')
    """
    short = re.sub(r" \((?:here|our reading): .*\)\.$", ".", text, flags=re.DOTALL)
    return short if len(short) <= longest else f"{short[: longest - 1].rpartition(' ')[0]}…"


def write_site(
    run: Run, target: str | Path, limit: int = LIMIT, *, force: bool = False, documented: bool = False
) -> None:
    """Write the results of a run as a site into a folder, by `mlreduce.folders.replacing_folder`.

    Of a study with more scores than the ``limit`` pages have the means over the splits. A ``documented`` site becomes
    the folder ``site`` of the built documentation: its header leads there too, the search is that of both, and no file
    is left in the folder of the run.
    """
    with replacing_folder(target, force=force) as folder:
        Site(run, folder, limit, documented).write()
