"""Registry of methods: name -> class.

A method is registered by a decorator on its class, ``@register("cplst")``, in a file of one of the family folders, so
that a new method is a new file and nothing else, and ``import mlreduce`` imports no method. When a name is looked up,
the file with this name is imported first (``cplst.py``), and the others only if it does not declare the name.

A name with a dot is the import path of a class of any package, such as ``sklearn.decomposition.NMF``.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any, Generic, TypeVar

from mlreduce.exceptions import ConfigurationError, broken_module, check_known_name, unknown_name

__all__ = [
    "FAMILIES",
    "MEASURES",
    "Declarations",
    "can",
    "check_entry",
    "class_name_of",
    "class_names",
    "entry_name",
    "find_kind",
    "has_shortcut",
    "home_of",
    "is_import_path",
    "is_readable",
    "kind_of",
    "make",
    "make_entry",
    "method_class",
    "method_names",
    "module_of",
    "name_of",
    "names_in",
    "package_of",
    "register",
    "registered",
]

#: Folders of methods, and kinds of `method_names`.
FAMILIES = ("projection", "embedding", "propagation", "labelspace", "selection", "predictors")

#: Packages of this repository, whose classes are versioned by their code.
_PACKAGES = ("mlreduce", "mlreduce_studies")
_Class = TypeVar("_Class", bound=type)
_Declared = TypeVar("_Declared")

# The package's methods by family, filled as their modules are imported; and those of scripts and notebooks.
_methods: dict[str, dict[str, type]] = {family: {} for family in FAMILIES}
_at_run_time: dict[str, tuple[str, type]] = {}


def _import_module(name: str) -> None:
    try:
        importlib.import_module(name)
    except (ImportError, SyntaxError) as error:
        spec = importlib.util.find_spec(name)
        raise ConfigurationError(broken_module(error, (spec and spec.origin) or name)) from error


def _import_modules(package: str) -> None:
    """Import the modules of a package, except those with an underscore."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        if not module.name.rpartition(".")[2].startswith("_"):
            _import_module(module.name)


def _import_namesake(package: str, name: Any) -> None:
    """Import the module of a package that has the name of what is looked up, if there is one."""
    module = str(name).replace("-", "_")
    folder = Path(__file__).parents[1].joinpath(*package.split("."))
    if module.isidentifier() and folder.joinpath(f"{module}.py").is_file():
        _import_module(f"{package}.{module}")


@cache
def _methods_of(family: str) -> dict[str, type]:
    """Return the methods of a family, whose modules are imported."""
    _import_modules(f"mlreduce.{family}")
    return _methods[family]


def _find(name: Any) -> tuple[str, type] | None:
    """Return the family and class of a registry name; None where it is unknown."""
    if not isinstance(name, str):
        return None
    if name in _at_run_time:
        return _at_run_time[name]
    family = _family_of(name)
    if family is None:
        for folder in FAMILIES:
            _import_namesake(f"mlreduce.{folder}", name)
        # Families of which a method is in use first: a study has methods of one.
        families = sorted(FAMILIES, key=lambda family: not _methods[family])
        family = _family_of(name) or next((family for family in families if name in _methods_of(family)), None)
    return None if family is None else (family, _methods[family][name])


def _family_of(name: str) -> str | None:
    """Return the family of a method whose module is imported."""
    return next((family for family, methods in _methods.items() if name in methods), None)


def _find_or_raise(name: Any) -> tuple[str, type]:
    method = _find(name)
    if method is None:
        raise ConfigurationError(unknown_name("method", name, method_names()))
    return method


