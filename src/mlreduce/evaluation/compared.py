"""What may be compared: names, import paths, entries of study files and estimators, all as entries."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_selection import SelectorMixin

from mlreduce import registry
from mlreduce.evaluation.entries import Entry
from mlreduce.exceptions import ConfigurationError
from mlreduce.labelspace.base import LabelCoder
from mlreduce.programs.run import with_digest
from mlreduce.projection.base import Projection
from mlreduce.propagation.base import LabelPropagation
from mlreduce.selection.base import Selector, selects_by_ranking

_BASES: Mapping[str, tuple[type, ...]] = {
    "projection": (Projection, LabelPropagation),
    "selection": (Selector,),
    "labelspace": (LabelCoder,),
}


class Method(NamedTuple):
    """A method as it is compared."""

    label: str
    #: As in a study file.
    entry: Entry
    #: One of "labelspace", "projection", "selection".
    family: str


def as_entries(given: Any, what: str) -> dict[str, Entry]:
    """Return methods or predictors as a dict of label to entry.

    They are given as names or estimators, or as a dict of label to name, dict or estimator; ``what`` is "methods" or
    "predictors", for messages. Raises ConfigurationError if there are none, a label occurs twice, or a name, class or
    parameter is unknown.
    """
    if isinstance(given, str) or _is_estimator(given):
        given = [given]
    if not isinstance(given, Mapping):
        if not isinstance(given, Iterable):
            raise ConfigurationError(f"{what} must be names or estimators, or a dict of them; got {given!r}")
        given = list(given)
        labels = [one if isinstance(one, str) else _make_label(one) for one in given]
        twice = [label for label in labels if labels.count(label) > 1]
        if twice:
            raise ConfigurationError(f"{what}: {twice[0]!r} occurs twice; give a dict with a label for each")
        given = dict(zip(labels, given, strict=True))
    if not given:
        raise ConfigurationError(f"{what} names nothing to compare")
    entries: dict[str, Entry] = {}
    for label, one in given.items():
        if not isinstance(label, str) or not label.strip():
            raise ConfigurationError(f"{what}: a label is text; got {label!r}")
        entries[label] = _make_entry(one, f"{what}: {label}")
        try:
            registry.check_entry(label, entries[label])
        except ConfigurationError as error:
            raise ConfigurationError(f"{what}: {error}") from None
    return entries


def _make_label(one: Any) -> str:
    if not _is_estimator(one):
        raise ConfigurationError(f"a list has names and estimators; got {one!r}. Entries with parameters need a dict")
    return str(_name_of(type(one)))


def _is_estimator(one: Any) -> bool:
    return hasattr(one, "get_params") and not isinstance(one, type)


def _changed_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that are not their defaults; a ``random_state`` that is none of them gets a seed later."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(type(estimator)).parameters.items()}
    values = estimator.get_params(deep=False)
    return {name: value for name, value in values.items() if repr(value) != repr(defaults.get(name, inspect.Parameter))}


def _make_entry(one: Any, where: str) -> dict[str, Any]:
    if isinstance(one, str):
        return {"class" if registry.is_import_path(one) else "method": one}
    if isinstance(one, Mapping):
        return _plain_parameters(one, where)
    if _is_estimator(one):
        name = _name_of(type(one))
        key = "class" if registry.is_import_path(name) else "method"
        return {key: name, **_plain_parameters(_changed_parameters(one), where)}
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


def _plain_parameters(parameters: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """Return parameters as plain values, a program with the digest of its files."""
    plain = {str(key): _plain_value(value, where) for key, value in parameters.items()}
    if isinstance(plain.get("program"), Mapping):
        plain["program"] = with_digest(plain["program"])
    return plain


def _plain_value(value: Any, where: str) -> Any:
    """Return a parameter as a plain value."""
    if _is_estimator(value):
        return _make_entry(value, where)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain_value(one, where) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain_value(one, where) for key, one in value.items()}
    raise ConfigurationError(
        f"{where}: a parameter must be a number, text, list or estimator, so that results can record it; got {value!r}"
    )


def as_methods(given: Any) -> list[Method]:
    """Return methods as by `as_entries`, with their families."""
    return [Method(label, entry, _find_family(label, entry)) for label, entry in as_entries(given, "methods").items()]


def _find_family(label: str, entry: Entry) -> str:
    """Return the family of a method; a transformer of another package is a projection.

    Raises ConfigurationError if it does not reduce features or labels, or cannot embed new rows.
    """
    name = registry.entry_name(label, entry)
    cls: Any = registry.method_class(name)
    for family, bases in _BASES.items():
        if issubclass(cls, bases):
            return "projection" if family == "selection" and not selects_by_ranking(cls) else family
    if registry.is_import_path(name) or name in registry.registered():
        return "selection" if issubclass(cls, SelectorMixin) or not hasattr(cls, "transform") else "projection"
    reason = "has no image of new rows, on which predictors are tested"
    if registry.kind_of(name) == "predictors":
        reason = "is a predictor; give it under predictors"
    raise ConfigurationError(f"methods: {label}: {cls.__name__} {reason}")


def takes_unknown(label: str, entry: Entry) -> bool:
    """Whether a method or predictor may be fitted to labels of which some are unknown.

    Also where it takes unknown rows, needs no labels, or is of another package that does not declare it.
    """
    made = registry.make_entry(label, entry)
    if not getattr(made, "supervised", True) or getattr(made, "takes_unknown_rows", False):
        return True
    return bool(getattr(made, "takes_unknown_cells", True))


def names_of(methods: Iterable[Method], predictors: Mapping[str, Entry]) -> list[str]:
    """Return the registry names and import paths in methods and predictors, sorted."""
    entries = [*((method.label, method.entry) for method in methods), *predictors.items()]
    return sorted(set().union(*(registry.names_in(*entry) for entry in entries)))


def user_classes(names: Iterable[str]) -> dict[str, tuple[str, type]]:
    """Return those of some names that were registered in a script or notebook, with family and class."""
    registered = registry.registered()
    return {name: registered[name] for name in names if name in registered}


def versions_of(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages that scores depend on."""
    packages = [registry.package_of(name).split(" ") for name in names if registry.is_import_path(name)]
    versions = {name: version(name) for name in ("mlreduce", "numpy", "scipy", "scikit-learn")}
    return versions | {package[0]: package[1] for package in packages if len(package) == 2}


def user_sources(names: Iterable[str]) -> dict[str, str]:
    """Return the source of those classes that belong to no installed package, whose version would identify it."""
    outside = [
        name
        for name in names
        if name in registry.registered() or (registry.is_import_path(name) and " " not in registry.package_of(name))
    ]
    return {name: _read_source(registry.method_class(name)) for name in outside}


def _read_source(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # typed into an interpreter
        return repr(cls)
