"""Output folders: at every moment the old output or the new one, and no file of anybody else is lost."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path

import pytest

from mlreduce.exceptions import ConfigurationError, StorageError
from mlreduce.folders import LIST, replacing_files, replacing_folder

OLD = {"index.html": "old", "papers/a.html": "old a", "papers/b.html": "old b", "data/deep/er/x.js": "old x"}
NEW = {"index.html": "new", "papers/a.html": "new a", "papers/c.html": "new c", "data/y.js": "new y", "same": "same"}
NEW |= {f"data/{number}.js": f"new {number}" for number in range(10)}


def write(folder, files, **options):
    with replacing_folder(folder, **options) as new:
        for name, text in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_text(text)


def put(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"mine {name}")


def contents(root):
    """All that lies below a folder: texts, targets of links, and folders."""
    return {
        path.relative_to(root).as_posix(): str(path.readlink()) if path.is_symlink() else path.read_text()
        for path in root.rglob("*")
        if path.is_symlink() or path.is_file()
    } | {f"{path.relative_to(root).as_posix()}/": "" for path in root.rglob("*") if path.is_dir()}


def outputs(folder):
    return {name: text for name, text in contents(folder).items() if name[-1] != "/" and name != LIST}


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def read_only(folder):
    put(folder, "locked/mine.txt")
    (folder / "locked").chmod(0o555)


def linked_folder(folder):
    """The folder itself is a link."""
    real = folder.with_name("real")
    real.mkdir() if not folder.exists() else folder.rename(real)
    folder.symlink_to(real)


def replaced(folder, name):
    path = folder / name
    path.unlink(missing_ok=True)
    put(folder, name)


#: What a user did to a folder, which may hold an earlier output.
LAYOUTS = {
    "a file": lambda folder: put(folder, "thesis.txt"),
    "folders with our names": lambda folder: put(folder, "data/raw.csv", "papers/mine.pdf", "files/x", "assets/y"),
    "deep folders": lambda folder: put(folder, "a/b/c/d/e/f.txt", "papers/x/y/z.txt"),
    "an empty folder": lambda folder: (folder / "empty" / "inside").mkdir(parents=True),
    "hidden files": lambda folder: put(folder, ".git/config", ".nojekyll", "papers/.hidden"),
    "our front page": lambda folder: replaced(folder, "index.html"),
    "one of our pages": lambda folder: replaced(folder, "papers/a.html"),
    "a page that we no longer write": lambda folder: replaced(folder, "papers/b.html"),
    "a page that we write from now on": lambda folder: put(folder, "papers/c.html"),
    "a file where we need a folder": lambda folder: put(folder, "data.txt", "same/x"),
    "a folder where we write a file": lambda folder: put(folder, "data/y.js/mine.txt"),
    "an empty folder where we write a file": lambda folder: (folder / "same").mkdir(parents=True),
    "a link to a file": lambda folder: (put(folder.parent, "far.txt"), link(folder / "near.txt", "../far.txt")),
    "a link to a folder": lambda folder: (put(folder.parent, "far/x.txt"), link(folder / "near", "../far")),
    "a link in the place of a page": lambda folder: (
        put(folder.parent, "far.txt"),
        link(folder / "same", "../far.txt"),
    ),
    "a link to nothing": lambda folder: link(folder / "near", "nowhere"),
    "a link to itself": lambda folder: link(folder / "papers" / "up", ".."),
    "read-only folders": read_only,
    "names of other scripts": lambda folder: put(folder, "ä ö\n'\".txt", "papers/\u202egnp.txt"),
    "a list of somebody else": lambda folder: (put(folder, "x.txt"), (folder / LIST).write_text('["x.txt"]')),
    "a list that names what is elsewhere": lambda folder: (
        put(folder.parent, "far.txt"),
        put(folder, "x.txt"),
        (folder / LIST).write_text('{"../far.txt": "", "x.txt": ""}'),
    ),
    "a list that is no JSON": lambda folder: (put(folder, "x.txt"), (folder / LIST).write_text("[" * 10_000)),
    "a list that is a folder": lambda folder: ((folder / LIST).unlink(missing_ok=True), put(folder, f"{LIST}/x")),
    "a link to the folder": linked_folder,
    "a neighbour with a temporary name": lambda folder: put(folder.parent, f".partial-{os.getpid()}-{folder.name}/x"),
}


@pytest.mark.parametrize("force", [False, True], ids=["", "force"])
@pytest.mark.parametrize("earlier", [False, True], ids=["new", "over an earlier output"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.rotating
def test_no_file_of_others_is_lost(layout, earlier, force, tmp_path):
    folder = tmp_path / "output"
    if earlier:
        write(folder, OLD)
        as_written = (folder / LIST).read_text()
    LAYOUTS[layout](folder)
    before, real = contents(tmp_path), f"{folder.resolve().name}/"
    listed = earlier and before.get(f"{real}{LIST}") == as_written
    ours = {f"{real}{name}" for name, text in OLD.items() if listed and before.get(f"{real}{name}") == text}
    try:
        write(folder, NEW, force=force)
    except ConfigurationError as error:
        assert str(tmp_path) in str(error)
        assert contents(tmp_path) == before
        return
    after = contents(tmp_path)
    kept = {name: text for name, text in before.items() if name not in ours and not name.endswith(f"/{LIST}")}
    if force:  # what was asked for
        kept = {name: text for name, text in kept.items() if name.partition("/")[2] not in NEW}
    folders = {name for name in kept if name.endswith("/") and not any(own.startswith(name) for own in ours)}
    files = {name for name in kept if not name.endswith("/")}
    assert {name: after.get(name) for name in files | folders} == {name: kept[name] for name in files | folders}
    assert outputs(folder).items() >= NEW.items()
    gone = {f"{real}{name}" for name in OLD.keys() - NEW.keys()} & ours
    assert not gone & after.keys()
    assert not [name for name in after.keys() - before.keys() if ".partial" in name]


@pytest.mark.parametrize("layout", ["a file", "an empty folder", "hidden files", "our front page"])
def test_a_folder_without_a_list_is_refused_before_anything_is_made(layout, tmp_path):
    LAYOUTS[layout](tmp_path / "output")
    with (
        pytest.raises(ConfigurationError, match=r"output: this folder holds other files, .* name a new or an empty"),
        replacing_folder(tmp_path / "output"),
    ):
        pytest.fail("the block ran")


@pytest.mark.parametrize("place", [".", "..", "../..", "inside/.."])
def test_the_current_folder_and_those_above_are_refused(place, tmp_path, monkeypatch):
    write(tmp_path / "output", OLD)
    put(tmp_path, "output/inside/below/x.txt")
    before = contents(tmp_path)
    monkeypatch.chdir(tmp_path / "output" / "inside" / "below" if place != "inside/.." else tmp_path / "output")
    with pytest.raises(ConfigurationError, match="the current folder, one above it"):
        write(Path(place), NEW, force=True)
    assert contents(tmp_path) == before


def test_files_and_mounted_disks_are_refused(tmp_path, monkeypatch):
    put(tmp_path, "output")
    with pytest.raises(ConfigurationError, match="output: this is a file; name a folder"):
        write(tmp_path / "output", NEW)
    (tmp_path / "disk").mkdir()
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    with pytest.raises(ConfigurationError, match="a mounted disk, none of which"):
        write(tmp_path / "disk", NEW)


def test_modes_and_times_of_folders_stay(tmp_path):
    folder = tmp_path / "output"
    write(folder, OLD)
    folder.chmod(0o750)
    put(folder, "mine/x.txt")
    os.utime(folder / "mine", (1e9, 1e9))
    write(folder, NEW)
    assert folder.stat().st_mode & 0o777 == 0o750
    assert (folder / "mine").stat().st_mtime == 1e9


def test_where_two_folders_cannot_change_places_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("mlreduce.folders.ctypes.CDLL", lambda name: object())
    write(tmp_path / "output", OLD)
    put(tmp_path, "output/mine.txt")
    write(tmp_path / "output", NEW)
    assert outputs(tmp_path / "output") == NEW | {"mine.txt": "mine output/mine.txt"}
    assert [path.name for path in tmp_path.iterdir()] == ["output"]


def at_event(number, what):
    """Do something at the so-many-th change of the file system that this process asks for from now on."""
    seen, changes = 0, ("os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.chmod", "ctypes.dlsym")

    def hook(event, arguments):
        nonlocal seen
        if event in changes or (event == "open" and arguments[2] & os.O_WRONLY):
            seen += 1
            if seen == number:
                what()

    sys.addaudithook(hook)
    return lambda: seen >= number


def in_a_child(work):
    """Return the exit status of a child that does some work."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("fault", ["kill", "full disk"])
