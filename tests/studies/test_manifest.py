from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess

import numpy as np
import pytest

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.files import arrays_sha256, file_sha256
from mlreduce_studies.provenance.digest import environment, source_state
from mlreduce_studies.provenance.manifest import (
    JOB_COLUMNS,
    costs,
    describe_input,
    digests,
    file_faults,
    make_manifest,
    read_jobs,
    read_manifest,
    same_results,
    span,
)

DESCRIPTION = {
    "study": "s",
    "scale": "demo",
    "protocols": {"p": {"train": 0.9}},
    "splits": 3,
    "seed": 7,
    "datasets": ["planted"],
    "methods": {"plst": {}},
    "sizes": [20],
    "energies": [],
    "measures": ["hamming-loss"],
    "groups": {"g": {}},
    "predictors": {"linear": {"rcond": 1e-10}},
    "code": {"g": "0123456789abcdef"},
}
HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def benchmark(path, seconds, cpu="1.50", peak="100.25"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEADER}{seconds}\t0:00:02\t{peak}\t1\t1\t1\t0\t0\t50\t{cpu}\n")
    return path


@pytest.fixture
def jobs(tmp_path):
    folder = tmp_path / "benchmarks"
    files = [
        benchmark(folder / "predict" / "planted" / "p.g" / "linear" / "000-001.tsv", 2.5, peak="310.5"),
        benchmark(folder / "predict" / "planted" / "p.g" / "linear" / "002-002.tsv", 1.5, cpu="NA", peak="NA"),
        folder / "fit" / "planted" / "p.g" / "000-001.tsv",  # not measured
        benchmark(folder / "prepare" / "planted.tsv", 0.5),
        benchmark(folder / "time" / "planted" / "g.tsv", 0.5),
    ]
    for number, path in enumerate(files):
        if path.exists():
            os.utime(path, (1_000_000_000 + number,) * 2)
    return read_jobs(files, {"predict": 4})


def test_jobs_are_told_by_their_benchmarks(jobs):
    assert tuple(jobs.columns) == JOB_COLUMNS
    found = jobs.set_index("rule")
    assert found.loc["prepare", "dataset"] == "planted"
    assert list(found.loc["time", ["dataset", "group"]]) == ["planted", "g"]
    first, second = (row for _, row in jobs[jobs["rule"] == "predict"].iterrows())
    assert list(first[["protocol", "dataset", "group", "predictor", "batch"]]) == [
        "p",
        "planted",
        "g",
        "linear",
        "000-001",
    ]
    assert (first["seconds"], first["cpu_seconds"], first["peak_mb"], first["threads"]) == (2.5, 1.5, 310.5, 4)
    assert np.isnan(second["cpu_seconds"])  # too short to be sampled
    assert second["seconds"] == 1.5
    assert np.isnan(found.loc["fit", "seconds"])
    assert found.loc["fit", "threads"] == 1


def test_costs_are_summed_and_what_was_not_measured_is_counted(jobs):
    found = costs(jobs)
    assert found["total"] == {
        "jobs": 5,
        "measured": 4,
        "seconds": 5.0,
        "cpu_seconds": 4.5,
        "peak_mb": 310.5,
        "threads": 4,
    }
    assert found["rules"]["fit"] == {
        "jobs": 1,
        "measured": 0,
        "seconds": 0.0,
        "cpu_seconds": 0.0,
        "peak_mb": None,
        "threads": 1,
    }
    assert sum(rule["seconds"] for rule in found["rules"].values()) == 5.0


def test_a_run_goes_from_its_first_job_to_its_last(jobs):
    assert span(jobs) == {"started": "2001-09-09T01:46:37+00:00", "ended": "2001-09-09T01:46:44+00:00"}
    assert span(jobs[jobs["rule"] == "fit"]) == {"started": None, "ended": None}


@pytest.fixture
def results(tmp_path, jobs):
    """The folder of a finished study, with its manifest."""
    folder = tmp_path / "results"
    folder.mkdir()
    for name in ("table3.csv", "scores.parquet", "times.csv"):
        (folder / name).write_text(f"{name}\n")
    prepared = tmp_path / "planted.npz"
    np.savez_compressed(prepared, X=np.eye(3), labels=np.array(["y0", "y1"]))
    inputs = {"planted": describe_input(read_catalogue()["planted"], prepared, None)}
    outputs = digests([folder / "table3.csv", folder / "scores.parquet"])
    run = {**environment(tmp_path), **span(jobs), "cost": costs(jobs), "outputs": digests([folder / "times.csv"])}
    (folder / "manifest.json").write_text(json.dumps(make_manifest(DESCRIPTION, inputs, outputs, run)))
    return folder


