"""Our estimators against scikit-learn's, and its estimator checks."""

from __future__ import annotations

import functools
import inspect
import pickle
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from quick import KINDS, by_kind, quick
from sklearn.base import clone, is_classifier
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
from mlreduce.projection.mesd import MESD
from mlreduce.projection.semi_supervised import PartlyLabelled

# Checks that fail whether the target is the check's own or turned into labels, with the reason.
CLASSIFIER_EXCEPTIONS = {
    "check_classifiers_classes": "the classes of a label are 0 and 1, never strings",
    "check_classifiers_train": "trains on a column and expects predictions in one dimension",
    "check_classifier_not_supporting_multiclass": "wants scikit-learn's sentence; ours names the value and its place",
}
VOTING_EXCEPTIONS = {
    **CLASSIFIER_EXCEPTIONS,
    "check_classifiers_multilabel_output_format_predict_proba": "wants shares above 0 and below 1; votes may agree",
    "check_estimator_sparse_array": "wants a share of each class; ours is of each label, as that of the check above",
    "check_estimator_sparse_matrix": "as the one before",
}

CLASSIFIERS = [name for name in mlreduce.list_methods("predictors") if is_classifier(mlreduce.make(name))]


# The checks train on as few as ten rows.
SMALL = {"ml-knn": {"n_neighbors": 3}, "ppt-mi": {"min_count": 1}, "ppt-chi2": {"min_count": 1}}


def with_labels(cls, complement=False):
    """Derive an estimator that turns whatever target a check draws (classes, numbers) into a 0/1 label, or into two.

    The checks know nothing of multi-label targets: without this, most of them would only see our refusal of theirs.
    """

    def labelled(method):
        @functools.wraps(method)  # checks look for further parameters, such as sample_weight
        def fit(self, X, y=None, **others):
            if y is not None:
                y = np.asarray(y)
                y = (y == np.unique(y)[0]).astype(int) if y.size else y  # whatever the order of the rows
                y = np.c_[y, 1 - y] if complement and y.ndim == 1 else y
            return method(self, X, y, **others)

        return fit

    name = f"{cls.__name__}WithLabels"
    methods = {verb: labelled(getattr(cls, verb)) for verb in ("fit", "partial_fit") if hasattr(cls, verb)}
    # A class without parameters has no "__init__" of its own, which scikit-learn takes for none.
    own = {} if cls.__init__ is object.__init__ else {"__init__": cls.__init__}
    derived = type(name, (cls,), {**methods, **own, "__module__": __name__})
    globals()[name] = derived  # where pickle looks for it
    return derived


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


def failures_of_both(model, derived):
    """Return the names of the checks that fail for both."""
    return {*failures(model, among=failures(derived))}


#: Checks that a method fails first: its parameters, its state, and what it refuses.
FEW_CHECKS = {
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_param",
    "check_parameters_default_constructible",
    "check_dont_overwrite_attributes",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_n_features_in",
    "check_estimators_unfitted",
    "check_estimators_pickle",
}
#: All but the predictors, which some checks do not suit.
TRANSFORMERS = [name for name in mlreduce.list_methods() if registry.kind_of(name) != "predictors"]
#: Methods for classes, which take the targets of the checks as they are.
CLASSES = [name for name in TRANSFORMERS if f"mesd-{name}" in TRANSFORMERS]


def of_targets(name, **parameters):
    """Return a method that takes the targets of the checks."""
    cls = registry.method_class(name)
    if name in CLASSES or not getattr(cls, "supervised", True):
        return cls(**parameters)
    # One class cannot be discriminated, nor one instance be near itself.
    two = name in ("lda-copy", "mlda", "mope", "wmlda") or issubclass(cls, MESD | PartlyLabelled)
    return with_labels(cls, complement=two or registry.kind_of(name) == "embedding")(**parameters)


@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.filterwarnings("ignore")
def test_methods_pass_checks(name):
    """A method of each kind every check, the others, which share its base, a few."""
    few = {"max_iter": 1} if "max_iter" in inspect.signature(registry.method_class(name)).parameters else {}
    few = few if registry.kind_of(name) == "selection" else {}  # enough to be fitted
    method = of_targets(name, **few, **quick(name), **SMALL.get(name, {}))
    assert failures(method, among=None if name in KINDS else FEW_CHECKS) == {}


@pytest.mark.slow
@pytest.mark.promise
@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.filterwarnings("ignore")
def test_methods_pass_every_check(name):
    assert failures(of_targets(name, **SMALL.get(name, {}))) == {}


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.filterwarnings("ignore")
def test_relation_features_pass_every_check(metric):
    assert failures(RelationFeatures(metric)) == {}


@pytest.mark.parametrize("name", sorted(set(mlreduce.list_methods("predictors")) - set(CLASSIFIERS)))
@pytest.mark.filterwarnings("ignore")
def test_regressors_pass_every_check(name):
    # The choice of the penalty leaves out a row with its weight, as scikit-learn's RidgeCV does.
    weights = {f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")}
    assert set(failures(mlreduce.make(name))) <= (weights if name == "ridge" else set())


@pytest.mark.filterwarnings("ignore")
def test_classifier_passes_every_check_but_the_listed():
    both = failures_of_both(CodedClassifier(), with_labels(CodedClassifier)())
    assert both == set(CLASSIFIER_EXCEPTIONS)


@pytest.mark.parametrize("name", by_kind(CLASSIFIERS))
@pytest.mark.filterwarnings("ignore")
def test_registered_classifiers_pass_every_check_but_the_listed(name):
    own = quick(name) | SMALL.get(name, {})
    model, derived = mlreduce.make(name, **own), with_labels(registry.method_class(name))(**own)
    votes = hasattr(model, "predict_proba")
    together = {"check_methods_subset_invariance"} if name == "pcut" else set()  # decides all rows together
    allowed = set(VOTING_EXCEPTIONS if votes else CLASSIFIER_EXCEPTIONS)
    if name in ("lift", "ml-knn", "mlnb"):  # what is never sure, or so rarely
        allowed.remove("check_classifiers_multilabel_output_format_predict_proba")
    if name == "ml-knn":  # rounds probabilities; those above a threshold are predicted
        allowed.add("check_classifier_multioutput")
    assert failures_of_both(model, derived) == allowed | together


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
