"""Multi-label data of OpenML, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.attributes import Attribute, Table
from mlreduce.datasets.readers.columns import Columns, chosen_labels, encoded
from mlreduce.exceptions import DataError, FetchError
from mlreduce.validation import check_memory, is_sparse


def read_openml(
    name: str,
    labels: Mapping[str, int] | Sequence[str] | None = None,
    version: int | str = "active",
    cache: str | Path | None = None,
    **columns: Any,
) -> MultiLabelData:
    """Read a data set of OpenML by `sklearn.datasets.fetch_openml`.

    Attributes become features and labels as those of ARFF files (`mlreduce.datasets.readers.arff.read_arff`); arguments
    are those of `mlreduce.datasets.read`. A name may belong to several data sets, numbered by versions; not all of them
    have the labels as targets. ``cache`` is a folder of downloads; None is scikit-learn's.

    Raises FetchError if OpenML does not answer or has no such data set, and DataError if an attribute is no number and
    no list of values, or a label is not 0/1.
    """
    where = f"OpenML, {name}"
    fetched = _fetch(name, where, version, cache, None)
    values = fetched.categories or {}
    attributes = [Attribute(attribute, _places(values.get(attribute))) for attribute in fetched.feature_names]
    table = Table(attributes, sp.csr_array(fetched.data) if is_sparse(fetched.data) else fetched.data)
    if labels is None:
        chosen = _fetch(name, where, version, cache, "default-target").target_names
        if not chosen:
            raise DataError(f"{where}: has no default targets; name the attributes that are labels")
    else:
        chosen = chosen_labels(labels, fetched.feature_names, where)
    check = partial(check_memory, advice="take a smaller set")
    return encoded(table, chosen, name, where, check, Columns(**columns))


def _fetch(name: str, where: str, version: int | str, cache: str | Path | None, target: str | None) -> Any:
    """Return attributes as numbers, nominal ones as places in their lists; without a target all of them."""
    from sklearn.datasets import fetch_openml  # only needed for this source

    try:
        # The parser "pandas" knows no places, and fails with pandas 3 on attributes of TRUE and FALSE.
        return fetch_openml(
            name,
            version=version,
            target_column=target,
            data_home=cache and str(cache),
            n_retries=1,
            as_frame=False,
            parser="liac-arff",
        )
    except (OSError, HTTPException) as error:  # urllib's errors of connections are OSErrors
        raise FetchError(
            f"{where}: could not be fetched: {error}. It needs a connection; a file that is there is read by its path"
        ) from error
    except Exception as error:  # those of the parser have no public base
        raise FetchError(f"{where}: cannot be had: {error}") from error


def _places(values: Sequence[str] | None) -> dict[str, float] | None:
    return None if values is None else {value: float(place) for place, value in enumerate(values)}
