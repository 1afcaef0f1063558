"""The list of methods, which is a table as well."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from mlreduce import registry
from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.methods.facts import Facts, facts_of

if TYPE_CHECKING:
    import pandas as pd

#: Columns that are printed.
_SHOWN = ("full_name", "family", "needs_labels", "unknown_labels", "linear", "sparse", "out_of_sample", "cost", "year")


class MethodList(list[str]):
    """Names of methods, printed as a table of their facts.

    A list of names in all other respects but ``index``, which is that of the table. The facts are those of `Facts`,
    read from the classes, which are imported when a fact is first read.

    Parameters
    ----------
    iterable : iterable of str, default=()
        Registry names.

    Examples
    --------
    >>> import mlreduce
    >>> methods = mlreduce.list_methods()
    >>> "mvmd" in methods, len(methods) > 90
    (True, True)
    >>> methods.filter(family="projection", needs_labels=False, sparse="kept")
    ['lpp', 'lsi', 'npp', 'olpp', 'onpp', 'pca', 'random-projection']
    >>> methods.to_frame().loc["pca", "cost"]
    'O(s m + m^3)'
    """

    @property
    def index(self) -> pd.Index:  # type: ignore[override]
        """The names, as the index of `to_frame`; the place of one is ``methods.index.get_loc(name)``."""
        import pandas as pd

        return pd.Index(list(self), name="name")

    def to_frame(self) -> pd.DataFrame:
        """Return the facts as a table.

        Returns
        -------
        DataFrame
            A row per method, indexed by name; columns as of `Facts`.
        """
        import pandas as pd  # slow to import, and names need none

        columns = [field.name for field in fields(Facts)]
        table = pd.DataFrame([asdict(facts_of(name)) for name in self], columns=columns)
        return table.astype({"year": "Int64"}).set_index("name")

    def filter(self, **facts: Any) -> MethodList:
        """Return the methods with given facts.

        Parameters
        ----------
        **facts : object
            What a fact of `Facts` must equal; or a function of it that is true for an accepted value, as in
            ``year=lambda year: year is not None and year > 2010``.

        Returns
        -------
        MethodList
            In the same order.

        Raises
        ------
        ConfigurationError
            If there is no such fact.
        """
        known = [field.name for field in fields(Facts)]
        for fact in facts:
            if fact not in known:
                raise ConfigurationError(unknown_name("fact of methods", fact, known))

        def fits(name: str) -> bool:
            method = facts_of(name)
            return all(
                wanted(getattr(method, fact)) if callable(wanted) else getattr(method, fact) == wanted
                for fact, wanted in facts.items()
            )

        return MethodList(name for name in self if fits(name))

    def _shown(self) -> pd.DataFrame:
        import pandas as pd

        return self.to_frame()[list(_SHOWN)].map(lambda value: "" if pd.isna(value) else value)

    def __str__(self) -> str:
        """Return the table as text, one method per line."""
        return str(self._shown().to_string(max_colwidth=60)) if self else "no methods"

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return str(self._shown().to_html())


def list_methods(kind: str | None = None) -> MethodList:
    """List the methods: a list of their names, sorted, that prints as a table.

    Parameters
    ----------
    kind : {"projection", "embedding", "propagation", "labelspace", "selection", "predictors"} or None, default=None
        Only the methods of this family; None for all.

    Returns
    -------
    MethodList
        Names, with `MethodList.to_frame` for their facts and `MethodList.filter` to choose by them.

    Raises
    ------
    ConfigurationError
        If the kind is unknown.

    Examples
    --------
    >>> import mlreduce
    >>> mlreduce.list_methods("propagation")
    ['ml-grf', 'ml-lgc', 'smse1', 'smse2']
    >>> mlreduce.list_methods("propagation").to_frame()["year"].tolist()
    [2009, 2009, 2008, 2008]
    """
    return MethodList(registry.method_names(kind))
