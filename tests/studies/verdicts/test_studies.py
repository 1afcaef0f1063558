"""What verdicts take from a study: the sizes of its splits, and all its claims."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.evaluation.splitting import take_splits
from mlreduce_studies.study import PAPERS, load_study, study_files
from mlreduce_studies.verdicts.claims import claims_markdown, judge_claims, verdicts_sentence
from mlreduce_studies.verdicts.reading import Known, read_claims
from mlreduce_studies.verdicts.settings import claim_settings
from mlreduce_studies.verdicts.studies import part_sizes, results_of

#: The papers' studies; others have no claims.
STUDIES = study_files(Path(__file__).parents[3], [PAPERS])
WITH_CLAIMS = [name for name, path in STUDIES.items() if path.with_name("claims.yaml").is_file()]


@pytest.mark.parametrize("n_samples", [60, 61, 62, 101])
@pytest.mark.parametrize(
    "rule",
    [
        {"train": 0.9},
        {"train": 0.8},
        {"folds": 10},
        {"folds": 7},
        {"train_rows": 20, "test": 0.1},
        {"parts": "test"},
        {"parts": "test", "labelled": 0.4},
        {"folds": 7, "stratify": "first"},
    ],
)
def test_part_sizes_are_those_of_the_splits(rule, n_samples):
    labels = np.random.default_rng(0).integers(0, 2, (n_samples, 3))
    splits = take_splits(labels, rule, range(10), 1, "d").values()
    sizes = max(len(split.train) for split in splits), min(len(split.test) for split in splits)
    assert part_sizes(rule, n_samples) == sizes


@pytest.fixture(scope="module")
def settings():
    catalogue = read_catalogue()
    return {name: claim_settings(load_study(path, "paper", catalogue)) for name, path in STUDIES.items()}


@pytest.fixture(scope="module")
def claims(settings):
    return {
        name: read_claims(STUDIES[name].with_name("claims.yaml"), Known(**settings[name]["names"]))
        for name in WITH_CLAIMS
    }


def test_all_claims_can_be_read_with_the_names_of_their_studies(claims):
    ids = [claim.id for own in claims.values() for claim in own]
    assert len(set(ids)) == len(ids) > 180


@pytest.mark.parametrize("study", WITH_CLAIMS)
def test_without_results_all_claims_are_not_run_and_say_so(study, settings, claims):
    columns = ["protocol", "dataset", "method", "predictor", "measure", "size_percent", "energy", "size", "split"]
    datasets = pd.DataFrame(columns=["dataset", "instances", "features", "labels"])
    nothing = {"scores": pd.DataFrame(columns=[*columns, "value", "parameters"]), "datasets": datasets}
    own, lines, _ = judge_claims(claims[study], results_of(settings[study], nothing), settings[study]["datasets"])
    assert set(own["verdict"]) <= {"not run", "cannot be checked", "proved", "false by algebra"}
    assert set(lines["verdict"]) == {"not run"}
    assert lines["evidence"].str.startswith("Not run: ").all()
    of_paper = own.loc[~own["own"], "verdict"]
    assert f"{(of_paper == 'not run').sum()} not run" in verdicts_sentence(own)
    assert len(claims_markdown(own, lines, study).splitlines()) > len(own) + len(lines)
