from __future__ import annotations

import copy
from pathlib import Path

import pandas as pd
import pytest
import yaml
from claim_summaries import COMPARING, CURVES, OVERFITTING, check, known, summary, whole

from mlreduce.exceptions import ConfigurationError
from mlreduce.experiments.study import approximations
from mlreduce.registry import CHECKS
from mlreduce.reporting.claims import CLAIM_COLUMNS, Claim, claims_markdown, claims_table, read_claims

PROJECT = Path(__file__).parents[2]
SHIPPED = PROJECT / "config" / "claims.yaml"

RANKING = {"measures": ["hamming-loss"], "predictor": "r", "protocol": "p", "energy": 0.999}


def losses(rows):
    """Make a summary at a threshold from {data set: {method: mean}}."""
    cells = {(d, m): {"mean": mean} for d, methods in rows.items() for m, mean in methods.items()}
    return summary(cells, energy=0.999)


def rank_by(method, rows, **changes):
    methods = list(next(iter(rows.values())))
    return check("best-average-rank", losses(rows), known(rows), method=method, methods=methods, **(RANKING | changes))


ORDERED = {f"d{i}": {"a": 0.1, "b": 0.2, "c": 0.3} for i in range(6)}  # CD = 2.3437 sqrt(12 / 36) = 1.353


def test_the_lowest_rank_confirms():
    verdict, evidence = rank_by("a", ORDERED)
    assert verdict == "confirmed"
    assert "a 1.00, b 2.00, c 3.00" in evidence
    assert "1.35 is the critical difference" in evidence
    assert "b cannot be told apart from a" in evidence
    assert "6 data sets and 1 measure:" in evidence


def test_the_critical_difference_refutes():
    assert rank_by("c", ORDERED)[0] == "refuted"
    assert rank_by("b", ORDERED)[0] == "undecided"


def test_a_shared_lowest_rank_is_undecided():
    assert rank_by("a", {"d": {"a": 0.1, "b": 0.1, "c": 0.2}, "e": {"a": 0.1, "b": 0.1, "c": 0.2}})[0] == "undecided"


def test_a_single_data_set_has_no_critical_difference():
    verdict, evidence = rank_by("c", {"d": ORDERED["d0"]})
    assert verdict == "undecided"
    assert "one data set has no critical difference" in evidence
    assert "b and c cannot be told apart from a" in evidence


def test_ranks_follow_directions_and_average_within_data_sets():
    """On d, a is first by loss and last by f1, so 1.5; on e, first by loss and tied by f1, so 1.25."""
    cells = {}
    for d, f1 in (("d", {"a": 0.2, "b": 0.9}), ("e", {"a": 0.9, "b": 0.9})):
        for m, loss in (("a", 0.1), ("b", 0.2)):
            cells[d, m, "hamming-loss"] = {"mean": loss}
            cells[d, m, "instance-f1"] = {"mean": f1[m], "measure": "instance-f1"}
    arguments = RANKING | {"measures": ["hamming-loss", "instance-f1"], "method": "a", "methods": ["a", "b"]}
    verdict, evidence = check("best-average-rank", summary(cells, energy=0.999), known("de"), **arguments)
    assert verdict == "confirmed"
    assert "a 1.38, b 1.62" in evidence


EIGENVALUES = {("d", "a"): 5.0, ("d", "b"): 3.5, ("e", "a"): 2.0, ("e", "b"): 5.0}


def count(sizes, **arguments):
    table = summary({k: {"size": v} for k, v in sizes.items()}, size_percent=100)
    more = table.assign(size=99, size_percent=20)  # must not be looked at
    return check("at-most-labels", pd.concat([table, more]), known("de"), methods=["a", "b"], protocol="p", **arguments)


def test_at_most_labels():
    verdict, evidence = count(EIGENVALUES)
    assert verdict == "confirmed"
    assert "a on d: 5 for 5 labels, a ratio of 1.000; 0 of 4 pairs" in evidence
    verdict, evidence = count(EIGENVALUES | {("e", "b"): 5.1})
    assert verdict == "refuted"
    assert "b on e: 5.1 for 5 labels, a ratio of 1.020; 1 of 4 pairs" in evidence


