"""
Biology: which measurements of cell nuclei matter
=================================================

Breast tumours from the University of Wisconsin (bundled with scikit-learn): means and standard errors of ten
measurements of the nuclei in an image. The labels: the diagnosis, and whether the *worst* nuclei of the image are among
the upper third in size, texture, smoothness, concavity and symmetry. Features of the worst nuclei themselves are left
out. Six selectors rank the twenty features.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import mlreduce

tumours = load_breast_cancer(as_frame=True)
X = tumours.data.iloc[:, :20]
labels = {"malignant": tumours.target == 0}
for measurement in ("radius", "texture", "smoothness", "concavity", "symmetry"):
    worst = tumours.data[f"worst {measurement}"]
    labels[f"worst {measurement}"] = worst > worst.quantile(2 / 3)
Y = np.column_stack(list(labels.values())).astype(int)

# %%
# Ranks, 1 is the best. MLFS judges each feature by itself; QPFS and PMU avoid features with the same information.
scaled = StandardScaler().fit_transform(X)
selectors = ["mlfs", "spec", "mlrf", "rfs", "qpfs", "pmu"]
ranks = np.column_stack([mlreduce.make(name, k=None).fit(scaled, Y).ranking_ for name in selectors])
order = np.argsort(ranks.mean(axis=1))

figure, axis = plt.subplots(figsize=(7, 6), layout="constrained")
image = axis.imshow(ranks[order], cmap="viridis_r", aspect="auto")
axis.set_xticks(range(len(selectors)), [name.upper() for name in selectors])
axis.set_yticks(range(20), np.asarray(X.columns)[order])
for (row, column), rank in np.ndenumerate(ranks[order]):
    axis.text(column, row, rank, ha="center", va="center", fontsize=8, color="black" if rank <= 10 else "white")
axis.set_title("Rank of each measurement by selector")
figure.colorbar(image, ax=axis, label="rank", shrink=0.7)
