"""Packages that only some uses need: the extras of ``pip install "mlreduce[...]"``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, requires

from mlreduce.exceptions import MissingPackageError

__all__ = ["from_extra", "packages_of_extras"]

#: Extras for users, from the smallest; the others are for the project's own development.
EXTRAS = ("data", "plot", "completion", "workflow")

_REQUIREMENT = re.compile(r"""([A-Za-z0-9._-]+).*;.*\bextra == ['"]([a-z]+)['"]""")


@contextmanager
def from_extra(extra: str, use: str) -> Iterator[None]:
    """Import packages of an extra, in a ``with`` block; where one is missing, say which extra brings it.

    Parameters
    ----------
    extra : {"data", "plot", "completion", "workflow"}
        Which extra has the packages that the block imports.
    use : str
        What needs them, in the plural: "downloads".

    Raises
    ------
    MissingPackageError
        If a package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        raise MissingPackageError(
            f"{use} need {name}, which is not installed: pip install 'mlreduce[{extra}]'"
        ) from error


def packages_of_extras() -> dict[str, str]:
    """Return the first of the extras that has each optional package, from the metadata of the installation."""
    try:
        requirements = requires("mlreduce") or []
    except PackageNotFoundError:  # a checkout on the path, not installed
        return {}
    pairs = [match.groups() for text in requirements if (match := _REQUIREMENT.match(text))]
    found = {name: extra for own in reversed(EXTRAS) for name, extra in pairs if extra == own and name != "mlreduce"}
    return dict(sorted(found.items(), key=lambda item: (EXTRAS.index(item[1]), item[0].lower())))
