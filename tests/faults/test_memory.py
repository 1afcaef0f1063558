"""Jobs that run out of memory, or are killed for it."""

from __future__ import annotations

import pytest
from project import TINY

DESIGN = "results/data/planted.design.npz"
SPLITS = "results/demo/cplst-2012/splits/planted.npz"
STATION = "workflow/scripts/factorise.py"

# What the job asks for is more than it may have: two gigabytes, of which the libraries take some.
TOO_MUCH = """    import resource
    import numpy
    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
    numpy.ones(2**29)
"""
# What the kernel does where it has promised more than there is.
KILLED = """    import os
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    ("fault", "sentences"),
    [
        (
            TOO_MUCH,
            (
                "mlreduce: factorise ran out of memory (Unable to allocate 4.00 GiB",
                "--set-resources factorise:mem_mb=",
            ),
        ),
        (KILLED, ("mlreduce: a job was killed from outside, most often by the system because memory ran out",)),
    ],
    ids=["refused", "killed"],
)
def test_a_job_without_memory_says_so_leaves_nothing_and_is_run_again(project, undisturbed, fault, sentences):
    project.edit(STATION, "    data =", f"{fault}    data =")
    output = project.run(DESIGN, SPLITS, "--config", *TINY, fails=True)
    for sentence in (*sentences, "--cores 1"):
        assert output.count(sentence) == 1
    assert not (project.folder / DESIGN).exists()
    assert (project.folder / SPLITS).is_file()  # the other job went on
    project.edit(STATION, f"{fault}    data =", "    data =")
    output = project.run(DESIGN, SPLITS, "--config", *TINY)
    assert "rule factorise" in output
    assert "rule split" not in output  # what was done is kept
    for name in (DESIGN, SPLITS):
        assert (project.folder / name).read_bytes() == (undisturbed.folder / name).read_bytes()


def test_a_job_that_fails_otherwise_is_not_said_to_lack_memory(project):
    project.edit(STATION, "    data =", "    raise ZeroDivisionError\n    data =")
    output = project.run(DESIGN, "--config", *TINY, fails=True)
    assert "ZeroDivisionError" in output
    assert "memory" not in output
