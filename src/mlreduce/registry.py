"""Registry of methods: name -> class.

A method is registered by a decorator on its class, ``@register("cplst")``, in a file of one of the family folders.
The files are read for these declarations, so that listing all names imports nothing, making one method imports that
method alone, and a new method is a new file and nothing else. The usual form is found by a pattern, any other by
parsing the file; what cannot be told without running it is refused.

A name with a dot is the import path of a class of any package, such as ``sklearn.decomposition.NMF``.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from mlreduce import sources
from mlreduce.exceptions import ConfigurationError, broken_module, unknown_name

__all__ = [
    "FAMILIES",
    "MEASURES",
    "Declarations",
    "can",
    "check_entry",
    "class_name_of",
    "entry_name",
    "find_class",
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

_ANNOUNCEMENT = re.compile(r'^@register\("([a-z0-9-]+)"\)\n(?:@.*\n)*class (\w+)', re.MULTILINE)
_PACKAGE = Path(__file__).parent
_Class = TypeVar("_Class", bound=type)
_Declared = TypeVar("_Declared")


class _Entry(NamedTuple):
    kind: str
    module: str
    class_name: str


_at_run_time: dict[str, tuple[str, type]] = {}


def _declared_in(path: Path, family: str) -> list[tuple[str, str]]:
    """Return the names that a file of a family registers, and their classes."""
    text = path.read_text(encoding="utf-8")
    usual: list[tuple[str, str]] = _ANNOUNCEMENT.findall(text)
    if len(re.findall(r"\bregister\b", text)) == len(usual) + bool(usual):  # those, and the import
        return usual
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ConfigurationError(broken_module(error, path)) from error
    uses = _uses_of_register(tree)
    found = []
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and call.func in uses:
                given = dict(zip(("name", "kind"), call.args, strict=False))
                given |= {own.arg: own.value for own in call.keywords if own.arg}
                values = {key: own.value for key, own in given.items() if isinstance(own, ast.Constant)}
                if "name" in values and ("kind" not in given or values.get("kind") == family):
                    found.append((_checked(values["name"]), node.name))
                    uses.remove(call.func)
    for use in sorted(uses, key=lambda use: use.lineno):
        raise ConfigurationError(
            f'{path}, line {use.lineno}: a method is declared by @register("its-name") on a class that is in no other '
            f"class, function or condition; the name is text in quotes, and kind, where it is given, {family!r}"
        )
    return found


def _uses_of_register(tree: ast.Module) -> set[ast.expr]:
    """Return where a module names `register`, by whatever name it was imported."""
    functions, modules = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {own.asname or "mlreduce" for own in node.names if own.name.partition(".")[0] == "mlreduce"}
        elif isinstance(node, ast.ImportFrom) and node.module in ("mlreduce", "mlreduce.registry"):
            functions |= {own.asname or "register" for own in node.names if own.name in ("register", "*")}
            modules |= {own.asname or "registry" for own in node.names if own.name == "registry"}
    return {
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id in functions)
        or (
            isinstance(node, ast.Attribute)
            and node.attr == "register"
            and ast.unparse(node.value).partition(".")[0] in modules
        )
    }


@cache
def _announced() -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    for family in FAMILIES:
        for path in sorted((_PACKAGE / family).glob("[!_]*.py")):
            for name, class_name in _declared_in(path, family):
                if name in entries:
                    raise ConfigurationError(
                        f"{path}: the method name {name!r} is already used by {entries[name].module}"
                    )
                entries[name] = _Entry(family, f"mlreduce.{family}.{path.stem}", class_name)
    return entries


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ConfigurationError(f"a registry name is lower case with hyphens, as in 'my-method'; got {name!r}")
    return name


def register(name: str, kind: str = "user") -> Callable[[_Class], _Class]:
    """Register a class under a name.

    Parameters
    ----------
    name : str
        Lower case, with hyphens, as in ``"kernel-cplst"``.
    kind : str, default="user"
        Only for classes outside the package (a script or a notebook of your own); inside it the folder says.

    Returns
    -------
    callable
        The decorator: it takes the class and returns it as it is.

    Raises
    ------
    ConfigurationError
        If the name is not lower case with hyphens, or belongs to a method of the package already.

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
    >>> "largest-variance" in mlreduce.list_methods("selection")
    True
    >>> mlreduce.make("largest-variance", k=3)
    LargestVariance(k=3)
    """
    _checked(name)

    def remember(cls: _Class) -> _Class:
        entry = _announced().get(name)
        if entry is None:
            _at_run_time[name] = (kind, cls)
        elif entry.module != cls.__module__:
            raise ConfigurationError(f"the method name {name!r} is already used by {entry.module}")
        return cls

    return remember


def method_names(kind: str | None = None) -> list[str]:
    """Return the registry names of all methods, or of a family; see `mlreduce.list_methods`.

    Raises
    ------
    ConfigurationError
        If the kind is unknown.
    """
    kinds = {name: entry.kind for name, entry in _announced().items()}
    kinds |= {name: own for name, (own, _) in _at_run_time.items()}
    known = {*FAMILIES, *kinds.values()}
    if kind is not None and kind not in known:
        raise ConfigurationError(unknown_name("kind of method", kind, known))
    return sorted(name for name, own in kinds.items() if kind in (None, own))


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
        classes = [name for name, found in vars(module).items() if isinstance(found, type)]
        raise ConfigurationError(unknown_name(f"class of {module_name}", class_name, classes))
    for verb in ("fit", "get_params", "set_params"):
        if not callable(getattr(cls, verb, None)):
            raise ConfigurationError(f"{path} is no estimator as scikit-learn has them: it has no {verb}")
    return cls


def module_of(name: str) -> str:
    """Return the module in which a method of the package is defined, without importing it."""
    entries = _announced()
    if name not in entries:
        raise ConfigurationError(unknown_name("method", name, entries))
    return entries[name].module


def class_name_of(name: str) -> str:
    """Return the name of the class of a method of the package, without importing it."""
    module_of(name)
    return _announced()[name].class_name


def kind_of(name: str) -> str:
    """Return the family of a method without importing it; of one of your own, what it was registered as."""
    if name in _at_run_time:
        return _at_run_time[name][0]
    module_of(name)
    return _announced()[name].kind


def method_class(name: str) -> type:
    """Return the class of a method by its registry name or import path.

    Raises
    ------
    ConfigurationError
        If no method has this name; the message names the nearest known one. If nothing can be imported by the path, or
        no estimator.
    """
    if is_import_path(name):
        return _imported(name)
    if isinstance(name, str) and name in _at_run_time:
        return _at_run_time[name][1]
    entry = _announced().get(name) if isinstance(name, str) else None
    if entry is None:
        raise ConfigurationError(unknown_name("method", name, method_names()))
    try:
        module = importlib.import_module(entry.module)
    except (ImportError, SyntaxError) as error:
        raise ConfigurationError(broken_module(error, sources.file_of(entry.module) or entry.module)) from error
    cls: type = getattr(module, entry.class_name)
    return cls


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
    _check_parameters(name, parameters, _parameters(cls))
    return cls(**parameters)


def registered() -> dict[str, tuple[str, type]]:
    """Return what was registered in scripts and notebooks: name to family and class."""
    return dict(_at_run_time)


def name_of(cls: type) -> str | None:
    """Return the registry name of a class; None where it has none."""
    own = {found: name for name, (_, found) in _at_run_time.items()}
    of_package = {(entry.module, entry.class_name): name for name, entry in _announced().items()}
    return own.get(cls, of_package.get((cls.__module__, cls.__name__)))


def _parameters(cls: Any) -> list[str] | None:
    """Return the names of a class's parameters; None for a class that is no scikit-learn estimator."""
    return cls._get_param_names() if hasattr(cls, "_get_param_names") else None


