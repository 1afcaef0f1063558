"""Fill docs/article/article.typ with what the committed results say, and typeset it (make article).

    python docs/build_article.py                # results/article/article.pdf
    python docs/build_article.py --text-only    # the filled text and its figures, without Typst

Every number and verdict in the article is computed here from results/reference, the study files and the questions in
docs/questions.md; the template has none (a test reads it).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np
import pandas as pd
from update_results import (
    OPENING,
    PROJECT,
    REFERENCE,
    STUDIES,
    as_frozen,
    committed_claims,
    is_run,
    select_weak,
)

from mlreduce.configuration import read_yaml
from mlreduce.methods import evidence as methods_evidence
from mlreduce.plot.figure import pyplot
from mlreduce.plot.layout import house_style, save, style
from mlreduce.stats.ranking import MARGIN, WHOLE
from mlreduce_studies.benchmark.answers import PREDICTORS
from mlreduce_studies.site.writing import brief
from mlreduce_studies.verdicts.audit import NEAR, REPRODUCED, WITHIN, sums_by_protocol
from mlreduce_studies.verdicts.columns import CLASSES, SUMMARY, VERDICTS, group_verdicts, summary_counts, verdict_counts
from mlreduce_studies.verdicts.judging import LEVEL
from mlreduce_studies.verdicts.sensitivity import stays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SOURCE = PROJECT / "docs" / "article"
SIMULATION, SENSITIVITY = (PROJECT / "docs" / "verdicts" / f"{name}.csv" for name in ("simulation", "sensitivity"))
FROZEN = PROJECT / "papers" / "frozen.yaml"
#: Verdicts on printed cells that have a column.
CELLS = ("reproduced", "near", "differs", "not run")
#: The packages whose versions the article names.
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "snakemake")


class Typst(str):
    """Text that is Typst's markup or code already."""


#: Verdicts and their colours, in the order in which they are counted.
SHADES = dict(zip(SUMMARY, ("#009E73", "#D55E00", "#c8c8c8", "#E69F00", "#56B4E9", "#CC79A7", "#ededed"), strict=True))
#: What is drawn of confirmed claims that say little.
LITTLE = "confirmed, says little"


def draw_claims(path: Path) -> None:
    """Draw how many claims of each paper have which verdict, and what is near the best in each family."""
    with house_style():
        figure, (headline, axis, proofs, other) = pyplot().subplots(
            1, 4, figsize=(12.4, 3.9), layout="constrained", facecolor="white", width_ratios=[0.22, 1, 0.5, 1.1]
        )
        draw_verdicts(headline, axis, proofs)
        place = 0.0
        for case, family in OPENING.items():
            first, then, controls = methods_evidence.choices(family)
            other.text(0, place, case, fontsize=8.5, va="center", fontweight="bold")
            shown = {one.method: one for one in (first, *then[:2], *controls)}.values()
            for step, one in enumerate(shown, 1):
                bar = other.barh(place + step, one.near, color="#8a8f98" if one in controls else "#0072B2", height=0.7)
                known = describe_choice(one)
                name = f"{one.method} ({known})" if known else one.method
                other.bar_label(bar, [f" {one.near:.2f}  {name}"], fontsize=8)
            place += len(shown) + 1.3
        other.invert_yaxis()
        other.set(xlim=(0, 1.45), xticks=[0, 0.5, 1], yticks=[])
        other.set_xlabel(f"probability of being within {MARGIN:g} of the best", loc="left")
        other.spines[["left", "top", "right"]].set_visible(False)
        other.spines["bottom"].set_bounds(0, 1)
        other.set_title(f"What to use, with {PREDICTORS[one.predictor]}?", loc="left", pad=24)
        save(figure, [path])


def describe_choice(choice: methods_evidence.Ranking) -> str:
    """Return what a reader must know of a method's number: that nothing is reduced, or that it was tuned."""
    if choice.method in WHOLE:
        return "nothing reduced"
    return "tuned" if choice.searched else ""


