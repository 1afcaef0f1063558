"""
Maps of label sets
==================

Two directions of the handwritten digits, computed without the labels (PCA), from the labels (MDDMp, RCCA), and from
both (MOPE). The labels are attributes of the digit: even, prime, has a closed loop, and so on; each digit has a
different label set. Each map is fitted on one half of the images and shows the other half.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors

import mlreduce

data = mlreduce.load_dataset("digits")
X, X_test, Y, Y_test, _, digits = train_test_split(
    data.X / 16, data.Y, load_digits().target, test_size=0.5, random_state=0
)

# %%
# A number marks the middle of the images of its digit, and eight of the digits have colours. The title has the share of
# the five nearest images on the map that have the same label set: how good a map is, not only how it looks.
models = {
    "PCA, variance": mlreduce.PCA(n_components=2),
    "MDDMp, dependence on labels": mlreduce.MDDMp(n_components=2),
    "RCCA, correlation with labels": mlreduce.RCCA(n_components=2, ridge=1.0),
    "MOPE, neighbours": mlreduce.MOPE(n_components=2, random_state=0),
}
figure, axes = plt.subplots(2, 2, figsize=(9.5, 7), layout="constrained")
for axis, (title, model) in zip(axes.flat, models.items(), strict=True):
    Z = model.fit(X, Y).transform(X_test)
    near = NearestNeighbors(n_neighbors=5).fit(Z).kneighbors(return_distance=False)
    share = np.mean(digits[near] == digits[:, np.newaxis])
    mlreduce.plot.label_map(Z, Y_test, label_names=data.label_names, n_sets=8, size=9, ax=axis)
    axis.get_legend().remove()
    axis.set(title=f"{title}: {share:.0%} same", xlabel="", ylabel="")
    for digit in range(10):
        middle = np.median(Z[digits == digit], axis=0)
        number = axis.text(*middle, str(digit), fontsize=17, weight="bold", ha="center", va="center")
        number.set_path_effects([withStroke(linewidth=3, foreground="white")])
