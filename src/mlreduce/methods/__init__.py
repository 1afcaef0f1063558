"""What is known of the methods: a table of their facts, a description of each, and which of them suit a data set."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
