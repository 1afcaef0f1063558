"""The figures that a study file may ask for, by their ``kind``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mlreduce.reporting.names import measure_name
from mlreduce.reporting.tables.kinds import directions, measure_tables
from mlreduce.reporting.tables.missing import without_gaps
from mlreduce.reporting.tables.ranked import comparisons

__all__ = ["make_figure"]

Spec = Mapping[str, Any]


def make_figure(source: pd.DataFrame, spec: Spec, protocol: str, dataset: str | None = None) -> Any:
    """Make a figure that a study file asks for.

    Parameters
    ----------
    source : DataFrame
        The file that `mlreduce.reporting.sources.FIGURE_SOURCES` names.
    spec : dict
        The entry of the study file; for the kind "parameter" with ``points``, method to value of the parameter.
    protocol : str
        Which protocol.
    dataset : str or None, default=None
        Which data set, for the kind "curves".

    Returns
    -------
    figure
        Where nothing is left to draw since cells failed, one that says so.
    """
    from mlreduce.reporting.figures.layout import NothingToDraw, empty_figure

    try:
        return _figure(source, spec, protocol, dataset)
    except NothingToDraw:
        if "reason" not in source:
            raise
        return empty_figure(spec["caption"], "nothing to draw: every cell failed")


def _figure(source: pd.DataFrame, spec: Spec, protocol: str, dataset: str | None) -> Any:
    kind, labels, methods = spec.get("kind", "curves"), spec.get("labels", {}), spec["methods"]
    if "protocol" in source:
        source = source[source["protocol"] == protocol]
    if "predictor" in source and kind != "panels":
        source = source[source["predictor"] == spec["predictor"]]
    if kind != "critical-differences":  # which says how many data sets have gaps
        source = without_gaps(source)
    # Each kind imports what it draws with, and no other.
    if kind == "curves":
        from mlreduce.reporting.figures.layout import curves

        source = source[source["dataset"] == dataset]
        title = f"{dataset}, {protocol}: mean over {source['splits'].max()} random splits"
        return curves(source, spec["measures"], methods, labels, title)
    if kind == "critical-differences":
        from mlreduce.reporting.figures.critical_differences import critical_difference_diagrams

        compared = comparisons(measure_tables(source, spec), methods, directions(spec))
        return critical_difference_diagrams(compared, labels, spec["caption"])
    if kind == "panels":
        from mlreduce.reporting.figures.panels import panel_curves

        given = {key: spec[key] for key in ("predictor_labels", "references", "thin") if key in spec}
        return panel_curves(source, spec["measure"], spec["panels"], methods, labels, spec["caption"], **given)
    if kind == "families":
        from mlreduce.reporting.figures.embeddings import family_comparison

        return family_comparison(source, spec["measure"], spec["families"], labels, spec["caption"])
    if kind == "proximities":
        from mlreduce.reporting.figures.embeddings import proximity_images

        return proximity_images(source, methods, labels, spec["caption"], measure_name(spec["measure"]))
    if kind == "costs":
        from mlreduce.reporting.figures.embeddings import cost_curves

        return cost_curves(source, methods, labels, spec["caption"])
    from mlreduce.reporting.figures import studies as study_figures

    if kind == "spectra":
        return study_figures.spectra(source, methods, labels, spec["caption"])
    if kind == "times":
        return study_figures.fit_times(source, methods, labels, spec["caption"])
    if kind == "approximation":
        return study_figures.approximation_curves(source, methods, labels, spec["caption"])
    if kind == "dimensions":
        source = source[source["method"].isin(methods)]
        return study_figures.dimension_curves(source, spec["measure"], methods, labels, spec["caption"])
    shown = source[source["method"].isin([*methods, *spec["references"]])]
    return study_figures.parameter_curves(
        shown,
        spec["measure"],
        spec["points"],
        spec["references"],
        spec["parameter"],
        spec["caption"],
        energy=spec["energy"],
    )
