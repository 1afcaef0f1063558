"""Multi-label informed latent semantic indexing."""

from __future__ import annotations

from mlreduce.projection.base import Projection
from mlreduce.projection.mddm import label_scale
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import Size, as_dense, check_range

__all__ = ["MLSI"]


@register("mlsi")
class MLSI(Projection):
    """Multi-label informed latent semantic indexing (MLSI): projections that reconstruct features and labels.

    ``max tr(P'X'((1 - beta) XX' + beta YY')XP)`` subject to ``P'(X'X + gamma I)P = I``. With ``beta=0`` it
    has the directions of `LSI`, scaled.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        A whole number of 1..n_features is the number of directions. A float in (0, 1) is the share t of the sum of all
        positive eigenvalues, such as the variance in `PCA`: the fewest directions that hold it are kept (Xu et al.
        2016, equation (15)); not where eigenvalues may be negative (``signed_values``). A string such as ``"50%"`` is
        a percentage of n_features in (0, 100], rounded down to at least 1. None keeps all with a positive eigenvalue;
        with ``signed_values`` as many as the rank of the features.
    coding : {"signed", "binary"}, default="binary"
        Labels as -1/1 or 0/1 in the objective, for either coding of ``y``; it changes the meaning of ``beta``.
    beta : float, default=0.5
        Weight of the labels, in [0, 1].
    gamma : float, default=1.0
        Ridge of the constraint, >= 0, in squared units of the features.
    centred : bool, default=False
        Whether X and Y are centred, as by Xu et al. (2016).

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first; of each, the entry of largest magnitude is positive, of equal ones
        the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, of the directions not kept too. Not where eigenvalues
        may be negative (``signed_values``), nor, for a kernel or graph in the objective, with fewer directions than
        exist: their sum is not known then.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    References
    ----------
    Yu, Yu and Tresp (2005), "Multi-label informed latent semantic indexing".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MLSI(beta=0.9).fit(data.X, data.Y).n_components_  # as many as the rank of the features
    30
    >>> mlreduce.MLSI(beta=1.0).fit(data.X, data.Y).n_components_  # as that of the labels
    9
    """

    def __init__(
        self,
        n_components: Size = None,
        coding: str = "binary",
        beta: float = 0.5,
        gamma: float = 1.0,
        centred: bool = False,
    ) -> None:
        super().__init__(n_components)
        self.coding = coding
        self.beta = beta
        self.gamma = gamma
        self.centred = centred

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.beta, "beta", 0, 1)
        check_range(self.gamma, "gamma", 0)
        label_scale(self.coding)

    def _objective(self, data: TrainingSet) -> Form:
        scale, labels = label_scale(self.coding), data.labels
        if scale == 2 and not self.centred:
            scale, labels = 1.0, 2.0 * as_dense(labels) - 1.0
        if self.beta == 1:
            return Form(factor=labels, middle=scale**2)
        return Form(factor=labels, middle=self.beta * scale**2, squared=1.0 - self.beta)

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0, ridge=float(self.gamma))
