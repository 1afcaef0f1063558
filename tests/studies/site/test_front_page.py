"""The answers of the front page and of pages of data sets: words from results, and the form as `recommend` has it."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from planted_run import DATASETS, METHODS, planted_run

import mlreduce
from mlreduce import registry
from mlreduce.complexity import DENSE_SIDE
from mlreduce.methods import evidence, recommendation
from mlreduce.stats.posterior import posterior
from mlreduce_studies.description import says_and_headline
from mlreduce_studies.runs import read_run
from mlreduce_studies.site.assets import own_file
from mlreduce_studies.site.findings import ANSWERED, findings
from mlreduce_studies.site.forest import Intervals
from mlreduce_studies.site.papers import claims_of
from mlreduce_studies.site.shapes import (
    MEASURES,
    PARAMETERS,
    PREDICTORS,
    STORED,
    TUNED,
    catalogued,
    form_data,
    form_fields,
)
from mlreduce_studies.site.writing import write_site
from mlreduce_studies.verdicts.baselines import BASELINE, said_of_baseline
from mlreduce_studies.verdicts.columns import SUMMARY
from mlreduce_studies.verdicts.reasons import telling_pair

PROJECT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("results") / "run")


def found_in(base, tables, **described):
    """Return the findings of the planted run with some of its tables in the place of others."""
    (study,) = read_run(base).studies
    study.description.update(described)
    study.claims = tables.pop("claims", study.claims)
    study._frames.update(tables)
    return findings([study], {study.name: "page"}, {study.name: claims_of(study)})


@pytest.mark.parametrize(("verdict", "shift"), [("confirmed", 0.0), ("refuted", -0.05), ("undecided", -0.006)])
def test_a_finding_says_what_was_claimed_and_found_by_how_much_and_on_how_many_sets(base, verdict, shift):
    (study,) = read_run(base).studies
    table = study.frame("claims-differences")
    table["difference"] += shift + 0.001 * np.arange(len(table))
    table["wins"], table["losses"] = (1 * (side * table["difference"] > 0.01) for side in (1, -1))
    table["ties"] = 1 - table["wins"] - table["losses"]
    judged = {name: study.frame(name).assign(verdict=verdict) for name in ("claims", "claims-lines")}
    judged["claims"] = judged["claims"].assign(own=False)
    (one,) = found_in(base, judged | {"claims-differences": table})
    assert (one["page"], one["claim"]["id"], one["claim"]["verdict"]) == ("page", "better", verdict)
    own = table[table["other"] == "mvmd"]  # nearer to mine than pca
    mean, beyond = own["difference"].mean(), own["wins"].sum()
    sides = "better" if mean >= 0 else "worse"
    said = one["claim"]["why"]
    assert f"{METHODS[-1]} against mvmd" in said
    assert f": better on {beyond} of {len(DATASETS)} data sets" in said
    assert f"{abs(mean):.3g} {sides} on average" in said
    # The forest plot has the same: a point for each data set, full where the sentence holds, the largest first.
    drawn = ElementTree.fromstring(one["claim"]["forest"])
    texts = [text.text for text in drawn.iter("text")]
    order = own.sort_values("difference", ascending=False)
    assert [name for name in texts if name in DATASETS] == order["dataset"].tolist()
    points = [(float(point.get("cx")), point.get("class")) for point in drawn.iter("circle")]
    assert [kind for _, kind in points] == ["holds" if value > 0.01 else "fails" for value in order["difference"]]
    middle = float(drawn.find("path").get("d")[1:].split()[0])
    assert [np.sign(x - middle) for x, _ in points] == np.sign(order["difference"]).tolist()
    for name, difference in zip(order["dataset"], order["difference"], strict=True):
        assert f"{name} {difference:+.3g}" in drawn.get("aria-label")


def test_an_interval_is_that_of_the_paired_scores(base):
    (study,) = read_run(base).studies
    (line,) = study.frame("claims-lines").to_dict("records")
    pair = telling_pair(line, study.frame("claims-differences"))
    found = Intervals(study).of(line, pair)
    scores = study.frame("scores").query("size_percent in (20, 50)")
    signed = scores.assign(value=scores["value"].where(scores["measure"] == "instance-f1", -scores["value"]))
    for name in DATASETS:
        on = signed[signed["dataset"] == name].groupby(["method", "split"])["value"].mean()
        expected = posterior((on[pair.method] - on[pair.other]).to_numpy(), 0.1).interval()
        np.testing.assert_allclose(found[name], expected, rtol=1e-6)
    moved = pair._replace(table=pair.table.assign(difference=pair.table["difference"] + 0.1))
    assert Intervals(study).of(line, moved) == {}  # the claim is judged by other numbers


def test_a_finding_is_of_the_claim_that_the_paper_names_and_of_mathematics_without_a_picture(base):
    claims = read_run(base).studies[0].claims
    proof = claims.assign(id="proof", verdict="proved", evidence="By algebra. More.", group="proof")
    both = {"claims": pd.concat([claims, proof])}
    assert found_in(base, dict(both))[0]["claim"]["id"] == "better"  # which says the most where none is named
    (named,) = found_in(base, dict(both), headline="proof")
    assert [named["claim"][key] for key in ("id", "why", "forest")] == ["proof", "By algebra.", ""]
    assert found_in(base, {"claims": claims.iloc[:0]}) == []


def test_a_claim_without_its_baseline_says_what_is_not_reproduced_and_has_no_picture(base):
    said = said_of_baseline("confirmed", "lda 1 of 4")
    claims, lines = (read_run(base).studies[0].frame(name) for name in ("claims", "claims-lines"))
    lines = lines.assign(verdict=BASELINE, evidence=lines["evidence"] + f" {said}")
    (one,) = found_in(base, {"claims": claims.assign(verdict=BASELINE, own=False), "claims-lines": lines})
    assert (one["claim"]["judged_by"], one["claim"]["forest"]) == ("no baseline", "")
    assert "lda 1 of 4. By our scores alone: confirmed." in one["claim"]["why"]


def test_the_front_page_begins_with_headlines_and_counts_experiments_apart_from_mathematics(base, tmp_path):
    write_site(read_run(base), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.index('class="findings"') < page.index('id="answers"') < page.index('id="studies"')
    header = page[page.index('id="studies"') :].partition("</thead>")[0]
    columns = [header.index(word) for word in (*SUMMARY,)]
    assert columns == sorted(columns)
    assert "(1 say little)" in page
    own = (tmp_path / "papers" / "planted.html").read_text(encoding="utf-8")
    assert "Says little: by construction" in own


def test_every_paper_names_one_of_its_claims_as_the_headline():
    papers = sorted(PROJECT.glob("papers/*/claims.yaml"))
    assert papers
    for claims in papers:
        says, headline = says_and_headline(claims.with_name("README.md"))
        assert f"- id: {headline}\n" in claims.read_text(encoding="utf-8"), claims
        assert len(says) > 100
        assert "<!--" not in says


SCRIPT = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = given.requests.map((request) => mlreduceShapes.recommend(given.data, ...request));
process.stdout.write(JSON.stringify(found));
"""
#: Rows, features, labels: the least and the largest, and of dense features the largest.
RANGES, DENSE_FEATURES = ((20, 8000), (5, 20_000), (1, 300)), 3000
WANTED = [*product(PREDICTORS, MEASURES, PARAMETERS)]


