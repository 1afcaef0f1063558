"""What may be compared: names, import paths, entries of study files and estimators, all as entries."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor
from sklearn.feature_selection import SelectorMixin

from mlreduce import registry
from mlreduce.exceptions import ConfigurationError

__all__ = ["Method", "as_entries", "family_of", "own_classes", "ranks_labels"]

Entry = Mapping[str, Any]

# Families by the base class of a class that is registered in a script or notebook.
_BASES = {
    "Projection": "projection",
    "LabelPropagation": "projection",
    "Selector": "selection",
    "LabelCoder": "labelspace",
}


class Method(NamedTuple):
    """A method as it is compared.

    Attributes
    ----------
    label : str
    entry : dict
        As in a study file.
    family : {"labelspace", "projection", "selection"}
    """

    label: str
    entry: Entry
    family: str


def as_entries(asked: Any, what: str) -> dict[str, Entry]:
    """Return what was asked for as label to entry.

    Parameters
    ----------
    asked : iterable of str or estimator, or dict of label to str, dict or estimator
    what : str
        "methods" or "predictors", for messages.

    Raises
    ------
    ConfigurationError
        If it is empty, a label occurs twice, or a name, class or parameter is unknown.
    """
    if isinstance(asked, str):
        asked = [asked]
    if not isinstance(asked, Mapping):
        if not isinstance(asked, Iterable):
            raise ConfigurationError(f"{what} must be names or estimators, or a dict of them; got {asked!r}")
        labels = [one if isinstance(one, str) else _label(one) for one in asked]
        twice = [label for label in labels if labels.count(label) > 1]
        if twice:
            raise ConfigurationError(f"{what}: {twice[0]!r} occurs twice; give a dict with a label for each")
        asked = dict(zip(labels, asked, strict=True))
    if not asked:
        raise ConfigurationError(f"{what} names nothing to compare")
    entries: dict[str, Entry] = {}
    for label, one in asked.items():
        if not isinstance(label, str) or not label or "/" in label:
            raise ConfigurationError(f"{what}: a label is text without a slash; got {label!r}")
        entries[label] = _entry(one, f"{what}: {label}")
        try:
            registry.check_entry(label, entries[label])
        except ConfigurationError as error:
            raise ConfigurationError(f"{what}: {error}") from None
    return entries


def _label(one: Any) -> str:
    if not hasattr(one, "get_params") or isinstance(one, type):
        raise ConfigurationError(f"a list has names and estimators; got {one!r}. Entries with parameters need a dict")
    return str(_name_of(type(one)))


def _entry(one: Any, where: str) -> dict[str, Any]:
    if isinstance(one, str):
        return {"class" if registry.is_import_path(one) else "method": one}
    if isinstance(one, Mapping):
        return dict(one)
    if hasattr(one, "get_params") and not isinstance(one, type):
        name = _name_of(type(one))
        key = "class" if registry.is_import_path(name) else "method"
        values = {name: _value(value, where) for name, value in one.get_params(deep=False).items()}
        return {key: name, **values}
    raise ConfigurationError(f"{where}: neither a name nor an estimator nor a dict of parameters; got {one!r}")


def _name_of(cls: type) -> str:
    """Return the registry name of a class, or its import path."""
    known = registry.name_of(cls)
    if known is not None:
        return known
    path = f"{cls.__module__}.{cls.__qualname__}"
    if cls.__module__ == "__main__" or "<locals>" in path:
        raise ConfigurationError(
            f"{cls.__name__} is defined in a script or function, where other processes do not find it; put "
            '@register("its-name") of mlreduce in front of it, or move it to a module'
        )
    # The shortest path that leads to it: sklearn.decomposition.PCA, not sklearn.decomposition._pca.PCA.
    parts = cls.__module__.split(".")
    while parts and parts[-1].startswith("_"):
        parts.pop()
    public = ".".join([*parts, cls.__name__])
    try:
        return public if registry.method_class(public) is cls else path
    except ConfigurationError:
        return path


def _value(value: Any, where: str) -> Any:
    """Return a parameter as a plain value."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _entry(value, where)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return [_value(one, where) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _value(one, where) for key, one in value.items()}
    raise ConfigurationError(
        f"{where}: a parameter must be a number, text, list or estimator, so that results can say it; got {value!r}"
    )


def family_of(label: str, entry: Entry) -> str:
    """Return what a method is: "labelspace", "projection" (of any transformer too) or "selection".

    Raises
    ------
    ConfigurationError
        If it does not reduce features or labels, or cannot embed new rows.
    """
    name = registry.entry_name(label, entry)
    cls: Any = registry.method_class(name)
    if registry.is_import_path(name):
        if issubclass(cls, SelectorMixin) or not hasattr(cls, "transform"):
            return "selection"
        return "projection"
    if name in registry.registered():
        bases = [base.__name__ for base in inspect.getmro(cls)]
        found = next((family for base, family in _BASES.items() if base in bases), None)
        if found is None:
            raise ConfigurationError(f"methods: {label}: {cls.__name__} is no projection, selector or label coder")
        return found
    kind = registry.kind_of(name)
    if kind == "embedding":
        raise ConfigurationError(
            f"methods: {label}: an embedding has no image of new rows, so that no predictor can be tested on it; "
            "projections have"
        )
    if kind == "predictors":
        raise ConfigurationError(f"methods: {label}: {name} is a predictor; give it under predictors")
    return "projection" if kind == "propagation" else kind


def ranks_labels(model: Any) -> bool:
    """Whether a predictor, unfitted, says how likely labels are: for measures that rank them."""
    if is_regressor(model) or getattr(model, "ranks", False):
        return True
    return any(hasattr(model, verb) for verb in ("predict_proba", "decision_function"))


def own_classes(names: Iterable[str]) -> dict[str, tuple[str, type]]:
    """Return those of some methods that were registered in a script or notebook, for other processes."""
    return {name: own for name, own in registry.registered().items() if name in set(names)}
