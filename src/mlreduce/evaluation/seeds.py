"""Seeds that depend on their purpose alone: not on order, batch, process or machine."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

_Method = TypeVar("_Method", bound=Any)


def derive_seed(seed: int, *purpose: str | int) -> int:
    """Return a seed in 0..2**32 - 1 for a purpose such as ``("yeast", "pbr", 17)``."""
    text = "\x1f".join(map(str, (seed, *purpose)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


def seeded(method: _Method, entry: Mapping[str, Any], seed: int, *purpose: str | int) -> _Method:
    """Give a method that draws a seed derived for a purpose, unless its entry of a study file names one, and return it.

    The seed is that of the study, and the purpose as of `derive_seed`: the data set, the method's label and the split.
    """
    return set_seed(method, entry, derive_seed(seed, *purpose))


def set_seed(method: _Method, entry: Collection[str], value: int) -> _Method:
    """Set the seed of a method that draws, unless its entry of a study file names one, and return the method."""
    parameters = method.get_params()
    # Of an estimator inside another, such as the base of an ensemble, what its entry leaves open.
    names = {name for name, given in parameters.items() if name.endswith("__random_state") and given is None}
    names |= {"random_state"} & parameters.keys() - {*entry}
    if names:
        method.set_params(**dict.fromkeys(names, value))
    return method
