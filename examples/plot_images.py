"""
Directions as pictures
======================

A linear projection of images has directions that are images themselves: what is bright counts for, what is dark counts
against. PCA finds the strokes that vary most, whatever they mean; methods that know the labels find the pixels that
distinguish them.
"""

import matplotlib.pyplot as plt

import mlreduce

data = mlreduce.load_dataset("digits")

models = {
    "PCA": mlreduce.PCA(n_components=7),
    "MDDMp": mlreduce.MDDMp(n_components=7),
    "RCCA": mlreduce.RCCA(n_components=7, ridge=5000.0),
    "MLDA": mlreduce.MLDA(n_components=7, ridge=5000.0),
}
figure, axes = plt.subplots(len(models), 7, figsize=(8.5, 5.2), layout="constrained")
for row, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(data.X, data.Y)
    row[0].set_ylabel(name, rotation=0, ha="right", va="center")
    for number, (axis, direction) in enumerate(zip(row, model.components_, strict=True)):
        limit = abs(direction).max()
        axis.imshow(direction.reshape(8, 8), cmap="RdBu_r", vmin=-limit, vmax=limit)
        axis.set(xticks=[], yticks=[])
        if row is axes[0]:
            axis.set_title(f"{number + 1}", fontsize=10)
figure.suptitle("The first seven directions of handwritten digits")
