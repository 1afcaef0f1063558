"""Committed verdicts come out again from the committed scores."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from mlreduce_studies.verdicts.__main__ import main

PROJECT = Path(__file__).parents[3]
REFERENCE = PROJECT / "results" / "reference" / "qpfs-lowrank-2016"
HERE = f"--project={PROJECT}"


@pytest.mark.slow
@pytest.mark.promise
def test_verdicts_from_the_kept_scores(tmp_path, capsys):
    """The one verdict that was changed is named, so all others came out as committed."""
    folder = tmp_path / "qpfs-lowrank-2016"
    shutil.copytree(REFERENCE, folder)
    claims = pd.read_csv(folder / "claims.csv").set_index("id")
    claims.loc["errors-fall-with-samples", "verdict"] = "refuted"
    claims.reset_index().to_csv(folder / "claims.csv", index=False)
    assert main([str(folder), HERE]) == 1
    out = capsys.readouterr().out
    assert "qpfs-lowrank-2016: Of " in out
    differing = [line.strip() for line in out.splitlines() if ", but " in line]
    assert differing == [f"errors-fall-with-samples: confirmed, but {folder / 'claims.csv'} has refuted"]


def test_a_study_without_claims(capsys):
    assert main([str(REFERENCE.with_name("coders")), HERE]) == 0
    assert capsys.readouterr().out == "coders: no claim is judged on it\n"


def test_a_folder_without_scores_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path), HERE])
    assert ended.value.code == 1
    assert f"{tmp_path / 'manifest.json'}: no such file" in capsys.readouterr().err