def _check_parameters(name: str, parameters: Iterable[str], known: Iterable[str] | None) -> None:
    for parameter in parameters:
        if known is not None and parameter not in known:
            raise ConfigurationError(unknown_name(f"parameter of {name}", parameter, known))


def make_entry(label: str, entry: Mapping[str, Any]) -> Any:
    """Make an estimator from an entry of a study file: parameters, and under ``method`` the registry name.

    Without ``method`` the label is the registry name; with it one method can occur several times in a study. Under
    ``class`` stands the import path of a class of another package; a parameter that is an estimator, or a list with
    some, is again an entry with ``class`` or ``method``.

    Raises
    ------
    ConfigurationError
        As `make`.
    """
    return make(entry_name(label, entry), **{key: _made(key, value) for key, value in _given(entry).items()})


def check_entry(label: str, entry: Mapping[str, Any]) -> None:
    """Check the method and parameter names of an entry of a study file; a method of the package is not imported.

    Raises
    ------
    ConfigurationError
        As `make`.
    """
    name, parameters = entry_name(label, entry), _given(entry)
    known = sources.parameters_of(*home_of(name))
    _check_parameters(name, parameters, _parameters(method_class(name)) if known is None else known)
    for key, value in parameters.items():
        for inner in _entries_in(value):
            check_entry(key, inner)


