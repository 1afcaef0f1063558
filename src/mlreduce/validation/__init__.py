"""Checks of features, labels and parameters."""

from __future__ import annotations

from mlreduce.validation.features import (
    LARGEST,
    MEMORY_SHARE,
    SMALLEST,
    FloatArray,
    as_dense,
    as_precise,
    check_features,
    check_finite,
    check_memory,
    check_regression,
    check_sample_weight,
    column_names,
    is_sparse,
    machine_memory,
)
from mlreduce.validation.labels import (
    check_known_labels,
    check_labels,
    fill_unlabelled,
    remember_label_names,
)
from mlreduce.validation.parameters import (
    NamedParameters,
    Size,
    check_components,
    check_count,
    check_option,
    check_options,
    check_range,
    check_size,
    is_share,
    named_parameters,
)

__all__ = [
    "LARGEST",
    "MEMORY_SHARE",
    "SMALLEST",
    "FloatArray",
    "NamedParameters",
    "Size",
    "as_dense",
    "as_precise",
    "check_components",
    "check_count",
    "check_features",
    "check_finite",
    "check_known_labels",
    "check_labels",
    "check_memory",
    "check_option",
    "check_options",
    "check_range",
    "check_regression",
    "check_sample_weight",
    "check_size",
    "column_names",
    "fill_unlabelled",
    "is_share",
    "is_sparse",
    "machine_memory",
    "named_parameters",
    "remember_label_names",
]
