"""
Unknown labels
==============

Not every molecule was tried in every assay: a sixth of the labels of tox21 is unknown, NaN in ``Y``, and six in ten
molecules lack one at least. Features are counts of runs of characters in the molecules' formulas (SMILES), hashed. What
is gained by methods that take single unknown labels, over leaving such molecules out, and over taking unknown for
absent? Scores are those of the known labels of the other half. Where the data cannot be downloaded, digits replace
them, with labels hidden at random.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

import mlreduce
from mlreduce.exceptions import FetchError
from mlreduce.metrics import evaluate


def load(name, hidden):
    """Return a published data set, or digits with a share of hidden labels."""
    try:
        return mlreduce.load_dataset(name)
    except FetchError as error:
        print(f"{name} cannot be had ({error}): digits instead")
        digits = mlreduce.load_dataset("digits")
        return mlreduce.MultiLabelData(digits.X, hide(digits.Y, hidden), digits.feature_names, digits.label_names, name)


def hide(labels, share, seed=0):
    """Make a share of the labels unknown."""
    return np.where(np.random.default_rng(seed).random(labels.shape) < share, np.nan, labels)


data = load("tox21", 0.3)
X, Y = data.X, data.Y
known = ~np.isnan(Y)
print(f"{1 - known.mean():.0%} of the labels are unknown, and {known.all(axis=1).mean():.0%} of the rows lack none")

# %%
# A projection to 50 directions (MVMD), and two predictors, all three trained in each of the ways.
train, test = train_test_split(np.arange(len(Y)), test_size=0.5, random_state=0)
complete = train[known[train].all(axis=1)]
ways = {
    "known labels": (train, Y[train]),
    "rows without unknown ones": (complete, Y[complete]),
    "unknown as absent": (train, np.nan_to_num(Y[train])),
}
scores = {}
for way, (rows, labels) in ways.items():
    projection = mlreduce.MVMD(n_components=min(50, X.shape[1] // 2)).fit(X[rows], labels)
    Z, Z_test = projection.transform(X[rows]), projection.transform(X[test])
    ridge = mlreduce.make("ridge").fit(Z, labels).predict(Z_test)
    neighbours = mlreduce.MLKNN().fit(Z, labels).predict_scores(Z_test)
    scores[way] = [evaluate("macro-auc", Y[test], predicted) for predicted in (ridge, neighbours)]

figure, axis = plt.subplots(figsize=(6.5, 4), layout="constrained")
for place, (way, values) in enumerate(scores.items()):
    bars = axis.bar(np.arange(2) + 0.27 * (place - 1), values, 0.25, label=f"{way} ({len(ways[way][0])} rows)")
    axis.bar_label(bars, fmt="%.3f", fontsize=8)
axis.set_xticks(range(2), ["MVMD, ridge", "MVMD, ML-kNN"])
axis.set(ylim=(0.5, None), ylabel="macro-averaged AUC, known test labels")
axis.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2)
axis.set_title(f"{data.name}: what unknown labels are taken for")

# %%
# ``mlreduce.compare`` takes the data as they are; what needs all labels would be left out, with a warning that names
# it.
methods = {"pls": {}, **{name: {"n_components": 50} for name in ("pca", "mvmd")}}
comparison = mlreduce.compare(
    data, methods=methods, predictors="ridge", cv=3, sizes=[5], measures=["macro-auc", "micro-f1"]
)
comparison.table().round(3)

# %%
# Of sider, side effects of drugs, all labels are known. The more of them are hidden from the training half, the more
# it matters what is made of the unknown: where they are taken for absent, labels are predicted to be rarer than they
# are.
data = load("sider", 0.0)
train, test = train_test_split(np.arange(len(data.Y)), test_size=0.5, random_state=0)
shares = [0, 0.2, 0.4, 0.6, 0.8]
models = {"LEML": ("-", mlreduce.LEML(3, penalty=300.0)), "ML-kNN": ("--", mlreduce.MLKNN(decision="half"))}

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for name, (line, model) in models.items():
    for way, (fill, colour) in {"known labels": (np.nan, "C0"), "unknown as absent": (0.0, "C2")}.items():
        predicted = []
        for share in shares:
            partly = hide(data.Y[train], share)
            model.fit(data.X[train], np.where(np.isnan(partly), fill, partly))
            predicted.append(model.predict_scores(data.X[test]))
        areas = [evaluate("macro-auc", data.Y[test], values) for values in predicted]
        rates = [evaluate("micro-f1", data.Y[test], values > 0.5) for values in predicted]
        for axis, values in zip(axes, (areas, rates), strict=True):
            axis.plot(shares, values, line, marker="o", color=colour, label=f"{name}, {way}")
for axis, label in zip(axes, ("macro-averaged AUC", "micro-averaged F1"), strict=True):
    axis.set(xlabel="share of hidden labels", ylabel=label)
axes[1].legend(frameon=False)
