"""Our estimators against scikit-learn's, and its estimator checks."""

from __future__ import annotations

import inspect
import pickle
import shlex
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from quick import KINDS, quick
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import estimator_checks_generator

import mlreduce
from mlreduce import registry
from mlreduce.labelspace import CodedClassifier
from mlreduce.preprocessing.relation import RelationFeatures

#: Checks that methods with their defaults fail, with the reason; all others pass every check.
EXPECTED = {
    "BR": {
        "check_dont_overwrite_parameters": "all labels are learned, and the checks set one component",
        "check_methods_sample_order_invariance": "as the one before",
        "check_methods_subset_invariance": "as the one before",
        "check_fit2d_predict1d": "as the one before",
    },
    "CCA": {
        "check_transformer_general": "a class of this name has continuous targets there",
        "check_transformer_data_not_an_array": "as the one before",
    },
    "MLKNN": {
        "check_classifiers_train": "labels above a threshold are predicted, which is not one half",
        "check_estimators_nan_inf": "ten neighbours need eleven instances",
        "check_classifiers_one_label": "as the one before",
        "check_classifiers_one_label_sample_weights": "as the one before",
        "check_fit2d_1feature": "as the one before",
    },
    "ProportionalCut": {"check_methods_subset_invariance": "all rows are decided together"},
    "RAkEL": {
        "check_classifiers_multilabel_output_format_predict_proba": "wants shares above 0 and below 1; votes may agree"
    },
    "SLEEC": {"check_non_transformer_estimators_n_iter": "the embedding of three labels needs no iteration"},
}
for _name, _reason in {
    **dict.fromkeys(
        ("BR", "CompressedSensing", "CSSP", "MLCBMaD", "PBR", "PLST"),
        "after a fit to features and labels no features are transformed, which the check does",
    ),
    "LIFT": "k-means draws its first centres by the order of the rows",
    "CCA": "with more features than rows all canonical correlations are 1, and any rotation of the directions is right",
    "LabelTreeClassifier": "nodes are within tol of their minimum, from which the order of the rows moves them",
}.items():
    EXPECTED[_name] = EXPECTED.get(_name, {}) | {
        "check_sample_weight_equivalence_on_dense_data": _reason,
        "check_sample_weight_equivalence_on_sparse_data": "as the one before",
    }
for _name in ("PPTMI", "PPTChi2"):
    EXPECTED[_name] = {
        "check_estimators_nan_inf": "a set of labels must occur six times",
        "check_n_features_in_after_fitting": "as the one before",
        "check_fit2d_1feature": "as the one before",
    }


def failures(estimator, among=None):
    """Run every check that applies, or those of some names, and return the exceptions of those that fail."""
    failed = {}
    for instance, check in estimator_checks_generator(estimator, mark=None):
        name = getattr(check, "func", check).__name__
        if among is not None and name not in among:
            continue
        try:
            check(instance)
        except SkipTest:
            continue
        except Exception as error:  # noqa: BLE001 - whatever a check raises is its verdict
            failed[name] = error
    return failed


#: Checks that a method fails first: its parameters, its state, and what it refuses.
FEW_CHECKS = {
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_param",
    "check_parameters_default_constructible",
    "check_dont_overwrite_parameters",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_n_features_in",
    "check_estimators_unfitted",
    "check_estimators_pickle",
}
#: The classes that users import, by their names.
PUBLIC = {
    name: cls
    for name, cls in ((name, getattr(mlreduce, name)) for name in mlreduce.__all__)
    if inspect.isclass(cls) and hasattr(cls, "fit") and "program" not in inspect.signature(cls).parameters
}
#: Programs in the place of methods: the first row of the features as their scores, and new rows as they are.
PROGRAMS = {
    "ProgramSelector": "head -n 1 X.csv | tr , '\\n' > scores.csv",
    "ProgramProjection": "head -n 1 X.csv | tr , '\\n' > directions.csv",
    "ProgramTransformer": "cut -d, -f1 X_new.csv > transformed.csv",
}


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.rotating
def test_estimators_pass_checks(name):
    """An estimator of each kind every check, the others, which share its base, a few."""
    registered = registry.name_of(PUBLIC[name])
    few = {"max_iter": 1} if "max_iter" in inspect.signature(PUBLIC[name]).parameters else {}
    few = few if registered and registry.kind_of(registered) == "selection" else {}  # enough to be fitted
    if name == "AutoReducer":
        few = {"candidates": [mlreduce.PLST(n_components=1)]}  # of those that are built the promise is tested
    estimator = PUBLIC[name](**few, **(quick(registered) if registered else {}))
    # All checks of AutoReducer, hundreds of fits, are a promise.
    among = None if registered in KINDS or (registered is None and name != "AutoReducer") else FEW_CHECKS
    assert set(failures(estimator, among=among)) <= EXPECTED.get(name, {}).keys()


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_programs_pass_checks(name):
    program = {"command": shlex.join(["sh", "-c", PROGRAMS[name]]), "exchange": "csv"}
    size = {} if name == "ProgramSelector" else {"n_components": 1}
    assert set(failures(getattr(mlreduce, name)(program, **size), among=FEW_CHECKS)) <= {
        "check_parameters_default_constructible"  # there is no program without a command
    }


