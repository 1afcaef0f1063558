"""The methods as a table of their facts."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from mlreduce import registry
from mlreduce.exceptions import ConfigurationError, check_known_name, unknown_name
from mlreduce.methods.facts import Facts, facts_of

if TYPE_CHECKING:
    import pandas as pd

_OF_ANY_VALUE = ("full_name", "least_labels", "least_instances", "least_second_set", "cost", "year", "paper")


def list_methods(family: str | None = None, **facts: Any) -> pd.DataFrame:
    """List the methods and their facts, which are read from the classes.

    Parameters
    ----------
    family : {"projection", "embedding", "propagation", "labelspace", "selection", "predictors"} or None, default=None
        Only the methods of this family; None for all.
    **facts : object or list of object
        Only the methods with this value of a fact of `Facts`, or with one of several.

    Returns
    -------
    DataFrame
        A row per method, indexed by name and sorted; columns as of `Facts`.

    Raises
    ------
    ConfigurationError
        If there is no such family or fact, or no method has such a value of a fact with few values.

    Examples
    --------
    >>> import mlreduce
    >>> methods = mlreduce.list_methods()
    >>> "mvmd" in methods.index, len(methods) > 90
    (True, True)
    >>> methods.loc["pca", "cost"]
    'O(s m + m^3)'
    >>> mlreduce.list_methods("projection", needs_labels=False, sparse="kept").index.tolist()
    ['lpp', 'lsi', 'npp', 'olpp', 'onpp', 'pca', 'random-projection']
    >>> methods.query("family == 'propagation' and year < 2009").index.tolist()
    ['smse1', 'smse2']
    """
    columns = [field.name for field in fields(Facts) if field.name != "name"]
    for fact in facts:
        check_known_name("fact of methods", fact, columns, "list_methods")
    table = _table(registry.method_names(family))
    chosen = table
    for fact, wanted in facts.items():
        values = list(wanted) if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
        for value in values:
            _check_value(table, fact, value)
        chosen = chosen[chosen[fact].isin(values)]
    return chosen


def _table(names: list[str]) -> pd.DataFrame:
    import pandas as pd  # slow to import, and jobs on arrays need it not

    table = pd.DataFrame([asdict(facts_of(name)) for name in names], columns=[field.name for field in fields(Facts)])
    return table.astype({"year": "Int64"}).set_index("name")


def _check_value(table: pd.DataFrame, fact: str, value: Any) -> None:
    """Refuse a value that no method has, of a fact with few values; a year, or a title, may have no method."""
    if table[fact].isin([value]).any() or fact in _OF_ANY_VALUE:
        return
    known = _table(registry.method_names())[fact]
    if not known.isin([value]).any():
        raise ConfigurationError(unknown_name(f"{fact} of methods", value, set(map(str, known)), "list_methods"))
