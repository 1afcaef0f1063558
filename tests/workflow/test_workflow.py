"""The whole workflow on tiny data."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shlex
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from mlreduce.datasets.data import MultiLabelData

PROJECT = Path(__file__).parents[2]

SMALL = ("run_on=planted", "splits=6", "studies=[cplst-2012]")
FEATURES = ("run_on=planted", "splits=3", "studies=[mvmd-2016]")
SELECTION = ("run_on=planted", "splits=3", "studies=[gmba-2016]")
FILES = {
    *("scores.parquet", "spectra.parquet", "summary.csv", "datasets.csv", "audit.csv", "claims.csv", "audit.md"),
    "choices.csv",
    *(
        f"{table}.{suffix}"
        for table in ("table3", "table4", "table5", "table-choices")
        for suffix in ("csv", "md", "tex")
    ),
    *(f"figure1{variant}.{suffix}" for variant in ("", "-as-stated") for suffix in ("svg", "png", "pdf")),
}


def test_a_run_makes_everything_it_should(finished):
    results = finished.results()
    assert set(results) == FILES
    base = finished.folder / "results" / "demo"
    table = pd.read_csv(base / "cplst-2012" / "table3.csv")
    expected = ["dataset", "method", "protocol", "size_percent", "size", "mean", "se", "splits"]
    assert list(table.columns) == expected
    assert set(table["method"]) == {"plst", "cplst", "occa", "pbr", "br", "cs"}
    assert set(table["splits"]) == {6}
    full = table[(table["size_percent"] == 100) & (table["method"] != "cs")].groupby("protocol")["mean"]
    np.testing.assert_allclose(full.max(), full.min())  # every method equals binary relevance at full size
    manifest = json.loads((base / "cplst-2012" / "manifest.json").read_text())
    assert manifest["protocols"] == {"as-printed": {"train": 0.9}, "as-stated": {"train": 0.8}}
    assert len(manifest["scores_sha256"]) == 64
    assert "<svg" in (base / "report.html").read_text()
    scores = pd.read_parquet(base / "cplst-2012" / "scores.parquet")
    assert not scores.duplicated(["protocol", "method", "predictor", "size_percent", "size", "split", "measure"]).any()
    trained = scores.groupby("predictor")["method"].agg(set)
    assert trained["m5p"] == {"plst", "cplst"}
    assert trained["kernel-ridge"] == {"plst", "kernel-cplst", "br"}
    assert len(trained["linear"]) == 7
    choices = pd.read_csv(base / "cplst-2012" / "choices.csv")
    assert choices.groupby(["protocol", "method"]).split.nunique().tolist() == [6] * 6


def test_temporary_files_are_gone_and_a_second_run_does_nothing(finished):
    assert not list(finished.folder.glob("results/**/reduced/**/*.npz"))
    assert not list(finished.folder.glob("results/**/.partial*"))
    assert "Nothing to be done" in finished.run("--config", *SMALL)


@pytest.mark.parametrize(
    ("cores", "splits_per_job", "reverse"), [(1, 100, False), (2, 4, True)], ids=["one core", "batches, reversed"]
)
def test_cores_batches_and_order_of_methods_change_no_byte(finished, project, cores, splits_per_job, reverse):
    if reverse:
        path = project.folder / "config" / "studies" / "cplst-2012.yaml"
        study = yaml.safe_load(path.read_text())
        study["methods"]["linear-codes"] = dict(reversed(study["methods"]["linear-codes"].items()))
        study["measures"].reverse()
        path.write_text(yaml.safe_dump(study, sort_keys=False))
    project.run("--config", *SMALL, f"splits_per_job={splits_per_job}", cores=cores)
    assert project.results() == finished.results()


def test_killed_at_any_moment_and_started_again_it_ends_in_the_same_bytes(finished, project):
    moments = random.Random(0)
    kills = 0
    for _ in range(4):
        process = subprocess.Popen(
            project.command("--config", *SMALL, "splits_per_job=3"),
            cwd=project.folder,
            env=project.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=moments.uniform(2.5, 7))
        except subprocess.TimeoutExpired:
            kills += 1
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert kills
    project.run("--config", *SMALL, "splits_per_job=3")
    assert project.results() == finished.results()


def test_a_live_run_is_not_disturbed(project):
    first = subprocess.Popen(
        project.command("cplst_table3", "--config", *SMALL),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    locks = project.folder / ".snakemake" / "locks"
    deadline = time.monotonic() + 30
    while not (locks.is_dir() and any(locks.iterdir())):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "cannot be locked" in project.run("cplst_table3", "--config", *SMALL, fails=True)
    assert first.wait() == 0


def rerun_rules(project):
    """Which rules a dry run would run again, told by its table of jobs."""
    lines = project.run("--config", *SMALL, "-n").splitlines()
    if any("Nothing to be done" in line for line in lines):
        return set()
    start = next(i for i, line in enumerate(lines) if line.startswith("job "))
    stop = next(i for i, line in enumerate(lines) if line.startswith("total "))
    return {line.split()[0] for line in lines[start + 2 : stop]}


def test_a_changed_module_reruns_what_depends_on_it_and_nothing_else(project):
    project.run("--config", *SMALL)
    assert rerun_rules(project) == set()
    project.edit("src/mlreduce/reporting/figures.py", "markersize=4", "markersize=5")
    assert rerun_rules(project) == {"figure", "page", "all"}
    project.edit("src/mlreduce/labelspace/occa.py", "feature_aware = True", "feature_aware = True\n    changed = True")
    after = {"gather", "details", "summarise", "table", "figure", "audit", "manifest", "page", "all"}
    assert rerun_rules(project) == {"reduce_labels", "predict_labels", *after}
    project.run("--config", *SMALL)
    assert rerun_rules(project) == set()


def test_one_table_trains_its_own_predictor_and_no_other(project):
    output = project.run("cplst_table3", "--config", *SMALL, "-n")
    assert "linear-codes" in output
    assert "tree-codes" not in output
    assert "kernel-codes" not in output


def test_a_change_of_the_candidates_makes_new_choices_and_nothing_that_needs_none(project):
    base = project.folder / "results" / "demo" / "cplst-2012"
    wanted = ("cplst_table5", "results/demo/cplst-2012/choices.csv", "--config", *SMALL, "splits_per_job=3")
    project.run(*wanted)
    project.edit("config/studies/cplst-2012.yaml", "planted: [-10, -6]", "planted: [-9, -8]")
    output = project.run(*wanted)
    assert "choices/as-printed/planted/kernel-codes/000-002" in output
    assert "reduced/as-printed/planted/kernel-codes" in output
    chosen = pd.read_csv(base / "choices.csv").gamma
    assert set(chosen) <= {2.0**-9, 2.0**-8}
    project.edit("config/studies/cplst-2012.yaml", "once: [bibtex, corel5k]", "once: [planted]")
    project.run(*wanted)
    assert set(pd.read_csv(base / "choices.csv")["split"]) == {0}
    assert set(pd.read_csv(base / "table5.csv")["splits"]) == {6}


def test_a_method_of_ones_own_is_one_file_and_one_line(project):
    project.run("cplst_table3", "--config", *SMALL)
    (project.folder / "src" / "mlreduce" / "labelspace" / "mine.py").write_text(
        '"""Mine."""\n\nfrom mlreduce.labelspace.plst import PLST\nfrom mlreduce.registry import register\n\n\n'
        '@register("mine")\nclass Mine(PLST):\n    """Of my own."""\n'
    )
    study = "config/studies/cplst-2012.yaml"
    project.edit(study, "    cs: {}\n", "    cs: {}\n  own:\n    mine: {}\n")
    project.edit(study, "[plst, cplst, occa, pbr, br, cs]", "[plst, cplst, mine]")
    output = project.run("cplst_table3", "--config", *SMALL)
    assert "mine" in (project.folder / "results" / "demo" / "cplst-2012" / "table3.md").read_text()
    assert "reduced/as-printed/planted/own" in output
    assert "reduced/as-printed/planted/linear-codes" not in output  # nothing else is computed again
    table = pd.read_csv(project.folder / "results" / "demo" / "cplst-2012" / "table3.csv")
    means = table.pivot_table(index=["protocol", "size"], columns="method", values="mean")
    np.testing.assert_array_equal(means["mine"], means["plst"])


def test_own_tables_run_through_the_study(project):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((40, 4)), columns=list("abcd"))
    Y = pd.DataFrame(X.to_numpy() @ rng.standard_normal((4, 3)) > 0, columns=["x", "y", "z"]).astype(int)
    (project.folder / "mydata").mkdir()
    X.to_csv(project.folder / "mydata" / "f.csv", index=False)
    Y.to_csv(project.folder / "mydata" / "l.csv", index=False)
    entry = {"reader": "tables", "features": "mydata/f.csv", "labels": "mydata/l.csv"}
    (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    options = ("--config", "datasets=my.yaml", "run_on=mine", "splits=3", "studies=[cplst-2012]")
    project.run("cplst_table3", "cplst_audit", *options)
    table = pd.read_csv(project.folder / "results" / "demo" / "cplst-2012" / "table3.csv")
    assert set(table["dataset"]) == {"mine"}
    # A feature goes missing: the run says which, and leaves what was there.
    X.loc[3, "c"] = np.nan
    X.to_csv(project.folder / "mydata" / "f.csv", index=False)
    output = project.run("cplst_table3", *options, fails=True)
    assert "mine contains NaN in column 2 ('c'), row 3" in output
    assert "Traceback" not in output


def test_counts_run_in_three_parts_through_a_study(project):
    """Counts from svmlight, weighted by a third of the rows, chosen on another and tested on the last."""
    rng = np.random.default_rng(0)
    labels = rng.random((60, 3)) < 0.4
    labels[~labels.any(axis=1), 0] = True
    counts = rng.poisson(0.5, (60, 8)) + 3 * np.pad(labels, ((0, 0), (0, 5)))
    rows = [
        ",".join(str(k + 1) for k in np.flatnonzero(own)) + "".join(f" {j + 1}:{row[j]}" for j in np.flatnonzero(row))
        for own, row in zip(labels, counts, strict=True)
    ]
    (project.folder / "counts.svmlight").write_text("\n".join(rows))
    entry = {"reader": "svmlight", "data": ["counts.svmlight"], "parameters": {"n_features": 8}}
    (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    path = project.folder / "config" / "studies" / "gmba-2016.yaml"
    study = yaml.safe_load(path.read_text())
    study["protocols"] = {"choice": {"parts": "validation"}, "final": {"parts": "test"}}
    study["scaling"] = "tf-idf"
    path.write_text(yaml.safe_dump(study, sort_keys=False))
    base = "results/demo/gmba-2016"
    parts = [f"{base}/scores/{protocol}/mine/filters/br-knn/000-001.parquet" for protocol in ("choice", "final")]
    project.run(*parts, "--config", "datasets=my.yaml", "run_on=mine", "splits=2", "studies=[gmba-2016]")
    choice, final = (pd.read_parquet(project.folder / part) for part in parts)
    assert len(choice) == len(final) > 0
    assert (choice["value"] != final["value"]).any()
    dealt = np.load(project.folder / base / "splits" / "mine.npz")["parts"]
    assert dealt.shape == (2, 60)
    counted = np.array([[labels[row == part].sum(axis=0) for part in range(3)] for row in dealt])
    assert np.ptp(counted, axis=1).max() <= 2


def test_reuters_is_prepared_from_the_mirror(project, mirror):
    project.run("results/data/reuters.npz", "--config", f"mirror={mirror}", "run_on=reuters", "studies=[mvmd-2016]")
    data = MultiLabelData.load(project.folder / "results" / "data" / "reuters.npz")
    assert (data.X.shape, data.Y.shape) == ((9035, 23263), (9035, 10))
    assert data.label_names[:3] == ["earn", "acq", "money-fx"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["run_on=plantet"], "unknown data set 'plantet'; did you mean 'planted'"),
        (["split=3"], "unknown key 'split'; did you mean 'splits'"),
        (["studies=[cplst-2013]"], "cplst-2013.yaml: no such file"),
        (["datasets=none.yaml"], "none.yaml: no such file"),
        (["scale=papers"], "unknown value 'papers'; did you mean 'paper'"),
    ],
)
def test_wrong_configurations_end_in_one_sentence(project, options, sentence):
    output = project.run("-n", "--config", *options, fails=True)
    assert sentence in output
    assert "Traceback" not in output


def test_mirror_is_used_checked_and_missed(project):
    """A published set through a mirror: whole, then damaged, then absent."""
    mirror = project.folder / "mirror" / "tiny"
    mirror.mkdir(parents=True)
    rows = "\n".join(f"{i % 7},{i % 3},{i % 2},{int(i % 3 == 0)}" for i in range(30))
    names = "@attribute a numeric\n@attribute b numeric\n@attribute x {0,1}\n@attribute y {0,1}\n"
    text = f"@relation tiny\n{names}@data\n{rows}\n"
    (mirror / "tiny.arff").write_text(text)
    entry = {
        "reader": "arff",
        "data": [{"name": "tiny.arff", "sources": ["web"], "sha256": hashlib.sha256(text.encode()).hexdigest()}],
        "labels": {"last": 2},
    }
    content = {"sources": {"web": "http://127.0.0.1:9/{dataset}/{file}"}, "datasets": {"tiny": entry}}
    (project.folder / "my.yaml").write_text(yaml.safe_dump(content))
    base = ("cplst_table3", "--config", "datasets=my.yaml", "run_on=tiny", "splits=2")
    output = project.run(*base, "mirror=elsewhere", fails=True)
    assert "elsewhere/tiny/tiny.arff: no such file; it is published at http://127.0.0.1:9/tiny/tiny.arff" in output
    output = project.run(*base, fails=True)
    assert "could not be fetched from http://127.0.0.1:9/tiny/tiny.arff: no connection" in output
    assert not list(project.folder.glob("results/data/raw/tiny"))
    (mirror / "tiny.arff").write_text(text[:-4])
    assert "its SHA-256 is" in project.run(*base, "mirror=mirror", fails=True)
    assert not list(project.folder.glob("results/data/raw/tiny"))
    (mirror / "tiny.arff").write_text(text)
    project.run(*base, "mirror=mirror")
    assert (project.folder / "results" / "demo" / "cplst-2012" / "table3.csv").is_file()


def test_a_feature_space_study_makes_everything_it_should(finished_features):
    results = finished_features.results("mvmd-2016")
    study = yaml.safe_load((PROJECT / "config" / "studies" / "mvmd-2016.yaml").read_text())
    shown = [name for name in (*study["tables"], *study["figures"]) if "times" not in name]
    assert {Path(name).stem for name in results} >= {*shown, "scores", "spectra", "summary", "claims", "audit"}
    base = finished_features.folder / "results" / "demo"
    times = pd.read_csv(base / "mvmd-2016" / "table-times.csv")
    assert set(times["method"]) == set(study["tables"]["table-times"]["methods"])
    assert (times["seconds"] > 0).all()
    ends = pd.read_csv(base / "mvmd-2016" / "summary.csv").set_index(["predictor", "measure", "size_percent", "energy"])
    for one, other in (("mvmd-0.0", "pca"), ("mvmd-1.0", "mddmp"), ("mvmd-0.5", "mvmd")):
        first, second = (ends[ends["method"] == name][["size", "mean", "sd"]] for name in (one, other))
        pd.testing.assert_frame_equal(first.sort_index(), second.sort_index(), rtol=1e-9)
    claims = pd.read_csv(base / "mvmd-2016" / "claims.csv")
    assert set(claims["verdict"]) == {"undecided"}  # the paper's data sets were not run
    assert claims["evidence"].str.startswith("Missing from this run").all()
    assert "What mvmd-2016 claims" in (base / "mvmd-2016" / "audit.md").read_text()
    assert "What the paper claims" in (base / "report.html").read_text()
    assert "Nothing to be done" in finished_features.run("--config", *FEATURES)


def test_cores_batches_and_order_change_no_byte_of_a_feature_space_study(finished_features, project):
    path = project.folder / "config" / "studies" / "mvmd-2016.yaml"
    study = yaml.safe_load(path.read_text())
    study["methods"]["paper"] = dict(reversed(study["methods"]["paper"].items()))
    path.write_text(yaml.safe_dump(study, sort_keys=False))
    project.run("--config", *FEATURES, "splits_per_job=2", cores=1)
    assert project.results("mvmd-2016") == finished_features.results("mvmd-2016")


def test_a_projection_of_ones_own_is_one_file_and_one_line(project):
    (project.folder / "src" / "mlreduce" / "projection" / "mine.py").write_text(
        '"""Mine."""\n\nfrom mlreduce.projection.pca import PCA\nfrom mlreduce.registry import register\n\n\n'
        '@register("mine")\nclass Mine(PCA):\n    """Of my own."""\n'
    )
    study = "config/studies/mvmd-2016.yaml"
    project.edit(study, "  balance:  ", "  own:\n    mine: {}\n  balance:  ")
    project.edit(study, "methods: [mvmd, pca, mddmp, mddmf, cca, mlsi, mlda, dmlda]", "methods: [mine, pca]")
    table = "results/demo/mvmd-2016/table-f1.csv"
    project.run(table, "--config", *FEATURES)
    ranks = pd.read_csv(project.folder / table).set_index("method")
    assert ranks.loc["mine", "mean"] == ranks.loc["pca", "mean"]
    assert ranks.loc["mine", "rank"] == 1.5


def test_a_selection_study_makes_everything_it_should(finished_selection):
    results = finished_selection.results("gmba-2016")
    study = yaml.safe_load((PROJECT / "config" / "studies" / "gmba-2016.yaml").read_text())
    shown = [name for name in (*study["tables"], *study["figures"]) if "times" not in name]
    files = {*shown, "scores", "rankings", "summary", "areas", "claims", "audit"}
    assert {Path(name).stem for name in results} >= files
    base = finished_selection.folder / "results" / "demo" / "gmba-2016"
    scores, summary = pd.read_parquet(base / "scores.parquet"), pd.read_csv(base / "summary.csv")
    drawn = scores[scores["method"].isin([f"random-{draw}" for draw in range(10)])]
    cells = ["predictor", "measure", "size_percent"]
    means = summary[summary["method"] == "random"].set_index(cells)["mean"].sort_index()
    np.testing.assert_allclose(means, drawn.groupby(cells)["value"].mean(), rtol=1e-6)
    assert "random" not in set(scores["method"])
    whole = scores[(scores["size_percent"] == 100) & (scores["measure"] == "hamming-loss")]
    assert (whole.groupby(["predictor", "split"])["value"].nunique() == 1).all()  # all features, in any order
    areas = pd.read_csv(base / "areas.csv").set_index(["predictor", "measure", "method"])["mean"]
    curve = summary[(summary["method"] == "spec") & summary["size_percent"].between(10, 90)].set_index(cells)["mean"]
    own = curve["br-knn", "macro-f1"].sort_index().to_numpy()
    assert areas["br-knn", "macro-f1", "spec"] == pytest.approx(np.trapezoid(own) / 8, rel=1e-6)
    assert "Nothing to be done" in finished_selection.run("--config", *SELECTION)


def test_a_study_of_information_makes_everything_it_should(project):
    options = ("run_on=planted", "splits=2", "studies=[qpfs-lowrank-2016]")
    project.run("--config", *options)
    study = yaml.safe_load((PROJECT / "config" / "studies" / "qpfs-lowrank-2016.yaml").read_text())
    base = project.folder / "results" / "demo" / "qpfs-lowrank-2016"
    made = {path.stem for path in base.iterdir() if path.is_file()}
    assert made >= {*study["tables"], *study["figures"], "approximation", "theorem", "ratios", "areas", "claims"}
    errors = pd.read_csv(base / "approximation.csv")
    assert len(errors) == 3 * len(study["approximation"]["percents"])
    assert set(errors["splits"]) == {100}
    assert (errors["mean"] > 0).all()
    theorem = pd.read_csv(base / "theorem.csv")
    assert (theorem["better_where_it_holds"] == theorem["holds"]).all()  # it is a theorem
    times = pd.read_csv(base / "times.csv")
    drawn = times[times["method"].str.fullmatch(r"qpfs-approx-\d")].groupby("split")["seconds"].mean()
    mean = times[times["method"] == "qpfs-approx"].set_index("split")["seconds"]
    np.testing.assert_allclose(mean, drawn, rtol=1e-6)
    assert "Nothing to be done" in project.run("--config", *options)


def test_cores_batches_and_order_change_no_byte_of_a_selection_study(finished_selection, project):
    path = project.folder / "config" / "studies" / "gmba-2016.yaml"
    study = yaml.safe_load(path.read_text())
    study["methods"] = {group: dict(reversed(methods.items())) for group, methods in study["methods"].items()}
    path.write_text(yaml.safe_dump(study, sort_keys=False))
    project.run("--config", *SELECTION, "splits_per_job=2", cores=1)
    assert project.results("gmba-2016") == finished_selection.results("gmba-2016")


def test_a_selector_of_ones_own_is_one_file_and_one_line(project):
    (project.folder / "src" / "mlreduce" / "selection" / "mine.py").write_text(
        '"""Mine."""\n\nfrom mlreduce.registry import register\nfrom mlreduce.selection.spectral import SPEC\n\n\n'
        '@register("mine")\nclass Mine(SPEC):\n    """Of my own."""\n'
    )
    study = "config/studies/gmba-2016.yaml"
    project.edit(study, "  controls:\n", "  own:\n    mine: {}\n  controls:\n")
    project.edit(study, "methods: [gmba, gmba-averaged, spec, mlfs, mlrf, random]", "methods: [mine, spec]")
    table = "results/demo/gmba-2016/table-area-micro-f1-br.csv"
    project.run(table, "--config", *SELECTION)
    ranks = pd.read_csv(project.folder / table).set_index("method")
    assert ranks.loc["mine", "mean"] == ranks.loc["spec", "mean"]


def test_an_optional_data_set_that_the_mirror_lacks_is_left_out_and_named(project):
    (project.folder / "mirror").mkdir()
    study = "config/studies/gmba-2016.yaml"
    demo = "    datasets: [digits, planted]\n"
    project.edit(study, demo, "    datasets: [mediamill, planted]\n    optional: [mediamill]\n")
    options = ["--config", "studies=[gmba-2016]", "splits=2", "mirror=mirror"]
    project.run("gmba_audit", *options)
    audit = (project.folder / "results" / "demo" / "gmba-2016" / "audit.md").read_text()
    assert "Left out, since the mirror does not hold them: mediamill." in audit


def test_too_few_rows_are_refused(project):
    pd.DataFrame({"a": [1, 2]}).to_csv(project.folder / "f.csv", index=False)
    pd.DataFrame({"x": [1, 0]}).to_csv(project.folder / "l.csv", index=False)
    entry = {"reader": "tables", "features": "f.csv", "labels": "l.csv"}
    (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"two": entry}}))
    output = project.run("cplst_table3", "--config", "datasets=my.yaml", "run_on=two", fails=True)
    assert "2 rows are too few" in output


def documented_commands():
    """Every snakemake command of the README and the guide, without its comment."""
    for page in ("README.md", "docs/guide.md"):
        for line in (PROJECT / page).read_text(encoding="utf-8").splitlines():
            if line.startswith("snakemake "):
                yield line.partition("#")[0].strip()


@pytest.mark.parametrize("command", sorted(set(documented_commands())))
def test_documented_commands_are_understood(finished, tmp_path, command):
    _, *arguments = shlex.split(command)
    if "--report" in arguments:
        finished.run("--config", *SMALL, "--report", str(tmp_path / "report.zip"))
        with zipfile.ZipFile(tmp_path / "report.zip") as archive:
            assert any(name.endswith("report.html") for name in archive.namelist())
        return
    output = finished.run(*(word for word in arguments if word not in ("--cores", "all")), "-n")
    assert "--lint" in arguments or "Job stats" in output or "Nothing to be done" in output