def test_arrays_have_the_same_digest_whatever_wrote_their_file(tmp_path):
    arrays = {"X": np.arange(6.0).reshape(2, 3), "names": np.array(["a", "b"])}

    def digest(arrays, save=np.savez):
        save(tmp_path / "a.npz", **arrays)
        return arrays_sha256(tmp_path / "a.npz", "test")

    digests = [digest(dict(reversed(arrays.items())), save) for save in (np.savez, np.savez_compressed)]
    assert digests == [digest(arrays)] * 2
    X = arrays["X"]
    others = [X + 1e-300, -X, X.reshape(3, 2), X.astype(">f8"), X.view(np.int64)]
    changed = [arrays | {"X": other} for other in others] + [{"Y": X, "names": arrays["names"]}, {"X": X}]
    assert len({digest(other) for other in [arrays, *changed]}) == 8
    (tmp_path / "a.npz").write_bytes(b"PK")
    with pytest.raises(DataError, match="not a complete test"):
        arrays_sha256(tmp_path / "a.npz", "test")


def test_a_manifest_says_what_it_is_made_of(results, tmp_path):
    manifest = read_manifest(results)
    arrays = hashlib.sha256(b"X\0<f8\0(3, 3)\0" + np.eye(3).tobytes())
    arrays.update(b"labels\0<U2\0(2,)\0" + "y0y1".encode("utf-32-le"))
    assert manifest["inputs"] == {"planted": {"files": [], "prepared_sha256": arrays.hexdigest()}}
    assert set(manifest["outputs"]) == {"scores.parquet", "table3.csv"}
    assert "run" not in same_results(manifest)
    assert same_results(manifest)["digest"] == manifest["digest"]
    assert file_faults(results) == (3, [])


def test_published_files_are_named_with_their_addresses(tmp_path):
    dataset = read_catalogue()["emotions"]
    for copy in dataset.copies(tmp_path):
        copy.write_text(copy.name)
    np.savez(tmp_path / "emotions.npz", X=np.eye(2))
    data, labels = describe_input(dataset, tmp_path / "emotions.npz", tmp_path)["files"]
    assert (data["name"], labels["name"]) == ("emotions.arff", "emotions.xml")
    assert data["sha256"] == file_sha256(tmp_path / "0-emotions.arff")
    assert data["addresses"][0].endswith("emotions/emotions.arff")


@pytest.mark.parametrize("name", ["table3.csv", "scores.parquet", "times.csv"])
def test_a_file_that_was_changed_or_lost_is_named(results, name):
    (results / name).write_text("something else\n")
    number, faults = file_faults(results)
    assert (number, len(faults)) == (3, 1)
    assert f"{name}: its SHA-256 is" in faults[0]
    (results / name).unlink()
    assert file_faults(results)[1] == [f"{results / name}: no such file"]


def test_of_a_copy_of_some_files_those_that_are_there_are_looked_at(results):
    assert file_faults(results, some=True) == (3, [])
    content = (results / "table3.csv").read_bytes()
    for name in ("table3.csv", "times.csv"):
        (results / name).unlink()
    assert file_faults(results, some=True) == (1, [])
    packed = results / "table3.csv.gz"
    packed.write_bytes(gzip.compress(content))
    assert file_faults(results, some=True) == (2, [])
    assert file_faults(results)[0] == 3
    assert len(file_faults(results)[1]) == 2
    for wrong in (gzip.compress(content + b"x"), gzip.compress(content)[:-9], content):
        packed.write_bytes(wrong)
        number, (fault,) = file_faults(results, some=True)
        assert number == 2
        assert fault.startswith(f"{packed}: its SHA-256 is ")


def test_a_manifest_that_was_changed_is_refused(results):
    path = results / "manifest.json"
    text = path.read_text()
    path.write_text(text.replace('"seed": 7', '"seed": 8'))
    with pytest.raises(DataError, match="it was changed after it was written"):
        file_faults(results)
    path.write_text(text[:-5])
    with pytest.raises(DataError, match="not a manifest"):
        read_manifest(results)
    path.write_text(text.replace('"splits": 3', '"splits": "three"'))
    with pytest.raises(ConfigurationError, match="manifest.json: splits: expected integer"):
        read_manifest(results)
    path.unlink()
    with pytest.raises(DataError, match="no such file"):
        read_manifest(results)


