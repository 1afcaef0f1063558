from __future__ import annotations

import copy
from pathlib import Path

import jsonschema
import pytest
import yaml

import mlreduce
from mlreduce.configuration import read_yaml, validate
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.study import batches, load_study, study_files

CONFIG = Path(__file__).parents[2] / "config"
STUDIES = study_files(CONFIG.parent)
STUDY, GMBA = STUDIES["cplst-2012"], STUDIES["gmba-2016"]


@pytest.mark.parametrize("path", sorted((CONFIG.parent / "workflow" / "schemas").glob("*.yaml")), ids=lambda p: p.stem)
def test_schemas_are_schemas(path):
    jsonschema.Draft202012Validator.check_schema(yaml.safe_load(path.read_text()))


@pytest.fixture
def changed(tmp_path):
    """Load a study after changes at dotted keys."""

    def load(changes, source=STUDY, **options):
        content = copy.deepcopy(yaml.safe_load(source.read_text()))
        for key, value in changes.items():
            *path, last = key.split(".")
            target = content
            for part in path:
                target = target[part]
            if value is None:
                del target[last]
            else:
                target[last] = value
        file = tmp_path / "my-study.yaml"
        file.write_text(yaml.safe_dump(content, sort_keys=False))
        return load_study(file, options.pop("scale", "demo"), read_catalogue(), **options)

    return load


@pytest.mark.parametrize("name", ["config", "paper"])
def test_shipped_configurations_are_valid(name):
    validate(read_yaml(CONFIG / "config.yaml") | read_yaml(CONFIG / f"{name}.yaml"), "config", name)


@pytest.mark.parametrize("scale", ["demo", "paper"])
def test_shipped_studies_are_valid(scale, monkeypatch):
    monkeypatch.delenv("MLREDUCE_MIRROR", raising=False)  # which may lack an optional data set
    catalogue = read_catalogue()
    codes, mvmd, gmba, qpfs = (
        load_study(STUDIES[name], scale, catalogue)
        for name in ("cplst-2012", "mvmd-2016", "gmba-2016", "qpfs-lowrank-2016")
    )
    assert set(codes.methods) == {"br", "cca-code", "cplst", "cs", "kernel-cplst", "occa", "pbr", "plst"}
    assert set(codes.methods) < {*mlreduce.registry.method_names("labelspace")}
    assert codes.splits == (100 if scale == "paper" else 3)
    sampled = {"train_rows": 1800, "test": 0.1}
    assert (mvmd.family, mvmd.protocols) == (
        "projection",
        {"ten-fold": {"folds": 10, "sampled": dict.fromkeys(("eukaryote-go", "human-go", "human"), sampled)}},
    )
    assert mvmd.timed_on("emotions") == (3 if scale == "paper" else 1)
    assert gmba.family == qpfs.family == "selection"
    assert gmba.rule_of("ten-fold", "bibtex") == {"train_rows": 1800, "test": 0.1}
    assert qpfs.averages["qpfs-approx"] == [f"qpfs-approx-{draw}" for draw in range(5)]


def test_studies_predict_above_one_half_and_may_have_another_decision(changed):
    """Which ones there are is known from the schema, without a look at what makes decisions."""
    from mlreduce.predictors.decision import DECISIONS

    assert all(read_yaml(path).get("decision", "half") == "half" for path in STUDIES.values())
    assert [changed({"decision": rule}).decision for rule in DECISIONS] == list(DECISIONS)
    assert changed({"decision": None}).decision == "half"
    with pytest.raises(ConfigurationError, match="one-treshold"):
        changed({"decision": "one-treshold"})


def test_methods_that_draw_are_written_out(changed):
    study = changed({"methods.controls.random": {"method": "random-features", "draws": 3}}, GMBA)
    assert study.averages["random"] == ["random-0", "random-1", "random-2"]
    assert study.methods["random-1"] == {"method": "random-features"}
    assert study.methods["gmba-4"] == {"method": "gmba", "visits": "position", "n_orders": 1}
    assert "gmba" not in study.methods