def register(name: str, kind: str | None = None) -> Callable[[_Class], _Class]:
    """Register a class under a name.

    Parameters
    ----------
    name : str
        Lower case, with hyphens, as in ``"kernel-cplst"``.
    kind : str or None, default=None
        Only for classes outside the package, such as those of a script or notebook: a family, or a name of your choice;
        None is ``"user"``. In the package the folder of the file decides.

    Returns
    -------
    callable
        The decorator: it takes the class and returns it as it is.

    Raises
    ------
    ConfigurationError
        If the name is not lower case with hyphens, or already belongs to another method of the package; or a class in
        a folder of the package is declared as another kind.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> from mlreduce.selection import Selector
    >>> @mlreduce.register("largest-variance", kind="selection")
    ... class LargestVariance(Selector):
    ...     def __init__(self, k=0.5):
    ...         self.k = k
    ...     def _scores(self, X, labels):
    ...         return np.var(X, axis=0)
    >>> "largest-variance" in mlreduce.list_methods("selection").index
    True
    >>> mlreduce.make("largest-variance", k=3)
    LargestVariance(k=3)
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ConfigurationError(f"a registry name is lower case with hyphens, as in 'my-method'; got {name!r}")

    def remember(cls: _Class) -> _Class:
        top, _, family = cls.__module__.rpartition(".")[0].partition(".")
        of_package = top == "mlreduce" and family in FAMILIES
        if of_package and kind not in (None, family):
            raise ConfigurationError(
                f"{cls.__module__}: {name!r} is of the kind {family!r} of its folder; got {kind!r}"
            )
        # Modules that are being imported look up no other, which may need them.
        registered = (
            [methods[name] for methods in _methods.values() if name in methods]
            if of_package
            else [methods[name] for methods in map(_methods_of, FAMILIES) if name in methods]
        )
        if registered and registered[0].__module__ != cls.__module__:
            raise ConfigurationError(f"the method name {name!r} is already used by {registered[0].__module__}")
        if of_package:
            _methods[family][name] = cls
        else:
            _at_run_time[name] = (kind or "user", cls)
        return cls

    return remember


def method_names(kind: str | None = None) -> list[str]:
    """Return the registry names of all methods, or of a family; see `mlreduce.list_methods`.

    Raises
    ------
    ConfigurationError
        If the kind is unknown.
    """
    kinds = {name: registered for name, (registered, _) in _at_run_time.items()}
    known = {*FAMILIES, *kinds.values()}
    if kind is not None and kind not in known:
        raise ConfigurationError(unknown_name("kind of method", kind, known))
    names = {name for family in FAMILIES if kind in (None, family) for name in _methods_of(family)}
    return sorted(names.union(name for name, registered in kinds.items() if kind in (None, registered)))


def is_import_path(name: str) -> bool:
    """Whether a name is the import path of a class, rather than a registry name."""
    return isinstance(name, str) and "." in name


def package_of(path: str) -> str:
    """Return the package that a class comes from by its import path, and its version: "scikit-learn 1.8.0".

    Raises
    ------
    ConfigurationError
        If there is no such class.
    """
    top = (path if is_readable(path) else _imported(path).__module__).partition(".")[0]
    distributions = _distributions().get(top)
    return f"{distributions[0]} {version(distributions[0])}" if distributions else top


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Return the distributions that packages belong to: to find them, the files of all distributions are read."""
    return packages_distributions()


def _imported(path: str) -> type:
    """Return the class of an import path, which must be an estimator."""
    module_name, _, class_name = path.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError, ValueError) as error:
        raise ConfigurationError(
            f"{path}: {module_name!r} cannot be imported ({type(error).__name__}: {error}); a class is named by its "
            "import path, and its package must be installed"
        ) from error
    cls = getattr(module, class_name, None)
    if not isinstance(cls, type):
        classes = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise ConfigurationError(unknown_name(f"class of {module_name}", class_name, classes))
    for verb in ("fit", "get_params", "set_params"):
        if not callable(getattr(cls, verb, None)):
            raise ConfigurationError(f"{path} is no estimator as scikit-learn has them: it has no {verb}")
    return cls


def module_of(name: str) -> str:
    """Return the module in which a method is defined."""
    return _find_or_raise(name)[1].__module__


def class_name_of(name: str) -> str:
    """Return the name of the class of a method."""
    return _find_or_raise(name)[1].__name__


def find_kind(name: Any) -> str | None:
    """Return what `kind_of` returns; None for a name that no method has."""
    method = _find(name)
    return None if method is None else method[0]


def kind_of(name: str) -> str:
    """Return the family of a method, or what a class outside the package was registered as."""
    return _find_or_raise(name)[0]


