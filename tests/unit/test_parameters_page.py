"""docs/tables/parameters.csv has one meaning for each name of a parameter, and former names lead to present ones."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest

import mlreduce
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.registry import check_entry, make_entry, method_class, method_names
from mlreduce.validation.estimator import FORMER_NAMES

DOCS = Path(__file__).parents[2] / "docs"
_spec = importlib.util.spec_from_file_location("update_parameters", DOCS / "update_parameters.py")
update_parameters = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(update_parameters)


def test_every_parameter_has_one_meaning():
    page, table = (DOCS / "parameters.md").read_text("utf-8"), update_parameters.read_table()
    assert update_parameters.update_table(table).equals(table), "run python docs/update_parameters.py"
    assert page == update_parameters.update_page(page, table), "run python docs/update_parameters.py"
    assert table.loc[table["meaning"] == "", "name"].tolist() == [], "write what they mean"
    assert table["name"].is_unique
    assert table["meaning"].is_unique


def test_seeds_are_none_by_default():
    for name in update_parameters.find_parameters()["random_state"]:
        assert inspect.signature(getattr(mlreduce, name)).parameters["random_state"].default is None, name


def test_former_names_lead_to_present_ones():
    classes = [*map(method_class, method_names()), mlreduce.Proximity]
    assert FORMER_NAMES.keys() <= {base.__name__ for cls in classes for base in cls.__mro__}
    for cls in classes:
        known = cls._get_param_names()
        assert not cls._former_names().keys() & set(known), cls
        assert set(cls._former_names().values()) <= set(known), cls
    with pytest.raises(TypeError, match=r"^RFS\(\) got an unexpected keyword argument 'gamma'; it is named 'sparsity'"):
        mlreduce.RFS(gamma=1.0)
    with pytest.raises(DataError, match="^'threshold' of proximity is named 'radius'"):
        mlreduce.LPP(proximity={"threshold": 1.0}).fit(np.eye(3))
    with pytest.raises(ConfigurationError, match="^'beta' of mesd-dla is named 'repulsion'"):
        mlreduce.make("mesd-dla", beta=1.0)


def test_study_files_may_have_former_names():
    entry = {"method": "mdfs", "alpha": 0.5, "gamma": 2.0, "solver": "reweighted"}
    check_entry("mine", entry)
    method = make_entry("mine", entry)
    assert (method.label_error, method.sparsity, method.solver) == (0.5, 2.0, "reweighted")
    check_entry("mine", {"method": "rfs", "n_iter": None})  # as of what a search chooses
    inside = {"class": "sklearn.model_selection.GridSearchCV", "estimator": {"method": "sleec", "max_steps": 5}}
    assert make_entry("mine", {**inside, "param_grid": {}}).estimator.max_iter == 5
