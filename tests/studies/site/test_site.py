"""The pages of a run, as text; what browsers make of them is tested in tests/browser."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from planted_run import DATASETS, METHODS, planted_run

from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.exceptions import ConfigurationError
from mlreduce.methods.facts import method_of
from mlreduce.metrics import higher_is_better
from mlreduce.stats.ranking import rank
from mlreduce_studies.gathering.failed_cells import GAP
from mlreduce_studies.gathering.summary import write_csv
from mlreduce_studies.runs import DESCRIPTION, read_run
from mlreduce_studies.site.__main__ import main
from mlreduce_studies.site.assets import table_script
from mlreduce_studies.site.entries import page_names
from mlreduce_studies.site.navigation import OF_RESULTS, SITE
from mlreduce_studies.site.papers import claims_of, parts_of, tables_of
from mlreduce_studies.site.scores import comparable_scores, is_summarised
from mlreduce_studies.site.search import INDEX
from mlreduce_studies.site.writing import write_site
from mlreduce_studies.verdicts.audit import audit_sums
from mlreduce_studies.verdicts.order import order_counts

pytestmark = pytest.mark.rotating

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a', alert(1), '", "../../x", "{{ 7 * 7 }}"]

OWN = [address.removeprefix(SITE) for address in OF_RESULTS.values()]


class Elements(HTMLParser):
    """Names and attributes of the elements of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def pages_of(site: Path) -> dict[str, Elements]:
    return {str(path.relative_to(site)): Elements(path.read_text()) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    base = planted_run(tmp_path_factory.mktemp("results") / "run")
    write_site(read_run(base), base / "site")
    return base / "site"


def check_links(site: Path, pages: dict[str, Elements]) -> int:
    """Check that all that pages refer to is there, and return how many addresses that are."""
    seen, anchors = 0, {}
    for name, page in pages.items():
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids)), name
        anchors[(site / name).resolve()] = set(ids)
    for name, page in pages.items():
        for tag, attributes in page.elements:
            for key in ("href", "src", "data-points"):
                address = attributes.get(key)
                if address is None or address.startswith(("https://", "http://")):
                    continue
                file, _, anchor = address.partition("#")
                file = unquote(file.partition("?")[0])
                target = ((site / name).parent / file if file else site / name).resolve()
                assert target.is_file(), (name, tag, address)
                assert not anchor or anchor in anchors[target], (name, address)
                seen += 1
    return seen


def test_every_link_and_every_file_is_there(site):
    pages = pages_of(site)
    assert {"index.html", "papers/planted.html", "compare.html", "downloads.html"} <= pages.keys()
    for kind, names in {"methods": METHODS, "datasets": DATASETS}.items():
        assert {f"{kind}/{name}.html" for name in (*names, "index")} <= pages.keys()
    assert check_links(site, pages) > 200
    assert [a["href"] for tag, a in pages["papers/planted.html"].elements if "download" in a] == [
        "../files/planted/table3.csv",
        "../files/planted/table3.tex",
    ]


def test_a_site_of_its_own_has_the_header_and_the_search_of_what_is_there(site):
    pages = pages_of(site)
    for name, page in pages.items():
        links = [a for tag, a in page.elements if tag == "a" and "class" not in a][: len(OWN)]
        assert [posixpath.normpath(posixpath.join(posixpath.dirname(name), a["href"])) for a in links] == OWN, name
        assert [a for tag, a in page.elements if tag == "form" and a.get("role") == "search"], name
    text = (site / INDEX).read_text().partition(" = ")[2].removesuffix(";\n")
    indexed = {address: title for address, title, *_ in json.loads(text)["pages"]}
    assert indexed.keys() == pages.keys() - {"search.html"}
    assert indexed["methods/mvmd.html"] == "mvmd"


@pytest.mark.slow
def test_every_link_of_the_committed_results_leads_somewhere(tmp_path):
    project = Path(__file__).parents[3]
    site = tmp_path / "site"
    arguments = [str(project / "results" / "reference"), "--to", str(site), "--project", str(project)]
    assert main(arguments) == 0
    assert check_links(site, pages_of(site)) > 3000


