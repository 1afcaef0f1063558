"""
Which labels occur together
===========================

Of the instances with the label of the row, the share that also has the label of the column. Labels that occur together
are next to each other. Left the attributes of handwritten digits; right 30 labels of generated documents, whose
frequencies span two orders of magnitude, so that few large labels go with all others.
"""

import matplotlib.pyplot as plt

import mlreduce
from mlreduce.datasets.embedded import documents

digits = mlreduce.load_dataset("digits")
texts = documents(n_samples=800, n_features=3000, n_labels=30, n_words=60)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
mlreduce.plot.label_cooccurrence(digits.Y, label_names=digits.label_names, ax=left)
left.set_title("digits")
mlreduce.plot.label_cooccurrence(texts.Y, label_names=texts.label_names, ax=right)
right.set(title="documents, 30 labels", xticks=[], yticks=[], ylabel="")