@pytest.mark.slow
def test_the_old_output_is_whole_at_each_moment(fault, tmp_path):
    """Each thing that a writer asks of the file system is a moment: it is killed there, or there is no more room."""
    folder = tmp_path / "output"
    old, new = (files | {"mine.txt": "mine mine.txt"} for files in (OLD, NEW))
    write(folder, OLD)
    put(folder, "mine.txt")

    def writing(number):
        kill = lambda: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731
        happened = at_event(number, full if fault == "full disk" else kill)
        try:
            write(folder, NEW)
        except StorageError as error:
            assert str(folder) in str(error)
            assert ".partial" not in str(error)
        if not happened():
            os._exit(2)

    number, seen, status = 0, [], None
    while status != 2:
        number += 1
        status = in_a_child(lambda number=number: writing(number))
        assert status in (0 if fault == "full disk" else -signal.SIGKILL, 2), number
        found = outputs(folder)
        assert found in (old, new), number
        seen.append(found)
        if found == new:
            write(folder, OLD)
    assert sum(found == old for found in seen) >= 20


def test_files_of_a_folder_are_replaced_together(tmp_path):
    put(tmp_path, "other.txt")

    def replace(text, **options):
        with replacing_files(tmp_path, ["a", "b"], **options) as paths:
            for path in paths:
                path.write_text(text)

    for text in ("first", "second"):
        replace(text)
        assert outputs(tmp_path) == {"a": text, "b": text, "other.txt": "mine other.txt"}
    put(tmp_path, "b")
    with pytest.raises(ConfigurationError, match=r"/b: not a file of an earlier output, or changed since.*--force"):
        replace("third")
    assert outputs(tmp_path) == {"a": "second", "b": "mine b", "other.txt": "mine other.txt"}
    replace("third", force=True)
    assert outputs(tmp_path)["b"] == "third"