def draw_verdicts(headline: Axes, experiments: Axes, mathematics: Axes) -> None:
    """Draw the verdict on the headline claim of each paper, then the others: by experiments, and by mathematics."""
    table = committed_claims()
    first = table[table["headline"]].set_index("study")["verdict"]
    claims = {study: summary_counts(part) for study, part in table.groupby("study")}
    named = {verdict: kind for kind, verdicts in SUMMARY.items() for verdict in verdicts}
    headline.barh([*claims], 1, color=[SHADES[named[first[study]]] for study in claims], height=0.7)
    few = select_weak(table)["study"].value_counts()
    for study, counts in claims.items():
        counts[LITTLE] = int(few.get(study, 0))
        counts["confirmed"] -= counts[LITTLE]
    parts = {
        experiments: ("confirmed", LITTLE, "refuted", "undecided", *CLASSES["no baseline"], "not judged"),
        mathematics: CLASSES["mathematics"],
    }
    for axis, verdicts in parts.items():
        left = [0] * len(claims)
        for verdict in verdicts:
            widths = [counts[verdict] for counts in claims.values()]
            colour = SHADES.get(verdict, "#9ad5c4")
            bars = axis.barh([*claims], widths, left=left, color=colour, label=verdict, height=0.7)
            axis.bar_label(bars, [width or "" for width in widths], label_type="center", fontsize=8)
            left = [start + width for start, width in zip(left, widths, strict=True)]
        axis.set(xlabel="claims", xlim=(0, max(left)), yticks=[])
    for axis, title in ((headline, "Headline"), (experiments, "By experiments"), (mathematics, "By mathematics")):
        axis.invert_yaxis()
        axis.set_title(title, loc="left", pad=38)
    headline.set(xticks=[], xlim=(0, 1))
    headline.spines[:].set_visible(False)
    for axis, columns in ((experiments, 3), (mathematics, 1)):
        axis.legend(
            loc="lower left", bbox_to_anchor=(-0.02, 0.97), ncols=columns, frameon=False, fontsize=8, columnspacing=1
        )


def escape(value: Any) -> Any:
    """Return text so that Typst shows it as it is; numbers and `Typst` stay."""
    if isinstance(value, Typst) or not isinstance(value, str):
        return value
    return Typst(re.sub(r"([\\#*_$@<>\[\]`~=/+-])", r"\\\1", value))


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], widths: str = "") -> Typst:
    """Return a table as an expression of Typst; columns whose cells are numbers are aligned at the right."""
    lines = [[str(escape(str(cell))) for cell in row] for row in rows]
    numbers = [all(re.fullmatch(r"[\d.,%\\ -]*", row[i]) for row in lines) for i in range(len(header))]
    align = ", ".join("right" if numeric else "left" for numeric in numbers)
    cells = "".join(f"  {', '.join(f'[{cell}]' for cell in row)},\n" for row in lines)
    heads = ", ".join(f"[*{escape(name)}*]" for name in header)
    columns = widths or f"({', '.join(['auto'] * len(header))})"
    rules = "table.hline(stroke: 0.6pt),\n"
    return Typst(
        f"table(columns: {columns}, align: ({align},),\n  {rules}  table.header({heads}),\n  {rules}{cells}  {rules})"
    )


def join_names(names: Iterable[Any]) -> str:
    """Return names as a list in a sentence."""
    *first, last = [str(name) for name in names]
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.3g} %"


def rule_of(rule: Mapping[str, Any]) -> str:
    """Return a protocol of a study file in words."""
    if "train" in rule:
        text = f"random splits, {percent(rule['train'])} of the rows for training"
    elif "parts" in rule:
        text = "three parts: training, search, test"
    else:
        rows = "consecutive" if rule.get("shuffle") is False else "shuffled"
        text = f"{rule['folds']} folds of {rows} rows"
    return text + (f", {percent(rule['labelled'])} of the labels known" if "labelled" in rule else "")


