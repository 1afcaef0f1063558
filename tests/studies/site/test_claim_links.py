"""Links from claims to the comparison: what the page counts for them is what the claims' settings count."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from mlreduce.stats.combination import Evidence, at_least, needed
from mlreduce_studies.site.__main__ import open_run
from mlreduce_studies.site.assets import own_file
from mlreduce_studies.site.claim_links import differences_by_setting
from mlreduce_studies.site.papers import claims_of
from mlreduce_studies.site.scores import is_summarised, scores_by_measure
from mlreduce_studies.verdicts.judging import decided
from mlreduce_studies.verdicts.reading import read_claims
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
    script = "\n".join([own_file("statistics.js"), own_file("scores.js"), SCRIPT])
    given = json.dumps({"links": links, "measures": measures})
    made = subprocess.run([node(), "-e", script], input=given, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(made.stdout)


def of_paper(study):
    """Return the settings of claims that link to the comparison, and what the page computes for them."""
    lines = [(claim, line) for claim in claims_of(study) for line in claim["settings"] if line["link"]]
    links = [{"query": urlsplit(line["link"]).query, "pairs": line["pairs"]} for _, line in lines]
    wanted = {name for own in links for name in parse_qs(own["query"])["measure"][0].split("~")}
    measures = {name: json.loads(text) for name, text in scores_by_measure(study) if name in wanted}
    return lines, computed(links, measures)


def evidence(statement, datasets, holds, pairs):
    """Combine the probabilities of differences that the page shows into the evidence on a setting, as verdicts do."""
    ends = {
        "above": lambda own: [own["above"]],
        "not below": lambda own: [1 - own["below"]],
        "within": lambda own: [1 - own["below"], 1 - own["above"]],
        "below": lambda own: [own["below"]],
    }[KINDS[statement.kind].asks]
    parts = []
    for dataset in datasets:
        by_method = {}
        for (method, _), shown in pairs.items():
            own = [Evidence.of(probability) for probability in ends(shown[dataset])]
            by_method.setdefault(method, []).append(at_least(len(own), own))
        if statement.methods_hold == "all":
            of_methods = [own for every in by_method.values() for own in every]
            parts.append(at_least(len(of_methods), of_methods))
        else:
            of_methods = [at_least(len(own), own) for own in by_method.values()]
            parts.append(at_least(needed(len(of_methods), statement.methods_hold), of_methods))
    return at_least(needed(len(parts), holds), parts, independent=True)


@pytest.mark.parametrize("paper", [PAPERS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in PAPERS[1:])])
def test_a_link_opens_what_the_claim_counts_and_no_probability_against_its_verdict(paper):
    study = reference()[paper]
    tables = differences_by_setting(study.frame("claims-differences"))
    claims = {claim.id: claim for claim in read_claims(PROJECT / "papers" / paper / "claims.yaml")}
    lines, found = of_paper(study)
    assert lines
    probable = 0
    for (claim, line), pairs in zip(lines, found, strict=True):
        about = f"{claim['id']}, {line['setting']}"
        table, shown = tables[claim["id"], line["setting"]], {}
        for pair, rows in zip(line["pairs"], pairs, strict=True):
            own = table[table[["method", "other"]].eq(pair).all(axis=1)].set_index("dataset")
            shown[tuple(pair)] = {row["dataset"]: row for row in rows}
            assert shown[tuple(pair)].keys() == set(own.index), about
            for dataset, row in own.iterrows():
                seen = shown[tuple(pair)][dataset]
                counts = [seen[key] for key in ("wins", "ties", "losses")]
                assert counts == row[["wins", "ties", "losses"]].tolist(), (about, pair, dataset)
                assert seen["mean"] == pytest.approx(row["difference"], rel=1e-4, abs=2e-7), (about, pair, dataset)
                assert seen["margin"] == pytest.approx(row["margin"], rel=1e-4), (about, pair, dataset)
        stated = next(
            own for own in claims[claim["id"]].lines(study.description["datasets"]) if own.name == line["setting"]
        )
        regions = {pair: {name: row["regions"] for name, row in own.items()} for pair, own in shown.items()}
        if stated.holds == "tendency" or not all(all(own.values()) for own in regions.values()):
            continue  # the page shows no probability then
        if stated.statement.kind == "more-datasets":
            continue  # it has no probability of its own, but counts of data sets
        probable += 1
        made = evidence(stated.statement, line["datasets"].split(), stated.holds, regions)
        alone = re.search(r"By our scores alone: (\w+)", line["evidence"])  # baselines are no matter of the page
        assert decided(made) == (alone[1] if alone else line["verdict"]), about
        assert made.p_for == pytest.approx(float(line["p_for"]), rel=0.06, abs=1e-9), about
    assert probable or is_summarised(study)


def test_the_page_refuses_a_margin_that_is_none():
    made = subprocess.run(
        [node(), "-e", f"{own_file('statistics.js')}\n{own_file('scores.js')}\nconst texts = {json.dumps(MARGINS)};"
         "process.stdout.write(JSON.stringify(texts.map(mlreduceScores.marginOf)));"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    found = json.loads(made.stdout)
    assert [own and (own["value"], own["relative"]) for own in found] == [
        *((0.01, False), (0.02, True), (0.0, False), (1e-5, False)), *[None] * 4,
    ]  # fmt: skip


MARGINS = ["0.01", " 2 % ", "0", "1e-5", "", "-1", "a", "1 2"]
