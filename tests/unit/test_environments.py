from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).parents[2]
LOCK = dict(
    re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", (PROJECT / "envs" / "requirements.lock").read_text(), re.MULTILINE)
)
ENVIRONMENTS = sorted((PROJECT / "envs").glob("*.yaml"))


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_conda_environments_equal_the_lock(path):
    dependencies = yaml.safe_load(path.read_text())["dependencies"]
    pins = dict(re.fullmatch(r"([a-z0-9-]+) =([0-9.]+)", text).groups() for text in dependencies)
    assert pins.pop("python").startswith("3.11")
    assert pins
    assert pins == {name: LOCK[name] for name in pins}


def test_every_rule_names_an_environment_that_exists():
    named = set()
    for rules in (PROJECT / "workflow" / "rules").glob("*.smk"):
        text = rules.read_text()
        found = re.findall(r'"\.\./\.\./envs/([a-z]+)\.yaml"', text)
        assert len(found) == len(re.findall(r"^rule ", text, re.MULTILINE))
        named |= set(found)
    assert named == {path.stem for path in ENVIRONMENTS}


def test_lock_has_a_hash_for_every_package_and_no_address():
    text = (PROJECT / "envs" / "requirements.lock").read_text()
    assert "://" not in text
    entries = re.split(r"\n(?=[a-z0-9])", text)[1:]
    assert len(entries) > 50
    assert all("--hash=sha256:" in entry for entry in entries)