def describe_paper(name: str) -> dict[str, Any]:
    """Return the facts of a paper that the article uses."""
    file, folder = STUDIES[name], REFERENCE / name
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    claims = pd.read_csv(folder / "claims.csv").fillna({"weakness": ""})
    ours = claims["own"].astype(bool)
    audit = pd.read_csv(folder / "audit.csv")
    heading = file.with_name("README.md").read_text(encoding="utf-8").partition("\n")[0]
    title, authors = re.fullmatch(r"(.*?) \((.*)\)", read_yaml(file)["title"]).groups()
    total = manifest["run"]["cost"]["total"]
    sizes = folder / "audit-sizes.csv"
    return {
        "name": name,
        "title": title,
        "authors": authors.rpartition(",")[0],
        "about": heading.partition(": ")[2],
        "datasets": manifest["datasets"],
        "left_out": manifest.get("left_out", []),
        "methods": len(manifest["methods"]),
        "predictors": list(manifest["predictors"]),
        "protocols": {key: rule_of(rule) for key, rule in manifest["protocols"].items()},
        "rules": manifest["protocols"],
        "splits": manifest["splits"],
        "claims": claims[~ours],
        "groups": len(group_verdicts(claims[~ours])),
        "ours": int(ours.sum()),
        "counts": verdict_counts(claims[~ours]),
        "printed": sums_by_protocol(audit, list(manifest["protocols"])),
        "audit": audit[audit["protocol"] == next(iter(manifest["protocols"]))],
        "sizes": pd.read_csv(sizes)["verdict"].eq("same") if sizes.is_file() else pd.Series(dtype=bool),
        "run": manifest["run"],
        "seed": manifest["seed"],
        "cost": [total["jobs"], f"{total['cpu_seconds'] / 3600:.2f}", f"{total['peak_mb'] / 1000:.1f}"],
    }


def questions() -> dict[str, list[str]]:
    """Return the headings of docs/questions.md by paper."""
    text = (PROJECT / "docs" / "questions.md").read_text(encoding="utf-8")
    parts = re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"^### (.+)$", part, re.MULTILINE) for name, part in parts}


def editions(papers: Sequence[Mapping[str, Any]], folder: Path) -> list[list[Any]]:
    """Compare verdicts as frozen with those of the retrospective edition, one row per paper that has one.

    The claims as frozen are judged on its scores too, which separates changes of the claim from changes of the run.
    """
    rows = []
    confirmatory = as_frozen()
    confirmatory = confirmatory[~confirmatory["own"].astype(bool)]
    for paper in papers:
        files = [folder / paper["name"] / file for file in ("claims.csv", "frozen.csv")]
        if all(path.is_file() for path in files):
            now = confirmatory[confirmatory["study"] == paper["name"]]
            sides = [table.set_index("id")["verdict"] for table in (*map(pd.read_csv, files), now)]
            both = pd.concat(sides, axis=1, keys=["before", "frozen", "now"]).dropna()
            both = both.replace("unchecked", "cannot be checked")  # as the retrospective edition has it
            changed = both[both["before"] != both["now"]].value_counts(["before", "now"], sort=False)
            changes = "; ".join(f"{before} to {now}: {number}" for (before, now), number in changed.items())
            differs = [int((both[a] != both[b]).sum()) for a, b in (("before", "frozen"), ("frozen", "now"))]
            rows.append([paper["name"], len(both), len(both) - int(changed.sum()), *differs, changes])
    return rows


def read_simulation() -> dict[str, str] | None:
    """Return the largest rates of wrong verdicts on planted differences, and the mean of right ones at two margins.

    At the border just enough of the data sets, or just too few, are clearly inside, and the others near its end.
    """
    rates = pd.read_csv(SIMULATION)
    if "combined_by" not in rates:
        return None
    rates = rates[(rates["combined_by"] == "lancaster") & (rates["cells"] == 1)]
    rest, border = (rates[(rates["variation"] == "border") == at_border] for at_border in (False, True))
    right = rest.loc[rest["effect_in_margins"].abs() == 2, "right"].mean()
    wrong = {name: percent(part["wrong"].max()) for name, part in (("wrong", rest), ("border", border))}
    return {**wrong, "right": percent(round(right, 2))}


def other_ways() -> dict[str, Any] | None:
    """Return in how many other ways the claims were judged, and which share of the verdicts stays."""
    if not SENSITIVITY.is_file():
        return None
    ways = stays(pd.read_csv(SENSITIVITY))
    shares = [percent(round(share, 2)) for share in (ways["stay"].mean(), ways["stay"].min())]
    return {"ways": len(ways), "mean": shares[0], "least": shares[1]}


