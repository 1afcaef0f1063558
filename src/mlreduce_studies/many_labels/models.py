"""Pieces of models: trees, shards of labels, codes, and other programs; each is fitted once for each setting."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce_studies.many_labels.data import Data
from mlreduce_studies.many_labels.reduction import Reduced, measured
from mlreduce_studies.many_labels.settings import PEER
from mlreduce_studies.many_labels.store import bytes_of

#: Labels that are measured.
BEST = 5


class Piece(NamedTuple):
    """What a piece of a model costs, and its scores of the validation and test rows."""

    #: The setting as JSON.
    model: str
    setting: str
    piece: int
    #: Processor seconds.
    fit: float = 0.0
    predict: float = 0.0
    #: Bytes of the model, and of the process at most.
    size: float = 0.0
    peak: float = 0.0
    #: None where it failed.
    scores: Any = None
    #: Why it failed.
    reason: str = ""


def compile_trees(kind: str) -> None:
    """Compile what trees and shards are trained by, before anything is timed."""
    if kind in ("trees", "shards"):
        X, Y = sp.eye_array(8, format="csr"), sp.csr_array(np.eye(8, dtype=np.int8)[:, :4])
        mlreduce.LabelTreeClassifier(1, max_leaf=2, random_state=0).fit(X, Y).predict_top(X, 1)


def fit_piece(
    data: Data, reduced: Reduced, name: str, piece: int, entry: Mapping[str, Any], common: Mapping[str, Any]
) -> list[Piece]:
    """Fit a piece of a model to reduced features with each of the settings in its entry of the study's file.

    ``common`` has ``limits``, ``most_stored`` and ``width`` of the data set; ``peers``, the Python that has the other
    programs.
    """
    settings = entry.get("settings", [{}])
    reason = reduced.reason or _too_dense(data, reduced.X, entry, common["most_stored"])
    if reason:
        return [Piece(name, json.dumps(setting), piece, reason=reason) for setting in settings]
    limits = {**common["limits"], "seconds": common["limits"]["seconds"] / entry["pieces"]}
    work = _of_a_program if entry["kind"] == PEER else _of_the_library
    pieces = [Piece(name, json.dumps(setting), piece) for setting in settings]
    return [measured(partial(work, data, reduced.X, empty, entry, common), limits, empty) for empty in pieces]


def _too_dense(data: Data, X: Any, entry: Mapping[str, Any], most: float) -> str:
    """Say that trees or shards would take far more seconds than on the features themselves."""
    stored = X.nnz if hasattr(X, "nnz") else X.size
    if entry["kind"] == "codes" or stored <= most * data.X.nnz:
        return ""
    return f"{stored / data.X.nnz:.1f} times as many stored numbers as the data"


def _of_the_library(data: Data, X: Any, piece: Piece, entry: Mapping[str, Any], common: Mapping[str, Any]) -> Piece:
    cut, setting, labels = data.starts[0], json.loads(piece.setting), data.labels
    first, width = 0, BEST
    if entry["kind"] == "trees":
        model = mlreduce.LabelTreeClassifier(1, first_tree=piece.piece, random_state=0, **setting)
        width = common["width"]
    elif entry["kind"] == "shards":
        shard = np.array_split(np.arange(labels.shape[1]), entry["pieces"])[piece.piece]
        first, labels = int(shard[0]), labels[:, shard]
        model = mlreduce.LabelTreeClassifier(1, max_leaf=max(2, labels.shape[1]), random_state=0, **setting)
    else:
        coder = mlreduce.registry.make_entry(piece.model, entry["coder"])
        model = mlreduce.CodedClassifier(coder, mlreduce.RidgeRegressor(**setting), decision="half")
    began = time.process_time()
    model.fit(X[:cut], labels)
    fitted = time.process_time()
    scores = model.predict_top(X[cut:], width)
    predict = time.process_time() - fitted
    shape = (scores.shape[0], len(data.present))
    scores = sp.csr_array((scores.data, scores.indices + first, scores.indptr), shape=shape)
    return piece._replace(fit=fitted - began, predict=predict, size=bytes_of(model), scores=scores)


def _of_a_program(data: Data, X: Any, piece: Piece, _: Mapping[str, Any], common: Mapping[str, Any]) -> Piece:
    """Run another program in its Python, peer.py, on files in the format of the extreme classification repository."""
    with tempfile.TemporaryDirectory() as folder:
        parts = {"train": slice(data.starts[0]), "test": slice(data.starts[0], None)}
        Y = data.Y[:, data.present]
        for part, rows in parts.items():
            features, labels = (list(map(str, range(table.shape[1]))) for table in (X, Y))
            MultiLabelData(X[rows], sp.csr_array(Y[rows]), features, labels, part).save(Path(folder, f"{part}.xmc"))
        command = [common["peers"], "-I", str(Path(__file__).with_name("peer.py")), piece.model, folder]
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=20 * common["limits"]["seconds"]
        )
        if run.returncode:
            return piece._replace(reason=(run.stderr.strip().splitlines() or ["?"])[-1], peak=1)
        costs = json.loads(Path(folder, "costs.json").read_text(encoding="utf-8"))
        rows, labels, scores = np.loadtxt(Path(folder, "scores.txt"), ndmin=2).T
    shape = (X.shape[0] - data.starts[0], len(data.present))
    table = sp.csr_array((scores, (rows.astype(np.int64), labels.astype(np.int64))), shape=shape)
    return piece._replace(scores=table, **costs)


def join(pieces: list[Piece], kind: str) -> Piece:
    """Return the model that pieces of one setting make up: costs are sums, memory that of the largest."""
    first = pieces[0]
    reason = next((piece.reason for piece in pieces if piece.reason), "")
    scores: Any = None if reason else sum((piece.scores for piece in pieces[1:]), first.scores)
    if kind == "trees" and scores is not None:
        scores = sp.csr_array(scores / len(pieces))  # a mean over trees; shards share no label
    sums = {key: sum(getattr(piece, key) for piece in pieces) for key in ("fit", "predict", "size")}
    return first._replace(**sums, peak=max(piece.peak for piece in pieces), scores=scores, reason=reason)