@pytest.mark.parametrize(
    ("sizes", "verdict"),
    [
        ([(9, 3), (8, 7), (5.5, 5.4)], "confirmed"),
        ([(9, 3), (8, 7), (5, 5)], "undecided"),
        ([(9, 3), (6, 7), (5, 5)], "refuted"),
        ([(9, 3), (6, 7)], "refuted"),
        ([(1, 3), (6, 7)], "refuted"),
    ],
)
def test_needs_more_directions(sizes, verdict):
    names = "def"[: len(sizes)]
    cells = {(d, m): {"size": s} for d, pair in zip(names, sizes, strict=True) for m, s in zip("ab", pair, strict=True)}
    table = pd.concat([summary(cells, energy=0.999), summary(cells, energy=0.9, size=1)])
    found, evidence = check(
        "needs-more-directions", table, known(names), method="a", than="b", energy=0.999, protocol="p"
    )
    assert found == verdict
    assert f"d {sizes[0][0]} and {sizes[0][1]}" in evidence
    assert "At 99.9 % of the eigenvalues a needs more directions than b on" in evidence


EVERY = {
    "best-average-rank": RANKING | {"method": "a", "methods": ["a", "b"]},
    "at-most-labels": {"methods": ["a", "b"], "protocol": "p"},
    "needs-more-directions": {"method": "b", "than": "a", "energy": 0.999, "protocol": "p"},
    "not-worse": COMPARING,
    "better-on": COMPARING,
    "overfits": OVERFITTING | {"methods": ["a", "b"]},
    "mostly-better": CURVES | {"method": "a", "than": "b", "share": 1},
    "best-in-most": CURVES | {"method": "a", "methods": ["a", "b"]},
    "alike-on": CURVES | {"methods": ["a", "b"], "within": 0.7},
    "suits-more": CURVES | {"methods": ["a"], "than": ["b"], "control": "b"},
}


@pytest.mark.parametrize("name", EVERY)
def test_partial_runs_name_what_is_missing(name):
    table, datasets = whole(), known("de")
    assert check(name, table, datasets, **EVERY[name])[0] == "confirmed"
    without_set = check(name, table[table.dataset != "e"], datasets, **EVERY[name])
    assert without_set[0] == "undecided"
    assert without_set[1].startswith("Missing from this run: e. On the rest: ")
    without_method = check(name, table[(table.dataset != "e") | (table.method != "b")], datasets, **EVERY[name])
    assert without_method[0] == "undecided"
    assert without_method[1].startswith("Missing from this run: e (b). On the rest: ")
    broken = table.assign(mean=table["mean"].where(table.dataset != "d"))
    assert check(name, broken, datasets, **EVERY[name])[1].startswith("Missing from this run: d. ")


@pytest.mark.parametrize("name", EVERY)
def test_nothing_confirms_nothing(name):
    for table in (whole().iloc[:0], whole().assign(protocol="q"), whole("xy"), whole()[lambda t: t.method == "c"]):
        verdict, evidence = check(name, table, known("de"), **EVERY[name])
        assert (verdict, evidence) == ("undecided", "Missing from this run: d, e.")
    assert check(name, whole(), known(""), **EVERY[name]) == ("undecided", "This run has no data set.")


@pytest.mark.parametrize("name", EVERY)
def test_other_data_sets_are_not_looked_at(name):
    table = whole()
    worst = whole("x").assign(size=[99, 99, 99, 99, 99, 1, 1, 1, 99, 1], mean=[0.9] * 5 + [0.0] * 5)
    alone = check(name, table, known("de"), **EVERY[name])
    assert check(name, pd.concat([table, worst]), known("de"), **EVERY[name]) == alone
    assert check(name, worst, known("x"), **EVERY[name])[0] != "confirmed"


def test_a_missing_size_or_measure_is_missing():
    table = whole()
    assert (
        "e (a)"
        in check(
            "not-worse",
            table[(table.dataset != "e") | (table.method != "a") | (table.size_percent != 40)],
            known("de"),
            **COMPARING,
        )[1]
    )
    more = EVERY["best-average-rank"] | {"measures": ["hamming-loss", "instance-f1"]}
    with_another = pd.concat([table, table.assign(measure="subset-accuracy")])
    for given in (table, with_another):
        assert check("best-average-rank", given, known("de"), **more) == ("undecided", "Missing from this run: d, e.")


def test_shipped_claims_are_valid():
    claims = read_claims(SHIPPED)
    assert {claim.check for entries in claims.values() for claim in entries} == set(CHECKS)


