"""
How many directions?
====================

The eigenvalues of a projection are the contributions of its directions to what it maximises. PCA of the digits needs 29
directions for 95 % of the variance. The dependence on eight labels has eight directions at most; MVMD adds directions
of variance behind them, and ``beta`` determines how soon.
"""

import matplotlib.pyplot as plt

import mlreduce

data = mlreduce.load_dataset("digits")
figure, axes = plt.subplots(3, 1, figsize=(7, 8), layout="constrained")
models = {
    "PCA": mlreduce.PCA(),
    "MDDMp": mlreduce.MDDMp(),
    "MVMD, beta=0.003": mlreduce.MVMD(beta=0.003),
}
for axis, (title, model) in zip(axes, models.items(), strict=True):
    mlreduce.plot.spectrum(model.fit(data.X, data.Y), ax=axis)
    axis.set_title(title)
