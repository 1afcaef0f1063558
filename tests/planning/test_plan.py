"""Which folder a run has, what it is refused for, and which studies it is of."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
import yaml

from mlreduce.configuration import read_yaml
from mlreduce.exceptions import ConfigurationError
from mlreduce_studies.gathering.job_tables import write_table
from mlreduce_studies.gathering.study_tables import Gathering
from mlreduce_studies.planning.jobs import Jobs
from mlreduce_studies.planning.outputs import Outputs
from mlreduce_studies.planning.plan import make_plan
from mlreduce_studies.study import study_files

PROJECT = Path(__file__).parents[2]
PAPERS = list(study_files(PROJECT, ["papers"]))
SMALL = str(PROJECT / "tests" / "small.yaml")


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Plan a run in an empty folder, where my.yaml has the data sets shop and survey."""
    monkeypatch.chdir(tmp_path)
    write_catalogue("my.yaml", "shop", "survey")

    def made(*settings, file="config.yaml"):
        config = read_yaml(PROJECT / "config" / "config.yaml") | read_yaml(PROJECT / "config" / file)
        return make_plan(
            config | {key: yaml.safe_load(value) for key, value in (one.split("=") for one in settings)}, PROJECT
        )

    return made


def write_catalogue(name, *sets):
    Path(name).write_text(
        yaml.safe_dump({"datasets": {name: {"reader": "planted", "parameters": {"n_samples": 60}} for name in sets}})
    )


def recorded(plan):
    """Write what a run writes before its jobs."""
    file = Path(plan.run_file)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(plan.record))
    return plan


def documented():
    text = (PROJECT / "config" / "README.md").read_text(encoding="utf-8").partition("## Folders of results")[2]
    return re.findall(r"^\| `(\S+)` \| `snakemake(.*?)` \|$", text, re.MULTILINE)


@pytest.mark.parametrize(("folder", "options"), documented())
def test_folders_are_those_of_the_reference(plan, folder, options):
    words = shlex.split(options)
    file = Path(words[words.index("--configfile") + 1]).name if "--configfile" in words else "config.yaml"
    settings = words[words.index("--config") + 1 :] if "--config" in words else []
    assert plan(*settings, file=file).base == folder


def test_the_seed_of_a_scale_has_no_folder_of_its_own(plan):
    own = {file: plan(file=file) for file in ("config.yaml", "paper.yaml", "peers.yaml")}
    assert [each.base for each in own.values()] == ["results/demo", "results/paper", "results/peers"]
    demo, paper, peers = (each.config["seed"] for each in own.values())
    assert demo != paper == peers
    assert plan(f"seed={demo}", file="paper.yaml").base == f"results/paper-seed-{demo}"
    assert plan(f"seed={paper}").base == f"results/demo-seed-{paper}"


def test_runs_with_other_settings_have_other_folders(plan):
    changed = [
        "splits=2",
        "splits=3",
        "seed=7",
        "scale=paper",
        "run_on=emotions",
        "run_on=scene",
        "methods=pca",
        "methods='pca,mvmd'",
    ]
    own = [("datasets=my.yaml", f"run_on={name}") for name in ("shop", "survey")]
    settings = [
        (),
        *((one,) for one in changed),
        *own,
        ("run_on=emotions", "splits=2"),
        ("run_on=emotions", "scale=paper"),
    ]
    assert len({plan("studies=mvmd-2016", *one).base for one in settings}) == len(settings)
    long = {
        plan("studies=mvmd-2016", f"methods='{','.join(methods)}'").base for methods in (["pca"] * 40, ["pca"] * 41)
    }
    assert len(long) == 2
    assert max(map(len, long)) < 80


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("splits=2", "splits=3", "splits 2 there and 3 here"),
        ("seed=1", "seed=2", "seed 1 there and 2 here"),
        ("run_on=emotions", "run_on=scene", "run_on emotions there and scene here"),
        ("methods=pca", "", "methods pca there and not given here"),
        ("scale=demo", "scale=paper", "scale demo there and paper here"),
        ("datasets=my.yaml run_on=shop", "datasets=other.yaml run_on=shop", "shop my.yaml there and other.yaml here"),
        (f"studies={SMALL}", "studies=small.yaml", "small.yaml here"),
    ],
)
def test_a_folder_with_results_of_another_run_is_refused(plan, first, second, said):
    write_catalogue("other.yaml", "shop")
    Path("small.yaml").write_text(Path(SMALL).read_text(encoding="utf-8").replace("mine", "mvmd"))
    if "small" in first:  # without the method of the tests' copies of the project
        Path("first").mkdir()
        Path("first/small.yaml").write_text(Path("small.yaml").read_text())
        first = "studies=first/small.yaml"
    if "small" not in first:
        first, second = (f"studies=mvmd-2016 {settings}" for settings in (first, second))
    done = recorded(plan(*first.split(), "name=x"))
    assert plan(*first.split(), "name=x").record == done.record
    before = sorted(Path().rglob("*"))
    with pytest.raises(ConfigurationError, match=re.escape(said)) as error:
        plan(*second.split(), "name=x")
    assert sorted(Path().rglob("*")) == before
    free = re.search(r"name=(\S+)", str(error.value))[1]
    assert not (Path("results") / free).exists()
    assert plan(*second.split(), f"name={free}").base == f"results/{free}"


