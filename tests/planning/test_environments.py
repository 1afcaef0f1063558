from __future__ import annotations

import ast
import csv
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import yaml

from mlreduce import registry

PROJECT = Path(__file__).parents[2]
LOCK = dict(
    re.findall(
        r"^([a-z0-9-]+)(?:\[.+\])?==([^ ;\\]+)", (PROJECT / "envs" / "requirements.lock").read_text(), re.MULTILINE
    )
)
ENVIRONMENTS = {path.stem: path for path in (PROJECT / "envs").glob("*.yaml")}

OWN = PROJECT / "workflow" / "scripts"

# By which pandas reads and writes Parquet, whether or not a file of ours imports it.
IMPORTED_BY_PANDAS = {"pyarrow"}

# What no rule comes to: pictures of model trees.
NEVER_IMPORTED = {"compute": {"matplotlib"}}
# Whose files are read without importing it: the tables of the pages.
READ = {"report": {"itables"}}


def by_pip(environment):
    """What pip installs in an environment: each package to its version and hashes."""
    dependencies = yaml.safe_load(ENVIRONMENTS[environment].read_text())["dependencies"]
    (*lines,) = [line for part in dependencies if isinstance(part, dict) for line in part["pip"]]
    assert not lines or "pip" in dependencies
    named = (line.partition("==") for line in lines)
    return {name: (rest.split()[0], rest.split()[1:]) for name, _, rest in named}


def pins(environment):
    """The packages of an environment and their versions, without Python and pip."""
    dependencies = yaml.safe_load(ENVIRONMENTS[environment].read_text())["dependencies"]
    texts = [text for text in dependencies if isinstance(text, str) and text != "pip"]
    found = dict(re.fullmatch(r"([a-z0-9-]+) =([0-9a-z.]+)", text).groups() for text in texts)
    assert found.pop("python").startswith("3.11")
    return found | {name: version for name, (version, _) in by_pip(environment).items()}


