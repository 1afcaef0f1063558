"""
Your own table
==============

A CSV file with features and labels in its columns is read by :func:`mlreduce.read`, with the names of the label
columns. Here: chemical analyses of wine, with the cultivar and whether the wine is strong as labels.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mlreduce

frame = load_wine(as_frame=True).frame
table = frame.drop(columns=["target", "alcohol"])
for cultivar in range(3):
    table[f"cultivar {'ABC'[cultivar]}"] = (frame["target"] == cultivar).astype(int)
table["strong"] = (frame["alcohol"] > 13).astype(int)

with TemporaryDirectory() as folder:
    path = Path(folder) / "wine.csv"
    table.to_csv(path, index=False)
    data = mlreduce.read(path, labels=["cultivar A", "cultivar B", "cultivar C", "strong"])
print(data)
print({name: round(value, 2) for name, value in data.describe().items()})

# %%
# Directions that vary and say something about the labels, and what each measurement adds to them: a biplot. They are
# found from half of the wines; the map shows the others, whose labels they do not know.
X, X_test, Y, Y_test = train_test_split(data.X, data.Y, test_size=0.5, random_state=0)
model = make_pipeline(StandardScaler(), mlreduce.MVMD(n_components=2)).fit(X, Y)
axis = mlreduce.plot.label_map(model.transform(X_test), Y_test, label_names=data.label_names, size=24)
axis.figure.set_size_inches(8.5, 5)
weights = model[-1].components_.T
for name, (x, y) in zip(data.feature_names, 4 * weights / abs(weights).max(), strict=True):
    axis.annotate("", (x, y), xytext=(0, 0), arrowprops={"arrowstyle": "->", "color": "#404040"})
    if np.hypot(x, y) > 2.2:  # others would lie on each other
        axis.annotate(name.replace("_", " "), (1.12 * x, 1.12 * y), fontsize=8, ha="center", va="center")
axis.margins(0.12)
axis.set_title("89 wines, MVMD")
