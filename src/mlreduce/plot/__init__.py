"""Plots of fitted methods, labels and comparisons, with Matplotlib: ``pip install 'mlreduce[plot]'``.

Each function draws into ``ax``, or into a new figure, and returns the axes, so that titles, limits and colours can be
changed afterwards.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
