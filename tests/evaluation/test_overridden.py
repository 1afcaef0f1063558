"""What a user's class overrides is what a comparison, a study and a classifier around it use."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from quick import KINDS
from sklearn.base import clone

import mlreduce
from mlreduce import registry
from mlreduce.datasets import MultiLabelData
from mlreduce.evaluation.feature_space import FeatureSpaceStrategy, fit_method, make_reduction
from mlreduce.evaluation.fitted_arrays import saved_arrays
from mlreduce.evaluation.kernel_choice import choose_kernel
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.search import Search
from mlreduce.evaluation.selection import make_selector
from mlreduce.evaluation.splitting import fold_rows
from mlreduce.evaluation.view import View
from mlreduce.exceptions import ConfigurationError
from mlreduce.labelspace import CodedClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 8))
Y = (X[:, :4] + RNG.normal(size=(60, 4)) > 0.5).astype(int)
CALLS = []

#: By family the public methods that say what a method does, shortcuts for them, and methods that differ in these.
FAMILIES = {
    "projection": (
        ("fit", "fit_transform", "transform"),
        {"fit_training_set": ("fit", "fit_transform", "transform")},
        ("pca", "mlda", "ssmope"),
    ),
    "propagation": (("fit", "fit_transform"), {"fit_training_set": ("fit", "fit_transform")}, ("smse2", "ml-grf")),
    "selection": (
        ("fit", "fit_transform", "transform", "get_support"),
        {"_rank": ("fit_transform", "transform", "get_support")},
        ("mlrf", "jmi", "anova"),
    ),
    "labelspace": (
        ("fit", "encode", "project", "training_codes", "decode", "reconstruct", "round", "scores"),
        {
            "fit_statistics": ("fit",),
            "linear": ("encode", "project"),
            "training_codes": ("encode",),
            "reconstruct_sizes": ("decode", "reconstruct", "round"),
        },
        ("cplst", "cs", "br", "kernel-cplst", "faie", "mlc-bmad"),
    ),
    "predictors": (
        ("fit", "predict", "predict_scores", "predict_proba", "decision_function"),
        {
            "predict_nested": ("fit", "predict", "predict_scores"),
            "_nested_left_out": ("fit", "predict", "predict_nested", "predict_scores"),
            "_fit_left_out": ("fit", "predict"),
            "_fit_left_out_blocks": ("fit", "predict"),
            "_fit_half": ("fit", "predict_scores"),
            "held_out": ("fit", "predict"),
            "on_split": ("fit", "predict"),
            "_predicted": ("predict",),
            "_scores": ("predict_scores",),
            "_shares": ("predict_proba",),
            "_margins": ("decision_function",),
        },
        ("ridge", "linear", "kernel-ridge", "m5p", "ml-knn", "mlnb", "flda", "majority-labels"),
    ),
}
#: Beside those of `quick`: the only ones of their family, or of a coder without a projection.
QUICK = ("smse2", "ml-grf", "faie", "mlrf")
#: Codes of the training rows are part of what these fit, and of no other rows are there any.
NO_PROJECTION = ("mlc-bmad", "faie")


def recorded(method):
    def call(self, *given, **named):
        CALLS.append(method)
        return getattr(super(type(self), self), method)(*given, **named)

    return call


def overriding(parent, *methods):
    """A class that derives from another and records the calls of what it overrides."""
    cls = type(f"My{parent.__name__}", (parent,), {method: recorded(method) for method in methods})
    return registry.register(f"my-{parent.__name__.lower()}", kind="tests")(cls)


@pytest.fixture(autouse=True)
def forget():
    CALLS.clear()
    yield
    for name in [*registry.registered()]:
        if name.startswith("my-"):
            del registry._at_run_time[name]


def cases(*families):
    """Each method that says what a method does, overridden; quickly for one of each kind."""
    return [
        pytest.param(
            *(family, name, method),
            id=f"{name}-{method}",
            marks=[] if name in (*KINDS, *QUICK) else pytest.mark.slow,
        )
        for family in families
        for name in FAMILIES[family][2]
        for method in FAMILIES[family][0]
        if hasattr(registry.method_class(name), method) and not (name in NO_PROJECTION and method == "project")
    ]


def make(cls):
    small = {"random_state": 0, "n_neighbors": 3, "max_iter": 20}
    return cls(**{key: value for key, value in small.items() if key in inspect.signature(cls).parameters})


def compare(**options):
    options = {"methods": ["pca"], "predictors": ["linear"], "cv": 2, "sizes": [100], "n_jobs": 1} | options
    result = mlreduce.compare(X, Y, progress=False, measures=["micro-f1"], **options)
    assert result.failures.empty, result.failures["message"][0]
    return result


def data():
    return MultiLabelData(X, Y, list("abcdefgh"), list("wxyz"), "data")


@pytest.mark.parametrize("family", FAMILIES)
def test_shortcuts_are_those_of_the_class_that_defines_the_method(family):
    for name in registry.method_names(family):
        check_shortcuts(family, registry.method_class(name))


def check_shortcuts(family, cls):
    for shortcut, public in FAMILIES[family][1].items():
        if shortcut == "linear" and not getattr(cls, "linear", False):
            continue
        for method in public:
            if not (hasattr(cls, shortcut) and hasattr(cls, method)):
                continue
            assert registry.has_shortcut(cls, shortcut, *public), "the library's class lost its shortcut"
            derived = type("Derived", (cls,), {method: recorded(method)})
            assert not registry.has_shortcut(derived, shortcut, *public)
            both = type("Both", (derived,), {method: recorded(method), shortcut: getattr(cls, shortcut)})
            assert registry.has_shortcut(both, shortcut, *public)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("family", "name", "method"), cases("projection", "selection", "labelspace"))
@pytest.mark.rotating
def test_a_comparison_calls_what_a_method_overrides(family, name, method):
    parent = registry.method_class(name)
    both = {"mine": make(overriding(parent, method)), "parent": make(parent)}
    values = compare(methods=both, decision="half").values()
    assert method in CALLS
    # A selector that transforms has one number of features, and FaIE's training codes are those of its fit.
    if (family != "selection" or method == "fit") and (name, method) != ("faie", "encode"):
        np.testing.assert_allclose(values["mine"], values["parent"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("family", "name", "method"), cases("predictors"))
@pytest.mark.rotating
def test_a_comparison_calls_what_a_predictor_overrides(family, name, method):
    parent = registry.method_class(name)
    mine = make(overriding(parent, method))
    scores = compare(predictors={"mine": mine, "parent": make(parent)}, decision="half").scores
    assert method in CALLS
    ours, theirs = (scores[scores["predictor"] == label]["value"].to_numpy() for label in ("mine", "parent"))
    np.testing.assert_allclose(ours, theirs)
    # Thresholds are chosen on held-out scores of folds, where others have leave-one-out scores.
    CALLS.clear()
    compare(predictors={"mine": mine}, decision="one-threshold")
    assert method in CALLS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["ridge", "kernel-ridge"])
@pytest.mark.parametrize("method", ["fit", "predict"])
@pytest.mark.parametrize("decision", ["half", "one-threshold"])
def test_a_predictor_of_codes_is_trained_by_what_it_overrides(name, method, decision):
    compare(
        methods=["plst"], predictors={"mine": make(overriding(registry.method_class(name), method))}, decision=decision
    )
    assert method in CALLS


@pytest.mark.parametrize(("family", "name", "method"), cases("propagation"))
def test_a_propagation_is_fitted_by_what_it_overrides(family, name, method):
    view = View(data(), fold_rows(np.arange(60), 3, 0), {"scaling": "none", "relation": None})
    parent = registry.method_class(name)
    mine, theirs = (fit_method(make(cls), view)["embedding_"] for cls in (overriding(parent, method), parent))
    np.testing.assert_allclose(mine, theirs)
    assert method in CALLS


def test_a_fit_of_other_rows_is_what_is_measured():
    class Shuffled(mlreduce.PCA):
        def fit(self, X, y=None):
            super().fit(X, y)
            self._signs = np.arange(X.shape[1])  # no fitted attribute by its name
            return self

        def transform(self, X):
            return 0 * super().transform(X[:, self._signs])

    registry.register("my-shuffled", kind="projection")(Shuffled)
    values = compare(methods=["my-shuffled", "pca"], predictors=["ridge"], decision="half").values()
    assert (values["my-shuffled"] < values["pca"]).all()


@pytest.mark.parametrize("method", ["fit", "encode", "training_codes", "decode", "round"])
def test_a_coded_classifier_uses_what_its_coder_overrides(method):
    coder = make(overriding(mlreduce.CPLST, method))
    mine, theirs = (CodedClassifier(each, decision="half").fit(X, Y).predict(X) for each in (coder, mlreduce.CPLST()))
    assert method in CALLS
    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("method", ["fit", "predict_scores", "predict_proba"])
def test_a_threshold_classifier_uses_what_its_estimator_overrides(method):
    model = mlreduce.ThresholdClassifier(make(overriding(mlreduce.MLKNN, method))).fit(X, Y)
    model.predict(X)
    assert method in CALLS


@pytest.mark.parametrize("method", ["fit", "decode"])
def test_a_search_uses_what_is_overridden(method):
    cls = overriding(mlreduce.CPLST, method)
    search = Search(1, 1.0, 1, 2, "hamming-loss", ("linear", {}))
    score = LabelSpaceStrategy(data()).evaluator(search)(fold_rows(np.arange(60), 3, 0), 1.0)
    assert score(0, "mine", {"method": registry.name_of(cls)}) >= 0
    assert method in CALLS


def test_a_kernel_is_chosen_for_no_coder_that_overrides_its_fit():
    name = registry.name_of(overriding(mlreduce.PLST, "fit"))
    with pytest.raises(ConfigurationError, match="'my-plst' overrides fit or encode"):
        choose_kernel(X, Y, {name: {}}, [0.1], [1.0])
    name = registry.name_of(overriding(mlreduce.PLST, "decode", "project"))
    assert choose_kernel(X, Y, {name: {}, "plst": {}}, [0.1], [1.0])[name].losses.size
    assert CALLS.count("decode") == 5 * 4  # folds and sizes
    assert CALLS.count("project") == 5


def test_a_study_refuses_what_it_cannot_store_or_rank(tmp_path):
    entry = {"method": registry.name_of(overriding(mlreduce.CPLST, "fit"))}
    fitted = dict(LabelSpaceStrategy(data()).fit({0: fold_rows(np.arange(60), 3, 0)}, {"mine": entry}))
    with (
        saved_arrays(tmp_path / "fitted.npz") as keep,
        pytest.raises(ConfigurationError, match="MyCPLST overrides fit"),
    ):
        keep(("cv", "methods", "0", "mine"), fitted["0", "mine"])
    entry = {"method": registry.name_of(overriding(mlreduce.MLRF, "transform"))}
    with pytest.raises(ConfigurationError, match="MyMLRF overrides how columns are selected"):
        make_selector("mine", entry, 0, "data", 0)


def test_a_projection_that_overrides_its_fit_has_a_spectrum_and_sizes():
    entry = {"method": registry.name_of(overriding(mlreduce.PCA, "fit"))}
    strategy = FeatureSpaceStrategy(data())
    arrays = dict(strategy.fit({0: fold_rows(np.arange(60), 3, 0)}, {"mine": entry}))["0", "mine"]
    np.testing.assert_allclose(
        strategy.details(0, "mine", arrays)["eigenvalue"],
        clone(make_reduction("pca", {})).fit(X[fold_rows(np.arange(60), 3, 0).train]).eigenvalues_,
    )
