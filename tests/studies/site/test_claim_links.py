"""Links from claims to the comparison: what the page counts for them is what the claims' settings count."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from mlreduce_studies.runs import open_run
from mlreduce_studies.site.assets import own_file
from mlreduce_studies.site.claim_links import differences_by_setting
from mlreduce_studies.site.papers import claims_of
from mlreduce_studies.site.scores import scores_by_measure

PROJECT = Path(__file__).parents[3]

#: What the page does with an address, from its own scripts; differences and margins of each pair by data set.
SCRIPT = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const {decoded, pairsOf, askedOf} = mlreduceScores;
(async () => {
    const contents = {};
    for (const [measure, text] of Object.entries(given.measures)) contents[measure] = await decoded(text);
    const found = given.links.map(({query, pairs}) => {
        const asked = askedOf(new URLSearchParams(query));
        const choice = {...asked, parts: asked.measures.map((measure) => ({measure, content: contents[measure]}))};
        return pairs.map(([first, second]) => pairsOf(choice, first, second, asked.datasets).pairs);
    });
    process.stdout.write(JSON.stringify(found));
})();
"""


@cache
def reference():
    run = open_run(PROJECT / "results" / "reference", PROJECT)
    return {study.name: study for study in run.studies if study.is_of_a_paper}


#: Of all papers with results the one with the fewest scores is quick.
PAPERS = sorted(
    (
        path.parent.name
        for path in (PROJECT / "results" / "reference").glob("*/claims-lines.csv")
        if (PROJECT / "papers" / path.parent.name).is_dir()
    ),
    key=lambda name: (PROJECT / "results" / "reference" / name / "scores.parquet").stat().st_size,
)


def node():
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no node, which runs the page's scripts")
    return found


def computed(links, measures):
    script = f"{own_file('scores.js')}\n{SCRIPT}"
    given = json.dumps({"links": links, "measures": measures})
    made = subprocess.run([node(), "-e", script], input=given, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(made.stdout)


def of_paper(study):
    """Return the settings of claims that link to the comparison, and what the page computes for them."""
    lines = [(claim, line) for claim in claims_of(study, drawn=False) for line in claim["settings"] if line["link"]]
    tables = differences_by_setting(study.frame("claims-differences"))
    pairs = [
        tables[claim["id"], line["setting"]][["method", "other"]].drop_duplicates().to_numpy().tolist()
        for claim, line in lines
    ]
    links = [{"query": urlsplit(line["link"]).query, "pairs": own} for (_, line), own in zip(lines, pairs, strict=True)]
    wanted = {name for own in links for name in parse_qs(own["query"])["measure"][0].split("~")}
    measures = {name: json.loads(text) for name, text in scores_by_measure(study) if name in wanted}
    return lines, pairs, computed(links, measures)


@pytest.mark.parametrize("paper", [PAPERS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in PAPERS[1:])])
def test_a_link_opens_what_the_claim_counts(paper):
    study = reference()[paper]
    tables = differences_by_setting(study.frame("claims-differences"))
    lines, compared, found = of_paper(study)
    assert lines
    for (claim, line), asked, pairs in zip(lines, compared, found, strict=True):
        about = f"{claim['id']}, {line['setting']}"
        table, shown = tables[claim["id"], line["setting"]], {}
        for pair, rows in zip(asked, pairs, strict=True):
            own = table[table[["method", "other"]].eq(pair).all(axis=1)].set_index("dataset")
            shown[tuple(pair)] = {row["dataset"]: row for row in rows}
            assert shown[tuple(pair)].keys() == set(own.index), about
            for dataset, row in own.iterrows():
                seen = shown[tuple(pair)][dataset]
                counts = [seen[key] for key in ("wins", "ties", "losses")]
                assert counts == row[["wins", "ties", "losses"]].tolist(), (about, pair, dataset)
                assert seen["mean"] == pytest.approx(row["difference"], rel=1e-4, abs=2e-7), (about, pair, dataset)
                assert seen["margin"] == pytest.approx(row["margin"], rel=1e-4), (about, pair, dataset)


def test_the_page_refuses_a_margin_that_is_none():
    made = subprocess.run(
        [node(), "-e", f"{own_file('scores.js')}\nconst texts = {json.dumps(MARGINS)};"
         "process.stdout.write(JSON.stringify(texts.map(mlreduceScores.marginOf)));"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    found = json.loads(made.stdout)
    assert [own and (own["value"], own["relative"]) for own in found] == [
        *((0.01, False), (0.02, True), (0.0, False), (1e-5, False)), *[None] * 4,
    ]  # fmt: skip


MARGINS = ["0.01", " 2 % ", "0", "1e-5", "", "-1", "a", "1 2"]
