"""
A pipeline and a grid search
============================

Number of directions and number of neighbours chosen together, by cross-validation, with a multi-label measure as the
score. All estimators follow scikit-learn, so ``Pipeline`` and ``GridSearchCV`` do the work.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import mlreduce
from mlreduce.metrics import get_scorer

X, y = mlreduce.load_dataset("digits-300", return_X_y=True)
pipeline = Pipeline([("reduce", mlreduce.MVMD(beta=0.001)), ("predict", mlreduce.MLKNN())])
grid = {"reduce__n_components": [2, 4, 6, 8, 12, 16, 24], "predict__n_neighbors": [1, 3, 5, 10, 20]}
search = GridSearchCV(pipeline, grid, scoring=get_scorer("ranking-loss"), cv=3).fit(X, y)
print(search.best_params_)

# %%
# Scores of losses are negative: larger is better.
shape = [len(values) for values in grid.values()][::-1]
losses = -search.cv_results_["mean_test_score"].reshape(shape)
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
image = axis.imshow(losses, cmap="magma_r", aspect="auto", origin="lower")
axis.set_xticks(range(shape[1]), grid["reduce__n_components"])
axis.set_yticks(range(shape[0]), grid["predict__n_neighbors"])
axis.set(xlabel="directions", ylabel="neighbours", title="Ranking loss by cross-validation; the star is the choice")
for (row, column), loss in np.ndenumerate(losses):
    colour = "white" if loss > (losses.min() + losses.max()) / 2 else "black"
    axis.text(column, row - 0.18, f"{loss:.3f}", ha="center", fontsize=8, color=colour)
row, column = np.unravel_index(losses.argmin(), losses.shape)
axis.plot(column, row + 0.15, marker="*", color="black", markersize=11)
figure.colorbar(image, ax=axis, label="ranking loss")