def method_class(name: str) -> type:
    """Return the class of a method by its registry name or import path.

    Raises
    ------
    ConfigurationError
        If no method has this name; the message names the nearest known one. If nothing can be imported by the path, or
        no estimator.
    """
    return _imported(name) if is_import_path(name) else _find_or_raise(name)[1]


def make(name: str, **parameters: Any) -> Any:
    """Make an estimator by its registry name.

    Parameters
    ----------
    name : str
        A name of `mlreduce.list_methods`, such as ``"cplst"``, or the import path of a class of any package.
    **parameters
        Parameters of its class.

    Returns
    -------
    estimator
        Not fitted.

    Raises
    ------
    ConfigurationError
        If the name or one of the parameters is unknown; the message names the nearest known one.

    Examples
    --------
    >>> import mlreduce
    >>> mlreduce.make("plst", n_components=2)
    PLST(n_components=2)
    """
    cls = method_class(name)
    _check_parameters(name, parameters, cls)
    return cls(**parameters)


def registered() -> dict[str, tuple[str, type]]:
    """Return what was registered in scripts and notebooks: name to family and class."""
    return dict(_at_run_time)


def name_of(cls: type) -> str | None:
    """Return the registry name of a class; None where it has none."""
    names = [name for name, (_, registered) in _at_run_time.items() if registered is cls]
    names += [name for methods in _methods.values() for name, registered in methods.items() if registered is cls]
    return names[0] if names else None


def _parameters(cls: Any) -> list[str] | None:
    """Return the names of a class's parameters; None for a class that is no scikit-learn estimator."""
    return cls._get_param_names() if hasattr(cls, "_get_param_names") else None


def _check_parameters(name: str, parameters: Iterable[str], cls: type) -> None:
    known = _parameters(cls)
    for parameter in parameters:
        if known is not None and parameter not in known:
            present = _former_names(cls).get(parameter)
            sentence = unknown_name(f"parameter of {name}", parameter, known)
            raise ConfigurationError(f"{parameter!r} of {name} is named {present!r}" if present else sentence)


def _former_names(cls: type) -> dict[str, str]:
    """Return former names of parameters with the present ones; of a class of another package none."""
    names: dict[str, str] = getattr(cls, "_former_names", dict)()
    return names


def make_entry(label: str, entry: Mapping[str, Any]) -> Any:
    """Make an estimator from an entry of a study file: parameters, and under ``method`` the registry name.

    Without ``method`` the label is the registry name; with it one method can occur several times in a study. Under
    ``class`` is the import path of a class of another package; a parameter that is an estimator, or a list with
    some, is again an entry with ``class`` or ``method``. Parameters may have the names that they had when the studies
    were run, see `mlreduce.validation.estimator.FORMER_NAMES`.

    Raises
    ------
    ConfigurationError
        As `make`.
    """
    name = entry_name(label, entry)
    return make(name, **{key: _made(key, value) for key, value in _given_to(name, entry).items()})


def check_entry(label: str, entry: Mapping[str, Any]) -> None:
    """Check the method and parameter names of an entry of a study file.

    Raises
    ------
    ConfigurationError
        As `make`.
    """
    name = entry_name(label, entry)
    parameters = _given_to(name, entry)
    _check_parameters(name, parameters, method_class(name))
    for key, value in parameters.items():
        for inner in _entries_in(value):
            check_entry(key, inner)


def can(name: str, verb: str) -> bool:
    """Return whether the class of a method, or under an import path, has a verb."""
    return hasattr(method_class(name), verb)


def has_shortcut(estimator: Any, shortcut: str, *public: str) -> bool:
    """Return whether an estimator's shortcut does what its public methods do.

    A class that overrides a public method and not the shortcut has another behaviour, which the shortcut would bypass.

    Parameters
    ----------
    estimator : estimator or type
    shortcut : str
        Name of a method or attribute.
    *public : str
        Names of the public methods that it replaces.

    Returns
    -------
    bool
        Whether the first class that defines one of them, in the order of inheritance, defines the shortcut.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.registry import has_shortcut
    >>> class Shuffled(mlreduce.PCA):
    ...     def fit(self, X, y=None):
    ...         return super().fit(X[::-1], y)
    >>> has_shortcut(mlreduce.PCA, "fit_training_set", "fit"), has_shortcut(Shuffled, "fit_training_set", "fit")
    (True, False)
    """
    cls = estimator if isinstance(estimator, type) else type(estimator)
    names = {shortcut, *public}
    first: Mapping[str, Any] = next((defined for defined in map(vars, cls.__mro__) if names & defined.keys()), {})
    return shortcut in first


