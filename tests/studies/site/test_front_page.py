"""The answers of the front page and of pages of data sets: words from results, and the form as `recommend` has it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from planted_run import DATASETS, METHODS, planted_run

import mlreduce
from mlreduce import registry
from mlreduce.methods import evidence, recommendation
from mlreduce.methods.evidence import choices
from mlreduce.stats.ranking import CONTROLS
from mlreduce_studies.site import findings as findings_module
from mlreduce_studies.site.assets import own_file
from mlreduce_studies.site.description import says_and_headline
from mlreduce_studies.site.findings import ANSWERED, answers, findings, pays
from mlreduce_studies.site.overview import _counted
from mlreduce_studies.site.papers import claims_of
from mlreduce_studies.site.runs import read_run
from mlreduce_studies.site.shapes import HEIGHT, STORED, WIDTH, catalogued, form_data, scatter
from mlreduce_studies.site.writing import write_site
from mlreduce_studies.verdicts.baselines import BASELINE, said_of_baseline
from mlreduce_studies.verdicts.columns import SUMMARY

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
    return findings([study], {study.key: "page"}, {study.key: claims_of(study)})


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
    assert f"{METHODS[-1]} against mvmd" in one["found"]
    assert f": {abs(mean):.3g} {sides} on average; better on {beyond} of {len(DATASETS)} data sets" in one["found"]
    # The picture has the same: points on the side of their sign, beyond the margin where the sentence holds.
    drawn = one["picture"]
    assert [name for name, *_ in drawn["points"]] == own["dataset"].tolist()
    for (_, place, holds), difference in zip(drawn["points"], own["difference"], strict=True):
        assert np.sign(place) == np.sign(difference)
        assert (place > drawn["margin"]) == holds == (difference > 0.01)
        assert f"{difference:+.3g}" in drawn["text"]
    assert drawn["claimed"] == (drawn["margin"], 1.0)
    assert np.sign(drawn["mean"]) == np.sign(mean)


def test_a_finding_is_of_the_claim_that_the_paper_names_and_of_mathematics_without_a_picture(base):
    claims = read_run(base).studies[0].claims
    proof = claims.assign(id="proof", verdict="proved", evidence="By algebra. More.", group="proof")
    both = {"claims": pd.concat([claims, proof])}
    assert found_in(base, dict(both))[0]["claim"]["id"] == "better"  # which says the most where none is named
    (named,) = found_in(base, dict(both), headline="proof")
    assert (named["claim"]["id"], named["found"], named["picture"]) == ("proof", "By algebra.", None)
    assert found_in(base, {"claims": claims.iloc[:0]}) == []


def test_a_claim_without_its_baseline_says_what_is_not_reproduced_and_has_no_picture(base):
    said = said_of_baseline("confirmed", "lda 1 of 4")
    claims, lines = (read_run(base).studies[0].frame(name) for name in ("claims", "claims-lines"))
    lines = lines.assign(verdict=BASELINE, evidence=lines["evidence"] + f" {said}")
    (one,) = found_in(base, {"claims": claims.assign(verdict=BASELINE, own=False), "claims-lines": lines})
    assert (one["claim"]["judged_by"], one["picture"]) == ("no baseline", None)
    assert one["found"].endswith(said)
    assert one["found"].startswith(lines["setting"][0])


def test_the_front_page_begins_with_headlines_and_counts_experiments_apart_from_mathematics(base, tmp_path):
    write_site([read_run(base)], tmp_path)
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


def test_whether_reduction_pays_follows_the_numbers(monkeypatch):
    for one in answers():
        whole = next((own for own in one["controls"] if own.method in ("all-features", "br")), None)
        best = one["then"][0] if one["first"].method in CONTROLS else one["first"]
        if whole is None:
            assert "not whether to reduce" in one["pays"]
            continue
        assert one["pays"].startswith("Reduction costs" if whole.near >= best.near else "Reduction pays")
        for own in (whole, best):
            assert str(sum(on.near > 0.5 for on in own.by_set)) in one["pays"]
    first, then, controls = choices("selection")
    everywhere = tuple(own._replace(near=1.0) for own in first.by_set)
    better = then[0]._replace(near=1.0, low=0.99, high=1.0, by_set=everywhere)
    monkeypatch.setattr(findings_module, "choices", lambda _: evidence.Choices(better, then, controls))
    said = pays("selection")
    assert said.startswith("Reduction pays by this measure")
    assert "overlap" not in said
    assert f"{better.method}, the first selector, on {first.data_sets}." in said


SCRIPT = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = given.shapes.map(([family, shape]) => mlreduceShapes.recommend(given.data, family, shape));
process.stdout.write(JSON.stringify(found));
"""
#: Rows, features, labels: as most data sets, one instance, few labels, text, and beyond what matrices hold.
SHAPES = [(1000, 300, 15), (40, 12, 1), (200, 30, 2), (300, 2000, 90), (6500, 7000, 8)]