def shapes_drawn(number):
    """Yield rows, features, labels and whether features are sparse, log-uniformly."""
    rng = np.random.default_rng(0)
    for _ in range(number):
        sparse = rng.random() < 0.5
        ends = np.log([(low, high if sparse or high < 20_000 else DENSE_FEATURES) for low, high in RANGES])
        yield *(int(size) for size in np.exp(rng.uniform(*ends.T)).round()), bool(sparse)


def data_of(n, d, q, sparse):
    """Return features and labels of a shape: none negative, all labels known, several per instance."""
    Y = np.zeros((n, q), dtype=np.int8)
    Y[: n // 2, [0, -1]] = 1  # two frequent sets of labels
    if not sparse:
        return np.ones((n, d)), Y
    stored = min(d, STORED)
    columns = (7 * np.arange(n)[:, None] + np.arange(stored)) % d
    return sp.csr_array(
        (np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, stored)), shape=(n, d)
    ), Y


@pytest.fixture
def form(monkeypatch):
    """What the page's script computes for requests: family, shape, and predictor, measure and parameters."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node, which runs the page's script")
    # The page does not know the reader's machine.
    monkeypatch.setattr(recommendation, "machine_memory", lambda: None)
    monkeypatch.setattr(recommendation, "machine_factor", lambda: 1.0)
    for module, name in ((recommendation, "facts_of"), (recommendation, "_iterates"), (evidence, "constants")):
        monkeypatch.setattr(module, name, cache(getattr(module, name)))  # of a method: the same at each call

    def computed(requests):
        keys = ("n", "d", "q", "sparse"), ("predictor", "measure", "parameters")
        named = [
            (family, *(dict(zip(own, values, strict=True)) for own, values in zip(keys, both, strict=True)))
            for family, *both in requests
        ]
        given = json.dumps({"data": form_data(), "requests": named})
        script = f"{own_file('shapes.js')}\n{SCRIPT}"
        made = subprocess.run([node, "-e", script], input=given, capture_output=True, text=True, check=True, timeout=60)
        return json.loads(made.stdout)

    return computed


def compare_form(form, shapes):
    """Assert that the form has what `recommend` returns, and return both with the requests."""
    requests = [
        (family, shape, WANTED[number % len(WANTED)]) for number, shape in enumerate(shapes) for family in ANSWERED
    ]
    found = []
    for about, one in zip(requests, form(requests), strict=True):
        family, shape, (predictor, measure, parameters) = about
        if family == next(iter(ANSWERED)):
            X, Y = data_of(*shape)
        tuned = parameters == TUNED
        expected = mlreduce.recommend(X, Y, goal=family, predictor=predictor, measure=measure, tuned=tuned)
        table = expected.table[expected.table["fits"] & expected.table["near"].notna()]
        unreduced = expected.unreduced[expected.unreduced["fits"]]
        comparison, methods = one["comparison"], {own["name"]: own for own in one["methods"]}
        in_family = [name for name in methods if registry.kind_of(name) == family]
        assert in_family == table.index.tolist(), about
        if not len(table):
            assert not methods, about
            continue
        # What reduces nothing stands among the methods of the family.
        assert methods.keys() - in_family == set(unreduced.index), about
        near = [own["near"] for own in methods.values()]
        assert near == sorted(near, reverse=True), about
        rows = pd.concat([table, unreduced]) if len(unreduced) else table
        pairs = {"near": "near", "low": "least", "nearby": "nearby", "seconds": "seconds", "gigabytes": "gigabytes"}
        pairs |= {"searched": "searched"} | ({"rank": "rank"} if comparison["weighted"] else {})
        for key, column in pairs.items():
            values = [methods[name][key] for name in rows.index]
            np.testing.assert_allclose(values, rows[column].astype(float), rtol=1e-9, err_msg=f"{about} {key}")
        by = "{study}, {measure} with {predictor}".format(**comparison) + ", tuned" * comparison["tuned"]
        assert {(by, comparison["data_sets"])} == {*zip(rows["comparison"], rows["data_sets"], strict=True)}, about
        assert [own["name"] for own in one["nearest"]] == expected.nearest["dataset"].tolist(), about
        factors = [own["factor"] for own in one["nearest"]]  # 242 / 16 is 15.12 or 15.13
        np.testing.assert_allclose(factors, expected.nearest["factor"], rtol=0, atol=0.0101, err_msg=str(about))
        assert one["far"] == (expected.nearest["factor"].min() > recommendation.FAR), about
        found.append((about, one, expected))
    return found


@pytest.mark.parametrize("number", [32, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.promise])])
@pytest.mark.rotating
def test_the_form_computes_what_recommend_does(form, number):
    shapes = [*shapes_drawn(number)]
    found = compare_form(form, shapes)
    assert {one["far"] for _, one, _ in found} == {True, False}
    for _, one, expected in found[:: len(found) // 20]:
        assert one["far"] == ("none of them is within" in str(expected))
    # Of every kind: one label, a few rows, what is solved iteratively, and beyond what matrices hold.
    assert min(q for _, _, q, _ in shapes) == 1
    assert min(n for n, *_ in shapes) < 30
    assert max(min(n, d) for n, d, _, sparse in shapes if sparse) > DENSE_SIDE
    assert {about[2] for about, *_ in found} == {*WANTED}


@pytest.fixture
def planted_comparisons(monkeypatch):
    """Comparisons that are weighted by similarity, without a data set each; of projections also of tuned methods."""
    foremost, rng = evidence._foremost, np.random.default_rng(1)

    @cache
    def planted(family, wanted, tuned):
        compared = foremost(family, wanted)
        names = [own.name for own in compared[0].by_set if own.name != "emotions"]
        made = []
        for one in compared:
            near, rank = rng.integers(3, size=len(names)) / 2, rng.integers(1, 9, size=len(names)) / 2
            by_set = tuple(map(evidence.OnSet, names, near.tolist(), rank.tolist()))
            traits = {"weighted": True, "tuned": tuned, "searched": tuned and bool(rng.random() < 0.5)}
            made.append(one._replace(by_set=by_set, data_sets=len(names), **traits))
        return tuple(made)

    # Half of the data sets are a group.
    groups = {study: {name: min(name, "f") for name in sets} for study, sets in evidence._sets().items()}
    monkeypatch.setattr(
        evidence,
        "_foremost",
        lambda family, wanted: planted(family, wanted._replace(tuned=False), wanted.tuned and family == "projection"),
    )
    monkeypatch.setattr(evidence, "_groups", lambda: groups)
    evidence._weighted.cache_clear()
    yield
    evidence._weighted.cache_clear()


@pytest.mark.usefixtures("planted_comparisons")
def test_the_form_gives_similar_data_sets_more_weight_where_recommend_does(form):
    found = compare_form(form, [*shapes_drawn(24)])
    firsts = {}
    for (family, _, (*by, parameters)), one, _ in found:
        comparison = one["comparison"]
        assert comparison["weighted"]
        assert comparison["tuned"] == (parameters == TUNED and family == "projection")
        assert "emotions" not in [own["name"] for own in one["nearest"]]
        firsts.setdefault((family, *by, comparison["tuned"]), set()).add(one["methods"][0]["name"])
    assert max(map(len, firsts.values())) > 1  # the order depends on the shape
    assert [*form_fields()["parameters"]] == [*PARAMETERS]


def test_the_form_offers_what_was_compared(base, tmp_path, monkeypatch):
    assert [[*part] for part in form_fields().values()][:2] == [[*PREDICTORS], [*MEASURES]]
    foremost = evidence.foremost

    def plant(**traits):
        monkeypatch.setattr(
            evidence, "foremost", lambda *wanted: tuple(one._replace(**traits) for one in foremost(*wanted))
        )

    for tuned, offered in ((False, ["default"]), (True, [TUNED])):
        plant(tuned=tuned)
        assert [*form_fields()["parameters"]] == offered
    monkeypatch.setattr(evidence, "compared_by", lambda: (["ridge"], ["average-precision"]))
    assert [[*part] for part in form_fields().values()] == [["ridge"], ["average-precision"], [TUNED]]
    write_site(read_run(base), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<select name="predictor"><option value="ridge">ridge regression</option></select>' in page
    assert '<select name="parameters">' not in page


def test_the_data_of_the_form_are_small():
    data = form_data()
    every = [one for family in data["families"].values() for one in family["comparisons"]]
    numbers = sum(len(one["methods"]) * (len(data["sets"][one["study"]]) * (1 + one["weighted"]) + 4) for one in every)
    assert len(json.dumps(data, separators=(",", ":"))) < 8 * numbers + 700 * len(data["methods"])
    for family in data["families"].values():
        assert {*family["used"].values()} == {*range(len(family["comparisons"]))}
        assert [*family["used"]] == [" ".join(wanted) for wanted in WANTED]


def test_data_sets_with_the_same_instances_are_marked():
    names = ["virus", "virus-go", "emotions", "mine"]
    assert catalogued("virus", names)["same_instances"] == ["virus-go"]
    assert catalogued("virus-go", names)["same_instances"] == ["virus"]
    assert catalogued("emotions", names)["same_instances"] == catalogued("mine", names)["same_instances"] == []
    assert catalogued("emotions", names)["address"].startswith("https://")
    assert "ISMIR" in catalogued("emotions", names)["citation"]
    assert catalogued("mine", names)["licence"] == ""
