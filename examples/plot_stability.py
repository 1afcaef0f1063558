"""
How stable is a selection?
==========================

Each selector keeps 16 of the 64 pixels of the handwritten digits, in 20 samples of 200 images each. Bright pixels were
selected in all of them, dark ones in none. A selection that changes with the sample is no evidence on the features,
even if it predicts well. The number is the mean overlap of two selections (Jaccard index; 0.14 by chance).
"""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

import mlreduce

data = mlreduce.load_dataset("digits")
samples = [np.random.default_rng(seed).choice(len(data.X), 200, replace=False) for seed in range(20)]
names = ["random-features", "mlfs", "spec", "mlrf", "rfs", "qpfs"]

# %%
figure, axes = plt.subplots(2, 3, figsize=(8, 5.6), layout="constrained")
for axis, name in zip(axes.flat, names, strict=True):
    supports = []
    for seed, rows in enumerate(samples):
        selector = mlreduce.make(name, k=16)
        if "random_state" in selector.get_params():
            selector.set_params(random_state=seed)
        supports.append(selector.fit(data.X[rows], data.Y[rows]).get_support())
    overlaps = [(a & b).sum() / (a | b).sum() for a, b in combinations(supports, 2)]
    image = axis.imshow(np.mean(supports, axis=0).reshape(8, 8), vmin=0, vmax=1, cmap="viridis")
    axis.set(xticks=[], yticks=[], title=f"{name}: {np.mean(overlaps):.2f}")
figure.colorbar(image, ax=axes, label="share of the samples that keep the pixel", shrink=0.8)
