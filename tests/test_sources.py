"""What is read from the source of a module is what the module says when it is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mlreduce import registry, sources
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.options import FIGURES, TABLES, schema_of

KINDS = [*(("table", TABLES, name) for name in TABLES), *(("figure", FIGURES, name) for name in FIGURES)]


@pytest.mark.parametrize("name", registry.method_names())
def test_parameters_are_those_of_the_class(name):
    read = sources.parameters_of(registry.module_of(name), registry.class_name_of(name))
    assert read == registry.method_class(name)._get_param_names()


@pytest.mark.parametrize(("decorator", "kinds", "name"), KINDS, ids=[f"{kind}-{name}" for kind, _, name in KINDS])
def test_declarations_of_tables_and_figures(decorator, kinds, name):
    home = sources.declared_names(kinds.package, decorator)[name]
    keys = ("source", "required", "optional")
    assert sources.declared_values(home, decorator, name, keys) == {
        key: value for key in keys if (value := getattr(kinds[name], key))
    }


def test_measures():
    assert sources.declared_names("mlreduce.metrics", "measure").keys() == {*registry.MEASURES}


def test_a_kind_is_checked_without_importing_it():
    code = (
        "import sys; from mlreduce_studies.options import FIGURES, TABLES, schema_of, source_of; "
        "print(sorted(schema_of(TABLES, {})['properties']), source_of(FIGURES, {'kind': 'times'})); "
        "sys.exit('pandas' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == f"{sorted(schema_of(TABLES, {})['properties'])} times\n"


SOURCES = {
    "own": "class A(Base):\n def __init__(self, b, *, a=1): ...\nclass B(A): ...\nclass Base: ...",
    "diamond": "class T: \n def __init__(self, t): ...\nclass L(T): ...\nclass R(T):\n def __init__(self, r): ...\n"
    "class B(L, R): ...",
    "mixin": "class B(TransformerMixin, BaseEstimator):\n def __init__(self, a): ...",
    "foreign": "from sklearn.decomposition import PCA\nclass B(PCA): ...",
    "any": "class B:\n def __init__(self, **given): ...",
    "none": "class B: ...",
}
PARAMETERS = {"own": ["a", "b"], "diamond": ["r"], "mixin": ["a"], "foreign": None, "any": None, "none": []}


@pytest.mark.parametrize("form", SOURCES)
def test_parameters_of_classes(tmp_path, monkeypatch, form):
    (tmp_path / f"a_{form}.py").write_text(SOURCES[form])
    monkeypatch.setattr(sources, "_ROOT", tmp_path)
    assert sources.parameters_of(f"a_{form}", "B") == PARAMETERS[form]


def test_values_that_call_something_are_not_read(tmp_path, monkeypatch):
    (tmp_path / "a_kind.py").write_text("ONE = {'a': 1}\nTWO = dict(a=1)\n@table('x', good=ONE, bad=TWO)\ndef f(): ...")
    monkeypatch.setattr(sources, "_ROOT", tmp_path)
    assert sources.declared_values("a_kind", "table", "x", ("good", "none")) == {"good": {"a": 1}}
    assert sources.declared_values("a_kind", "table", "x", ("bad",)) is None


def test_a_name_that_two_modules_declare(tmp_path, monkeypatch):
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text('@table("x")\ndef f(): ...')
    monkeypatch.setattr(sources, "_ROOT", tmp_path.parent)
    with pytest.raises(ConfigurationError, match=r"the table 'x' is already declared by .*\.first"):
        sources.declared_names(tmp_path.name, "table")


def test_methods_of_classes_and_their_bases():
    for name in ("mvmd", "pmu", "plst"):
        home, class_name = registry.module_of(name), registry.class_name_of(name)
        assert sources.defines(home, class_name, "fit")
        assert not sources.defines(home, class_name, "fly")
        assert registry.can(name, "fit")
        assert not registry.can(name, "fly")
    assert registry.can("sklearn.decomposition.PCA", "transform")
    assert not registry.can("sklearn.decomposition.PCA", "predict")


def test_a_class_of_the_studies_is_checked_without_importing_it():
    name = "mlreduce_studies.experiments.joint_entropies.PMUByEntropies"
    code = (
        "import sys; from mlreduce import registry;"
        f"registry.check_entry('x', {{'class': {name!r}, 'k': 5}});"
        f"print(registry.can({name!r}, 'fit'), registry.package_of({name!r})[:8], 'sklearn' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "True mlreduce False\n"
    with pytest.raises(ConfigurationError, match="unknown parameter of mlreduce_studies.*'kk'; did you mean 'k'"):
        registry.check_entry("x", {"class": name, "kk": 5})
    with pytest.raises(ConfigurationError, match="unknown class of .*joint_entropies 'PMUByEntropy'"):
        registry.check_entry("x", {"class": f"{name[:-3]}y"})