def test_a_damaged_record_is_refused(plan):
    file = Path(recorded(plan("studies=mvmd-2016", "name=x")).run_file)
    for text in ("{", "[]", "{}", '{"datasets": 1, "studies": {}}'):
        file.write_text(text)
        with pytest.raises(ConfigurationError, match="not the record of a run"):
            plan("studies=mvmd-2016", "name=x")


def test_fits_are_timed_on_as_many_splits_as_a_data_set_has(plan):
    text = (PROJECT / "papers" / "mvmd-2016" / "study.yaml").read_text()
    Path("own.yaml").write_text(text.replace("timed: 3", "timed: {default: 10, human: 2}"))
    made = plan("studies=[own.yaml]", "splits=4", file="paper.yaml")
    study, jobs = made.studies["own"], Jobs(made)
    assert [json.loads(jobs.timing(study, name, "paper"))["splits"] for name in ("birds", "human")] == [4, 2]
    Path("own.yaml").write_text(text.replace("timed: 3", "timed: {human: 2}"))
    made = plan("studies=[own.yaml]", file="paper.yaml")
    assert {Path(file).parent.name for file in Jobs(made).timed(made.studies["own"])} == {"human"}


def test_studies_are_added_to_a_folder(plan):
    recorded(plan("studies=cplst-2012"))
    assert plan("studies=mvmd-2016").record["studies"] == {"cplst-2012": None, "mvmd-2016": None}
    Path("results/demo/studies.json").write_text(json.dumps(Outputs(*parts(plan("studies=cplst-2012"))).described))
    assert list(Outputs(*parts(plan("studies=mvmd-2016"))).described["studies"]) == [
        "mvmd-2016"
    ]  # the other has not ended
    Path("results/demo/cplst-2012").mkdir()
    Path("results/demo/cplst-2012/manifest.json").touch()
    described = Outputs(*parts(plan("studies=mvmd-2016"))).described
    assert list(described["studies"]) == ["cplst-2012", "mvmd-2016"]
    assert described["introduction"].startswith("Every study at a small size")


def parts(plan):
    return plan, Jobs(plan)


def test_which_studies_run_where_none_is_named(plan):
    assert list(plan().studies) == PAPERS
    assert list(plan("run_on=emotions").studies) == PAPERS
    assert list(plan("run_on=planted-300").studies) == ["comparison"]
    assert list(plan("datasets=my.yaml", "run_on=shop").studies) == ["comparison"]
    with_method = plan("datasets=my.yaml", "run_on=shop", "methods=plst").studies
    assert "cplst-2012" in with_method
    assert all("plst" in study.methods for study in with_method.values())
    assert list(plan("datasets=my.yaml", "run_on=shop", "studies=mvmd-2016").studies) == ["mvmd-2016"]


def test_own_data_are_a_matter_of_each_study(plan):
    made = plan("studies=cplst-2012,mope-mesd-2012", "run_on=emotions", "scale=paper")
    assert [name for name, study in made.studies.items() if made.own_data(study)] == ["mope-mesd-2012"]
    said = Outputs(*parts(made)).described
    assert said["title"] == "mlreduce"
    assert said["introduction"].endswith("No claim and no printed number of mope-mesd-2012 is about these data.")
    assert Path(made.studies["cplst-2012"].published).name == "published.csv"


