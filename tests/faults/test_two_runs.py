"""Two runs in one folder."""

from __future__ import annotations

import shutil

from project import TINY

WANTED = ("results/data/planted.npz", "--config", *TINY)


def test_the_second_run_is_refused_and_the_first_unharmed(project, undisturbed):
    project.hold("prepare")
    first = project.start(*WANTED)
    project.wait_for_held(first)
    assert "cannot be locked" in project.run(*WANTED, fails=True)
    # As when both start at once, before either has taken Snakemake's lock; or when one with other targets ended, which
    # takes away all locks.
    shutil.rmtree(project.folder / ".snakemake" / "locks")
    second = project.start(*WANTED)
    output, _ = second.communicate(timeout=120)  # it does not come to the job that is held up
    assert second.returncode != 0
    assert f"Another run is at work in {project.folder}: wait until it has ended, or stop it" in output
    assert "Traceback" not in output
    project.run(*WANTED, "-n")  # to look is allowed
    assert first.poll() is None
    project.go_on()
    output, _ = first.communicate()
    assert first.returncode == 0, output
    written, expected = (place.folder / "results" / "data" / "planted.npz" for place in (project, undisturbed))
    assert written.read_bytes() == expected.read_bytes()