@cache
def imported_by(path):
    """The modules that a file imports, also within functions; not those that only type checkers see."""
    tree = ast.parse(path.read_text())
    unseen = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    skipped = {id(inner) for node in unseen for inner in ast.walk(node)}
    # What a package loads when a name is asked for is imported by whoever asks.
    skipped |= {
        id(inner) for node in tree.body if getattr(node, "name", "") == "__getattr__" for inner in ast.walk(node)
    }
    names = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import, which this does not follow"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def file_of(module):
    base = PROJECT.joinpath("src", *module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def packages_behind(files):
    """The installed packages that files import, directly or through the library."""
    seen, names = set(), set()
    pending = list(files)
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in imported_by(path):
            parts = name.split(".")
            if parts[0] in ("mlreduce", "mlreduce_studies"):
                parents = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
                pending += [file for parent in parents if (file := file_of(parent))]
            elif not (OWN / f"{parts[0]}.py").is_file() and parts[0] not in sys.stdlib_module_names:
                names.add(parts[0])
    known = packages_distributions()
    return {known[name][0].lower().replace("_", "-") for name in names}


def rules():
    """Each rule of the workflow that runs a script: its name, environment and script."""
    for path in sorted((PROJECT / "workflow" / "rules").glob("*.smk")):
        for text in re.split(r"^ *rule\b", path.read_text(), flags=re.MULTILINE)[1:]:
            if "script:" not in text:
                continue
            (environment,) = re.findall(r'"\.\./\.\./envs/([a-z]+)\.yaml"', text)
            (script,) = re.findall(r'"\.\./scripts/([a-z_]+)\.py"', text)
            yield text.partition(":")[0], environment, script


@pytest.mark.parametrize("environment", sorted(ENVIRONMENTS))
def test_conda_environments_equal_the_lock(environment):
    found = pins(environment)
    assert found
    assert found == {name: LOCK[name] for name in found}


@pytest.mark.parametrize("environment", sorted(ENVIRONMENTS))
def test_what_pip_installs_in_conda_has_the_hashes_of_the_lock_and_needs_nothing_else(environment):
    text = (PROJECT / "envs" / "requirements.lock").read_text()
    for name, (version, hashes) in by_pip(environment).items():
        entry = re.search(rf"^{name}=={re.escape(version)} .*?(?=^\S)", text, re.MULTILINE | re.DOTALL)[0]
        assert hashes == re.findall(r"--hash=sha256:[0-9a-f]{64}", entry)
        assert not [line for line in requires(name) or [] if "extra ==" not in line]  # it would have no hash


def test_each_pin_of_conda_is_in_the_table_of_what_was_seen():
    with (PROJECT / "envs" / "conda-recipes.csv").open(encoding="utf-8", newline="") as file:
        listed = {row["package"]: row["pin"] for row in csv.DictReader(file)}
    found = {name: version for environment in ENVIRONMENTS for name, version in pins(environment).items()}
    assert found.items() <= listed.items()


@pytest.mark.parametrize("environment", sorted(ENVIRONMENTS))
@pytest.mark.slow
def test_an_environment_holds_what_its_rules_import_and_nothing_else(environment):
    scripts = {script for _, own, script in rules() if own == environment}
    assert scripts
    files = [PROJECT / "workflow" / "scripts" / f"{name}.py" for name in ("_job", *scripts)]
    if environment in ("compute", "report"):  # methods and predictors are imported where a name is looked up
        files += [file_of(registry.module_of(name)) for name in registry.method_names()]
    if environment == "report":  # kinds of tables and figures are found by what a study names
        kinds = PROJECT / "src" / "mlreduce_studies"
        files += [path for kind in ("tables", "figures") for path in (kinds / kind).glob("*.py")]
    needed = packages_behind(files) - NEVER_IMPORTED.get(environment, set())
    assert needed | IMPORTED_BY_PANDAS | READ.get(environment, set()) == set(pins(environment))


def test_every_rule_names_an_environment_that_exists():
    assert {environment for _, environment, _ in rules()} == set(ENVIRONMENTS)


def test_lock_has_a_hash_for_every_package_and_no_address():
    text = (PROJECT / "envs" / "requirements.lock").read_text()
    assert "://" not in text
    entries = re.split(r"\n(?=[a-z0-9])", text)[1:]
    assert len(entries) > 50
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_container_takes_the_steps_of_the_readme():
    container = (PROJECT / "Containerfile").read_text()
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    steps = re.findall(r"^RUN (make .*)$", container, re.MULTILINE)
    (last,) = re.findall(r"^CMD \[(.*)\]$", container, re.MULTILINE)
    steps.append(" ".join(word.strip('" ') for word in last.split(",")))
    assert steps == ["make install", "make demo"]
    assert all(re.search(rf"^{step}\b|`{step}`", readme, re.MULTILINE) for step in steps)
    (tools,) = re.findall(r"--no-install-recommends ([a-z ]+) &&", container)
    assert re.search(r"machine with git, make and Python", readme)
    assert set(tools.split()) == {"git", "make"}  # and Python is the image's


def test_the_container_begins_from_an_image_of_one_version_of_the_lock_s_python():
    (image,) = re.findall(r"^FROM (\S+)$", (PROJECT / "Containerfile").read_text(), re.MULTILINE)
    python = re.fullmatch(r"python:(3\.\d+)\.\d+-slim-[a-z]+@sha256:[0-9a-f]{64}", image)[1]
    assert f"--python-version {python} " in (PROJECT / "envs" / "lock.sh").read_text()


WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (PROJECT / ".github" / "workflows").glob("*.yml")
}


def test_actions_are_named_by_commit():
    jobs = [job for own in WORKFLOWS.values() for job in own["jobs"].values()]
    used = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    assert len(used) > 5
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in used)


def test_what_is_published_is_what_was_tested():
    """The files of `make test-wheel` are uploaded, and the job with the token only downloads and publishes."""
    jobs = WORKFLOWS["release"]["jobs"]
    script = (PROJECT / "envs" / "release.sh").read_text()
    assert " dist=.venv/dist " in script
    assert re.search(r"^sbom\(\) \{\n    test_wheel$", script, re.MULTILINE)
    commands = [step.get("run", "") for step in jobs["test"]["steps"]]
    assert "make sbom" in commands
    assert not [command for command in commands if "build" in command]  # again, and with other packages
    uploaded = {
        step["with"]["name"]: step["with"]["path"] for step in jobs["test"]["steps"] if "upload" in step.get("uses", "")
    }
    assert uploaded["tested"] == ".venv/dist/"
    assert [sorted(step) for step in jobs["publish"]["steps"]] == [["uses", "with"], ["uses"]]
    assert jobs["publish"]["steps"][0]["with"]["name"] == "tested"
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert WORKFLOWS["audit"][True]["schedule"]
