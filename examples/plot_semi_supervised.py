"""
Few labels known
================

Labels cost work, images do not. Of the digits, 20 to 320 images have known labels; the rest of the training half has
NaN in place of labels. SSFDA uses all images, FDA (extended to several labels: ``mesd-fda``) the labelled ones alone,
PCA no label. Fisher's discriminant then predicts the other half of the data from five directions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

import mlreduce

data = mlreduce.load_dataset("digits")
X, X_test, Y, Y_test = train_test_split(data.X / 16, data.Y, test_size=0.5, random_state=0)
known = [20, 40, 80, 160, 320]
models = {
    "SSFDA, all images": lambda: mlreduce.SSFDA(n_components=5, smoothness=1.0),
    "FDA, labelled images": lambda: mlreduce.MESDFDA(n_components=5),
    "PCA, all images": lambda: mlreduce.PCA(n_components=5),
}

# %%
scores = {name: np.zeros((5, len(known))) for name in models}
for draw in range(5):
    order = np.random.default_rng(draw).permutation(len(X))
    for column, number in enumerate(known):
        rows = order[:number]
        partly = np.full(Y.shape, np.nan)
        partly[rows] = Y[rows]
        for name, make in models.items():
            model = make().fit(X[rows], Y[rows]) if name.startswith("FDA") else make().fit(X, partly)
            classifier = mlreduce.FisherClassifier().fit(model.transform(X[rows]), Y[rows])
            predicted = classifier.predict(model.transform(X_test))
            scores[name][draw, column] = f1_score(Y_test, predicted, average="macro", zero_division=0)

# %%
figure, axis = plt.subplots(figsize=(6.5, 4), layout="constrained")
for (name, values), marker in zip(scores.items(), "os^", strict=True):
    axis.errorbar(known, values.mean(axis=0), yerr=values.std(axis=0, ddof=1), marker=marker, capsize=2, label=name)
axis.set(xscale="log", xticks=known, xlabel="labelled images", ylabel="macro-averaged F1 on the other half")
axis.set_xticklabels(known)
axis.minorticks_off()
axis.legend(frameon=False)
axis.set_title("Five draws of the labelled images: mean and standard deviation")
