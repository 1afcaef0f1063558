"""
A model for text, and for embeddings
====================================

:class:`mlreduce.AutoReducer` on documents of 20,000 words with 300 tags, which stay sparse, and on dense vectors of 768
numbers as language models give them. Both are drawn: words and tags by Zipf's law, a third of the words of a document
from those of its tags; the vectors are noisy mixtures of the tags.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import mlreduce
from mlreduce.metrics import evaluate

n_documents, n_words, n_tags, length = 1500, 20_000, 300, 90
rng = np.random.default_rng(0)
frequency = 1 / np.arange(1, n_tags + 1)
Y = np.zeros((n_documents, n_tags), dtype=int)
for row in Y:
    row[rng.choice(n_tags, size=rng.integers(1, 5), replace=False, p=frequency / frequency.sum())] = 1
words_of_tags = rng.integers(n_words, size=(n_tags, 30))
share = 1 / np.arange(1, n_words + 1)
counts = sp.lil_array((n_documents, n_words))
for document, tags in enumerate(Y):
    common = rng.choice(n_words, size=2 * length // 3, p=share / share.sum())
    specific = rng.choice(words_of_tags[tags == 1].ravel(), size=length // 3)
    for word in np.concatenate([common, specific]):
        counts[document, word] += 1
X = sp.csr_array(counts)
train, test = slice(0, 1200), slice(1200, None)

# %%
# A search of twenty seconds. Rows of unit length and reductions are among what is tried.
model = mlreduce.AutoReducer(time_budget=20, random_state=0).fit(X[train], Y[train])
print(model.explain())
print(model.leaderboard_[["candidate", "features", "score", "folds", "seconds", "status"]].head(8).round(3))

# %%
# Documents that were in no fold: the model, and ridge regression on all words.
ridge = mlreduce.ThresholdClassifier().fit(X[train], Y[train])
for name, one in {"AutoReducer": model, "ridge": ridge}.items():
    print(f"{name:12} {evaluate('average-precision', Y[test], one.predict_scores(X[test])):.3f}")

# %%
# Embeddings: dense vectors, half of whose variance has nothing to do with the tags, in ten seconds.
directions = rng.standard_normal((n_tags, 768))
vectors = Y @ directions + rng.standard_normal((n_documents, 40)) @ rng.standard_normal((40, 768))
vectors = vectors + rng.standard_normal(vectors.shape)
embedded = mlreduce.AutoReducer(time_budget=10, random_state=0).fit(vectors[train], Y[train])
print(embedded.explain())

# %%
# Scores against the seconds of a trial, for both.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.0), layout="constrained")
for axis, (title, one) in zip(axes, {"20,000 words": model, "768 numbers": embedded}.items(), strict=True):
    one.plot(axis)
    axis.set_title(title)
