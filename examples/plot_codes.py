"""
Label-space reduction: error against the number of codes
========================================================

Instead of twelve labels a few codes of them are predicted, and decoded. The Hamming loss is bounded by the sum of two
errors: what the codes lose of the labels (encoding), and what the regression does not predict of the codes
(prediction). PLST minimises the first, OCCA the second, CPLST the sum. A third of these generated labels follow one
coin that no feature knows: PLST spends its first code on them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

import mlreduce

data = mlreduce.load_dataset("planted")
X, X_test, Y, Y_test = train_test_split(data.X, data.Y, test_size=0.5, random_state=0)
coders = {"PLST": mlreduce.PLST, "OCCA": mlreduce.OCCA, "CPLST": mlreduce.CPLST}
sizes = np.arange(1, data.Y.shape[1] + 1)

# %%
figure, axes = plt.subplots(1, 4, figsize=(11, 3.6), layout="constrained")
losses = {}
for axis, (name, coder) in zip(axes, coders.items(), strict=False):
    encoding, prediction, losses[name] = [], [], []
    for size in sizes:
        fitted = coder(n_components=int(size)).fit(X, Y)
        codes = fitted.encode(Y_test)
        regressor = mlreduce.LinearRegressor().fit(X, fitted.encode(Y))
        encoding.append(((Y_test - fitted.mean_ - fitted.reconstruct(codes)) ** 2).sum(axis=1).mean())
        predicted = regressor.predict(X_test)
        prediction.append(((codes - predicted) ** 2).sum(axis=1).mean())
        losses[name].append((fitted.decode(predicted) != Y_test).mean())
    axis.stackplot(sizes, encoding, prediction, labels=["encoding", "prediction"], colors=["#56b4e9", "#e69f00"])
    axis.set(title=name, xlabel="codes", ylim=(0, 3.2), xticks=sizes[1::2])
axes[0].set_ylabel("squared error per instance")
axes[0].legend(loc="upper right", frameon=False)
for (name, values), marker in zip(losses.items(), "os^", strict=True):
    (line,) = axes[3].plot(sizes, values, marker=marker, markersize=4)
    place = sizes[0], values[0]  # where the lines are apart
    color = line.get_color()
    axes[3].annotate(name, place, xytext=(-6, 0), textcoords="offset points", ha="right", va="center", color=color)
axes[3].set(title="Hamming loss of the labels", xlabel="codes", xticks=sizes[1::2], xlim=(-3.5, 12.5))