def test_one_of_anything_is_in_the_singular(site):
    # "Of 1 claims" is said by the procedure of verdicts, which is frozen.
    nouns = re.compile(r">[^<]*(?<!Of )\b1 (more claims|claims|sentences|methods|papers|figures|printed tables)\b")
    pages = {name: (site / name).read_text(encoding="utf-8") for name in pages_of(site)}
    assert {name: found[0] for name, text in pages.items() if (found := nouns.search(text))} == {}


def test_pages_refer_to_nothing_outside_and_allow_no_script_of_others(site):
    for name, page in pages_of(site).items():
        policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
        assert "default-src 'none'; script-src 'self';" in policy, name
        assert all(attributes.get("src") for tag, attributes in page.elements if tag == "script"), name
        assert not [key for _, attributes in page.elements for key in attributes if key.startswith("on")], name


def test_without_scripts_everything_is_there(site):
    paper = pages_of(site)["papers/planted.html"]
    tables = [attributes.get("id") for tag, attributes in paper.elements if tag == "table"]
    assert {"printed-table-1", "table3-1"} <= set(tables)
    assert [a["src"] for tag, a in paper.elements if tag == "img"] == ["../files/planted/figure1.svg"]
    assert all(a["alt"] for tag, a in paper.elements if tag == "img")
    drawn = ElementTree.parse(site / "files" / "planted" / "figure1.svg").getroot().attrib
    shown = [{side: float(a[side]) for side in ("width", "height")} for tag, a in paper.elements if tag == "img"]
    assert shown == [{side: pytest.approx(float(drawn[side][:-2]) * 4 / 3, abs=0.5) for side in ("width", "height")}]
    cells = pd.read_csv(site.parent / "planted" / "audit.csv")
    classes = [a["class"].split()[1] for tag, a in paper.elements if tag == "td" and "cell" in a.get("class", "")]
    assert pd.Series(classes).value_counts().to_dict() == cells["verdict"].value_counts().to_dict()
    assert {"reproduced", "differs"} <= set(classes)
    assert "✓ confirmed" in re.sub(r"\s+", " ", paper.text)
    front = pages_of(site)["index.html"]
    assert f"ten-fold: {classes.count('reproduced')} of {len(classes)}, " in front.text
    assert f"Reproduced: {audit_sums(cells)}." in paper.text
    order = order_counts(pd.read_csv(site.parent / "planted" / "audit-order.csv"))
    (groups,), (same,) = order["groups"], order["same mean"]
    assert f"ten-fold: {groups} groups of one data set and size." in paper.text
    assert f"By our means alone it is the same in {same}." in paper.text
    assert "no cell failed" in front.text


def test_pages_of_methods_and_data_sets_say_who_wins(site):
    pages = pages_of(site)
    assert method_of("mvmd").headline in pages["methods/mvmd.html"].text
    assert "birds" in pages["datasets/birds.html"].text


def test_a_claim_leads_to_its_evidence(site):
    page = pages_of(site)["papers/planted.html"]
    links = [attributes.get("href", "") for tag, attributes in page.elements if tag == "a"]
    (chosen,) = [parse_qs(link.partition("?")[2].partition("#")[0]) for link in links if "compare.html?" in link]
    assert {key: value for key, (value,) in chosen.items()} == {
        **{"claim": "better", "study": "planted", "protocol": "ten-fold", "predictor": "ridge"},
        **{"measure": "instance-f1~hamming-loss", "size": "20 %; 50 %", "margin": "0.01", "cells": "mean"},
        **{"direction": "better", "methods": "~".join(METHODS[::-1]), "datasets": "~".join(DATASETS)},
    }
    assert {"#table3", "#printed-1", "../methods/mine.html"} <= set(links)
    assert "printed table 3 (ten-fold)" in page.text


