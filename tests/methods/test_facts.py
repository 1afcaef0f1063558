"""The table of methods and their descriptions say what is declared, and what is declared is true."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from quick import quick

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.linalg import lsqr
from mlreduce.methods.facts import facts_of
from mlreduce.projection import base
from mlreduce.spectral import solver

NAMES = registry.method_names()
RNG = np.random.default_rng(0)
X = sp.csr_array(sp.random(300, 37, 0.2, random_state=0))
Y = (RNG.random((300, 6)) < 0.3).astype(np.int8)
Y[:, 0] |= ~Y.any(axis=1)


def unknown(of: str):
    """Return labels of which some are unknown."""
    labels = Y.astype(float)
    if of == "rows":
        labels[200:] = np.nan
    else:
        labels[::3, 1] = np.nan
    return labels


def suitable(name: str):
    """Return labels that a method takes."""
    facts = facts_of(name)
    if facts.single_label:
        return Y.argmax(axis=1)
    return unknown("rows") if facts.family == "propagation" else Y


def test_the_list_is_one_of_names():
    assert registry.method_names() == NAMES
    assert "mvmd" in NAMES
    assert json.loads(json.dumps(NAMES)) == [*NAMES]


def test_every_method_declares_its_facts():
    table = mlreduce.list_methods()
    assert list(table.index) == NAMES
    assert not table.drop(columns="year").isna().to_numpy().any()
    missing = [registry.method_class(name).__name__ for name in table.index[table["cost"] == ""]]
    assert not missing, (
        f"without the class attribute `complexity`, what a fit costs: {missing}; such as "
        "`complexity = Complexity('n d', 'd')` of mlreduce.complexity, for operations and numbers held"
    )
    assert table.loc[~table["control"], "year"].between(1900, 2100).all()
    cited = {"random-projection", "anova", "chi2", "mutual-info", "lasso-multitask"}
    assert set(table.index[table["control"]]) == {*table.index[table["paper"] == ""], *cited}
    assert (table["full_name"].str.len() > 5).all()
    assert not table["full_name"].duplicated().any()


def test_methods_are_a_table_and_are_chosen_by_facts():
    assert list(mlreduce.list_methods("propagation").index) == registry.method_names("propagation")
    assert list(mlreduce.list_methods(family="propagation").index) == registry.method_names("propagation")
    table = mlreduce.list_methods()
    assert {"mvmd"} < {*table.query("family == 'projection' and year >= 2016").index}
    chosen = mlreduce.list_methods("predictors", unknown_labels=["cells", "rows"], linear=False)
    assert chosen.equals(table.query("family == 'predictors' and unknown_labels != 'no' and linear == False"))
    assert mlreduce.list_methods(year=1).empty
    assert mlreduce.list_methods("propagation", single_label=True, full_name="none").empty


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"famly": "projection"}, "unknown fact of methods 'famly'; did you mean 'family'"),
        ({"family": "projektion"}, "'projektion'; did you mean 'projection'"),
        ({"unknown_labels": "cell"}, "unknown unknown_labels of methods 'cell'; did you mean 'cells'"),
        ({"family": "propagation", "sparse": ["kept", "dense"]}, "unknown sparse of methods 'dense'"),
        ({"needs_labels": "yes"}, "unknown needs_labels of methods 'yes'; known: False, True"),
    ],
)
def test_a_fact_or_value_that_no_method_has_is_refused_with_the_nearest(how, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        mlreduce.list_methods(**how)


def test_methods_of_ones_own_are_listed(monkeypatch):
    monkeypatch.setattr(registry, "_at_run_time", {})

    @mlreduce.register("bare", kind="mine")
    class Bare:
        pass

    facts = facts_of("bare")
    assert (facts.family, facts.needs_labels, facts.cost, facts.paper, facts.year) == ("mine", None, "", "", None)
    assert mlreduce.describe("bare").documented.endswith("Bare")
    assert list(mlreduce.list_methods("mine").index) == ["bare"]


def test_a_description_has_the_class_and_its_defaults():
    for name in NAMES:
        description = mlreduce.describe(name)
        defaults = registry.method_class(name)().get_params(deep=False)
        assert dict(description.parameters) == {key: repr(defaults[key]) for key in description.parameters}
        assert set(description.parameters) == set(defaults)
        page = str(description)
        assert page.startswith(f"{name}: ")
        assert description.cost.split(" operations")[0] in " ".join(page.split())
        assert max(map(len, page.splitlines()[1:])) <= 115, name
        assert json.loads(json.dumps(description.to_dict()))["class"] == description.documented


def test_an_unknown_name():
    with pytest.raises(ConfigurationError, match="unknown method 'mvdm'; did you mean 'mvmd'"):
        mlreduce.describe("mvdm")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotating
def test_labels_are_needed_and_may_be_unknown_as_declared(name):
    facts = facts_of(name)
    features = X[:, :6] if name == "pcut" else X
    if not facts.needs_labels:
        registry.make(name).fit(features)
        return
    for of in ("rows", "cells"):
        taken = of == facts.unknown_labels or facts.unknown_labels == "cells"
        method = registry.make(name, **quick(name))
        if taken:
            method.fit(features, unknown(of))
        else:
            with pytest.raises((DataError, ValueError)):
                method.fit(features, unknown(of))
    with pytest.raises((DataError, TypeError, ValueError)):
        registry.make(name).fit(features)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotating
def test_sparse_features_are_made_dense_as_declared(name, monkeypatch):
    cells = []
    for storage in (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix):
        dense = storage.toarray

        def counted(self, *args, dense=dense, **kwargs):
            if X.shape[1] in self.shape and set(self.shape) != {X.shape[1]}:
                cells.append(self.shape[0] * self.shape[1])
            return dense(self, *args, **kwargs)

        monkeypatch.setattr(storage, "toarray", counted)
    method = registry.make(name, **quick(name))
    method.fit(X, suitable(name))
    if name != "pcut" and hasattr(method, "predict"):
        method.predict(X)
    made_dense = sum(cells) >= X.shape[0] * X.shape[1]
    found = "kept" if not made_dense else "made dense unless large" if method.complexity.iterated else "made dense"
    assert facts_of(name).sparse == found, (
        f"{type(method).__name__}.complexity says that sparse features are {facts_of(name).sparse}, and they are "
        f"{found}: its memory {method.complexity.memory!r} has the term 'n d' where they are made dense, and "
        "otherwise none"
    )


@pytest.mark.parametrize("storage", ["sparse", "any"])
@pytest.mark.parametrize("name", [*registry.method_names("projection"), *registry.method_names("embedding")])
@pytest.mark.rotating
def test_large_features_are_refused_or_iterated_as_declared(name, storage, monkeypatch):
    monkeypatch.setattr(solver, "DENSE_SIDE", 8)
    monkeypatch.setattr(lsqr, "DENSE_SIDE", 8)
    monkeypatch.setattr(base, "_MOST_LEADING", 4)  # few beside the size, as of large features
    method = registry.make(name, n_components=2)
    complexity = method.complexity
    features = X[:120] if storage == "sparse" else X[:120].toarray()
    iterates = complexity.iterated is not None and storage in (complexity.iterates_on, "sparse")
    labels = suitable(name)[:120]
    refused = ""
    try:
        method.fit(features, labels)
    except DataError as error:
        refused = str(error)
        assert "need three arrays of order 37" in refused
    should = complexity.most is not None and not iterates
    cls, where = type(method).__name__, "of mlreduce.projection.base"
    assert refused or not should, (
        f"{cls}.complexity says that larger features are refused (most={complexity.most}), but they are iterated on: "
        f"without a constraint (B = I) declare `complexity = PRODUCTS` {where}, or one of the others there"
    )
    assert should or not refused, (
        f"{cls}.complexity says that larger {storage} features are iterated on (iterated={complexity.iterated!r}), but "
        f"they are refused: with a constraint B declare `complexity = DENSE` {where}, or one of the others there"
    )
