from __future__ import annotations

import os
from datetime import date, timedelta

import blas_kernels
import pytest


@pytest.fixture
def possible(monkeypatch):
    """A processor that has kernels of its own for Haswell, and lacks what those for SkylakeX need."""
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    found = {"": {"Haswell"}, "Zen": {"Haswell"}, "SkylakeX": set()}
    monkeypatch.setattr(blas_kernels, "architectures_with", lambda kernel: found.get(kernel, {kernel}))


@pytest.mark.usefixtures("possible")
def test_the_day_chooses_among_other_kernels_that_the_processor_can_run():
    days = [date(2026, 11, 25) + timedelta(number) for number in range(4)]
    found = [blas_kernels.chosen({"Haswell"}, day, ["Nehalem", "Sandybridge", "Haswell", "SkylakeX"]) for day in days]
    assert set(found) == {"Nehalem", "Sandybridge"}
    assert found[0] != found[1]
    assert blas_kernels.chosen({"Haswell"}, days[0], ["Haswell", "SkylakeX"]) is None


@pytest.mark.usefixtures("possible")
def test_kernels_that_take_no_effect_are_refused(monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(os, "execvpe", lambda *command: ran.append(command))
    for kernel, found in (("Zen", "Haswell"), ("SkylakeX", "none")):
        with pytest.raises(SystemExit, match=f"OPENBLAS_CORETYPE={kernel} gives the kernels {found}"):
            blas_kernels.main(kernel, ["pytest"])
    assert not ran
    blas_kernels.main("Nehalem", ["pytest", "tests"])
    assert (ran[0][1], ran[0][2]["OPENBLAS_CORETYPE"]) == (["pytest", "tests"], "Nehalem")
    assert "kernels for Nehalem; this processor's own are Haswell" in capsys.readouterr().out
