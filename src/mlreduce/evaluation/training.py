"""Label coders of a study, and the training of a predictor on their codes: what they have in common is done once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.base import clone

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.seeds import seeded
from mlreduce.evaluation.splitting import Split
from mlreduce.exceptions import ConfigurationError
from mlreduce.labelspace.base import LabelCoder
from mlreduce.linalg.least_squares import Design
from mlreduce.predictors.decision import fit_left_out
from mlreduce.registry import has_shortcut
from mlreduce.validation import FloatArray, is_sparse

_Coders = Mapping[str, LabelCoder]
_Parameters = Mapping[str, Mapping[str, Any]]


def make_coder(name: str, parameters: Mapping[str, Any], seed: int, dataset: str, split: int) -> LabelCoder:
    """Make a label coder from an entry of a study; a randomised one gets a seed.

    Raises ConfigurationError if the method or one of its parameters is unknown, or it is no label coder.
    """
    coder = registry.make_entry(name, parameters)
    if not isinstance(coder, LabelCoder):
        raise ConfigurationError(f"{name!r} is no label coder; known: {', '.join(registry.method_names('labelspace'))}")
    return seeded(coder, parameters, seed, dataset, name, split)


@runtime_checkable
class HeldOut(Protocol):
    """A predictor that is linear in its targets and solves all splits from one factorisation of the features.

    One solution per split serves every coder.
    """

    def held_out(self, design: Design, targets: FloatArray) -> Any:
        """Return an object whose ``solve(train, test)`` gives ``predictions`` of the targets of the test rows."""


@runtime_checkable
class OnSplit(Protocol):
    """A predictor that is linear in its targets, and whose parameters may differ between coders.

    Each pair of split and parameters is solved once.
    """

    def on_split(self, X: Any, targets: FloatArray, X_test: Any) -> Any:
        """Return an object whose ``predictions(**parameters)`` are those of the targets of the test rows."""


class Training:
    """A predictor at work on the splits of a data set: a regressor, never fitted itself.

    What is shared depends on what the predictor is: `HeldOut`; `OnSplit`; or, by its attribute ``independent_targets``,
    one for which many targets are as many problems, and the codes of all coders are one table of targets. What is
    predicted for a coder has the same bits whatever other coders there are. ``design`` returns the design of all rows
    of ``data.X``. ``share`` of False trains for every coder by itself, the long way round, with the same result: what
    tests compare with.
    """

    def __init__(self, model: Any, data: MultiLabelData, design: Callable[[], Design], share: bool = True) -> None:
        # Predictions of many labels instead of few codes would share nothing.
        self._model, self._X, self._share = model, data.X, share and not is_sparse(data.Y)
        self._labels = data.Y.astype(np.float64)
        held_out = self._shares(HeldOut, "held_out")
        self._regression = model.held_out(design(), self._labels) if held_out else None

    def _shares(self, kind: type, shortcut: str) -> bool:
        """Return whether the predictor is of a kind, and its shortcut does what its ``fit`` and ``predict`` do."""
        return self._share and isinstance(self._model, kind) and has_shortcut(self._model, shortcut, "fit", "predict")

    def predicted_codes(self, split: Split, coders: _Coders, parameters: _Parameters) -> dict[str, FloatArray]:
        """Return the predicted codes of the test rows for each coder, fitted on the training part.

        ``parameters`` are those of the predictor that were chosen for a coder; they may be empty.
        """
        linear = {name: coder for name, coder in coders.items() if coder.projects_predictions}
        predicted = self._predict_linear(split, linear, parameters) if linear else {}
        for name, coder in coders.items():
            if name not in linear:
                codes = coder.codes_for_training(self._labels[split.train])
                predicted[name] = self._trained(split, codes, parameters.get(name, {}))
        return predicted

    def held_out_codes(
        self, split: Split, coders: _Coders, parameters: _Parameters
    ) -> dict[str, tuple[FloatArray, FloatArray]]:
        """Return the codes of the training rows, predicted by models of the others, and those of the test rows."""
        predicted = {}
        for name, coder in coders.items():
            model = self._configured(parameters.get(name, {}))
            held_out = fit_left_out(model, self._X[split.train], coder.codes_for_training(self._labels[split.train]))
            predicted[name] = held_out, model.predict(self._X[split.test]).reshape(len(split.test), -1)
        return predicted

    def _predict_linear(self, split: Split, coders: _Coders, parameters: _Parameters) -> dict[str, FloatArray]:
        """Predict codes that are a linear map of the labels, which have work in common."""
        if self._regression is not None:
            labels = self._regression.solve(split.train, split.test).predictions
            return {name: coder.project(labels) for name, coder in coders.items()}
        if self._shares(OnSplit, "on_split"):
            return self._from_one_split(self._model, split, coders, parameters)
        independent = self._shares(object, "independent_targets") and self._model.independent_targets
        if independent and not any(parameters.values()):
            codes = [coder.project(self._labels[split.train]) for coder in coders.values()]
            predicted = self._trained(split, np.hstack(codes), {})
            parts = np.split(predicted, np.cumsum([code.shape[1] for code in codes])[:-1], axis=1)
            return dict(zip(coders, parts, strict=True))
        return {
            name: self._trained(split, coder.project(self._labels[split.train]), parameters.get(name, {}))
            for name, coder in coders.items()
        }

    def _from_one_split(
        self, model: OnSplit, split: Split, coders: _Coders, parameters: _Parameters
    ) -> dict[str, FloatArray]:
        regression = model.on_split(self._X[split.train], self._labels[split.train], self._X[split.test])
        predicted = {}
        for name, coder in coders.items():
            options = self._configured(parameters.get(name, {})).get_params()
            predicted[name] = coder.project(regression.predictions(**options))
        return predicted

    def _trained(self, split: Split, codes: FloatArray, parameters: Mapping[str, Any]) -> FloatArray:
        model = self._configured(parameters).fit(self._X[split.train], codes)
        return model.predict(self._X[split.test]).reshape(len(split.test), -1)

    def _configured(self, parameters: Mapping[str, Any]) -> Any:
        model = clone(self._model)
        known = model.get_params()
        return model.set_params(**{key: value for key, value in parameters.items() if key in known})
