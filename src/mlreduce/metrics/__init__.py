"""Multi-label measures: a file for each family of formulas, each measure declared by `mlreduce.metrics.measures`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
