from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import ConfigurationError


def test_methods_are_listed_by_kind():
    kinds = {kind: registry.method_names(kind) for kind in registry.FAMILIES}
    for kind, names in kinds.items():
        assert names == sorted(names)
        assert {registry.kind_of(name) for name in names} == {kind}
    assert "cplst" in kinds["labelspace"]
    assert set(registry.method_names()) >= {name for names in kinds.values() for name in names}
    with pytest.raises(ConfigurationError, match="unknown kind of method 'labelspaces'; did you mean 'labelspace'"):
        registry.method_names("labelspaces")


def test_every_method_is_made_by_name_and_importable_by_class():
    for name in registry.method_names():
        cls = type(mlreduce.make(name))
        assert getattr(mlreduce, cls.__name__) is cls
        assert cls.__module__ == registry.module_of(name)
        assert cls.__doc__, name


def test_entries_of_studies_are_checked():
    registry.check_entry("mine", {"method": "mvmd", "beta": 0.5})
    with pytest.raises(ConfigurationError, match="unknown parameter of cplst 'n_componets'; did you mean 'n_comp"):
        registry.check_entry("cplst", {"n_componets": 1})
    with pytest.raises(ConfigurationError, match="unknown method 'cplts'"):
        registry.check_entry("mine", {"method": "cplts"})


def test_unknown_names_and_parameters():
    with pytest.raises(ConfigurationError, match="unknown method 'cplts'; did you mean 'cplst'"):
        mlreduce.make("cplts")
    with pytest.raises(ConfigurationError, match="unknown parameter of cplst 'n_component'; did you mean"):
        mlreduce.make("cplst", n_component=2)
    with pytest.raises(ConfigurationError, match="unknown method"):
        registry.module_of("nothing")
    with pytest.raises(AttributeError, match=r"mlreduce\.selection attribute PLST"):
        _ = mlreduce.selection.PLST
    with pytest.raises(AttributeError, match="no attribute 'NoSuchMethod'"):
        _ = mlreduce.NoSuchMethod
    with pytest.raises(AttributeError):
        _ = mlreduce.datasets.no_such_thing


def test_own_methods_can_be_registered(monkeypatch):
    monkeypatch.setattr(registry, "_at_run_time", {})

    @mlreduce.register("my-code", kind="labelspace")
    class MyCode(mlreduce.PLST):
        """Of my own."""

    assert isinstance(mlreduce.make("my-code", n_components=1), MyCode)
    assert "my-code" in registry.method_names("labelspace")
    with pytest.raises(ConfigurationError, match="already used by mlreduce.labelspace.plst"):
        mlreduce.register("plst")(MyCode)
    with pytest.raises(ConfigurationError, match="lower case with hyphens"):
        mlreduce.register("My Code")


@pytest.fixture
def family(monkeypatch, tmp_path):
    """A function that puts a file into the folder of a family whose other files are registered already."""
    methods = {name: dict(known) for name, known in registry._methods.items()}
    monkeypatch.setattr(mlreduce.labelspace, "__path__", [*mlreduce.labelspace.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "_methods", methods)

    def write(text):
        (tmp_path / "mine.py").write_text("from mlreduce.registry import register\n" + text)
        importlib.invalidate_caches()
        registry._methods_of.cache_clear()

    yield write
    sys.modules.pop("mlreduce.labelspace.mine", None)
    registry._methods_of.cache_clear()


@pytest.mark.parametrize("kind", ["", ", kind='labelspace'", ", 'labelspace'"])
def test_a_file_in_the_folder_of_a_family_is_found_by_its_name(family, kind):
    family(f"@register('mine'{kind})\nclass Mine:\n    pass\n")
    assert "mine" in registry.method_names("labelspace")
    assert (registry.kind_of("mine"), registry.home_of("mine")) == ("labelspace", ("mlreduce.labelspace.mine", "Mine"))
    assert registry.name_of(registry.method_class("mine")) == "mine"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "@register('mine', kind='selection')\nclass Mine: ...",
            "mlreduce.labelspace.mine: 'mine' is of .*'labelspace'",
        ),
        ("@register('plst')\nclass Mine: ...", "the method name 'plst' is already used by mlreduce.labelspace.plst"),
        ("@register(1)\nclass Mine: ...", "lower case with hyphens, as in 'my-method'; got 1"),
        ("class Mine\n    pass", "mine.py, line 2: SyntaxError"),
        ("import nothing_of_this_name", "mine.py, line 2: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    ],
)
def test_a_wrong_file_in_the_folder_of_a_family_is_named(family, text, sentence):
    family(text)
    with pytest.raises(ConfigurationError, match=sentence):
        registry.method_names("labelspace")


def test_verbs_of_methods_and_classes():
    for name in ("mvmd", "pmu", "plst", "sklearn.decomposition.PCA"):
        assert registry.can(name, "fit")
        assert not registry.can(name, "fly")


def test_classes_of_the_studies():
    name = "mlreduce_studies.experiments.joint_entropies.PMUByEntropies"
    registry.check_entry("x", {"class": name, "k": 5})
    assert registry.is_readable(name)
    assert registry.package_of(name).startswith("mlreduce")
    with pytest.raises(ConfigurationError, match="unknown parameter of mlreduce_studies.*'kk'; did you mean 'k'"):
        registry.check_entry("x", {"class": name, "kk": 5})
    with pytest.raises(ConfigurationError, match="unknown class of .*joint_entropies 'PMUByEntropy'"):
        registry.check_entry("x", {"class": f"{name[:-3]}y"})


def test_names_are_visible_to_completion():
    assert {"CPLST", "LinearRegressor", "make"} <= set(dir(mlreduce))
    assert {"PLST", "CodedClassifier"} <= set(dir(mlreduce.labelspace))
    assert {"GMBA", "Selector"} <= set(dir(mlreduce.selection))
    assert "LinearRegressor" in dir(mlreduce.predictors)
    assert {"Projection", "MESDFDA"} <= set(dir(mlreduce.projection))
    assert {"Embedding", "LLE"} <= set(dir(mlreduce.embedding))
    assert mlreduce.embedding.LLE is mlreduce.LLE


def test_importing_the_package_loads_no_methods():
    code = "import sys, mlreduce; sys.exit('sklearn' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("make", "wrong", "right"),
    [
        (mlreduce.MLKNN, "k", "n_neighbors"),
        (mlreduce.MRMR, "n_features_to_select", "k"),
        (mlreduce.MVMD, "n_componets", "n_components"),
        (mlreduce.PLST, "seed", "random_state"),
        (mlreduce.BR, "n_clusters", None),
        (mlreduce.RidgeRegressor, "C", "alpha"),
        (mlreduce.MIFS, "n_iter", "max_iter"),
        (mlreduce.MOPE, "seed", "random_state"),
    ],
)
def test_a_wrong_parameter_is_answered_by_the_right_one(make, wrong, right):
    answer = rf"did you mean '{right}'\?" if right else " its parameters: "
    with pytest.raises(
        TypeError, match=rf"^{make.__name__}\(\) got an unexpected keyword argument '{wrong}'; ?{answer}"
    ):
        make(**{wrong: 3})


def test_estimators_with_other_keywords_are_made():
    class Open(mlreduce.selection.Selector):
        def __init__(self, **options):
            self.options = options

    assert Open(anything=1).options == {"anything": 1}
