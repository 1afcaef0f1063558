"""Seeds that depend on what they are for and on nothing else: not on order, batch, process or machine."""

from __future__ import annotations

import hashlib

__all__ = ["derive_seed"]


def derive_seed(seed: int, *purpose: str | int) -> int:
    """Return a seed in 0..2**32 - 1 for a purpose such as ``("yeast", "pbr", 17)``."""
    text = "\x1f".join(map(str, (seed, *purpose)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")
