"""What is built and published: addresses, versions, extras, workflows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from mlreduce_studies.leaderboard.packages import _pinned_lines

PROJECT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = sorted(path for folder in ("envs", "leaderboard") for path in PROJECT.glob(f"{folder}/*.lock"))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_every_link_of_the_published_readme_is_absolute():
    core = pytest.importorskip("hatchling.metadata.core")
    plugins = pytest.importorskip("hatchling.plugin.manager")
    pytest.importorskip("hatch_fancy_pypi_readme")
    metadata = core.ProjectMetadata(str(PROJECT), plugins.PluginManager(), SETTINGS)
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    before, after = LINK.findall(text), LINK.findall(metadata.core.readme)
    root = SETTINGS["project"]["urls"]["Repository"]
    version = SETTINGS["project"]["version"]
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert len(before) > 30
    for old, new in zip(before, after, strict=True):
        kind = "raw" if old in pictures else "blob"
        assert new == (old if re.match("https?:", old) else f"{root}/{kind}/v{version}/{old}")


def test_printed_install_lines_are_that_of_the_readme_or_name_an_extra():
    """No index has mlreduce as long as the changelog calls the version unreleased; the README says so once."""
    changelog = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = f"## {SETTINGS['project']['version']} (unreleased)" in changelog
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert readme.count("unreleased") == unreleased
    extras = SETTINGS["project"]["optional-dependencies"]
    files = [
        PROJECT / "README.md",
        PROJECT / "CITATION.cff",
        *PROJECT.glob("docs/**/*.md"),
        *PROJECT.glob("src/**/*.py"),
    ]
    printed = set()
    for path in files:
        if path.name == "release.md" or {"_build", "api", "gallery"} & {*path.parts}:
            continue
        text = path.read_text(encoding="utf-8")
        assert path.name in {"README.md", "index.md"} or "0.1.0 is unreleased" not in text
        printed |= {(path.name, line) for line in re.findall(r"pip install ('[^']+'|[^\s`]+)", text)}
    lines = {line for _, line in printed if not line.startswith("-")}  # -r of a lock
    assert "'.[plot]'" in lines
    for line in lines - {"."}:
        (named,) = re.fullmatch(r"'(?:mlreduce|\.)\[(.+)\]'", line).groups()
        assert named in {*extras, "{extra}"}, line


def test_citation_and_package_have_one_version():
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == SETTINGS["project"]["version"]


def test_all_means_all_extras_for_users():
    extras = SETTINGS["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.search(r"\[(.*)\]", everything)[1].split(","))
    assert named == set(extras) - {"all", "dev", "docs", "test"}
    core = {re.split("[<>=]", text)[0] for text in SETTINGS["project"]["dependencies"]}
    assert core == {
        *("numpy", "scipy", "scikit-learn", "numba", "joblib", "threadpoolctl", "pandas", "narwhals", "lazy-loader"),
    }


def test_the_oldest_lock_has_the_lower_bounds():
    extras = SETTINGS["project"]["optional-dependencies"]
    texts = [*SETTINGS["project"]["dependencies"], *extras["data"], *extras["plot"]]
    lock = (PROJECT / "envs" / "oldest.lock").read_text(encoding="utf-8")
    for text in texts:
        name, bound = text.lower().split(">=")
        (locked,) = re.findall(rf"^{name}==([0-9.]+)", lock, re.MULTILINE)
        numbers = [int(part) for part in bound.split(".")]
        assert [int(part) for part in locked.split(".")][: len(numbers)] == numbers, name


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_locks_are_pins_with_hashes_alone(lock):
    """With which every pip from 23 on installs; tests/test_installation.py does."""
    lines = _pinned_lines(lock)
    assert lines
    assert [line for line in lines if not re.search(r"( --hash=sha256:[0-9a-f]{64})+$", " ".join(line.split()))] == []


def test_the_makefile_is_short():
    assert (PROJECT / "Makefile").stat().st_size <= 6144


def test_hosted_tests_run_what_the_project_says():
    folder = PROJECT / ".github" / "workflows"
    tests = yaml.safe_load((folder / "tests.yml").read_text())
    text = "".join(path.read_text() for path in folder.glob("*.yml"))
    targets = set(" ".join(re.findall(r"^([a-z -]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE)).split())
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets
    classified = re.findall(r"Python :: (3\.\d+)", "\n".join(SETTINGS["project"]["classifiers"]))
    assert ["3.11", *tests["jobs"]["versions"]["strategy"]["matrix"]["python"]] == classified
    there = re.findall(r"tests/[a-z_./]+", (folder / "environments.yml").read_text())
    assert len(there) > 5
    assert [path for path in there if not (PROJECT / path).exists()] == []
    catalogue = yaml.safe_load((PROJECT / ".snakemake-workflow-catalog.yml").read_text())
    deployed = catalogue["usage"]["software-stack-deployment"]
    assert {name: deployed[name] for name in ("conda", "apptainer")} == {
        name: f"--sdm {name}" in text for name in ("conda", "apptainer")
    }


@pytest.mark.parametrize("name", ["datasets.toml", "further-datasets.toml"])
def test_the_catalogue_of_data_sets_is_one_file(name):
    assert (PROJECT / "src" / "mlreduce" / "datasets" / name).read_bytes() == (PROJECT / "config" / name).read_bytes()
