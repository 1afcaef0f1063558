"""
Label propagation
=================

If the instances to be labelled are at hand, labels can be spread along a graph of neighbours. Two of the
labels are the two moons, the third is their outer ends; twelve points have known labels. SMSE1 keeps these and makes
the rest smooth, on the graph and over labels that go together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import mlreduce

X, moon = make_moons(300, noise=0.07, random_state=0)
Y = np.column_stack([moon == 0, moon == 1, abs(X[:, 0] - 0.5) > 1]).astype(float)
known = np.random.default_rng(3).choice(300, 12, replace=False)
partly = np.full(Y.shape, np.nan)
partly[known] = Y[known]
model = mlreduce.SMSE1(proximity={"n_neighbors": 8}, label_smoothness=0.01)
scores = model.fit(X, partly).embedding_

figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained", sharey=True)
for axis, score, title, label in zip(axes, scores.T, ["upper moon", "lower moon", "tips"], Y.T, strict=True):
    image = axis.scatter(*X.T, c=score, cmap="cividis", s=14)
    present = label[known] == 1
    axis.scatter(*X[known][present].T, marker="P", s=90, color="#d55e00", edgecolors="white", label="known to have it")
    axis.scatter(*X[known][~present].T, marker="X", s=60, color="black", edgecolors="white", label="known not to")
    axis.set(title=title, xticks=[], yticks=[])
axes[0].legend(loc="lower left", fontsize=8, framealpha=0.9)
figure.colorbar(image, ax=axes, label="score of the label")