def test_each_study_shows_its_own_figures(tmp_path):
    base = planted_run(tmp_path / "run")
    other = planted_run(tmp_path / "other", better=0.2)  # with figures of the same names
    shutil.move(other / "planted", base / "planted-2")
    described = json.loads((base / DESCRIPTION).read_text())
    described["studies"]["planted-2"] = described["studies"]["planted"]
    (base / DESCRIPTION).write_text(json.dumps(described))
    write_site(read_run(base), tmp_path / "site")
    shown = []
    for study in ("planted", "planted-2"):
        page = tmp_path / "site" / "papers" / f"{study}.html"
        sources = [attributes["src"] for tag, attributes in Elements(page.read_text()).elements if tag == "img"]
        shown += [(page.parent / source).read_bytes() for source in sources]
        assert shown[-1] == (base / study / "figure1.svg").read_bytes()
    assert len(shown) == len(set(shown)) == 2


def test_a_claim_names_the_tables_and_figures_that_show_it(tmp_path):
    base = planted_run(tmp_path / "run")
    described = json.loads((base / DESCRIPTION).read_text())
    own = described["studies"]["planted"]
    own["figures"]["figure1"]["files"] = {"figure1": "ten-fold", "figure1-as-stated": "as-stated"}
    tables = [{"name": name} for name in ("table2", "table3")]
    figures = [{"file": name} for name in ("figure1", "figure1-as-stated", "figure2")]
    parts = parts_of(tables, [{"table": "table3", "protocol": "ten-fold"}], figures)
    for shown, anchors in (
        ({"better": ["table3", "figure1"]}, ["printed-1", "figure1", "figure1-as-stated", "table3"]),
        ({"worse": ["table3"]}, []),
        ({}, []),
    ):
        own["shown_in"] = shown
        (study,) = read_run(base, described).studies
        (claim,) = claims_of(study, parts)
        assert list(claim["parts"]) == anchors


def test_every_page_has_the_ranks_of_the_core(site):
    """Front page, methods and data sets say what one ranking of the summary says."""
    summary = pd.read_csv(site.parent / "planted" / "summary.csv")
    cells = summary.rename(columns={"mean": "value"}).drop(columns="size").rename(columns={"size_percent": "size"})
    made = {
        measure: rank(own[["dataset", "method", "predictor", "size", "value"]], higher_is_better(measure))
        for measure, own in cells.groupby("measure")
    }
    own = made["hamming-loss"]  # of the first table

    def rows(page, table):
        text = re.search(rf'<table id="{table}".*?</table>', (site / page).read_text(), re.DOTALL)[0]
        found = []
        for row in re.findall(r"<tr>(.*?)</tr>", text, re.DOTALL):
            cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
            found.append([re.sub(r"<[^>]*>", "", cell).strip() for cell in cells])
        return [dict(zip(found[0], cells, strict=True)) for cells in found[1:]]

    def of(method, table):
        low, high = (f"{table.loc[method, end]:.2f}" for end in ("low", "high"))
        own = {"within 0.01 of the best": "near", "average rank": "rank"}
        numbers = {name: f"{table.loc[method, column]:.2f}" for name, column in own.items()}
        return numbers | {"95 % interval": f"{low} to {high}", "of methods": "3"}

    order = list(own.table.index)
    for method in METHODS:
        (found,) = rows(f"methods/{method}.html", "by-study")
        placed = {"study": "planted", "protocol": "ten-fold", "predictor": "ridge", "measure": "hamming-loss"}
        assert found.items() >= (placed | of(method, own.table)).items()
        on_sets = rows(f"methods/{method}.html", "by-dataset")
        assert {row["data set"] for row in on_sets} == set(DATASETS)
        for row in on_sets:
            numbers = [row[name] for name in ("within 0.01 of the best", "average rank")]
            assert numbers == [f"{own.by_set[key].loc[row['data set'], method]:.2f}" for key in ("near", "rank")]
    for dataset in DATASETS:
        near, ranks = (own.by_set[name].loc[dataset] for name in ("near", "rank"))
        best = sorted(METHODS, key=lambda name: (-near[name], ranks[name], name))
        assert [row["method"] for row in rows(f"datasets/{dataset}.html", "ranks-table")] == best
    # Methods in the order of their table.
    assert [row["method"] for row in rows("methods/index.html", "entries")] == order
    known = json.loads((site / "data" / "studies.js").read_text().partition("] = ")[2].rstrip(";\n"))
    assert known[0]["first"] == {measure: list(ranking.table.index) for measure, ranking in made.items()}


