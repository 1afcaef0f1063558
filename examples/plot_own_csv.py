"""
A table of your data
====================

A CSV file with features and labels in its columns is read by :func:`mlreduce.read`, with the names of the label
columns. Here: chemical analyses of wine, with the cultivar and whether the wine is strong as labels.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
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
# Which of the measurements are worth taking? They are ranked from half of the wines, so that each adds something to
# those before it, and the labels of the other half are predicted from the first one, the first two, and so on.
X, X_test, Y, Y_test = train_test_split(data.X, data.Y, test_size=0.5, random_state=0)
order = mlreduce.MRMR().fit(X, Y).ranking_.argsort()
scores = []
for number in range(1, len(order) + 1):
    model = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(X[:, order[:number]], Y)
    scores.append(f1_score(Y_test, model.predict(X_test[:, order[:number]]), average="micro"))

names = [data.feature_names[feature].replace("_", " ") for feature in order]
figure, axis = plt.subplots(figsize=(8.5, 4.2), layout="constrained")
axis.plot(range(len(names)), scores, marker="o", color="#2D4BFF")
enough = next(place for place, score in enumerate(scores) if score >= max(scores) - 0.01)
axis.axvline(enough, color="#878787", linestyle=":")
note = f"{enough + 1} of {len(names)}: within 0.01 of the best"
axis.annotate(note, (enough, min(scores)), xytext=(6, 0), textcoords="offset points")
axis.set_xticks(range(len(names)), [f"+ {name}" for name in names], rotation=40, ha="right")
axis.set(ylabel="micro-averaged F1", title="89 wines, their labels predicted from the first measurements")
axis.grid(alpha=0.3)
