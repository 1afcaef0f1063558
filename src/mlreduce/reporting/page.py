"""The report: one self-contained HTML file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.experiments.failures import read_failures_csv
from mlreduce.extras import from_extra
from mlreduce.reporting.audit import VERDICTS, audit_rows, audit_sentences
from mlreduce.reporting.failed_cells import cell_reasons, footnotes
from mlreduce.reporting.tables import table_parts
from mlreduce.reporting.verdicts.claims import verdicts_sentence

with from_extra("workflow", "reports"):
    import jinja2
    import markupsafe

__all__ = ["render", "study_section"]

_TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-size: 13px; margin: .5rem 0 1.5rem; }
th, td { padding: .15rem .45rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, .pairs th:nth-child(2), .pairs td:nth-child(2) { text-align: left; }
td.reproduced { color: #00643c; } td.near { color: #8a5a00; }
td.differs, td.failed { color: #b00020; font-weight: 600; }
td.confirmed { color: #00643c; } td.undecided { color: #8a5a00; } td.refuted { color: #b00020; font-weight: 600; }
.audit th:nth-child(-n+3), .audit td:nth-child(-n+3) { text-align: left; }
.claims td { text-align: left; white-space: normal; vertical-align: top; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
pre { background: #f6f6f6; padding: 1rem; overflow-x: auto; font-size: 12px; }
details { margin: .5rem 0 1rem; } .wide { overflow-x: auto; }
</style>
</head>
<body>
<h1>{{ title }}</h1>
<p>{{ introduction }}</p>
{% for study in studies %}
<h2>{{ study.title }}</h2>
{% if study.left_out %}
<p>Left out, since the mirror does not hold them: {{ study.left_out | join(", ") }}.</p>
{% endif %}
{% if study.failed %}
<h3>What failed</h3>
<p>{{ study.failed.sentence }}</p>
<ul>{% for line in study.failed.lines %}<li>{{ line }}</li>{% endfor %}</ul>
{% endif %}
{% for table in study.tables %}
<h3>{{ table.caption }}</h3>
{% for part in table.parts %}
<h4>{{ part.title }}</h4>
<div class="wide"><table{% if part.header[1] == "method" %} class="pairs"{% endif %}>
<tr>{% for cell in part.header %}<th>{{ cell }}</th>{% endfor %}</tr>
{% for row in part.rows %}<tr>{% for cell in row %}<td>{{ cell | bold }}</td>{% endfor %}</tr>
{% endfor %}</table></div>
{% endfor %}
{% if table.notes %}
<p>{{ table.notes[0] }}</p>
<ul>{% for note in table.notes[1:] %}<li>{{ note }}</li>{% endfor %}</ul>
{% endif %}
{% endfor %}
{% for figure in study.figures %}
<figure><figcaption>{{ figure.caption }}</figcaption>{{ figure.svg | safe }}</figure>
{% endfor %}
{% if study.claims %}
<h3>What the paper claims</h3>
<p>{{ study.verdicts }} Evidence for each setting: audit.md.</p>
<table class="claims"><tr><th>claim</th><th>verdict</th><th>evidence</th></tr>
{% for row in study.claims if row.verdict != "not run" %}
<tr><td>{{ row.claim }} ({{ row.where }})</td><td class="{{ row.verdict }}">{{ row.verdict }}</td>
<td>{{ row.evidence }}</td></tr>
{% endfor %}</table>
{% endif %}
<h3>Audit of the printed numbers</h3>
{% for sentence in study.audit.sentences %}<p>{{ sentence }}</p>
{% endfor %}
{% if study.audit.rows %}
<details><summary>All {{ study.audit.rows | length }} cells</summary><div class="wide"><table class="audit">
<tr>{% for cell in study.audit.header %}<th>{{ cell }}</th>{% endfor %}</tr>
{% for row in study.audit.rows %}<tr>{% for cell in row %}
<td{% if cell in verdicts %} class="{{ cell }}"{% endif %}>{{ cell }}</td>
{% endfor %}</tr>
{% endfor %}</table></div></details>
{% endif %}
<details><summary>What made this</summary><pre>{{ study.manifest }}</pre></details>
{% endfor %}
</body>
</html>
"""

# Failures that are listed, at most.
_LINES = 30

_BOLD = re.compile(r"^\*\*(.*)\*\*$")


def study_section(folder: Path, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the contents of the page for one study from the files of its folder."""
    tables = []
    for name, table in spec["tables"].items():
        tidy = pd.read_csv(folder / f"{name}.csv")
        parts = [
            {"title": title, "header": header, "rows": rows} for _, title, header, rows in table_parts(tidy, table)
        ]
        tables.append({"caption": table["caption"], "parts": parts, "notes": footnotes(tidy)})
    figures = [
        {"caption": f"{figure['caption']} ({protocol})", "svg": _inline(folder / f"{name}{variant}.svg")}
        for name, figure in spec["figures"].items()
        for variant, protocol in spec["variants"][name].items()
    ]
    claims = pd.read_csv(folder / "claims.csv")
    cells = pd.read_csv(folder / "audit.csv", dtype={"note": str}).fillna({"note": ""})
    header, rows = audit_rows(cells)
    sizes, ratios = (
        pd.read_csv(path) if (path := folder / name).is_file() else None for name in ("audit-sizes.csv", "ratios.csv")
    )
    return {
        "title": spec["title"],
        "left_out": spec.get("left_out", []),
        "failed": _failed(folder / "failures.csv"),
        "tables": tables,
        "figures": figures,
        "claims": claims.to_dict("records"),
        "verdicts": verdicts_sentence(claims),
        "audit": {"sentences": audit_sentences(cells, sizes, ratios), "header": header, "rows": rows},
        "manifest": (folder / "manifest.json").read_text(encoding="utf-8"),
    }


def _failed(path: Path) -> dict[str, Any] | None:
    """Return the number of failed cells and their reasons; None without failures."""
    failures = read_failures_csv(path)
    if failures.empty:
        return None
    keys = ["protocol", "dataset", "method", "predictor"]
    cells = cell_reasons(failures, keys).to_dict("records")
    lines = [f"{' '.join(cell[key] for key in keys if cell[key])}: {cell['reason']}" for cell in cells]
    more = [f"and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    sentence = (
        f"{len(failures)} {'cell' if len(failures) == 1 else 'cells'} failed, and nothing stands in for them. All, "
        "with their places in code, are in failures.csv; the next run tries them again."
    )
    return {"sentence": sentence, "lines": [*lines[:_LINES], *more]}


def _inline(path: Path) -> str:
    """Return an SVG file as an element of a page, with identifiers that are unique on the page."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    return re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{path.stem}-", text)


def render(title: str, introduction: str, studies: Sequence[Mapping[str, Any]]) -> str:
    """Return the page as HTML text; everything but the figures' SVG is escaped."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)

    def bold(text: str) -> Any:
        found = _BOLD.match(text)
        return markupsafe.Markup("<b>{}</b>").format(found[1]) if found else text

    environment.filters["bold"] = bold
    return (
        environment.from_string(_TEMPLATE).render(
            verdicts=VERDICTS, title=title, introduction=introduction, studies=studies
        )
        + "\n"
    )
