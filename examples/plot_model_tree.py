"""
A model tree
============

:class:`mlreduce.M5PRegressor` splits the rows by tests on features and puts a linear model in every leaf. The data are
a formula: the power of a wind turbine is nothing below 3 m/s, grows with the cube of the wind speed and the density of
the air, and is held at its rating above some 12 m/s. Straight lines fit none of this, three or more of them do.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mlreduce

rng = np.random.default_rng(0)
speed = 20 * rng.random(600)  # m/s
temperature = rng.uniform(-10, 35, 600)  # degrees Celsius
density = 101325 / (287.05 * (temperature + 273.15))  # kg/m3, dry air at sea level
swept, efficiency, rating = np.pi * 40**2, 0.42, 2000  # m2, of the wind's power, kW
power = np.where(speed < 3, 0, np.minimum(efficiency * density * swept * speed**3 / 2000, rating))  # kW
X = pd.DataFrame({"speed": speed, "temperature": temperature})
y = power + 20 * rng.standard_normal(600)

tree = mlreduce.M5PRegressor(min_samples_split=60, smoothing=False).fit(X, y)
print(tree.n_leaves_, "leaves")

# %%
figure, axis = plt.subplots(figsize=(7.5, 4), layout="constrained")
mlreduce.plot.model_tree(tree, max_depth=3, ax=axis)

# %%
# The linear models of the leaves, as text and in a plot with the data.
print(tree.export_text(digits=3))

# %%
figure, axis = plt.subplots(figsize=(7.5, 4), layout="constrained")
axis.scatter(speed, y, s=6, color="#c8c8c8", label="600 simulated measurements")
grid = np.linspace(0, 20, 400)
predicted = tree.predict(pd.DataFrame({"speed": grid, "temperature": 15.0}))
axis.plot(grid, predicted, color="#d55e00", label="model tree, at 15 degrees")
axis.set(xlabel="wind speed, m/s", ylabel="power, kW")
axis.legend(frameon=False)