@pytest.mark.parametrize("study", read_claims(SHIPPED))
def test_shipped_claims_match_their_studies(study):
    content = yaml.safe_load((PROJECT / "config" / "studies" / f"{study}.yaml").read_text())
    methods = {name for group in content["methods"].values() for name in group}
    for claim in read_claims(SHIPPED)[study]:
        arguments = claim.arguments
        assert set(claim.datasets or []) <= set(content["scales"]["paper"]["datasets"])
        assert {arguments.get("measure"), *arguments.get("measures", [])} <= {None, *content["measures"]}
        assert {arguments.get("predictor"), *arguments.get("predictors", [])} <= {None, *content["predictors"]}
        approximated = CHECKS[claim.check].looks_at == "approximation"
        approximated_by = approximations(content["approximation"]).values() if approximated else []
        known = [label for own in approximated_by for label in own] if approximated else methods
        than = arguments.get("than", [])
        named = [*arguments.get("methods", []), *(than if isinstance(than, list) else [than])]
        assert {*named, arguments.get("method", named[0])} <= set(known)
        sizes = content["approximation"]["percents"] if approximated else content["sizes"]
        searched = [0] if "search" in content else []  # sizes that are searched are no share of all
        assert set(arguments.get("size_percents", [])) <= {*sizes, *searched}
        if CHECKS[claim.check].looks_at not in ("approximation", "times"):
            assert arguments["protocol"] in content["protocols"]


def cplst_verdicts(results, datasets):
    table = claims_table(read_claims(SHIPPED)["cplst-2012"], results, datasets)
    return dict(zip(table["id"], table["verdict"], strict=True)), dict(zip(table["id"], table["evidence"], strict=True))


def test_cplst_claims_on_the_reference_results():
    results = pd.read_csv(PROJECT / "results" / "reference" / "cplst-2012" / "summary.csv.gz")
    sizes = results[results["size_percent"] == 100].groupby("dataset")["size"].max()
    datasets = pd.DataFrame({"dataset": sizes.index, "labels": sizes.to_numpy()})
    verdicts, evidence = cplst_verdicts(results, datasets)
    assert {name for name, verdict in verdicts.items() if verdict == "confirmed"} >= {
        "cplst-not-worse-than-plst",
        "cplst-better-than-plst-on-three",
        "occa-and-pbr-inferior",
        "cplst-better-than-occa-and-pbr-on-yeast",
        "plst-encodes-best-on-yeast",
        "occa-encodes-worst-on-yeast",
        "occa-is-predicted-best-on-yeast",
        "plst-is-predicted-worst-on-yeast",
        "cplst-has-the-lowest-bound-on-yeast",
        "full-size-is-binary-relevance",
        "linear-regression-overfits-medical-and-enron",
    }
    assert verdicts["cca-at-best-comparable-to-occa"] == "refuted"
    assert "0 of 32 comparisons, on 0 of 8 data sets" in evidence["cplst-not-worse-than-plst"]
    assert "on 3 of 8 data sets: enron (16 of 16" in evidence["occa-and-pbr-inferior"]
    assert "0 of 48 comparisons" in evidence["full-size-is-binary-relevance"]


def test_cplst_claims_hold_of_the_printed_numbers():
    """What a claim takes for better must be what the paper did, or it would refute itself."""
    printed = pd.read_csv(PROJECT / "config" / "published" / "cplst-2012.csv")
    predictors = {"table3": "linear", "table4": "m5p", "table5": "kernel-ridge"}
    results = printed.assign(
        predictor=printed["table"].map(predictors), protocol="as-printed", measure="hamming-loss", energy=0.0, size=1.0
    )
    verdicts, evidence = cplst_verdicts(results, known(sorted(printed["dataset"].unique())))
    printed_ones = {name: verdict for name, verdict in verdicts.items() if "Missing" not in evidence[name]}
    assert len(printed_ones) == 9
    assert set(printed_ones.values()) == {"confirmed"}


