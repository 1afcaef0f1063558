"""Links from claims to the comparison: what the page counts for them is what the claims' settings count."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from mlreduce.stats.combination import Evidence, at_least, needed
from mlreduce_studies.site.__main__ import open_run
from mlreduce_studies.site.assets import own_file
from mlreduce_studies.site.claim_links import differences_by_setting
from mlreduce_studies.site.papers import claims_of
from mlreduce_studies.site.scores import is_summarised, scores_by_measure
from mlreduce_studies.verdicts.judging import decided
from mlreduce_studies.verdicts.statements import KINDS

PROJECT = Path(__file__).parents[3]

#: What the page does with an address, from its own scripts; differences and margins of each pair by data set.
SCRIPT = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const {decoded, pairsOf, askedOf, cellsOf} = mlreduceScores, {posterior} = mlreduceStatistics;
(async () => {
    const contents = {};
    for (const [measure, text] of Object.entries(given.measures)) contents[measure] = await decoded(text);
    const found = given.links.map(({query, pairs}) => {
        const asked = askedOf(new URLSearchParams(query));
        const choice = {...asked, parts: asked.measures.map((measure) => ({measure, content: contents[measure]}))};
        return pairs.map(([first, second]) => pairsOf(choice, first, second, asked.datasets).pairs.map((own) => {
            const splits = own.parts[0].differences.length;
            const mean = asked.each || splits < 2 ? null : posterior(own.parts[0].differences, own.share);
            return {...own, parts: undefined, regions: mean && mean.regions(own.margin)};
        }));
    });
    process.stdout.write(JSON.stringify(found));
})();
"""


@cache
def reference():
    run = open_run(PROJECT / "results" / "reference", PROJECT)
    return {study.name: study for study in run.studies if study.is_of_a_paper}


PAPERS = sorted(path.parent.name for path in (PROJECT / "papers").glob("*/claims.yaml"))


def computed(links, measures):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node, which runs the page's scripts")
    script = "\n".join([own_file("statistics.js"), own_file("scores.js"), SCRIPT])
    given = json.dumps({"links": links, "measures": measures})
    made = subprocess.run([node, "-e", script], input=given, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(made.stdout)


def of_paper(study):
    """Return lines of claims, their links with the pairs that they are about, and what the page computes for them."""
    lines = [(claim, line) for claim in claims_of(study) for line in claim["settings"] if line["link"]]
    links = [{"query": urlsplit(line["link"]).query, "pairs": line["pairs"]} for _, line in lines]
    wanted = {name for own in links for name in parse_qs(own["query"])["measure"][0].split("~")}
    measures = {name: json.loads(text) for name, text in scores_by_measure(study) if name in wanted}
    return lines, links, computed(links, measures)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_comparison_of_a_link_counts_what_the_claim_counts(paper):
    """Wins, ties and losses, and mean differences; where it shows probabilities, they lead to the claim's verdict."""
    study = reference()[paper]
    tables = differences_by_setting(study.frame("claims-differences"))
    lines, links, found = of_paper(study)
    assert lines
    for (claim, line), link, pairs in zip(lines, links, found, strict=True):
        about = f"{claim['id']}, {line['setting']}"
        table = tables[claim["id"], line["setting"]]
        for (method, other), shown in zip(line["pairs"], pairs, strict=True):
            own = table[(table["method"] == method) & (table["other"] == other)].set_index("dataset")
            shown = {row["dataset"]: row for row in shown}
            assert shown.keys() == set(own.index), about
            for dataset, row in own.iterrows():
                counts = tuple(shown[dataset][key] for key in ("wins", "ties", "losses"))
                assert counts == (row["wins"], row["ties"], row["losses"]), (about, method, other, dataset)
                assert shown[dataset]["mean"] == pytest.approx(row["difference"], rel=1e-4, abs=2e-7), about
                assert shown[dataset]["margin"] == pytest.approx(row["margin"], rel=1e-4), about