@pytest.mark.slow
@pytest.mark.promise
@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.filterwarnings("ignore")
def test_estimators_pass_every_check_with_their_defaults(name):
    assert set(failures(PUBLIC[name]())) == EXPECTED.get(name, {}).keys()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.filterwarnings("ignore")
def test_relation_features_pass_every_check(metric):
    assert failures(RelationFeatures(metric)) == {}


def test_plst_directions_are_principal_components_of_the_labels(example):
    _, Y = example
    ours, theirs = mlreduce.PLST().fit(None, Y), PCA().fit(Y)
    np.testing.assert_allclose(np.abs(np.diag(ours.components_ @ theirs.components_.T)), 1, atol=1e-10)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.explained_variance_ * (len(Y) - 1), atol=1e-9)


def test_binary_relevance_is_scikit_multilearns(example):
    """Least squares on -1/1 with a threshold at zero is least squares on 0/1 with a threshold at one half."""
    from skmultilearn.problem_transform import BinaryRelevance

    X, Y = example
    theirs = BinaryRelevance(RidgeClassifier(alpha=1e-10)).fit(X, Y).predict(X).toarray()
    own = CodedClassifier(mlreduce.BR(), mlreduce.LinearRegressor(), decision="half").fit(X, Y)
    np.testing.assert_array_equal(own.predict(X), theirs)


def test_works_inside_scikit_multilearns_wrappers(example):
    from skmultilearn.problem_transform import BinaryRelevance

    X, Y = example
    model = CodedClassifier(regressor=mlreduce.RidgeRegressor(1.0), decision="half")
    wrapped = BinaryRelevance(model, require_dense=[True, True]).fit(X, Y)
    np.testing.assert_array_equal(wrapped.predict(X).toarray(), clone(model).fit(X, Y).predict(X))


def test_grid_search_pipeline_clone_and_pickle(example):
    X, Y = example
    search = GridSearchCV(
        make_pipeline(StandardScaler(), CodedClassifier(mlreduce.CPLST())),
        {"codedclassifier__coder__n_components": [1, 3, 5], "codedclassifier__coder__rcond": [1e-10, 1e-3]},
        cv=3,
    ).fit(X, Y)
    assert search.best_params_["codedclassifier__coder__n_components"] in {1, 3, 5}
    model = clone(search.best_estimator_).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_any_regressor_serves(example):
    X, Y = example
    model = CodedClassifier(mlreduce.PLST(n_components=4), DecisionTreeRegressor(random_state=0), "half").fit(X, Y)
    codes = model.coder_.encode(Y)
    np.testing.assert_array_equal(model.predict(X), model.coder_.decode(codes))  # a full tree remembers its codes


def test_names_of_features_and_labels_are_kept(example):
    X, Y = example
    X, Y = pd.DataFrame(X).add_prefix("f"), pd.DataFrame(Y).add_prefix("label")
    model = CodedClassifier().fit(X, Y)
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.label_names_ == list(Y.columns)
    assert not hasattr(clone(model).fit(X, Y).fit(X, Y.to_numpy()), "label_names_")
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[X.columns[::-1]])
