from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from mlreduce import registry
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.embedded import planted
from mlreduce.exceptions import DataError
from mlreduce_studies.planning.needs import _SECONDS, Job, Size, rows_of, size_of

# Of two Snakemakes around a job, which its benchmark does not see.
AROUND_MB = 640


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_size_is_that_of_the_prepared_file(tmp_path, sparse):
    X = np.arange(12.0).reshape(4, 3)
    data = MultiLabelData(
        sp.csr_array(X) if sparse else X, np.eye(4, 2, dtype=np.int8), ["a", "b", "c"], ["x", "y"], "four"
    )
    data.save(tmp_path / "four.npz")
    assert size_of(tmp_path / "four.npz") == Size(4, 3, 2, 11 if sparse else 12)


def test_size_of_a_file_that_was_made_anew_is_the_new_one(tmp_path):
    path = tmp_path / "data.npz"
    for n_samples, changed in ((50, 1), (60, 2)):
        planted(n_samples=n_samples, n_features=5, n_labels=4, n_latent=2, n_distractors=1).data.save(path)
        os.utime(path, ns=(changed, changed))
        assert size_of(path).rows == n_samples


def test_a_missing_file_is_named_as_it_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        size_of("./results/data/no.npz")
    assert caught.value.filename == "./results/data/no.npz"  # by which Snakemake tells what is yet to be made
    (tmp_path / "half.npz").write_bytes(b"PK")
    with pytest.raises(DataError, match="not a complete prepared data set"):
        size_of(tmp_path / "half.npz")


@pytest.mark.parametrize(
    "X", [{"X": np.zeros(3)}, {"X_shape": 3, "X_data": np.zeros(2)}, {"X_shape": [3, 3], "X_data": np.zeros((2, 2))}]
)
def test_arrays_that_are_no_matrix_have_no_size(tmp_path, X):
    np.savez(tmp_path / "d.npz", Y=np.zeros((3, 2), np.int8), **X)
    with pytest.raises(DataError, match="not a complete prepared data set"):
        size_of(tmp_path / "d.npz")


def test_rows_are_those_that_a_protocol_uses():
    assert rows_of({"train": 0.9}, 1000) == 1000
    assert rows_of({"folds": 10}, 1000) == 1000
    assert rows_of({"train_rows": 180, "test": 0.1}, 1001) == 180 + 101
    assert rows_of({"train_rows": 180, "test": 0.1}, 100) == 100


def test_needs_grow_with_rows_columns_labels_and_fits():
    small = Job(Size(1000, 100, 10, 100_000), 1000, 100, fits=5, codes=True)
    for larger in (
        Job(Size(2000, 100, 10, 200_000), 2000, 100, fits=5, codes=True),
        Job(Size(1000, 2000, 10, 2_000_000), 1000, 2000, fits=5, codes=True),
        Job(Size(1000, 100, 400, 100_000), 1000, 100, fits=5, codes=True),
    ):
        assert larger.megabytes > small.megabytes
    assert Job(small.size, 1000, 100, fits=5000).minutes("m5p") > small.minutes("m5p")
    assert small.minutes("choose") >= small.minutes("a predictor of my own") >= small.minutes("linear")


def test_quick_predictors_exist():
    work = {"choose", "factorise", "fit-labels"}
    assert set(_SECONDS) - work <= set(registry.method_names("predictors"))


def measured():
    """The measured jobs of full runs, with what docs/cluster.md says is requested."""
    with Path(__file__).with_name("measured_jobs.csv").open(encoding="utf-8", newline="") as file:
        for job, dataset, *numbers in list(csv.reader(file))[1:]:
            yield job, dataset, *map(int, numbers)


def test_bounds_hold_for_every_measured_job():
    jobs = list(measured())
    assert len(jobs) > 10
    for job, dataset, rows, width, stored, labels, fits, used_mb, used_s, asked_mb, asked_minutes in jobs:
        codes = job.endswith(" (codes)")
        rule, _, predictor = job.removesuffix(" (codes)").partition(" ")
        asked = Job(Size(rows, width, labels, stored), rows, width, fits, codes)
        minutes = asked.minutes(predictor or ("fit-labels" if codes and rule == "fit" else rule))
        assert (asked.megabytes, minutes) == (asked_mb, asked_minutes), (job, dataset)
        assert used_mb + AROUND_MB <= asked_mb, (job, dataset)
        assert used_s <= 60 * asked_minutes, (job, dataset)
