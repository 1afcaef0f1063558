"""Multi-label informed latent semantic indexing."""

from __future__ import annotations

from mlreduce.projection.base import WeightedProjection
from mlreduce.projection.mddm import label_scale
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import Size, as_dense, check_range


@register("mlsi")
class MLSI(WeightedProjection):
    """Multi-label informed latent semantic indexing (MLSI): projections that reconstruct features and labels.

    ``max tr(P'X'((1 - beta) XX' + beta YY')XP)`` subject to ``P'(X'X + ridge I)P = I``. With ``beta=0`` it
    has the directions of `LSI`, scaled.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    coding : {"signed", "binary"}, default="binary"
        Labels as -1/1 or 0/1 in the objective, for either coding of ``y``; it changes the meaning of ``beta``.
    beta : float, default=0.5
        Weight of the labels, in [0, 1].
    ridge : float, default=1.0
        Ridge of the constraint, >= 0, in squared units of the features.
    centred : bool, default=False
        Whether X and Y are centred, as by Xu et al. (2016).

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

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
        ridge: float = 1.0,
        centred: bool = False,
    ) -> None:
        super().__init__(n_components)
        self.coding = coding
        self.beta = beta
        self.ridge = ridge
        self.centred = centred

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.beta, "beta", 0, 1)
        check_range(self.ridge, "ridge", 0)
        label_scale(self.coding)

    def _objective(self, data: TrainingSet) -> Form:
        scale, labels = label_scale(self.coding), data.labels
        if scale == 2 and not self.centred:
            scale, labels = 1.0, 2.0 * as_dense(labels) - 1.0
        if self.beta == 1:
            return Form(factor=labels, middle=scale**2)
        return Form(factor=labels, middle=self.beta * scale**2, squared=1.0 - self.beta)

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0, ridge=float(self.ridge))