def test_protocols_in_parts(changed):
    study = changed({"protocols": {"choice": {"parts": "validation"}, "final": {"parts": "test"}}}, GMBA)
    assert study.rule_of("final", "planted") == {"parts": "test"}
    with pytest.raises(ConfigurationError, match="protocols.choice.parts: unknown value 'train'"):
        changed({"protocols": {"choice": {"parts": "train"}}}, GMBA)


def test_protocols_that_keep_the_shares_of_labels(changed):
    sampled = {"planted": {"train_rows": 200, "test": 0.1}}
    rules = {"a": {"folds": 3, "stratify": "second", "sampled": sampled}, "b": {"train": 0.7, "stratify": "first"}}
    study = changed({"protocols": rules}, GMBA)
    assert study.rule_of("a", "digits") == {"folds": 3, "stratify": "second"}
    assert study.rule_of("a", "planted") == {**sampled["planted"], "stratify": "second"}
    assert study.rule_of("b", "planted") == rules["b"]
    with pytest.raises(ConfigurationError, match="protocols.c.stratify: unknown value 'yes'"):
        changed({"protocols": {"c": {"folds": 3, "stratify": "yes"}}}, GMBA)
    with pytest.raises(ConfigurationError, match="protocols.c: parts are stratified as they are"):
        changed({"protocols": {"c": {"parts": "test", "stratify": "first"}}}, GMBA)


def test_an_optional_data_set_may_be_absent_from_the_mirror(changed, tmp_path, monkeypatch):
    changes = {"scales.paper.datasets": ["mediamill", "planted"], "scales.paper.optional": ["mediamill"]}
    monkeypatch.delenv("MLREDUCE_MIRROR", raising=False)
    here = {"source": GMBA, "scale": "paper"}
    assert changed(changes, **here).datasets == ["mediamill", "planted"]
    (tmp_path / "mirror" / "mediamill").mkdir(parents=True)
    study = changed(changes, **here, mirror=tmp_path / "mirror")
    assert (study.datasets, study.left_out, study.claimed_on) == (["planted"], ["mediamill"], ["planted"])
    monkeypatch.setenv("MLREDUCE_MIRROR", str(tmp_path / "mirror"))
    assert changed(changes, **here).left_out == ["mediamill"]
    (tmp_path / "mirror" / "mediamill" / "mediamill.arff").touch()
    assert changed(changes, **here).left_out == []


def test_groups_have_their_own_splits_and_candidates(changed):
    study = changed(
        {
            "scales.demo.splits": 10,
            "scales.demo.fewer_splits": {"kernel-codes": {"digits": 3}},
            "groups.kernel-codes.splits_per_job": {"default": 4, "digits": 2},
            "groups.kernel-codes.choose": {
                "folds": 3,
                "log2_gamma": {"default": [-2, 0], "digits": [-4, 0, 2]},
                "log2_alpha": {"default": [0, 1]},
                "once": ["digits"],
            },
        }
    )
    group = study.groups["kernel-codes"]
    assert [study.splits_of(name, "digits") for name in ("linear-codes", "kernel-codes")] == [10, 3]
    assert study.batches("kernel-codes", "digits", 100) == ["000-001", "002-002"]
    assert study.batches("kernel-codes", "planted", 100) == ["000-003", "004-007", "008-009"]
    assert study.batches("kernel-codes", "planted", 3) == study.batches("linear-codes", "planted", 3)
    assert study.batches("linear-codes", "planted", 100) == ["000-009"]
    assert group.candidates("planted") == {"folds": 3, "gammas": [0.25, 0.5, 1.0], "alphas": [1.0, 2.0]}
    assert group.candidates("digits")["gammas"] == [0.0625, 0.25, 1.0]
    assert group.chosen_once("digits")
    assert not group.chosen_once("planted")