def frozen_before(papers: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return when claims and procedure were frozen; None where a study was run before, or with another seed."""
    if not FROZEN.is_file():
        return None
    frozen = read_yaml(FROZEN)
    date = frozen["frozen"][:16]
    after = all(
        paper["seed"] == frozen["seed"] and paper["run"]["started"][:16].replace("T", " ") >= date for paper in papers
    )
    return {"date": date, "files": len(frozen["files"]), "changes": len(frozen["amendments"])} if after else None


def tables(papers: Sequence[Mapping[str, Any]], verdicts: Iterable[str], abstracts: pd.DataFrame) -> dict[str, Any]:
    """Return the rows of the tables."""
    counts = [
        [len(paper["claims"]), paper["groups"], *(paper["counts"][word] for word in verdicts)] for paper in papers
    ]
    rows = {
        "papers": [
            [
                *(paper["name"], paper["authors"], paper["about"], len(paper["datasets"]), paper["methods"]),
                *(next((sums.cells for sums in paper["printed"].values()), "-"), len(paper["claims"])),
            ]
            for paper in papers
        ],
        "protocols": [
            [paper["name"], key, text, paper["splits"], join_names(paper["predictors"])]
            for paper in papers
            for key, text in paper["protocols"].items()
        ],
        "cells": [
            [
                *(paper["name"], key, sums.cells, *(sums.verdicts[word] for word in CELLS), *sums.within.values()),
                f"{sums.single_reproduced} of {sums.single}" if sums.single < sums.cells else "",
            ]
            for paper in papers
            for key, sums in paper["printed"].items()
        ],
        "verdicts": [
            *([paper["name"], *row] for paper, row in zip(papers, counts, strict=True)),
            ["all", *np.sum(counts, axis=0)],
        ],
        "headlines": [
            [row["study"], brief(row["claim"], 200), row["verdict"]]
            for row in committed_claims().query("headline").to_dict("records")
        ],
        "abstracts": [[row["study"], row["claim"], row["verdict"]] for row in abstracts.to_dict("records")],
        "costs": [[paper["name"], *paper["cost"]] for paper in papers],
    }
    return {f"{name}_table": table for name, table in rows.items()}


def facts() -> dict[str, Any]:
    """Return all that the template names."""
    papers = [describe_paper(name) for name in STUDIES if is_run(name)]
    verdicts = {word: sum(paper["counts"][word] for paper in papers) for word in VERDICTS}
    verdicts = {word: number for word, number in verdicts.items() if number}
    runs = [paper["run"] for paper in papers]
    claims = pd.concat([paper["claims"].assign(study=paper["name"]) for paper in papers], ignore_index=True)
    abstracts = claims[claims["where"].str.contains("Abstract") & ~claims["verdict"].isin(SUMMARY["not judged"])]
    first = [next(iter(paper["printed"].values())) for paper in papers if paper["printed"]]
    known = {"python": sorted({run["python"] for run in runs})}
    known |= {name: sorted({run["packages"][name] for run in runs if name in run["packages"]}) for name in PACKAGES}
    machines = [run["machine"] for run in runs]
    sums = {name: sum(verdicts.get(word, 0) for word in words) for name, words in SUMMARY.items()}
    headline = committed_claims().query("headline")["verdict"].value_counts()
    names = [paper["name"] for paper in papers]
    missing = sorted({dataset for paper in papers for dataset in paper["left_out"]})
    left_out = {dataset: [paper["name"] for paper in papers if dataset in paper["left_out"]] for dataset in missing}
    return {
        **tables(papers, verdicts, abstracts),
        "decided": (sums["confirmed"] + sums["refuted"]) / sum(sums[word] for word in CLASSES["experiments"]),
        "classes": {
            name: {word: verdicts[word] for word in words if word in verdicts} for name, words in CLASSES.items()
        },
        "headline": {word: int(headline[word]) for word in VERDICTS if word in headline},
        "weak": len(select_weak(claims)),
        "train": {name: rule["train"] for name, rule in papers[names.index("cplst-2012")]["rules"].items()},
        "cite": Typst,
        "left_out": "; ".join(f"{name} ({join_names(papers_of_set)})" for name, papers_of_set in left_out.items()),
        "papers": papers,
        "verdicts": verdicts,
        "claims": len(claims),
        "verdict_of": dict(zip(claims["id"], claims["verdict"], strict=True)).__getitem__,
        "printed": {
            "cells": sum(sums.cells for sums in first),
            "reproduced": sum(sums.verdicts["reproduced"] for sums in first),
            "within": [sum(sums.within[bound] for sums in first) for bound in WITHIN],
        },
        "within": [f"{bound} %" for bound in WITHIN],
        "sizes": [sum(paper["sizes"].sum() for paper in papers), sum(len(paper["sizes"]) for paper in papers)],
        "questions": questions(),
        "ours": sum(paper["ours"] for paper in papers),
        "editions": editions(papers, PROJECT / "results" / "retrospective"),
        "simulated": read_simulation(),
        "sensitivity": other_ways(),
        "frozen": frozen_before(papers),
        "commits": sorted({run["source"]["commit"][:10] for run in runs if run["source"]["commit"]}),
        "seeds": sorted({paper["seed"] for paper in papers}),
        "dates": [min(run["started"] for run in runs)[:10], max(run["ended"] for run in runs)[:10]],
        "versions": join_names(f"{name} {' or '.join(versions)}" for name, versions in known.items()),
        "machines": sorted({f"{machine['processor']}, {machine['cores']} cores" for machine in machines}),
        "kernels": sorted({text for machine in machines for text in machine.get("blas", [])}),
        "hours": f"{sum(run['cost']['total']['cpu_seconds'] for run in runs) / 3600:.1f}",
        "constants": {"reproduced": f"{REPRODUCED:g}", "near": f"{NEAR:g}", "level": percent(LEVEL)},
    }


def draw_differences(papers: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw for each printed table the share of cells whose difference is at most so large."""
    cells = pd.concat(paper["audit"].assign(study=paper["name"]) for paper in papers).dropna(subset="z")
    with house_style():
        figure, axis = pyplot().subplots(figsize=(6.2, 2.2), layout="constrained")
        for number, ((study, name), part) in enumerate(cells.groupby(["study", "table"])):
            percents = np.sort(100 * (part["ours"] / part["printed"] - 1).abs().clip(lower=1e-5).to_numpy())
            shares = 100 * np.arange(1, len(percents) + 1) / len(percents)
            label = f"{study}, {name.replace('table', 'Table ')}"
            axis.step(percents, shares, where="post", label=label, color=style(number)["color"])
        axis.set(xscale="log", xlabel="difference from the printed number, %", ylabel="cells, %", ylim=(0, 100))
        axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        save(figure, [path])


def fill(known: Mapping[str, Any]) -> str:
    """Return the template with its names filled in."""
    settings = {"undefined": jinja2.StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    environment = jinja2.Environment(
        finalize=escape, comment_start_string="{##", comment_end_string="##}", keep_trailing_newline=True, **settings
    )
    environment.globals |= {"CELLS": CELLS, "table": table, "listed": join_names, "percent": percent}
    return environment.from_string((SOURCE / "article.typ").read_text(encoding="utf-8")).render(known)


def build(folder: Path, *, typeset: bool = True) -> Path:
    """Write the filled text with its figures into a folder, and typeset it; return the last file made."""
    known = facts()
    folder.mkdir(parents=True, exist_ok=True)
    draw_claims(folder / "claims.svg")
    draw_differences(known["papers"], folder / "differences.svg")
    for path in (REFERENCE / "cplst-2012" / "figure1.svg", SOURCE / "style.typ", SOURCE / "references.bib"):
        shutil.copy(path, folder)
    text = folder / "article.typ"
    text.write_text(fill(known), encoding="utf-8")
    if not typeset:
        return text
    import typst  # an optional dependency: make article installs it

    made = folder / "article.pdf"
    typst.compile(str(text), output=str(made), root=str(folder), ignore_system_fonts=True)
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--to", type=Path, default=PROJECT / "results" / "article")
    parser.add_argument("--text-only", action="store_true")
    options = parser.parse_args()
    print(build(options.to, typeset=not options.text_only))
