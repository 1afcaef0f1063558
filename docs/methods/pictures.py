"""Draw the pictures of the method pages that show one, all of scene. Called by `make pictures`.

Projections show it in two directions; selectors and voting classifiers what is predicted from the features they keep.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from PIL import Image
from sklearn.metrics import f1_score

import mlreduce
from mlreduce.datasets import MultiLabelData
from mlreduce.exceptions import MLReduceError
from mlreduce.linalg.utilities import above_half
from mlreduce.plot.layout import house_style, save, style
from mlreduce.preprocessing.scaling import scale_parts
from mlreduce.registry import class_name_of, kind_of

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "_ext"))

from method_tables import declared_pages  # noqa: E402

#: The published training part of scene; of the others every second row is drawn, so that no method shows what it
#: learned by heart.
TRAINING_ROWS = 1211

#: Page -> panels: title, registry name of a projection or an embedding, parameters. Other pages show all of their
#: methods with their defaults.
PAGES: Mapping[str, Sequence[tuple[str, str, dict[str, Any]]]] = {
    "pca": [("PCA", "pca", {})],
    "lsi": [("LSI", "lsi", {})],
    "mddm": [
        ("MDDMp", "mddmp", {}),
        ("MDDMf\nscatter_weight = 0.5", "mddmf", {"scatter_weight": 0.5}),
        ("Gaussian kernel", "mddm-kernel", {"kernel": "rbf"}),
        ("SFEHS, unbiased", "sfehs", {"estimate": "unbiased"}),
        ("supervised PCA", "supervised-pca", {}),
    ],
    "mvmd": [("MVMD, beta = 0.5", "mvmd", {})],
    "mlsi": [("MLSI", "mlsi", {}), ("MLSI, centred, signed", "mlsi", {"centred": True, "coding": "signed"})],
    "cca": [("CCA", "cca", {}), ("RCCA, ridge = 1", "rcca", {"ridge": 1})],
    "pls": [("PLS", "pls", {}), ("OPLS", "opls", {})],
    "hypergraph": [("HSL1", "hsl1", {}), ("HSL2", "hsl2", {}), ("HSL3", "hsl3", {})],
    "sir": [("SIR, labels", "sir", {}), ("SIR, label sets", "sir", {"slices": "label-sets"})],
    "morp": [("MORP, beta = 0.5", "morp", {})],
    "mope": [
        ("MOPE", "mope", {"random_state": 0}),
        ("labels alone", "mope", {"combine": "labels", "random_state": 0}),
        ("Laplacian, on Z", "mope", {"laplacian": True, "on": "Z", "random_state": 0}),
        ("without a projection", "mope-embedding", {"random_state": 0}),
    ],
    "locality": [("LPP", "lpp", {}), ("OLPP", "olpp", {}), ("NPP", "npp", {}), ("ONPP", "onpp", {})],
    "graph-embedding": [
        ("USC", "usc", {"n_components": 3}),
        ("symmetric", "symmetric-spectral", {"n_components": 3}),
        ("Laplacian eigenmaps", "le", {}),
        ("LLE", "lle", {}),
    ],
    "scaling": [("MDS", "mds", {}), ("Isomap", "isomap", {})],
    "slvm": [("SLVM, beta = 0.5", "slvm", {}), ("SLVM, beta = 0.99", "slvm", {"beta": 0.99})],
    "semi-supervised": [
        ("SELF\nunsupervised_weight = 0.1", "self", {"unsupervised_weight": 0.1}),
        ("SSFDA\nsmoothness = 1", "ssfda", {}),
        ("SSMMC\nsmoothness = 0.1", "ssmmc", {"smoothness": 0.1}),
        ("SSLFDA\nunsupervised_weight = 0.1", "sslfda", {"unsupervised_weight": 0.1}),
        ("SSMFA\nunsupervised_weight = 0.1", "ssmfa", {"unsupervised_weight": 0.1}),
        ("SSDNE\nunsupervised_weight = 0.1", "ssdne", {"unsupervised_weight": 0.1}),
        ("SSDONPP\nunsupervised_weight = 0.1", "ssdonpp", {"unsupervised_weight": 0.1}),
        ("SSMOPE\nunsupervised_weight = 0.1", "ssmope", {"unsupervised_weight": 0.1}),
        (
            "MDDMp and PCA\nunsupervised_weight = 0.1",
            "semi-supervised",
            {"unsupervised_weight": 0.1, "supervised_part": "mddmp", "unsupervised_part": "pca"},
        ),
    ],
    "mesd": [
        ("FDA", "mesd-fda", {}),
        ("LFDA", "mesd-lfda", {}),
        ("MFA", "mesd-mfa", {}),
        ("MMC", "mesd-mmc", {}),
        ("DLA", "mesd-dla", {}),
        ("DNE", "mesd-dne", {}),
        ("OLPP-R", "mesd-olpp-r", {}),
        ("SONPP", "mesd-sonpp", {}),
        ("DONPP", "mesd-donpp", {}),
        ("ONPP-R", "mesd-onpp-r", {}),
    ],
    "discriminant": [
        ("LDA by copies", "lda-copy", {}),
        ("MLDA", "mlda", {}),
        ("DMLDA", "dmlda", {}),
        ("wMLDA, fuzzy", "wmlda", {"weights": "fuzzy"}),
        ("wMLDA, dependence", "wmlda", {"weights": "dependence"}),
    ],
}

#: Page -> lines: title, registry name of a selector, its parameters, registry name of a classifier.
CURVES: Mapping[str, Sequence[tuple[str, str, dict[str, Any], str]]] = {
    "gmba": [
        ("one order", "gmba", {"visits": "position", "n_orders": 1, "random_state": 0}, "br-knn"),
        ("30 orders", "gmba", {"visits": "position", "n_orders": 30, "random_state": 0}, "br-knn"),
        (
            "published code",
            "gmba",
            {"visits": "position", "n_orders": 1, "variant": "published-code", "random_state": 0},
            "br-knn",
        ),
    ],
    "spec": [("SPEC", "spec", {}, "br-knn")],
    "mlfs": [("MLFS", "mlfs", {}, "br-knn")],
    "mlrf": [
        ("MLRF", "mlrf", {}, "br-knn"),
        ("published code", "mlrf", {"variant": "published-code", "random_state": 0}, "br-knn"),
    ],
    "controls": [
        ("all features", "all-features", {}, "br-knn"),
        ("F statistic", "anova", {}, "br-knn"),
        ("mutual information", "mutual-info", {"random_state": 0}, "br-knn"),
        ("lasso", "lasso-multitask", {"sparsity": 0.01}, "br-knn"),
    ],
    "qpfs": [
        ("exact", "qpfs", {}, "br-knn"),
        ("approximated", "qpfs-approx", {"random_state": 0}, "br-knn"),
        ("Nystrom", "qpfs-nystrom", {"random_state": 0}, "br-knn"),
    ],
    "grro": [("GRRO", "grro", {}, "br-knn"), ("GRRO-LS", "grro", {"n_per_label": 5}, "br-knn")],
    "pmu": [
        ("PMU", "pmu", {"k": None}, "br-knn"),
        ("ordered pairs", "pmu", {"k": None, "pairs": "ordered"}, "br-knn"),
    ],
    "information-criteria": [
        ("mRMR", "mrmr", {"k": None}, "br-knn"),
        ("AMI", "ami", {"k": None}, "br-knn"),
        ("JMI", "jmi", {"k": None}, "br-knn"),
        ("CMIM", "cmim", {"k": None}, "br-knn"),
        ("D2F", "d2f", {"k": None}, "br-knn"),
        ("MDMR", "mdmr", {"k": None}, "br-knn"),
        ("SCLS", "scls", {"k": None}, "br-knn"),
    ],
    "label-information": [
        ("MIM", "mim", {"k": None}, "br-knn"),
        ("FIMF", "fimf", {"k": None}, "br-knn"),
        ("IGMF", "igmf", {"k": None}, "br-knn"),
        ("LRFS", "lrfs", {"k": None}, "br-knn"),
        ("TCRFS", "tcrfs", {"k": None}, "br-knn"),
        ("LSMFS", "lsmfs", {"k": None}, "br-knn"),
        ("MLSMFS", "mlsmfs", {"k": None}, "br-knn"),
        ("PPT-MI", "ppt-mi", {"k": None}, "br-knn"),
        ("PPT-CHI2", "ppt-chi2", {"k": None}, "br-knn"),
        ("ELA-CHI2", "ela-chi2", {}, "br-knn"),
    ],
    "sparse-regression": [
        ("MSSL", "mssl", {}, "br-knn"),
        ("CSFS", "csfs", {}, "br-knn"),
        ("MDFS", "mdfs", {}, "br-knn"),
        ("MIFS", "mifs", {}, "br-knn"),
        ("SFUS", "sfus", {}, "br-knn"),
    ],
    "rfs": [("RFS", "rfs", {}, "br-knn")],
    "neighbours": [("BR, of MLRF", "mlrf", {}, "br-knn"), ("CC, of MLRF", "mlrf", {}, "cc-knn")],
    "ml-knn": [("ML-KNN, of MLRF", "mlrf", {}, "ml-knn"), ("BR, of MLRF", "mlrf", {}, "br-knn")],
    "mlnb": [("MLNB, of MLRF", "mlrf", {}, "mlnb"), ("MLNB, of QPFS", "qpfs", {}, "mlnb")],
    "flda": [("FLDA, of MLRF", "mlrf", {}, "flda"), ("BR, of MLRF", "mlrf", {}, "br-knn")],
}

#: Beneath the lines of every such page, in grey: features at random, several times.
_CHANCE = 5
_SHARES = (2, 5, *range(10, 101, 10))

# Of the pictures of semi-supervised methods one training row in so many has labels.
_LABELLED = 4

# Side of a panel in inches, by the number of panels in a row.
_SIDES = {1: 2.9, 2: 2.3, 3: 2.0, 4: 1.7, 5: 1.5}
_LEGEND = 1.3

# Of the house style, without the position whose colour is too near the first one's in small marks.
_LOOKS = [style(position) for position in (0, 1, 2, 3, 4, 6)]

_COLOURS = 128


def methods_on(page: str, *families: str) -> list[str]:
    """Return the methods of some families that a page names."""
    return [name for name, path in declared_pages().items() if path.stem == page and kind_of(name) in families]


def panels_of(page: str) -> Sequence[tuple[str, str, dict[str, Any]]]:
    """Return the panels of a page of projections or embeddings; none of another."""
    return PAGES.get(page) or [(class_name_of(n), n, {}) for n in methods_on(page, "projection", "embedding")]


def curves_of(page: str) -> Sequence[tuple[str, str, dict[str, Any], str]]:
    """Return the lines of a page of selectors or classifiers."""
    selectors = [(class_name_of(n), n, {}, "br-knn") for n in methods_on(page, "selection")]
    return CURVES.get(page) or selectors + [(class_name_of(n), "mlrf", {}, n) for n in methods_on(page, "predictors")]


def draw(page: str, data: MultiLabelData, folder: Path = HERE) -> Path:
    """Draw the picture of a page and return the file.

    Parameters
    ----------
    page : str
        Name of the page's file, without its ending.
    data : MultiLabelData
        scene.
    folder : path
        Where the picture is written.
    """
    path = folder / f"{page}.png"
    with house_style():
        save((_directions if page not in CURVES and panels_of(page) else _curves)(page, data), [path])
    with Image.open(path) as picture:  # a table of colours halves the file without a visible difference
        picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    return path


def _directions(page: str, data: MultiLabelData) -> Any:
    """Return the panels of a page of projections, or embeddings, side by side.

    Directions come from the first rows, the points are of the others; an embedding is of the points themselves. Every
    axis is stretched to the range of its values and has no numbers: the units of methods differ. Of more than two
    columns the last two are shown.
    """
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    Y = np.asarray(data.Y.toarray() if sp.issparse(data.Y) else data.Y)
    trained, shown = slice(TRAINING_ROWS), slice(TRAINING_ROWS, None, 2)
    several = Y[shown].sum(axis=1) > 1
    known = Y[trained].astype(float)
    if page == "semi-supervised":
        known[np.arange(len(known)) % _LABELLED > 0] = np.nan
    titles = panels_of(page)
    rows = next(rows for rows in range(1, len(titles) + 1) if len(titles) / rows in _SIDES)  # all of them full
    columns = len(titles) // rows
    side = _SIDES[columns]
    figure, axes = plt.subplots(
        rows, columns, figsize=(side * columns + _LEGEND, side * rows + 0.1), squeeze=False, layout="constrained"
    )
    for axis, (title, name, parameters) in zip(axes.flat, titles, strict=True):
        method = mlreduce.make(name, **{"n_components": 2} | parameters)
        what = "coordinate" if kind_of(name) == "embedding" else "direction"
        if what == "coordinate":
            Z = method.fit_transform(X[shown], Y[shown])[:, -2:]
        else:
            Z = method.fit(X[trained], known).transform(X[shown])
        for label, has, look in zip(data.label_names, Y[shown].T == 1, _LOOKS, strict=True):
            dots = {"color": look["color"], "marker": look["marker"], "alpha": 0.85, "linewidth": 0}
            axis.scatter(*Z[has & ~several].T, s=9, label=label, **dots)
        axis.scatter(*Z[several].T, s=9, color="#808080", marker="x", linewidth=0.7, label="several")
        axis.set_title(title, fontsize=9)
        axis.set_xlabel(f"first {what}", fontsize=8)
        axis.set_xticks([])
        axis.set_yticks([])
        if axis in axes[:, 0]:
            axis.set_ylabel(f"second {what}", fontsize=8)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside center right", frameon=False, fontsize=8, markerscale=1.8, handletextpad=0.2
    )
    return figure


def _curves(page: str, data: MultiLabelData) -> Any:
    """Return the F1 score of the other rows by the share of selected features, standardised by the first rows."""
    train, test, _ = scale_parts(data.X[:TRAINING_ROWS], data.X[TRAINING_ROWS:], "standard")
    Y = np.asarray(data.Y.toarray() if sp.issparse(data.Y) else data.Y)
    known, true = Y[:TRAINING_ROWS].astype(float), Y[TRAINING_ROWS:]
    sizes = [max(1, train.shape[1] * share // 100) for share in _SHARES]

    def scores(name: str, parameters: Mapping[str, Any], predictor: str) -> list[float]:
        best_first = np.argsort(mlreduce.make(name, **parameters).fit(train, known).ranking_)
        votes = mlreduce.make(predictor)
        if name == "all-features":
            return [f1_score(true, votes.fit(train, known).predict(test), average="micro")] * len(sizes)
        nested = votes.predict_nested(train[:, best_first], known, test[:, best_first], sizes)
        return [f1_score(true, above_half(predicted), average="micro") for predicted in nested]

    figure, axis = plt.subplots(figsize=(4.6, 2.6), layout="constrained")
    for seed in range(_CHANCE):
        chance = scores("random-features", {"random_state": seed}, "br-knn")
        axis.plot(_SHARES, chance, color="#b0b0b0", linewidth=0.8, label=None if seed else "at random")
    for position, (title, name, parameters, predictor) in enumerate(curves_of(page)):
        flat = {"marker": ""} if name == "all-features" else {"markersize": 4}
        axis.plot(_SHARES, scores(name, parameters, predictor), label=title, linewidth=1.2, **style(position) | flat)
    axis.set_xlabel("features kept, in percent", fontsize=8)
    axis.set_ylabel("micro-averaged F1", fontsize=8)
    axis.tick_params(labelsize=8)
    axis.legend(frameon=False, fontsize=8)
    return figure


def main() -> None:
    """Draw every picture."""
    try:
        data = mlreduce.load_dataset("scene")
    except MLReduceError as error:
        sys.exit(f"The pictures need the data set scene: set MLREDUCE_MIRROR to a folder that holds it.\n{error}")
    for path in sorted(HERE.glob("*.md")):
        if f"({path.stem}.png)" in path.read_text(encoding="utf-8"):
            print(draw(path.stem, data).relative_to(HERE.parents[1]))


if __name__ == "__main__":
    main()