def test_a_group_may_be_timed_only_on_features_of_a_scaling_of_its_own(changed):
    own = {"timed_only": True, "scaling": "none"}
    study = changed({"methods.own": {"spec-as-is": {"method": "spec"}}, "groups": {"own": own}}, GMBA)
    group = study.groups["own"]
    assert (group.timed_only, group.scaling, group.predictors) == (True, "none", [])
    assert "own" not in {name for _, name in study.tasks("digits-300")}
    assert "spec-as-is" in study.methods
    wrong = {
        "'timed_only' is a dependency of 'scaling'": {"groups": {"own": {"scaling": "none"}}},
        "groups.own": {"groups": {"own": {**own, "predictors": ["br-knn"]}}},
        "methods.own: 'spec' is in another group too": {"groups": {"own": own}, "methods.own": {"spec": {}}},
    }
    for sentence, changes in wrong.items():
        with pytest.raises(ConfigurationError, match=sentence):
            changed({"methods.own": {"spec-as-is": {"method": "spec"}}, **changes}, GMBA)


def test_run_on_and_splits_replace_the_studys_own(changed):
    study = changed({}, splits=3, run_on=["planted"], scale="paper")
    assert (study.splits, study.datasets, study.curves) == (3, ["planted"], ["planted"])


def test_folds_of_consecutive_rows_are_never_more_than_their_protocol_has(changed):
    protocols = {"protocols.own": {"folds": 5, "shuffle": False}}
    numbers = {asked: changed(protocols, splits=asked, scale="paper").splits for asked in (2, 5, 20)}
    assert numbers == {2: 2, 5: 5, 20: 5}


def test_a_study_may_ask_for_panels_and_stability(changed):
    panels = {"panels": [["yeast", "ridge"], ["scene", "fixed-ridge"]], "predictor_labels": {"ridge": "R"}}
    figure = {"kind": "panels", "caption": "c", "methods": ["pca"], "measure": "hamming-loss", **panels}
    table = {"kind": "stability", "caption": "c", "methods": ["pca"], "size_percents": [10, 50]}
    more = {"references": {"lsi": "LSI"}, "thin": {"balances": ["mvmd-0.1", "mvmd-0.2"]}}
    outputs = {"figures.figure-panels": {**figure, **more}, "tables.table-stability": table}
    study = changed(outputs, source=STUDIES["mvmd-2016"])
    assert study.figures["figure-panels"] == {**figure, **more}
    assert study.tables["table-stability"] == table


def test_invalid_yaml_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no such file"):
        read_yaml(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: 1\nb: [1, 2\nc: 3\n")
    with pytest.raises(ConfigurationError, match=r"bad\.yaml, line \d: not YAML"):
        read_yaml(tmp_path / "bad.yaml")
    (tmp_path / "bad.yaml").write_text("a: !!python/object/apply:os.system ['true']\n")
    with pytest.raises(ConfigurationError, match="the tag .* is not allowed"):
        read_yaml(tmp_path / "bad.yaml")


ALIASES = "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
MERGES = ALIASES.replace("[1]", "{k: 1}").replace("[*", "{<<: [*").replace("]\n", "]}\n").replace("{k: 1}}", "{k: 1}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ALIASES, "line 14: more than 20000 values, with aliases expanded"),
        (MERGES, "line 13: more than 20000 values"),
        ("[" + "a," * 20_001 + "]", "more than 20000 values"),
        ("a: &a [*a]", "line 1: the alias 'a' refers to itself"),
        ("a: &a\n  b: {<<: *a}", "line 2: the alias 'a' refers to itself"),
        ("a:\n - " + "[" * 40 + "]" * 40, "line 2: values are nested more than 40 deep"),
        ("- " * 5000, "more than 40 deep"),
        ("[" * 41 + "]" * 41, "more than 40 deep"),
        ("a: 1\nb: 2\na: 3", "line 3: the key 'a' is repeated here"),
        ("a: 1\n2: 3", "line 2: a key must be text; got '2'; does it need quotes"),
        ("yes: 1", "a key must be text; got 'yes'"),
        ("? [a]\n: 1", "a key must be text; got a list or mapping"),
        ('"a\\nb": 1', "contains a line break"),
        ('a: "b\\0"', r"line 1: 'b.x00' contains an unprintable character"),
        ('a: "\\ud800"', "contains an unprintable character"),
        ("a: !!python/object/apply:os.system [ls]", "the tag .*python/object.* is not allowed"),
        ("a: !!bool maybe", "the tag .*bool' is not allowed"),
        ("a: .nan", "'.nan' is not a finite number"),
        ("a: -.inf", "'-.inf' is not a finite number"),
        ("a: 1" + ":1" * 500 + ".5", "is not a finite number"),
        ("a: 9223372036854775808", "'9223372036854775808' is not an integer of at most 64 bits"),
        ("a: " + "9" * 5000, "is not an integer of at most 64 bits"),
        ("a: 0b_", "'0b_' is not an integer"),
        ("a: " + "b" * 1_000_000, "a configuration file has at most 1,000,000 bytes"),
        ("a: b\n---\nc: d", "not YAML: but found another document"),
    ],
)
@pytest.mark.rotating
def test_yaml_beyond_configurations_is_refused(tmp_path, text, message):
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=f"c\\.yaml.*{message}"):
        read_yaml(tmp_path / "c.yaml")


