from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import ConfigurationError


def test_methods_are_listed_by_kind():
    kinds = {kind: mlreduce.list_methods(kind) for kind in registry.FAMILIES}
    for kind, names in kinds.items():
        assert names == sorted(names)
        files = (Path(mlreduce.__file__).parent / kind).glob("*.py")
        declared = re.findall(r'^@register\("([^"]*)"', "\n".join(path.read_text() for path in files), re.MULTILINE)
        assert set(declared) == {name for name in names if registry.module_of(name).startswith("mlreduce.")}
    assert "cplst" in kinds["labelspace"]
    assert set(mlreduce.list_methods()) >= {name for names in kinds.values() for name in names}
    with pytest.raises(ConfigurationError, match="unknown kind of method 'labelspaces'; did you mean 'labelspace'"):
        mlreduce.list_methods("labelspaces")


@pytest.mark.parametrize("name", mlreduce.list_methods())
def test_every_method_is_made_by_name_and_importable_by_class(name):
    method = mlreduce.make(name)
    cls = type(method)
    assert getattr(mlreduce, cls.__name__) is cls
    assert cls.__module__ == registry.module_of(name)
    assert cls.__doc__


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
    assert "my-code" in mlreduce.list_methods("labelspace")
    with pytest.raises(ConfigurationError, match="already used by mlreduce.labelspace.plst"):
        mlreduce.register("plst")(MyCode)
    with pytest.raises(ConfigurationError, match="lower case with hyphens"):
        mlreduce.register("My Code")


@pytest.fixture
def declared(monkeypatch, tmp_path):
    """The registry names that a file with one method would have, for a family of no other files."""

    def names(text, family="labelspace"):
        (tmp_path / family).mkdir()
        (tmp_path / family / "mine.py").write_text(text)
        return registry.method_names(family), registry.class_name_of("mine")

    monkeypatch.setattr(registry, "_PACKAGE", tmp_path)
    registry._announced.cache_clear()
    yield names
    registry._announced.cache_clear()


IMPORT = "from mlreduce.registry import register\n\n\n"


@pytest.mark.parametrize(
    "text",
    [
        IMPORT + '@register("mine")\nclass Mine:\n',
        IMPORT + '@register("mine", kind="labelspace")\nclass Mine:\n',
        IMPORT + "@register('mine', 'labelspace')\nclass Mine:\n",
        IMPORT + '@register(kind="labelspace", name="mine")\nclass Mine:\n',
        IMPORT + '@register(\n    "mine",  # its name\n)\n@other\nclass Mine(\n    Base,\n):\n',
        IMPORT + '@other(\n    1\n)\n@register("mine")\n\n# here\nclass Mine:\n',
        'from mlreduce import Base, register as method\n@method("mine")\nclass Mine:\n',
        'from mlreduce.registry import *\n@register("mine")\nclass Mine:\n',
        'import mlreduce\n@mlreduce.register("mine")\nclass Mine:\n',
        'import mlreduce.registry as own\n@own.register("mine")\nclass Mine:\n',
        'from mlreduce import registry\n"""How to register."""\n@registry.register("mine")\nclass Mine:\n',
        "import atexit\natexit.register(print)\n" + IMPORT + '@register("mine")\nclass Mine:\n',
    ],
)
def test_every_form_of_a_declaration_is_seen(declared, text):
    assert declared(text + "    pass\n") == (["mine"], "Mine")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('@register("mine", kind="selection")\nclass Mine:\n    pass', "mine.py, line 4: .*'labelspace'"),
        ("@register(NAME)\nclass Mine:\n    pass", "line 4: .* text in quotes"),
        ("@register(1)\nclass Mine:\n    pass", "lower case with hyphens, as in 'my-method'; got 1"),
        ("@register(\n'My Code')\nclass Mine:\n    pass", "lower case with hyphens, as in 'my-method'; got 'My"),
        ('if True:\n    @register("mine")\n    class Mine:\n        pass', "line 5: a method is declared by"),
        ("class Mine:\n    pass\nregister('mine')(Mine)", "line 6: a method is declared by"),
        ("again = register\n@again('mine')\nclass Mine:\n    pass", "line 4: a method is declared by"),
        ('@register("mine", kind="labelspace")\nclass Mine\n    pass', "mine.py, line 5: SyntaxError"),
    ],
)
def test_a_declaration_that_cannot_be_seen_is_refused(declared, text, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        declared(IMPORT + text)


def test_names_are_visible_to_completion():
    assert {"CPLST", "LinearRegressor", "make"} <= set(dir(mlreduce))
    assert {"PLST", "CodedClassifier"} <= set(dir(mlreduce.labelspace))
    assert {"GMBA", "Selector"} <= set(dir(mlreduce.selection))
    assert "LinearRegressor" in dir(mlreduce.predictors)
    assert {"Projection", "MESDFDA"} <= set(dir(mlreduce.projection))
    assert {"Embedding", "LLE"} <= set(dir(mlreduce.embedding))
    assert mlreduce.embedding.LLE is mlreduce.LLE


def test_importing_the_package_loads_no_methods():
    code = "import sys, mlreduce; mlreduce.list_methods(); sys.exit('sklearn' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
