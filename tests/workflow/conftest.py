from __future__ import annotations

import pytest
from project import BUNDLED, SEPARATE, Project, shared


@pytest.fixture
def project(tmp_path):
    """The project, not run yet."""
    return Project(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A run with one job per step: do not edit."""
    return shared(tmp_path_factory, "bundled", BUNDLED)


@pytest.fixture
def done(finished, tmp_path):
    """A copy of that run, to go on with."""
    return finished.copy(tmp_path / "done")


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """A run with a job per group and split: do not edit."""
    return shared(tmp_path_factory, "separate", SEPARATE)


@pytest.fixture
def apart(undisturbed, tmp_path):
    """A copy of that run, to go on with."""
    return undisturbed.copy(tmp_path / "apart")