def test_the_points_of_a_figure_are_those_of_the_summary(site):
    summary = pd.read_csv(site.parent / "planted" / "summary.csv")
    (script,) = (a["data-points"] for _, a in pages_of(site)["papers/planted.html"].elements if "data-points" in a)
    panels = json.loads((site / "papers" / script).read_text().partition("] = ")[2].rstrip(";\n"))["panels"]
    assert [panel["title"] for panel in panels] == sorted(DATASETS)
    own = summary.query("dataset == 'birds' and method == 'pca' and measure == 'instance-f1'").sort_values("size")
    points = panels[0]["lines"][0]["points"]
    expected = own.assign(low=own["mean"] - own["se"], high=own["mean"] + own["se"])
    np.testing.assert_allclose(points, expected[["size_percent", "mean", "low", "high"]], rtol=1e-5)
    # Another time the same bytes.
    write_site(read_run(site.parent), site.parent / "again")
    names = [path.relative_to(site) for path in site.rglob("*") if path.is_file()]
    assert all((site.parent / "again" / name).read_bytes() == (site / name).read_bytes() for name in names)


def test_hostile_names_are_inert(tmp_path):
    text = " ".join(HOSTILE)
    base = planted_run(tmp_path / "run", DATASETS[:2], HOSTILE, text)
    write_site(read_run(base), tmp_path / "site")
    pages = pages_of(tmp_path / "site")
    for name, page in pages.items():
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        assert all(set(own) <= {"src", "defer", "data-root"} for own in scripts), name
        assert not [key for _, attributes in page.elements for key in attributes if key.startswith("on")], name
        assert not [a for tag, a in page.elements if tag == "img" and a["src"] == "x"], name
        assert "49" not in page.text or "7 * 7" in page.text, name
    assert all(hostile in pages["papers/planted.html"].text for hostile in HOSTILE)
    inside = [path.resolve() for path in tmp_path.rglob("*.html")]
    assert all(path.is_relative_to((tmp_path / "site").resolve()) for path in inside)
    for script in (tmp_path / "site" / "data").glob("*.js"):
        assert re.fullmatch(r"\(window\.mlreduceData \?\?= \{\}\)\[\"[^\n]*;\n", script.read_text())


def test_addresses_of_papers_are_those_of_the_web(tmp_path):
    base = planted_run(tmp_path / "run", DATASETS[:1])
    described = json.loads((base / "studies.json").read_text())
    described["studies"]["planted"]["identifier"] = "javascript:alert(1)"
    write_site(read_run(base, described), tmp_path / "site")
    assert "javascript:" not in re.sub(
        r"<pre>.*?</pre>", "", (tmp_path / "site/papers/planted.html").read_text(), flags=re.DOTALL
    )


def test_many_scores_are_summarised(tmp_path):
    base = planted_run(tmp_path / "run")
    run = read_run(base)
    rows = len(DATASETS) * len(METHODS) * 3 * 4 * 2
    assert not is_summarised(run.studies[0], rows)
    assert is_summarised(run.studies[0], rows - 1)
    assert len(comparable_scores(run.studies[0], rows)) == rows
    few = comparable_scores(run.studies[0], rows - 1)
    assert len(few) == rows / 4
    assert few["value"].tolist() == run.studies[0].summary["mean"].tolist()
    write_site(run, base / "site", limit=rows - 1)
    said = pages_of(base / "site")["compare.html"]
    assert "has too many scores for a page" in said.text
    pages = pages_of(base / "site")["downloads.html"]
    assert "files/planted/scores.parquet" in [attributes.get("href") for _, attributes in pages.elements]


