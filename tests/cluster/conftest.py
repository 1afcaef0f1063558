from __future__ import annotations

import pytest
from one_node import MARK, OneNode, Unavailable, install, left_of, wait_until


@pytest.fixture(scope="session")
def slurm():
    """Slurm's programs."""
    try:
        install()
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def node(slurm):
    with OneNode() as node:
        yield node
    assert not left_of(node.folder)
    assert not node.folder.exists()


@pytest.fixture
def cluster(node, monkeypatch):
    """The cluster without jobs; what is started belongs to it, and ends with it at the latest."""
    monkeypatch.setenv(MARK, str(node.folder))
    yield node
    node.ask("scancel", "--partition=all")
    wait_until(node.has_no_jobs, "jobs have ended", seconds=30)
