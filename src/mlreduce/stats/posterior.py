"""Posterior of a mean difference of two methods on one data set, from paired differences over overlapping splits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from mlreduce.exceptions import DataError
from mlreduce.stats.margins import Regions
from mlreduce.validation import FloatArray

__all__ = ["Posterior", "posterior"]


class Posterior(NamedTuple):
    """Student's t distribution of a mean difference."""

    mean: float
    #: 0 where all differences are equal: the mean is then certain.
    scale: float
    #: Of freedom, the number of splits less one.
    degrees: int

    def within(self, low: float, high: float) -> float:
        """Return the probability that the mean difference is in ``[low, high]``."""
        if not self.scale:
            return float(low <= self.mean <= high)
        at_high, at_low = (special.stdtr(self.degrees, (end - self.mean) / self.scale) for end in (high, low))
        return float(at_high - at_low)

    def regions(self, margin: float) -> Regions:
        """Return the probabilities of a mean difference below minus the margin, within it, and above it."""
        within = self.within(-margin, margin)
        # A mean that is certain can stand on the margin, which is within.
        above = self.within(margin, np.inf) if self.scale else float(self.mean > margin)
        return Regions(max(0.0, 1.0 - above - within), within, above)

    def with_splits(self, splits: int, test_share: float) -> Posterior:
        """Return what it would be with another number of splits, of the same mean and spread of the differences."""
        if not self.scale:
            return self
        overlap = test_share / (1 - test_share)
        scale = self.scale * np.sqrt((1 / splits + overlap) / (1 / (self.degrees + 1) + overlap))
        return Posterior(self.mean, float(scale), splits - 1)

    def interval(self, probability: float = 0.95) -> tuple[float, float]:
        """Return the central interval that holds the mean difference with a probability in (0, 1)."""
        half = self.scale * float(special.stdtrit(self.degrees, (1 + probability) / 2))
        return self.mean - half, self.mean + half


def posterior(differences: FloatArray, test_share: float) -> Posterior:
    """Return the posterior of the mean difference by the Bayesian correlated t-test.

    Training sets of different splits overlap, so that the differences are correlated and their variance is too small
    for a mean of independent ones. With the correlation of Nadeau and Bengio, the share q of the rows in a test part,
    and an uninformative prior the posterior is Student's t with n - 1 degrees of freedom, the mean of the differences
    and the scale ``sqrt((1 / n + q / (1 - q)) s^2)``, with the sample variance ``s^2``. The probability below zero is
    the p-value of the corrected resampled t-test.

    Differences are those of the values of two methods on the same split; the share is 0.1 for ten folds. Raises
    DataError if there are fewer than two differences, one is not finite, or the share is not in (0, 1).

    References
    ----------
    Nadeau and Bengio (2003), "Inference for the generalization error", Machine Learning 52. Corani and Benavoli (2015),
    "A Bayesian approach for comparing cross-validated algorithms on multiple data sets", Machine Learning 100.

    Examples
    --------
    >>> import numpy as np
    >>> mean = posterior(np.array([0.02, 0.03, 0.01, 0.02]), test_share=0.1)
    >>> round(mean.within(0.0, np.inf), 3)
    0.987
    """
    number = len(differences)
    if number < 2 or not np.isfinite(differences).all():
        raise DataError(f"a posterior needs two or more finite differences; got {number}")
    if not 0 < test_share < 1:
        raise DataError(f"the share of rows in a test part must be in (0, 1); got {test_share}")
    correction = 1 / number + test_share / (1 - test_share)
    spread = float(np.std(differences, ddof=1))
    # Differences that only rounding tells apart are equal.
    negligible = 1e-12 * float(np.abs(differences).max(initial=0.0))
    scale = np.sqrt(correction) * spread if spread > negligible else 0.0
    return Posterior(float(np.mean(differences)), float(scale), number - 1)