def test_characters_that_reorder_text_are_shown(tmp_path):
    hidden = "rain\u202egnp\u2066 back\\slash \\u202e"
    shown = "rain\\u202egnp\\u2066 back\\slash \\u202e"
    base = planted_run(tmp_path / "run", DATASETS[:1], (hidden, "pca"), hidden)
    write_site(read_run(base), tmp_path / "site")
    pages = pages_of(tmp_path / "site")
    assert shown in pages["papers/planted.html"].text
    texts = [path for path in tmp_path.joinpath("site").rglob("*") if path.suffix in (".html", ".js", ".svg")]
    for path in texts:
        if path.parent.name != "assets":
            assert not re.search("[\u202a-\u202e\u2066-\u2069]", path.read_text()), path
    found = json.loads((tmp_path / "site" / "data" / "studies.js").read_text().partition("] = ")[2].rstrip(";\n"))
    assert list(found[0]["methods"]) == [shown, "pca"]


def test_a_run_without_a_judged_headline_claim_shows_its_first_tables(tmp_path):
    base = planted_run(tmp_path / "run", datasets=("birds", "emotions", "medical", "scene", "yeast"))
    for name in ("claims", "claims-lines"):
        path = base / "planted" / f"{name}.csv"
        write_csv(pd.read_csv(path, keep_default_na=False).assign(verdict="not run"), path)
    write_site(read_run(base), tmp_path / "site")
    pages = pages_of(tmp_path / "site")
    assert check_links(tmp_path / "site", pages)
    (table,) = tables_of(read_run(base).studies[0])
    rows = table["parts"][0]["rows"]
    front = pages["index.html"]
    assert [a.get("id") for tag, a in front.elements if tag == "table"][:2] == ["computed-planted", "studies"]
    shown = front.text.rpartition("What was computed")[2].partition("What to use")[0]
    assert "Table 3" in shown
    assert ["".join(row).replace("**", "") in shown for row in rows] == [True] * 12 + [False] * 3
    assert f"{len(rows) - 12} more rows and all tables" in shown
    assert "not run" not in front.text.rpartition("All verdicts")[0]


def test_a_study_without_a_paper_is_a_comparison(tmp_path):
    base = planted_run(tmp_path / "run")
    claims = base / "planted" / "claims.csv"
    write_csv(pd.read_csv(claims).iloc[:0], claims)
    described = json.loads((base / "studies.json").read_text())
    described["studies"]["planted"]["identifier"] = None
    run = read_run(base, described)
    write_site(run, tmp_path / "site")
    pages = pages_of(tmp_path / "site")
    front = pages["index.html"]
    assert "1 comparison," in front.text
    assert "claims:" not in front.text
    tables = [a["id"] for tag, a in front.elements if tag == "table"]
    assert tables[:2] == ["computed-planted", "compared"]
    page = pages["papers/planted.html"]
    assert "3 methods on 3 data sets: birds, scene, yeast." in page.text
    assert "claim" not in page.text.replace(page.text[page.text.index("What made this") :], "")
    links = [attributes.get("href") for tag, attributes in page.elements if tag == "a"]
    assert "../compare.html?study=planted" in links
    assert {"figure1", "table3"} <= {attributes.get("id") for _, attributes in page.elements}


def test_large_files_are_linked_where_they_are(tmp_path):
    base = planted_run(tmp_path / "runs" / "run")
    (base / "planted" / "large.parquet").write_bytes(bytes(400_001))
    write_site(read_run(base), tmp_path / "sites" / "site")
    page = pages_of(tmp_path / "sites" / "site")["downloads.html"]
    links = [attributes.get("href") for tag, attributes in page.elements if tag == "a"]
    assert "../../runs/run/planted/large.parquet" in links
    assert "in the folder of the run" in page.text


def test_a_picture_without_numbers_is_shown(tmp_path):
    base = planted_run(tmp_path / "run")
    for name in ("figure1.svg", "figure1.json"):
        (base / "planted" / name).unlink()
    described = json.loads((base / "studies.json").read_text())
    described["studies"]["planted"]["figures"]["figure1"]["source"] = "not-kept"
    Image.new("RGB", (120, 90)).save(base / "planted" / "figure1.png")
    write_site(read_run(base, described), tmp_path / "site")
    placed = tmp_path / "site" / "files" / "planted" / "figure1.png"
    assert placed.read_bytes() == (base / "planted" / "figure1.png").read_bytes()
    images = [a for tag, a in pages_of(tmp_path / "site")["papers/planted.html"].elements if tag == "img"]
    assert [(image["width"], image["height"]) for image in images] == [("120", "90")]


