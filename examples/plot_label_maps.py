"""
Maps of label sets
==================

Two directions of the handwritten digits, found without the labels (PCA), from the labels (MDDMp, RCCA), and from both
(MOPE). The labels are attributes of the digit: even, prime, has a closed loop, and so on. Each map is fitted on one
half of the images and shows the other half.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

import mlreduce

data = mlreduce.load_dataset("digits")
X, X_test, Y, Y_test = train_test_split(data.X / 16, data.Y, test_size=0.5, random_state=0)

# %%
# The same colours in all panels: of the eight most frequent label sets, one for each digit.
models = {
    "PCA: variance": mlreduce.PCA(n_components=2),
    "MDDMp: dependence on the labels": mlreduce.MDDMp(n_components=2),
    "RCCA: correlation with the labels": mlreduce.RCCA(n_components=2, ridge=1.0),
    "MOPE: neighbours by labels and features": mlreduce.MOPE(n_components=2),
}
figure, axes = plt.subplots(2, 2, figsize=(9.5, 7), layout="constrained")
for axis, (title, model) in zip(axes.flat, models.items(), strict=True):
    Z = model.fit(X, Y).transform(X_test)
    mlreduce.plot.label_map(Z, Y_test, label_names=data.label_names, n_sets=8, size=9, ax=axis)
    axis.set(title=title, xlabel="", ylabel="")
    handles, names = axis.get_legend_handles_labels()
    axis.get_legend().remove()
figure.legend(handles, names, loc="outside lower center", ncols=2, fontsize=8, frameon=False, markerscale=2)
