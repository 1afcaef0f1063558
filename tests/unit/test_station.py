"""How a job starts: what scikit-learn imports and few jobs use comes when it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
LOADED = "'scipy.stats._stats_py' in sys.modules"


def said(code):
    """What a Python says that has `scipy.stats` deferred, as every job has."""
    begin = f"import sys; sys.path.append({str(SCRIPTS)!r}); from _station import defer; defer('scipy.stats'); "
    done = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "module", ["experiments.label_space", "experiments.feature_space", "experiments.search", "experiments.costs"]
)
def test_what_jobs_import_leaves_it_for_later(module):
    assert said(f"import mlreduce.{module}, sklearn.base; print({LOADED})") == "False"


@pytest.mark.parametrize(
    "use",
    [
        "import scipy.stats; found = scipy.stats.rankdata([3, 1, 2]).tolist()",
        "from scipy.stats import rankdata; found = rankdata([3, 1, 2]).tolist()",
        "from scipy import stats; found = stats.rankdata([3, 1, 2]).tolist()",
        "import scipy.stats as stats; stats.mode([1]); found = stats.rankdata([3, 1, 2]).tolist()",
        "import scipy.stats.mstats; found = scipy.stats.mstats.rankdata([3, 1, 2]).tolist()",
    ],
)
def test_it_is_there_when_it_is_used(use):
    code = f"{use}; import scipy.stats; print(found, {LOADED}, sys.modules['scipy.stats'].__file__ is not None)"
    assert said(code) == "[3.0, 1.0, 2.0] True True"


def test_what_is_not_there_is_missing_as_ever():
    assert said("import scipy.stats; print(hasattr(scipy.stats, 'no_such_name'))") == "False"


def test_what_is_loaded_already_stays():
    assert said("import os; defer('os'); print(sys.modules['os'] is os)") == "True"
