from __future__ import annotations

import pytest
from project import FEATURES, SELECTION, SMALL, TINY, Project, shared


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture
def small(tmp_path):
    """The project with a study of a few methods."""
    project = Project(tmp_path)
    project.shrink()
    return project


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """One run on the planted data, to compare with: do not edit."""
    return shared(tmp_path_factory, "finished", SMALL, lambda project: None)


@pytest.fixture(scope="session")
def finished_features(tmp_path_factory):
    """One run of the feature-space study, to compare with: do not edit."""
    return shared(tmp_path_factory, "features", FEATURES, Project.thin_projections)


@pytest.fixture(scope="session")
def finished_selection(tmp_path_factory):
    """One run of the feature-selection study, to compare with: do not edit."""
    return shared(tmp_path_factory, "selection", SELECTION, Project.thin_selection)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """One run of a study of a few methods (`project.TINY`): do not edit."""
    return shared(tmp_path_factory, "undisturbed", TINY, Project.shrink)


@pytest.fixture
def done(undisturbed, tmp_path):
    """A copy of that run, with its results, to go on with."""
    return undisturbed.copy(tmp_path / "done")