def test_valid_yaml_is_read(tmp_path):
    (tmp_path / "deep.yaml").write_text("[" * 40 + "]" * 40)
    assert read_yaml(tmp_path / "deep.yaml")
    text = "\ufeffa: &a {b: [1, -2.5, true, null, x, 2016-13-41]}\nc: *a\nd: {<<: *a, e: 9223372036854775807}\n"
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    own = {"b": [1, -2.5, True, None, "x", "2016-13-41"]}
    assert read_yaml(tmp_path / "c.yaml") == {"a": own, "c": own, "d": own | {"e": 2**63 - 1}}


def test_expanded_aliases_are_counted():
    endless = []
    endless.append(endless)
    shared = ["a"]
    for _ in range(40):
        shared = [shared, shared]
    for studies in (endless, shared):
        with pytest.raises(ConfigurationError, match="here: more than 20000 values"):
            validate({"studies": studies}, "config", "here")


def test_sentences_stay_short(tmp_path):
    for content in ({"seed": ["a" * 5000]}, {"a" * 5000: 1}, {"scale": "a" * 5000}):
        whole = read_yaml(CONFIG / "config.yaml") | content
        with pytest.raises(ConfigurationError) as caught:
            validate(whole, "config", "here")
        assert len(str(caught.value)) < 500


