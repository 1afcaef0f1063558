"""
Reading a Meka file
===================

Meka's ARFF files have their labels first, and declare this in the name of the relation: ``-C 3``. :func:`mlreduce.read`
takes the labels from there; a file that declares none is refused instead of guessed.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

import mlreduce

rng = np.random.default_rng(0)
positions = rng.random((300, 2))
x, y = positions.T
labels = np.column_stack([y > 0.5, x > 0.6, (x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.12])
header = ["@relation 'Places: -C 3'", ""]
header += [f"@attribute {name} {{0,1}}" for name in ("north", "east", "centre")]
header += [f"@attribute {name} numeric" for name in ("longitude", "latitude", "noise")]
features = np.column_stack([positions, rng.random(300)])
rows = [
    ",".join([*map(str, indicators.astype(int)), *(f"{value:.4f}" for value in values)])
    for indicators, values in zip(labels, features, strict=True)
]

with TemporaryDirectory() as folder:
    path = Path(folder) / "places.arff"
    path.write_text("\n".join([*header, "", "@data", *rows]) + "\n", encoding="utf-8")
    data = mlreduce.read(path)
print(data, data.label_names)

# %%
# The file is small enough to be looked at without any reduction. A selector finds that the third feature is noise.
selector = mlreduce.MLRF(k=2).fit(data.X, data.Y)
selected = [name for name, support in zip(data.feature_names, selector.get_support(), strict=True) if support]
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained", gridspec_kw={"width_ratios": [1, 3]})
left.barh(data.feature_names, selector.scores_, color="#0072b2")
left.set(title="Score of each feature (MLRF)")
mlreduce.plot.label_map(selector.transform(data.X), data.Y, label_names=data.label_names, size=20, ax=right)
right.set(xlabel=selected[0], ylabel=selected[1], title="The two selected features")