def data_of(n, d, q, sparse):
    """Return features and labels of a shape: none negative, all labels known, several per instance."""
    rng = np.random.default_rng(0)
    Y = np.zeros((n, q), dtype=np.int8)
    Y[: n // 2] = 1  # two frequent sets of labels
    Y[-1, 0] = 1
    if not sparse:
        return rng.random((n, d)), Y
    stored = min(d, STORED)
    columns = (rng.integers(d, size=(n, 1)) + np.arange(stored)) % d
    return sp.csr_array(
        (np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, stored)), shape=(n, d)
    ), Y


def test_the_form_computes_what_recommend_does(monkeypatch):
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no node, which runs the page's script")
    monkeypatch.setattr(recommendation, "machine_memory", lambda: None)
    monkeypatch.setattr(recommendation, "machine_factor", lambda: 1.0)  # the page does not know the reader's machine
    cases = [(shape, sparse) for shape in SHAPES for sparse in (False, True) if sparse or shape[0] < 5000]
    asked = [
        (family, dict(zip("ndq", shape, strict=True), sparse=sparse)) for shape, sparse in cases for family in ANSWERED
    ]
    given = json.dumps({"data": form_data(), "shapes": asked})
    script = f"{own_file('shapes.js')}\n{SCRIPT}"
    made = subprocess.run([found, "-e", script], input=given, capture_output=True, text=True, check=True, timeout=60)
    answered = iter(json.loads(made.stdout))
    far = set()
    for shape, sparse in cases:
        X, Y = data_of(*shape, sparse)
        for family in ANSWERED:
            one, expected = next(answered), mlreduce.recommend(X, Y, goal=family)
            table = expected.table[expected.table["fits"] & expected.table["near"].notna()]
            about = (shape, sparse, family)
            # Controls of other families stand among them on the page alone.
            shown = [own for own in one["methods"] if registry.kind_of(own["name"]) == family]
            assert {own["name"] for own in one["methods"] if own not in shown} <= set(CONTROLS), about
            assert [own["name"] for own in shown] == table.index.tolist(), about
            for key in ("near", "nearby", "seconds", "gigabytes"):
                values = [own[key] for own in shown]
                np.testing.assert_allclose(values, table[key].to_list(), rtol=1e-9, err_msg=str(about))
            if len(table):
                assert [own["name"] for own in one["nearest"]] == expected.nearest["dataset"].tolist(), about
                assert [round(own["factor"], 2) for own in one["nearest"]] == expected.nearest["factor"].tolist(), about
                assert one["far"] == ("none of them is within" in str(expected)), about
            far.add(one["far"])
    assert far == {True, False}


def test_the_drawing_of_data_sets_keeps_their_order_and_writes_names_where_there_is_room():
    sets = [
        {"name": name, "instances": 10**i, "features": 10**j, "labels": q}
        for name, i, j, q in [("small", 2, 1, 4), ("wide", 2, 4, 40), ("long", 5, 1, 400), ("same", 2, 1, 4)]
    ]
    drawn = scatter(sets)
    places = {point["name"]: point for point in drawn["points"]}
    assert places["small"]["x"] == places["wide"]["x"] < places["long"]["x"] <= WIDTH
    assert HEIGHT >= places["small"]["y"] == places["long"]["y"] > places["wide"]["y"] >= 0
    assert places["small"]["r"] < places["wide"]["r"] < places["long"]["r"]
    same = places["same"]  # comes first, by its name; the other has no room at either side
    assert (same["label"], places["small"]["label"]) == (("start", same["x"] + same["r"] + 3), None)
    assert [text for _, text in drawn["x"]] == ["100", "1k", "10k", "100k"]
    assert scatter([])["points"] == []


def test_the_front_page_counts_commits_where_there_are_several():
    made = [["mlreduce 1"], ["mlreduce 1", "commit a"]]
    assert _counted(made) == "mlreduce 1, commit a"
    assert _counted([*made, ["mlreduce 2", "commit b"]]) == "2 versions of mlreduce, 2 commits"


def test_data_sets_with_the_same_instances_are_marked():
    names = ["virus", "virus-go", "emotions", "mine"]
    assert catalogued("virus", names)["same_instances"] == ["virus-go"]
    assert catalogued("virus-go", names)["same_instances"] == ["virus"]
    assert catalogued("emotions", names)["same_instances"] == catalogued("mine", names)["same_instances"] == []
    assert catalogued("emotions", names)["address"].startswith("https://")
    assert "ISMIR" in catalogued("emotions", names)["citation"]
    assert catalogued("mine", names)["licence"] == ""