def test_what_failed_is_said(tmp_path):
    base = planted_run(tmp_path / "run", DATASETS[:1])
    cell = dict.fromkeys(FAILURE_COLUMNS, "x") | {
        "method": "pca",
        "split": 0,
        "message": "<boom>",
        "error": "ValueError",
    }
    write_csv(pd.DataFrame([cell]), base / "planted" / "failures.csv")
    table = pd.read_csv(base / "planted" / "table3.csv")
    gone = table["method"] == "pca"
    table.loc[gone, ["mean", "se"]] = np.nan
    table = table.assign(splits=table["splits"].where(~gone, 0), failed=gone * 4, reason=np.where(gone, "boom", ""))
    write_csv(table, base / "planted" / "table3.csv")
    write_site(read_run(base), base / "site")
    pages = pages_of(base / "site")
    assert "1 cells failed" in re.sub(r"\s+", " ", pages["index.html"].text)
    assert "<boom>" in pages["papers/planted.html"].text
    assert GAP in pages["papers/planted.html"].text


def test_wrong_folders_get_one_sentence(tmp_path, capsys):
    base = planted_run(tmp_path / "run", DATASETS[:1])
    with pytest.raises(ConfigurationError, match="no studies.json in it"):
        read_run(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("")
    with pytest.raises(ConfigurationError, match="holds other files"):
        write_site(read_run(base), tmp_path / "other")
    with pytest.raises(SystemExit, match="1"):
        main([str(base), "--to", str(tmp_path / "other")])
    assert "other: this folder holds other files" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]
    with pytest.raises(SystemExit):
        main([str(tmp_path / "nothing"), "--to", str(tmp_path / "site")])
    assert "there are no results of a study in it" in capsys.readouterr().err
    assert main([str(base), "--to", str(tmp_path / "site")]) == 0
    assert capsys.readouterr().out == f"The site: {tmp_path / 'site' / 'index.html'}\n"


def test_folders_of_others_stay(tmp_path, capsys):
    """Also those with the names of a site's: data, papers, files."""
    base, project = planted_run(tmp_path / "run", DATASETS[:1]), tmp_path / "project"
    mine = ["data/raw.csv", "papers/thesis.tex", "files/a", "index.html", "notes.txt"]
    for name in mine:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("mine")
    with pytest.raises(SystemExit, match="1"):
        main([str(base), "--to", str(project)])
    assert "project: this folder holds other files" in capsys.readouterr().err
    assert sorted(path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()) == sorted(mine)
    (project / "index.html").unlink()
    assert main([str(base), "--to", str(project), "--force"]) == 0
    assert main([str(base), "--to", str(project)]) == 0
    assert [(project / name).read_text() for name in mine if name != "index.html"] == ["mine"] * 4
    assert {"index.html", "papers/planted.html"} <= pages_of(project).keys()


def test_names_of_pages():
    assert page_names(["a", "A", "ä", "..", "a-2"]) == {
        "a": "a",
        "A": "a-2",
        "ä": "unnamed",
        "..": "unnamed-2",
        "a-2": "a-2-2",
    }


def test_methods_are_described_without_importing_them():
    described = method_of("cplst")
    assert described.headline.startswith("Conditional principal label space transformation (CPLST)")
    assert described.text.startswith("Directions are the leading eigenvectors of Z'HZ")
    assert "algorithm 1" in described.references
    assert (described.family, described.module) == ("labelspace", "mlreduce.labelspace.cplst")


def test_the_table_component_defines_what_the_pages_call():
    assert re.search(r"window\.DataTable = \w+;\n\}\)\(\);\n$", table_script())


def test_questions_of_ours_are_told_from_claims(tmp_path):
    """Tables are read as text, of which every word is true."""
    base = planted_run(tmp_path / "run", DATASETS[:1])
    (study,) = read_run(base).studies
    assert study.claims[["own", "group"]].to_numpy().tolist() == [[False, "better"]]
    path = base / "planted" / "claims.csv"
    pd.read_csv(path).assign(own=True).to_csv(path, index=False)
    assert read_run(base).studies[0].claims["own"].tolist() == [True]