def test_a_claim_about_some_data_sets_is_about_these_only():
    def verdict(datasets, table):
        claim = Claim("one", "c", "w", "not-worse", COMPARING, datasets)
        return claims_table([claim], table, known("def"))[["verdict", "evidence"]].iloc[0].tolist()

    table = whole("def")
    table.loc[(table.dataset == "f") & (table.method == "a"), "mean"] = 0.9
    assert verdict(None, table)[0] == "undecided"
    assert verdict(["f"], table)[0] == "refuted"
    assert verdict(["e", "d"], table) == verdict(["d", "e"], table)
    assert verdict(["d", "e"], table)[0] == "confirmed"
    assert "on 0 of 2 data sets" in verdict(["d", "e"], table)[1]
    assert verdict(["d", "e"], table[table.dataset != "e"])[1].startswith("Missing from this run: e. On the rest: ")
    assert verdict(["d", "x"], table)[1].startswith("Missing from this run: x. ")


@pytest.fixture
def changed(tmp_path):
    """Read the shipped claims after changes to one of them."""

    def read(name, **changes):
        content = copy.deepcopy(yaml.safe_load(SHIPPED.read_text()))
        claim = next(c for entries in content.values() for c in entries if c["id"] == name)
        for key, value in changes.items():
            target, last = (claim["arguments"], key[2:]) if key.startswith("a_") else (claim, key)
            if value is None:
                del target[last]
            else:
                target[last] = value
        file = tmp_path / "my-claims.yaml"
        file.write_text(yaml.safe_dump(content, sort_keys=False))
        return read_claims(file)

    return read


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        (
            "mvmd-best-rank",
            {"check": "best-averge-rank"},
            "mvmd-2016.mvmd-best-rank: unknown check 'best-averge-rank'; did",
        ),
        ("mvmd-best-rank", {"claim": None}, r"mvmd-2016\.0: the key 'claim' is missing"),
        ("mvmd-best-rank", {"wher": "here"}, "unknown key 'wher'; did you mean 'where'"),
        ("mvmd-best-rank", {"id": "Best rank"}, "'Best rank' does not match"),
        ("mvmd-best-rank", {"id": "mddm-at-most-q"}, "mvmd-2016.mddm-at-most-q: this id is used twice"),
        ("mvmd-best-rank", {"a_method": "mvdm"}, "unknown method 'mvdm'; did you mean 'mvmd'"),
        ("mvmd-best-rank", {"a_methods": ["mvmd"]}, "best-average-rank needs at least two methods"),
        ("mvmd-best-rank", {"a_methods": "mvmd"}, "methods: expected array, got 'mvmd'"),
        (
            "mvmd-best-rank",
            {"a_measures": ["hamming-los"]},
            "unknown measure 'hamming-los'; did you mean 'hamming-loss'",
        ),
        ("mvmd-best-rank", {"a_size_percent": 20}, "takes one of 'energy' and 'size_percent'"),
        ("mvmd-best-rank", {"a_energy": 99.9}, "energy: 99.9 is greater than the maximum of 1"),
        ("mvmd-best-rank", {"a_enrgy": 0.9}, "unknown argument of best-average-rank 'enrgy'; did you mean 'energy'"),
        (
            "mddm-at-most-q",
            {"a_method": "mddmp"},
            "unknown argument of at-most-labels 'method'; did you mean 'methods'",
        ),
        ("pca-needs-more-than-mvmd", {"a_than": ["mvmd"]}, r"than: expected string, got \['mvmd'\]"),
        ("occa-and-pbr-inferior", {"a_than": "occa"}, "than: expected array, got 'occa'"),
        ("occa-and-pbr-inferior", {"a_measure": "haming-loss"}, "unknown measure 'haming-loss'"),
        ("cplst-better-than-plst-on-three", {"a_than": ["cplst"]}, "'cplst' is in 'methods' and in 'than'"),
        ("cplst-better-than-plst-on-three", {"a_at_least": 4}, "'at_least' must be at most 3, the number of data sets"),
        ("cplst-better-than-plst-on-three", {"a_at_least": 0}, "at_least: 0 is less than the minimum of 1"),
        ("cplst-better-than-plst-on-three", {"datasets": "yeast"}, "datasets: expected array, got 'yeast'"),
        ("kernel-ridge-does-not-overfit-medical-and-enron", {"a_cured_by": None}, "'cured_methods' needs 'cured_by'"),
        ("occa-and-pbr-inferior", {"a_tolerance_se": -1}, "tolerance_se: -1 is less than the minimum of 0"),
    ],
)
def test_wrong_claims_are_named(changed, name, changes, message):
    with pytest.raises(ConfigurationError, match=message) as caught:
        changed(name, **changes)
    assert "my-claims.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_table_and_markdown():
    claims = [
        Claim("one", "a | b holds.", "Section 1", "at-most-labels", EVERY["at-most-labels"]),
        Claim("two", "b needs more.", "Section 2", "needs-more-directions", EVERY["needs-more-directions"]),
    ]
    table = claims_table(claims, whole("d"), known("de"))
    assert tuple(table.columns) == CLAIM_COLUMNS
    assert list(table["verdict"]) == ["undecided", "undecided"]
    text = claims_markdown(claims_table(claims, whole(), known("de")), "mine-2024")
    assert text.startswith("# What mine-2024 claims\n\nOf 2 claims: 2 confirmed, 0 refuted, 0 undecided.\n\n| id |")
    assert r"| a \| b holds. |" in text
    assert "No claim of this paper is checked." in claims_markdown(claims_table([], whole(), known("d")), "mine-2024")


