from __future__ import annotations

import pytest

from mlreduce.datasets.embedded import planted


@pytest.fixture(scope="session")
def data():
    return planted(n_samples=90, n_features=10, n_labels=5, n_latent=2, n_distractors=2).data
