"""Cheats and hangs that an entry of the leaderboard may try: none gets at labels, and none is waited for."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import cheating_entries
import numpy as np
import pytest

import mlreduce.evaluation.measuring  # noqa: F401 - what a cheat would change
from mlreduce.validation.limits import MemoryLimitError, TimeLimitError, Waiting
from mlreduce_studies.leaderboard import apart, confined
from mlreduce_studies.leaderboard.apart import EntryError, Transformer

#: Of several ways to one end one is tried quickly: each starts a process.
slow = partial(pytest.param, marks=pytest.mark.slow)
TESTS = Path(__file__).parents[1]
LIMITS = {"seconds": 30, "gigabytes": 1}
RNG = np.random.default_rng(7)
X, Y = RNG.random((30, 5)), RNG.integers(0, 2, (30, 6))
OTHERS, LABELS = RNG.random((19, 5)), RNG.integers(0, 2, (19, 6))  # of test rows, which the scorer has

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="entries are run on Linux")


@pytest.fixture(autouse=True, scope="module")
def before():
    """Processes that tests of other files left, such as those of joblib."""
    yield apart._descendants(os.getpid())
    apart.close()


@pytest.fixture(autouse=True)
def _nothing_is_left(before):
    """After each test there are no more processes than the one that waits for the next call, and that above it."""
    yield
    assert len(apart._descendants(os.getpid(), before)) <= 1 + bool(apart._unshare())


@pytest.fixture(params=["namespaces", pytest.param("one namespace for all", marks=pytest.mark.slow)])
def _namespaces(request, monkeypatch):
    """With namespaces where the system permits them, and without."""
    if request.param != "namespaces":
        apart.close()
        monkeypatch.setattr(apart, "_unshare", tuple)
    elif not apart._unshare():
        pytest.skip("this system permits no namespaces")
    apart.close()


def entry(name, place="", **more):
    limits = {**LIMITS, **more}
    return Transformer({"path": f"cheating_entries.{name}", "place": str(place)}, limits, [str(TESTS)])


def image(name, place="", **more):
    return entry(name, place, **more).fit(X, Y).transform(OTHERS)


def honest():
    return OTHERS[:, :2] - X[:, :2].mean(axis=0)


@pytest.mark.usefixtures("_namespaces")
@pytest.mark.parametrize("name", [slow("LeavesChild"), slow("LeavesBusyChild"), "LeavesMany"])
def test_what_a_fit_starts_ends_with_it(name):
    before = set(apart._descendants(os.getpid()))
    began = time.monotonic()
    fitted = entry(name).fit(X, Y)
    assert time.monotonic() - began < 60
    assert set(apart._descendants(os.getpid())) <= before
    np.testing.assert_array_equal(fitted.transform(OTHERS), honest())


@pytest.mark.usefixtures("_namespaces")
@pytest.mark.parametrize("name", ["HoldsOutput", "KillsAll", slow("KillsOthers"), slow("Bomb"), slow("Stops")])
def test_an_entry_cannot_hang_or_end_the_scorer(name):
    if name in ("KillsAll", "KillsOthers", "Bomb") and not apart._unshare():
        pytest.skip("namespaces alone keep from it")
    began = time.monotonic()
    with pytest.raises((EntryError, TimeLimitError), match=r"^(?!.*can be killed)"):
        image(name, seconds=0.5)
    assert time.monotonic() - began < 60


@pytest.mark.usefixtures("_namespaces")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        slow("SearchesObjects", "there are 0 arrays of labels"),
        ("WalksFrames", "there are 0 arrays of labels"),
        ("ReadsMemory", "0 processes can be read"),
    ],
)
def test_labels_are_in_no_memory_that_an_entry_can_read(name, sentence):
    if name == "ReadsMemory" and not apart._unshare() and not apart.refuses_files():
        pytest.skip("this system has neither namespaces nor Landlock")
    with pytest.raises(EntryError, match=sentence):
        image(name)


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("BusyInC", TimeLimitError, "took more than 0.5 s"),
        slow("Prints", TimeLimitError, "took more than 0.5 s"),
        ("Exits", EntryError, "ended its process before it had a result"),
        slow("ClosesFiles", EntryError, "ended its process before it had a result"),
        slow("Objects", EntryError, "TypeError: float"),
        ("FewRows", EntryError, r"transform returned \(1, 2\) for 19 rows"),
        ("Huge", MemoryLimitError, "took more memory than the limit of the study"),
        ("Wide", EntryError, "transform returned 5000000 columns, more than 10000"),
        slow("NotFinite nan", EntryError, "returned numbers that are not finite"),
        ("NotFinite inf", EntryError, "returned numbers that are not finite"),
        ("Lies", EntryError, r"transform returned \(7, 2\) for 19 rows"),
        slow("RaisesLimits", EntryError, "LookupError: 0 limits are raised"),
    ],
)
@pytest.mark.rotating
def test_what_is_no_image_fails(name, error, sentence):
    with pytest.raises(error, match=sentence):
        image(*name.split(), seconds=0.5 if error is TimeLimitError else 30)


@pytest.mark.slow
def test_of_a_long_report_only_the_beginning_is_read():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(EntryError):
        image("LongReport")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000  # kilobytes


def test_an_entry_reads_and_writes_no_files_of_the_scorer(tmp_path, monkeypatch):
    if not apart.refuses_files():
        pytest.skip("this system has no Landlock")
    monkeypatch.setenv("MLREDUCE_MIRROR", str(tmp_path))
    file = tmp_path / "flags.npz"
    file.write_text("labels")
    for name in ("ReadsFile", "WritesFile"):
        with pytest.raises(EntryError, match="PermissionError|Read-only file system"):
            image(name, file)
    assert file.read_text() == "labels"
    with pytest.raises(EntryError, match=r"it has \[\], \[\]"):
        image("ReadsEnvironment")


def test_an_entry_changes_no_packages_and_leaves_nothing(tmp_path):
    if not apart.refuses_files():
        pytest.skip("this system has no Landlock")
    file = tmp_path / "scores"
    file.write_text("labels")
    with pytest.raises(EntryError, match="LookupError: 0 files outside of its folder are changed"):
        image("ChangesPackages", tmp_path)
    for name in ("AtExit", "LeavesLinks"):
        image(name, file)
        time.sleep(0.4)
        apart.close()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("scores", "labels")]
    with file.open("rb"), pytest.raises(EntryError, match="LookupError: it holds 0 files of others"):
        image("ReadsInherited", "labels")


@pytest.mark.parametrize("name", ["PassesOnAttributes", "Unlocks"])
def test_attributes_of_files_hold_no_labels(tmp_path, name):
    if not apart.refuses_attributes():
        pytest.skip("this system makes no mount read-only")
    file = tmp_path / "scores"
    file.touch()
    before = file.stat()
    with pytest.raises(EntryError, match=r"LookupError: (0 attributes are changed|it is writable in \[\])"):
        image(name, file)
    assert file.stat() == before


def test_an_entry_has_no_network():
    if not apart._unshare():
        pytest.skip("this system permits no namespaces")
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(EntryError, match="OSError"):
        image("Calls", server.getsockname()[1])


@pytest.mark.parametrize("name", ["ChangesScorer", "DeletesInput"])
def test_what_is_set_in_the_process_of_an_entry_is_not_set_in_the_scorer(name):
    before = sys.modules["mlreduce.evaluation.measuring"], np.isfinite, X.copy()
    np.testing.assert_array_equal(image(name), honest())
    assert (sys.modules["mlreduce.evaluation.measuring"], np.isfinite) == before[:2]
    np.testing.assert_array_equal(X, before[2])
    assert "CHEATED" not in os.environ


@pytest.mark.parametrize("answer", [slow("0"), slow("{}"), "[" * 40000])
def test_answers_of_an_entry_before_it_has_a_result_fail(answer):
    with pytest.raises(EntryError):
        entry("Answers", answer).fit(X, Y)


@pytest.mark.slow
def test_where_the_scorer_is_killed_all_processes_end():
    if not apart._unshare():
        pytest.skip("this system permits no namespaces")
    code = "import test_cheats; test_cheats.entry('LeavesAndWaits').fit(test_cheats.X, test_cheats.Y)"
    paths = os.pathsep.join([str(TESTS), str(Path(__file__).parent)])
    scorer = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths})
    end, started = time.monotonic() + 120, []
    # unshare, the first process of its namespace, the fork that runs the fit, and what that leaves behind
    while len(started) < 4 and time.monotonic() < end:
        time.sleep(0.05)
        started = apart._descendants(scorer.pid)
    scorer.kill()
    scorer.wait()
    assert len(started) >= 4
    while set(started) & apart._parents().keys() and time.monotonic() < end:
        time.sleep(0.05)
    assert not set(started) & apart._parents().keys()


def test_sleeping_takes_time():
    before = Waiting.seconds
    image("Sleeps")
    assert Waiting.seconds - before >= 0.3


def test_labels_are_not_passed_on_to_other_training_rows(tmp_path):
    if not apart.refuses_files():
        pytest.skip("this system has no Landlock")
    image("PassesOn", tmp_path)
    assert not entry("PassesOn", tmp_path).fit(X[1:], Y[1:]).transform(OTHERS).any()
    assert not [*tmp_path.iterdir()]
    if apart._unshare():
        # As after a login: the keyring of the session is that of the scorer.
        ctypes.CDLL(None).syscall(confined._KEYCTL, confined._JOIN_SESSION_KEYRING, None)
        image("PassesOnKeys")
        assert not entry("PassesOnKeys").fit(X[1:], Y[1:]).transform(OTHERS).any()


def test_the_leaderboard_s_page_has_every_cheat_and_every_cheat_is_tried():
    page = (TESTS.parent / "docs" / "leaderboard.md").read_text(encoding="utf-8")
    table = page.partition("### What was tried")[2].partition("\n## ")[0]
    rows = [row.split("|")[2] for row in table.splitlines() if row.startswith("|")][2:]
    listed = [name for row in rows for name in re.findall("`(.+?)`", row)]
    here = {name: value for name, value in vars(cheating_entries).items() if isinstance(value, type)}
    cheats = {name for name, value in here.items() if issubclass(value, cheating_entries.Cheat) and name != "Cheat"}
    assert sorted(listed) == sorted(cheats)
    assert 20 <= len(rows) <= 25
    tried = "".join((Path(__file__).parent / f"test_{name}.py").read_text() for name in ("cheats", "leaderboard"))
    assert [name for name in cheats if not re.search(rf"[\"'.]{name}\b", tried)] == []