def test_checks_of_curves_look_at_areas_alone():
    table, datasets = whole("de"), known("de")
    of_areas = [name for name in EVERY if CHECKS[name].looks_at == "areas"]
    claims = [Claim(name, "c", "w", name, EVERY[name]) for name in of_areas]
    assert list(claims_table(claims, table.iloc[:0], datasets, {"areas": table})["verdict"]) == ["confirmed"] * 3
    without = claims_table(claims, table, datasets)
    assert list(without["verdict"]) == ["undecided"] * 3
    assert list(without["evidence"]) == ["Missing from this run: d, e."] * 3
    others = [Claim(name, "c", "w", name, EVERY[name]) for name in EVERY if name not in of_areas]
    pd.testing.assert_frame_equal(
        claims_table(others, table, datasets), claims_table(others, table, datasets, {"areas": table.assign(mean=9.0)})
    )


BASES = EVERY | {
    "suits-more": EVERY["suits-more"] | {"control": "c"},
    "lower-error": {"method": "a", "than": "b", "size_percents": [5, 20]},
    "slower-by": {"method": "a", "than": "b", "least": 2},
}
WRONG = [
    ("best-in-most", {"method": "c"}, "unknown method 'c'"),
    ("best-in-most", {"methods": ["a"]}, "best-in-most needs at least two methods; got .'a'."),
    ("best-in-most", {"method": None}, "the argument 'method' of best-in-most is missing"),
    ("best-in-most", {"predictors": "r"}, "predictors: expected array, got 'r'"),
    ("best-in-most", {"within": 0.1}, "unknown argument of best-in-most 'within'"),
    ("alike-on", {"methods": ["a"]}, "alike-on needs at least two methods"),
    ("alike-on", {"within": 0}, "within: 0 is less than or equal to the minimum of 0"),
    ("suits-more", {"control": "a"}, "'a' is in two of 'methods', 'than' and 'control', which must differ"),
    ("suits-more", {"than": ["a"]}, "'a' is in two of 'methods', 'than' and 'control'"),
    ("mostly-better", {"share": 0.5}, "share: 0.5 is less than or equal to the minimum of 0.5"),
    ("mostly-better", {"share": 1.5}, "share: 1.5 is greater than the maximum of 1"),
    ("mostly-better", {"measures": ["haming-loss"]}, "unknown measure 'haming-loss'; did you mean 'hamming-loss'"),
    ("lower-error", {"than": ["b"]}, "than: expected string, got .'b'."),
    ("lower-error", {"than": "a"}, "'a' is 'method' and 'than', which must differ"),
    ("lower-error", {"size_percents": [0]}, "size_percents.0: 0 is less than the minimum of 1"),
    ("slower-by", {"least": 0}, "least: 0 is less than or equal to the minimum of 0"),
    ("slower-by", {"most_times": 1.5}, "'most_times' must be at least 2, which is 'least'; got 1.5"),
]


def test_the_schemas_of_arguments(tmp_path):
    file = tmp_path / "claims.yaml"
    for name, changes, message in [*((name, {}, "") for name in BASES), *WRONG]:
        arguments = {k: v for k, v in (BASES[name] | changes).items() if v is not None}
        entry = {"id": "one", "claim": "c", "where": "w", "check": name, "arguments": arguments}
        file.write_text(yaml.safe_dump({"mine": [entry]}))
        if message:
            with pytest.raises(ConfigurationError, match=f"mine.one: {message}"):
                read_claims(file)
        else:
            assert read_claims(file)["mine"][0].arguments == arguments
