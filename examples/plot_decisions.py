"""
From scores to labels
=====================

Where labels are rare, a regression hardly ever predicts more than one half, so that cutting there finds few of them.
One threshold for all labels, chosen on scores of the training rows by models of the others, finds them, and is wrong
more often where a label is absent. Documents with two of twenty topics each, by the counts of a hundred words; a third
trains.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import train_test_split

import mlreduce
from mlreduce.metrics import evaluate

X, Y = make_multilabel_classification(n_samples=900, n_features=100, n_classes=20, n_labels=2, random_state=0)
X, X_test, Y, Y_test = train_test_split(X, Y, train_size=1 / 3, random_state=0)
rules = ("half", "one-threshold", "per-label", "cardinality", "top-k")
models = {rule: mlreduce.CodedClassifier(decision=rule).fit(X, Y) for rule in rules}
for rule, model in models.items():
    values = [evaluate(name, Y_test, model.predict(X_test)) for name in ("micro-f1", "macro-f1", "hamming-loss")]
    print(f"{rule:14} micro-F1 {values[0]:.3f}, macro-F1 {values[1]:.3f}, Hamming loss {values[2]:.3f}")

# %%
# The scores are the same whatever the decision is. Both measures against the threshold, on the test rows; the lines
# are at one half and at the threshold that the training rows have chosen.
scores = models["half"].predict_scores(X_test)
cuts = np.linspace(0.02, 0.8, 79)
curves = {
    name: [evaluate(name, Y_test, (scores > cut).astype(int)) for cut in cuts] for name in ("micro-f1", "hamming-loss")
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axis, (name, label) in zip(
    axes,
    (("micro-f1", "micro-averaged F1, higher is better"), ("hamming-loss", "Hamming loss, lower is better")),
    strict=True,
):
    axis.plot(cuts, curves[name])
    axis.axvline(0.5, color="#606060", linestyle=":", label="one half")
    axis.axvline(models["one-threshold"].thresholds_[0], color="#c04000", linestyle="--", label="chosen")
    axis.set(xlabel="threshold", title=label)
axes[1].set_ylim(0, 0.3)
axes[0].legend(frameon=False)
