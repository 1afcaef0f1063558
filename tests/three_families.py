"""A study of seconds of each family of methods, on the generated data set ``tiny``: searched, chosen and drawn."""

from __future__ import annotations

from typing import Any

__all__ = ["CATALOGUE", "STUDIES"]

CATALOGUE: dict[str, Any] = {
    "datasets": {
        "tiny": {
            "reader": "planted",
            "parameters": {"n_samples": 90, "n_features": 8, "n_labels": 6, "n_latent": 3},
        }
    }
}
_COMMON = {
    "sizes": [20, 100],
    "tables": {},
    "figures": {},
    "scales": {scale: {"datasets": ["tiny"], "splits": 3} for scale in ("demo", "paper")},
}
_SEARCH = {"candidates": 2, "share": 0.5, "keep": 1, "folds": 2}
STUDIES: dict[str, dict[str, Any]] = {
    "labels": {
        "protocols": {"nine": {"train": 0.9}},
        "methods": {
            "codes": {"plst": {}, "cs": {}},
            "kernels": {"plst": {}, "pbr": {}},
            "searched": {"cplst": {"search": {"rcond": [0.01, 0.5]}}, "br": {}},
        },
        "search": {**_SEARCH, "measure": "hamming-loss", "size_percent": 100},
        "predictors": {"linear": {}, "kernel-ridge": {}},
        "groups": {
            "kernels": {
                "predictors": ["kernel-ridge"],
                "choose": {"folds": 2, "log2_gamma": {"default": [-9, -8]}, "log2_alpha": {"default": [-1, 0]}},
            }
        },
        "measures": ["hamming-loss", "encoding-error"],
    },
    "features": {
        "protocols": {"parts": {"parts": "test"}},
        "methods": {
            "paper": {"pca": {}, "rcca": {"search": {"ridge": [0.1, 10]}}, "random-projection": {}},
            "like": {"mope": {"search": {"n_neighbors": [3, 9]}}, "mope-again": {"method": "mope", "like": "mope"}},
        },
        "search": {**_SEARCH, "measure": "instance-f1"},
        "dimensions": {"parts": {"default": 3}},
        "predictors": {"ridge": {}},
        "energies": [0.9],
        "measures": ["instance-f1"],
    },
    "selectors": {
        "protocols": {"folds": {"folds": 3}},
        "scaling": "standard",
        "methods": {"own": {"spec": {}, "random": {"method": "random-features", "draws": 2}}},
        "predictors": {"br-knn": {}},
        "measures": ["micro-f1"],
    },
}
for _name, _study in STUDIES.items():
    _study |= {**_COMMON, "title": _name}
