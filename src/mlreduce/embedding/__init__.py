"""Embeddings of the training instances themselves, without a projection for others."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