def can(name: str, verb: str) -> bool:
    """Return whether the class of a method, or under an import path, has a verb; it is imported where it must be."""
    return sources.defines(*home_of(name), verb) or hasattr(method_class(name), verb)


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
    """Return whether the source of these packages says what the class of a name is, which is then not imported."""
    return sources.parameters_of(*home_of(name)) is not None


def home_of(name: str) -> tuple[str, str]:
    """Return module and class of a name or import path; no module where a class was registered at run time."""
    home = None if name in _at_run_time else _announced().get(name)
    if home is not None:
        return home.module, home.class_name
    module, _, class_name = name.rpartition(".")
    return module, class_name


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
            f"{label}: class is the import path of a class, as in sklearn.decomposition.PCA, and stands alone; a "
            f"method of mlreduce is named under method. Got {path!r}"
        )
    return path


def names_in(label: str, entry: Mapping[str, Any]) -> set[str]:
    """Return the registry names and import paths in an entry of a study file, those of its parameters too."""
    inner = [names_in(key, own) for key, value in _given(entry).items() for own in _entries_in(value)]
    return {entry_name(label, entry)}.union(*inner)


def _given(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in ("method", "class")}


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
    return {e.class_name: e.module for e in _announced().values() if kind in (None, e.kind)}


def find_class(class_name: str, module: str) -> type:
    """Return a method's class by its class name, for ``mlreduce.CPLST``.

    Raises
    ------
    AttributeError
        If the package has no method of this class name, as Python expects of a module.
    """
    home = class_names().get(class_name)
    if home is None:
        raise AttributeError(f"module {module!r} has no attribute {class_name!r}")
    cls: type = getattr(importlib.import_module(home), class_name)
    return cls


class Declarations(Mapping[str, _Declared], Generic[_Declared]):
    """What the modules of a package declare by a decorator: name to declaration, sorted.

    A module is imported when what it declares is looked up, and all where they are asked for or a name is in none of
    them as the decorator is usually written. Whether a name is known is read from the sources.

    Parameters
    ----------
    kind : str
        What is declared, for messages; its last word is the name of the decorator.
    package : str
        Name of the package.
    """

    def __init__(self, kind: str, package: str) -> None:
        self._kind, self._decorator = kind, kind.split()[-1]
        self.package = package
        self._declared: dict[str, _Declared] = {}
        self._modules: dict[str, str] = {}
        self._complete = False

    @cached_property
    def _homes(self) -> dict[str, str]:
        return sources.declared_names(self.package, self._decorator)

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
        if name not in self:
            raise ConfigurationError(unknown_name(self._kind, name, self))

    def find(self, name: str) -> _Declared:
        """Return a declaration.

        Raises
        ------
        ConfigurationError
            As `check`.
        """
        self.check(name)
        return self[name]

    def plain(self, name: str, *keys: str) -> dict[str, Any]:
        """Return what a declaration says under some keys, without importing its module where they are plain values."""
        self.check(name)
        if name not in self._declared and name in self._homes:
            values = sources.declared_values(self._homes[name], self._decorator, name, keys)
            if values is not None:
                return values
        return {key: getattr(self[name], key) for key in keys}

    def _all(self) -> dict[str, _Declared]:
        if not self._complete:
            package = importlib.import_module(self.package)
            for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
                importlib.import_module(f"{self.package}.{module}")
            self._declared = dict(sorted(self._declared.items()))
            self._complete = True
        return self._declared

    def __getitem__(self, name: str) -> _Declared:
        if name not in self._declared and name in self._homes:
            importlib.import_module(self._homes[name])
        return self._declared[name] if name in self._declared else self._all()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._declared or name in self._homes or name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


#: Measures, by name.
MEASURES: Declarations[Any] = Declarations("measure", "mlreduce.metrics")
