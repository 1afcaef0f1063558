from __future__ import annotations

import subprocess
import sys

import pytest

import mlreduce
from mlreduce import registry
from mlreduce.exceptions import ConfigurationError

CONTROLS = ["all-features", "random-features"]  # nobody's invention
UNIVARIATE = ["anova", "chi2", "mutual-info"]
REGRESSION = ["csfs", "lasso-multitask", "mdfs", "mifs", "mssl", "rfs", "scmfs", "sfus"]
INFORMATION = """
    pmu qpfs qpfs-approx qpfs-nystrom
    mim mrmr jmi cmim fimf igmf d2f mdmr scls lrfs lsmfs mlsmfs ppt-mi ppt-chi2
"""
SELECTION = sorted([*CONTROLS, *UNIVARIATE, *REGRESSION, *INFORMATION.split(), "gmba", "mlfs", "mlrf", "spec"])
PROJECTION = """
    pca lsi lpp olpp npp onpp
    fda lfda mfa mmc dla dne olpp-r sonpp donpp onpp-r
    cca rcca pls opls mddmp mddmf mddm-kernel sfehs mvmd mlsi morp hsl1 hsl2 hsl3 lda-copy mlda dmlda wmlda
    mesd mesd-fda mesd-lfda mesd-mfa mesd-mmc mesd-dla mesd-dne mesd-olpp-r mesd-sonpp mesd-donpp mesd-onpp-r
    mope self ssfda ssmmc ssmfa ssdne sslfda ssdonpp semi-supervised ssmope
    random-projection
"""
EMBEDDING = "usc le symmetric-spectral mds isomap lle slvm mope-embedding"
PREDICTORS = "linear ridge kernel-ridge m5p br-knn cc-knn flda ml-knn mlnb majority-labels pcut leml sleec"
PROPAGATION = ["ml-grf", "ml-lgc", "smse1", "smse2"]
LABELSPACE = ["br", "cca-code", "cplst", "cs", "cssp", "faie", "kernel-cplst", "mlc-bmad", "occa", "pbr", "plst"]


def test_methods_are_listed_by_kind():
    assert mlreduce.list_methods("labelspace") == LABELSPACE
    assert mlreduce.list_methods("selection") == SELECTION
    assert mlreduce.list_methods("projection") == sorted(PROJECTION.split())
    assert mlreduce.list_methods("embedding") == sorted(EMBEDDING.split())
    assert mlreduce.list_methods("propagation") == PROPAGATION
    assert mlreduce.list_methods("predictors") == sorted(PREDICTORS.split())
    all_kinds = [*LABELSPACE, *SELECTION, *PROPAGATION, *(PROJECTION + EMBEDDING + " " + PREDICTORS).split()]
    assert mlreduce.list_methods() == sorted(all_kinds)
    with pytest.raises(ConfigurationError, match="unknown kind of method 'labelspaces'; did you mean 'labelspace'"):
        mlreduce.list_methods("labelspaces")


@pytest.mark.parametrize("name", mlreduce.list_methods())
def test_every_method_is_made_by_name_and_importable_by_class(name):
    method = mlreduce.make(name)
    cls = type(method)
    assert getattr(mlreduce, cls.__name__) is cls
    assert cls.__module__ == registry.module_of(name)
    assert cls.__doc__
    assert "References" in cls.__doc__ or name in [*CONTROLS, "majority-labels"]


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