def is_readable(name: str) -> bool:
    """Return whether an import path is of a class of these packages, whose code is part of digests."""
    return name.partition(".")[0] in _PACKAGES


def home_of(name: str) -> tuple[str, str]:
    """Return module and class name of a registry name or import path."""
    cls = method_class(name)
    return cls.__module__, cls.__name__


def entry_name(label: str, entry: Mapping[str, Any]) -> str:
    """Return the registry name of an entry of a study file, or the import path of its class.

    Raises
    ------
    ConfigurationError
        If it has both, or a class without a dot.
    """
    if "class" not in entry:
        return str(entry.get("method", label))
    path = str(entry["class"])
    if "method" in entry or not is_import_path(path):
        raise ConfigurationError(
            f"{label}: class is the import path of a class, as in sklearn.decomposition.PCA, and is the only key; a "
            f"method of mlreduce is named under method. Got {path!r}"
        )
    return path


def names_in(label: str, entry: Mapping[str, Any]) -> set[str]:
    """Return the registry names and import paths in an entry of a study file, those of its parameters too."""
    inner = [names_in(key, part) for key, value in _given(entry).items() for part in _entries_in(value)]
    return {entry_name(label, entry)}.union(*inner)


def _given(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in ("method", "class")}


def _given_to(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an entry by their present names."""
    present = _former_names(method_class(name))
    return {present.get(key, key): value for key, value in _given(entry).items()}


def _is_entry(value: Any) -> bool:
    return isinstance(value, Mapping) and not {"class", "method"}.isdisjoint(value)


def _entries_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the entries in a parameter: itself, or those of a list, such as the steps of a pipeline."""
    if _is_entry(value):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _entries_in(one)


def _made(label: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_made(label, one) for one in value]
    return make_entry(label, value) if _is_entry(value) else value


def class_names(kind: str | None = None) -> dict[str, str]:
    """Map the class names of the package's methods to their modules."""
    families = FAMILIES if kind is None else (kind,)
    return {cls.__name__: cls.__module__ for family in families for cls in _methods_of(family).values()}


class Declarations(Mapping[str, _Declared], Generic[_Declared]):
    """What the modules of a package declare by a decorator: name to declaration, sorted.

    The module with the name that is looked up is imported first, and the others only if it does not declare it.

    Parameters
    ----------
    kind : str
        What is declared, for messages.
    package : str
        Name of the package.
    """

    def __init__(self, kind: str, package: str) -> None:
        self._kind = kind
        self.package = package
        self._declared: dict[str, _Declared] = {}
        self._modules: dict[str, str] = {}
        self._complete = False

    def add(self, name: str, declaration: _Declared, module: str) -> None:
        """Add a declaration.

        Raises
        ------
        ConfigurationError
            If another module declares the same name.
        """
        other = self._modules.setdefault(name, module)
        if other != module:
            raise ConfigurationError(f"the {self._kind} {name!r} is already declared by {other}")
        self._declared[name] = declaration

    def check(self, name: str) -> None:
        """Refuse a name that nothing declares.

        Raises
        ------
        ConfigurationError
            If the name is unknown; the sentence holds the nearest known one.
        """
        check_known_name(self._kind, name, self)

    def find(self, name: str) -> _Declared:
        """Return a declaration.

        Raises
        ------
        ConfigurationError
            As `check`.
        """
        self.check(name)
        return self[name]

    def _all(self) -> dict[str, _Declared]:
        if not self._complete:
            _import_modules(self.package)
            self._declared = dict(sorted(self._declared.items()))
            self._complete = True
        return self._declared

    def __getitem__(self, name: str) -> _Declared:
        if name not in self._declared and not self._complete:
            _import_namesake(self.package, name)
        return self._declared[name] if name in self._declared else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


#: Measures, by name.
MEASURES: Declarations[Any] = Declarations("measure", "mlreduce.metrics")