WRONG = {
    "cplst-2012": [
        ({"scales.demo.datasets": ["digit"]}, "unknown data set 'digit'; did you mean 'digits'"),
        ({"methods.linear-codes.cplts": {}}, "methods.linear-codes: unknown method 'cplts'; did you mean 'cplst'"),
        ({"methods.linear-codes.cplst": {"rcon": 1}}, "unknown parameter of cplst 'rcon'; did you mean 'rcond'"),
        ({"methods.mine": {"plst": {}}}, "methods.mine: 'plst' with 'linear' is in group 'linear-codes' too"),
        ({"methods.tree-codes.plst": {"rcond": 1e-8}}, "codes: 'plst' has other parameters in another group"),
        ({"groups.tree-codes.predictors": ["m5"]}, "groups.tree-codes: unknown predictor 'm5'; did you mean 'm5p'"),
        ({"groups.tree-code": {"predictors": ["m5p"]}}, "unknown group 'tree-code'; did you mean 'tree-codes'"),
        ({"scales.demo.fewer_splits.mine": {"default": 1}}, "fewer_splits: unknown group 'mine'"),
        ({"methods.own": {"pbr": {}}, "groups.own": {"predictors": ["linear"]}}, "codes: no predictor is left for it"),
        ({"groups.kernel-codes.choose.log2_gamma": {"yeast": [0, 1]}}, "the key 'default' is missing"),
        ({"groups.kernel-codes.choose.log2_gamma": {"default": [0, 2000]}}, "2000 is greater than the maximum"),
        ({"predictors": {"liner": {}}}, "predictors: unknown method 'liner'; did you mean 'linear'"),
        ({"measures": ["hamming-los"]}, "unknown measure 'hamming-los'; did you mean 'hamming-loss'"),
        ({"tables.table3.methods": ["plts"]}, r"tables.table3.methods: unknown method 'plts'; did you mean 'plst'"),
        ({"tables.table3.predictor": "m5"}, "tables.table3.predictor: unknown predictor 'm5'"),
        ({"measures": ["hamming-loss"]}, "figures.figure1.measures: unknown measure 'encoding-error'"),
        ({"sizes": [20, 120]}, "sizes.1: 120 is greater than the maximum of 100"),
        ({"sizes": [10, 20, 10]}, "sizes: 10 is listed twice"),
        ({"protocol": {}}, "unknown key 'protocol'; did you mean 'protocols'"),
        ({"measures": None}, "the key 'measures' is missing"),
        ({"scaling": {"default": "none", "yeast": "standrad"}}, "scaling.yeast: unknown value 'standrad'"),
        ({"ties": "expcted"}, "ties: unknown value 'expcted'; did you mean 'expected'"),
        ({"relation": "euclidean"}, "relation: label coders do not see relations"),
        ({"protocols.own": {"train": 0.5, "shuffle": False}}, "protocols.own: .*folds"),
        ({"protocols.own": {"folds": 2, "shuffle": False}}, "protocols.own: without shuffle there are 2 splits"),
        ({"scales.demo.splits": "many"}, "scales.demo.splits: expected integer, got 'many'"),
        ({"methods.linear-codes": {"../plst": {"method": "plst"}}}, "methods.linear-codes: '../plst' does not match"),
    ],
    "mvmd-2016": [
        ({"methods.own": {"plst": {}}}, "'plst' .labelspace. and 'mvmd' .projection. cannot be in the same study"),
        ({"tables.table-f1.energy": 0.5}, "tables.table-f1.energy: 0.5 is not measured"),
        ({"tables.table-f1.kind": "rankd"}, "unknown value 'rankd'; did you mean 'ranked'"),
        ({"figures.figure-beta-f1.references": {"pac": "PCA"}}, "unknown method 'pac'; did you mean 'pca'"),
        ({"figures.figure-ranks.measures": None}, "figures.figure-ranks: the key 'measures' is missing"),
        ({"figures.figure-f1.kind": "panels"}, "figures.figure-f1: the key 'panels' is missing"),
        ({"tables.table-times.kind": "stability"}, "tables.table-times: the key 'size_percents' is missing"),
        ({"protocols.ten-fold.train": 0.5}, "protocols.ten-fold"),
    ],
    "gmba-2016": [
        ({"scaling": "standart"}, "scaling: unknown value 'standart'; did you mean 'standard'"),
        ({"methods.gmba.gmba": {"draws": 1}}, "methods.gmba.gmba.draws: 1 is less than the minimum of 2"),
        ({"figures.figure3.panels": [["bibtex", "br-kn"]]}, "figure3.panels: unknown predictor 'br-kn'"),
        ({"figures.figure3.panels": [["bibtx", "br-knn"]]}, "figure3.panels: unknown data set 'bibtx'"),
        ({"figures.figure-orders.thin": {"one": ["gmba-9"]}}, "figure-orders.thin: unknown method 'gmba-9'"),
        ({"tables.table-stability.size_percents": [15]}, "table-stability.size_percents: 15 is not measured"),
    ],
}


@pytest.mark.parametrize(("study", "changes", "message"), [(name, *case) for name in WRONG for case in WRONG[name]])
@pytest.mark.rotating
def test_wrong_studies_are_refused_by_key(changed, study, changes, message):
    with pytest.raises(ConfigurationError, match=message) as caught:
        changed(changes, STUDIES[study])
    assert "my-study.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"splits_per_jobs": 3}, "configuration: unknown key 'splits_per_jobs'; did you mean 'splits_per_job'"),
        ({"scale": "papers"}, "scale: unknown value 'papers'; did you mean 'paper'"),
        ({"seed": -1}, "seed: -1 is less than the minimum"),
        ({"seed": 2012.0}, "seed: expected integer, got 2012.0"),
        ({"run_on": 3}, "run_on: expected array, got 3"),
    ],
)
def test_wrong_configurations(changes, message):
    with pytest.raises(ConfigurationError, match=message):
        validate(read_yaml(CONFIG / "config.yaml") | changes, "config", "configuration")


def test_batches_cover_the_splits():
    assert batches(100, 100) == {"000-099": range(100)}
    assert batches(5, 2) == {"000-001": range(2), "002-003": range(2, 4), "004-004": range(4, 5)}