@pytest.mark.parametrize("value", ["[" * 100_000, '"\\ud800"', "NaN", "-Infinity", "1e400", "9" * 5000, "\xff"])
def test_what_is_no_json_of_a_manifest_is_refused(results, value):
    path = results / "manifest.json"
    text = path.read_text().replace('"seed": 7', f'"seed": {value}')
    path.write_text(text, encoding="latin-1")
    with pytest.raises(DataError, match=r"manifest\.json: not a manifest"):
        read_manifest(results)


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "a/b", "a\\b", "..", "", ".hidden", "a\n", "a\0", "a" * 201]
)
def test_a_manifest_names_no_file_outside_of_its_folder(results, name):
    inputs, outputs, run = (read_manifest(results)[key] for key in ("inputs", "outputs", "run"))
    named = {name: "0" * 64}
    with pytest.raises(ConfigurationError, match="manifest of s: outputs: "):
        make_manifest(DESCRIPTION, inputs, outputs | named, run)
    with pytest.raises(ConfigurationError, match=r"manifest of s: run\.outputs: "):
        make_manifest(DESCRIPTION, inputs, outputs, run | {"outputs": named})


@pytest.mark.parametrize("address", ["/etc/passwd", "file:///etc/passwd", "data/own.arff", "ftp://example.org/a"])
def test_a_manifest_names_no_file_as_an_address(results, address):
    manifest = read_manifest(results)
    inputs = {"planted": {"files": [{"name": "a", "sha256": "0" * 64, "addresses": [address]}]}}
    inputs["planted"]["prepared_sha256"] = "0" * 64
    with pytest.raises(ConfigurationError, match=r"inputs\.planted\.files\.0\.addresses\.0"):
        make_manifest(DESCRIPTION, inputs, manifest["outputs"], manifest["run"])


def test_a_manifest_off_its_schema_is_not_made(results):
    manifest = read_manifest(results)
    with pytest.raises(ConfigurationError, match="manifest of s: unknown key 'colour'"):
        make_manifest({**DESCRIPTION, "colour": "red"}, manifest["inputs"], {}, manifest["run"])


def git(folder, *words):
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    (folder / "src").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "src" / "a.py").write_text("a = 1\n")
    (folder / "docs" / "a.md").write_text("a\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(tmp_path, "init", "--quiet", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_a_clean_checkout_is_its_commit(checkout):
    state = source_state(checkout)
    assert state["state"] == "clean"
    assert len(state["commit"]) == 40
    assert "difference_sha256" not in state
    (checkout / "src" / "a.log").write_text("ignored")
    (checkout / "docs" / "notes.md").write_text("never run")
    assert source_state(checkout)["state"] == "clean"


@pytest.mark.parametrize("name", ["src/a.py", "docs/a.md", "src/new.py"])
def test_a_change_is_told_by_a_digest_of_it(checkout, name):
    (checkout / name).write_text("a = 2\n")
    first = source_state(checkout)
    assert first["state"] == "changed"
    (checkout / name).write_text("a = 3\n")
    second = source_state(checkout)
    assert second["commit"] == first["commit"]
    assert second["difference_sha256"] != first["difference_sha256"]
    (checkout / name).write_text("a = 2\n")
    assert source_state(checkout) == first


def test_the_digest_of_the_code_is_of_what_runs_committed_or_not(checkout):
    before = source_state(checkout)["code_sha256"]
    (checkout / "docs" / "a.md").write_text("b\n")
    (checkout / "src" / "__pycache__").mkdir()
    (checkout / "src" / "__pycache__" / "a.pyc").write_text("compiled")
    assert source_state(checkout)["code_sha256"] == before
    (checkout / "src" / "new.py").write_text("")
    after = source_state(checkout)["code_sha256"]
    assert after != before
    git(checkout, "add", ".")
    git(checkout, "commit", "--quiet", "-m", "second")
    assert source_state(checkout)["code_sha256"] == after


def test_a_folder_in_somebody_else_s_checkout_is_not_taken_for_it(checkout, tmp_path):
    for folder in (checkout / "src", tmp_path):
        state = source_state(folder)
        assert (state["state"], state["commit"]) == ("not a git checkout", None)


def test_packages_other_than_the_locked_ones_are_named(tmp_path):
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "requirements.lock").write_text(
        f"numpy=={np.__version__} \\\n    --hash=sha256:0\n"
        "pytest[dev]==0.0.1 ; python_version < '4'\nno-such-package==1.0\n"
    )
    made = environment(tmp_path)
    assert made["packages"]["numpy"] == np.__version__
    assert set(made["packages"]) == {"mlreduce", "numpy", "pytest"}
    assert made["not_as_locked"] == {"pytest": {"locked": "0.0.1", "used": pytest.__version__}}
    assert made["machine"]["cores"] >= 1
    assert made["machine"]["processor"]
    assert made["machine"]["memory_gb"] > 0.1
    assert all(re.fullmatch(r"openblas [0-9.]+ \w+", blas) for blas in made["machine"]["blas"])
    assert made["machine"]["blas"]