def test_a_report_says_what_was_run(plan):
    Path("small.yaml").write_text(Path(SMALL).read_text(encoding="utf-8").replace("mine", "mvmd"))
    own = Outputs(*parts(plan("studies=small.yaml", "splits=2"))).described
    assert (own["title"], own["introduction"]) == ("A small study", "small on planted-300, on 2 splits at most.")
    shop = Outputs(*parts(plan("datasets=my.yaml", "run_on=shop"))).described
    assert (shop["title"], shop["introduction"]) == ("mlreduce on shop", "comparison on shop.")


def test_names_that_differ_in_case_only_are_refused(plan):
    write_catalogue("case.yaml", "mine", "Mine", "Emotions")
    for run_on, pair in (
        ("'mine,Mine'", "'Mine' and 'mine'"),
        ("mine", "'mine' and 'Mine'"),
        ("Emotions", "'Emotions' and 'emotions'"),
    ):
        with pytest.raises(ConfigurationError, match=f"data sets {pair} differ in upper and lower case only"):
            plan("datasets=case.yaml", f"run_on={run_on}")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("methods=mvmdd", "unknown method 'mvmdd'; did you mean 'mvmd'?"),
        ("methods='mvmd,pcaa'", "unknown method 'pcaa'; did you mean 'pca'?"),
        ("methods=[mvmd, 5]", "unknown method '5'"),
        ("methods='gmba-0,gmba-9'", "unknown method 'gmba-9'; did you mean"),
        ("methods=5", "unknown method '5'"),
        ("studies=5", "studies: unknown study '5'"),
        ("studies=2.5", "studies: unknown study '2.5'"),
        ("studies='mvmd-2016,cplst2012'", "unknown study 'cplst2012'; did you mean 'cplst-2012'?"),
        ("run_on=123", "run_on: unknown data set '123'"),
        ("run_on=true", "run_on: unknown data set 'True'"),
        ("run_on='emotions,scnee'", "run_on: unknown data set 'scnee'; did you mean 'scene'?"),
        ("run_on={emotions: 1}", "configuration: run_on: expected array, got {'emotions': 1}"),
        ("datasets=5", "configuration: datasets: expected string, got 5"),
        ("figure_formats=5", "unknown value '5'"),
        ("figure_formats='svg,pgn'", "unknown value 'pgn'; did you mean 'png'?"),
    ],
)
def test_each_name_is_checked_also_beside_right_ones_and_numbers_are_names(plan, settings, said):
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        plan(settings)


def test_a_data_set_may_be_called_by_a_number(plan):
    write_catalogue("years.yaml", "2016")
    assert plan("datasets=years.yaml", "run_on=2016").base == "results/demo-2016"


@pytest.mark.parametrize("name", ["emotions", "planted-300", "delicious"])
def test_own_data_do_not_pass_for_published_ones(plan, name):
    write_catalogue("clash.yaml", "shop", name)
    for run_on in ("shop", name):
        with pytest.raises(
            ConfigurationError, match=rf"clash.yaml: datasets.{name}: .* judged; .* {name}-2, and run_on"
        ):
            plan("datasets=clash.yaml", f"run_on={run_on}")


@pytest.mark.parametrize("names", ["Small.yaml", "'small.yaml,first/small.yaml'", "my_study.yaml"])
def test_studies_without_a_name_of_their_own_are_refused(plan, names):
    for name in names.strip("'").split(","):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(Path(SMALL).read_text(encoding="utf-8").replace("mine", "mvmd"))
    with pytest.raises(ConfigurationError, match="rename the file"):
        plan(f"studies={names}")


def test_ratios_of_times_need_no_printed_ones(tmp_path):
    rows = [("tiny", method, 0, seconds) for method, seconds in (("a", 1.0), ("b", 3.0))]
    times = pd.DataFrame(rows, columns=["dataset", "method", "split", "seconds"])
    write_table(tmp_path / "times.parquet", times)
    files = {"times": [tmp_path / "times.parquet"], "published": []}
    ratios = Gathering(files, {}, "a").table("ratios").set_index("method")
    assert ratios["ratio"].to_dict() == {"a": 1.0, "b": 3.0}
    assert ratios["printed_ratio"].isna().all()
