"""Everything that the documents print runs as it is printed, page by page in a clean clone of the project.

A page's blocks are run from top to bottom; a block that names a file in its first line is that file. What is not run
says why: blocks in a comment in front of them, commands within sentences in `documents.WITHIN`. What a reader brings
along, such as data, is written by `bring_along`. DOCUMENTS=today, as in .ci/run, is an eighteenth of the pages: those
that take long, as docs/guide.md and docs/site.md, are of different days.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import yaml
from documents import COMMANDS, DATA, PAGES, PROJECT, PYTHON, SHELL, WITHIN, anchors, links, pieces, run_python
from project import clone_project, find_mirror, of_the_day

import mlreduce
from mlreduce import registry
from mlreduce.configuration import read_yaml, validate


def git(*arguments, folder=PROJECT):
    return subprocess.check_output(["git", *arguments], cwd=folder, text=True)


def prints_commands(page):
    return any(piece.language in (*SHELL, "within") and piece.commands() for piece in pieces(page))


def chosen(pages):
    """All pages, or those of the day."""
    if os.environ.get("DOCUMENTS") == "today":
        return of_the_day(pages, 18)
    return pages


def name_of(page):
    return str(page.relative_to(PROJECT)).removesuffix(".md")


IN_THE_CLONE = [page for page in PAGES if prints_commands(page)]
IN_PYTHON = [
    page for page in PAGES if page not in IN_THE_CLONE and any(piece.language in PYTHON for piece in pieces(page))
]


def test_every_block_is_of_a_known_kind_and_every_mark_has_commands():
    for language, text, marks in (piece for page in PAGES for piece in pieces(page)):
        assert language in (*PYTHON, *SHELL, *DATA, "octave", "text", "within") or language[0] == "{"
        assert language != "text" or not re.search(rf"^(?:{COMMANDS}) ", text, re.MULTILINE), "commands as plain text"
        for _, words in marks:
            assert words in text, f"nothing here has {words!r}"


def test_every_exception_is_of_use():
    commands = [command for page in PAGES for piece in pieces(page) if piece.language == "within"
                for command, _ in piece.commands()]  # fmt: skip
    files = {word for command in commands for word in command.split() if word.endswith(".py")}
    assert not [file for file in files if not (PROJECT / file).exists()]
    assert [pattern for pattern, _, _ in WITHIN if not any(re.search(pattern, one) for one in commands)] == []


def test_links_lead_somewhere():
    for page in (PROJECT / name for name in git("ls-files", "*.md").split()):
        for target, heading in links(page):
            linked = page.parent / target if target else page
            assert linked.exists(), f"{target} in {page}"
            known = not heading or linked.suffix != ".md" or heading in anchors(linked)
            assert known, f"{target}#{heading} in {page}"


@pytest.mark.parametrize("page", [page for page in PAGES if "```yaml" in page.read_text("utf-8")], ids=name_of)
def test_configuration_is_as_its_schema_says(page):
    """Data sets whole, of studies some of the keys."""
    schema = read_yaml(PROJECT / "workflow" / "schemas" / "study.schema.yaml")
    for piece in pieces(page):
        if piece.language == "yaml":
            content = yaml.safe_load(piece.text)
            content.pop("include", None)  # a study is checked with what it includes
            kinds = {"family": "entry", "datasets": "datasets"}
            whole = next((kind for key, kind in kinds.items() if key in content), "study" if piece.file else None)
            kind = whole or {**schema, "required": []}
            validate(content, kind, str(page))
            for name, entry in content.get("predictors", {}).items():
                registry.check_entry(name, entry)


@pytest.fixture
def nothing_registered(monkeypatch):
    monkeypatch.setattr(registry, "_at_run_time", {})


@pytest.mark.slow
@pytest.mark.parametrize("page", chosen(IN_PYTHON), ids=name_of)
def test_python_of_the_page_runs_and_its_comments_are_true(page, nothing_registered, tmp_path, monkeypatch):
    bring_along(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    run_python(page)


@cache
def planted_rows():
    X, Y = mlreduce.load_dataset("planted", return_X_y=True)
    return X[:200, :30].round(3), Y[:200]


def bring_along(page, folder):
    """Write the files that a page names and expects a reader to have."""
    wanted, rng = page.read_text(encoding="utf-8"), np.random.default_rng(0)
    X, Y = planted_rows()
    names = [f"label{number}" for number in range(12)]
    features = [f"x{number}" for number in range(30)]

    def write(name, *lines):
        if name in wanted:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("\n".join(lines) + "\n")

    def arff(name, rows, labels, relation="data", width=30):
        if name not in wanted:
            return
        values = ([*Y[row % 200, :labels], *np.resize(X[row % 200], width)] for row in rows)
        attributes = [f"@attribute {label} {{0,1}}" for label in names[:labels]]
        attributes += [f"@attribute x{number} numeric" for number in range(width)]
        write(name, f"@relation '{relation}'", *attributes, "@data", *(",".join(map(str, row)) for row in values))

    def table(name, columns, values):
        if name in wanted:
            write(name, ",".join(columns), *(",".join(map(str, row)) for row in values))

    def xml(name, labels):
        lines = [f'<label name="{label}"></label>' for label in names[:labels]]
        write(name, '<labels xmlns="http://mulan.sourceforge.net/labels">', *lines, "</labels>")

    # README.md, config/README.md
    arff("data.arff", range(200), 12, "data: -C 12")
    xml("data.xml", 12)
    arff("train.arff", range(150), 12, "data: -C 12")
    arff("test.arff", range(150, 200), 12, "data: -C 12")
    arff("songs.arff", range(100), 6, "songs: -C 6")
    write("my.yaml", "datasets:", *(f"  {name}: {{reader: arff, data: [data.arff]}}" for name in ("mine", "shop")))
    for name in ("my-study.yaml", "path/to/my-study.yaml"):
        write(name, (PROJECT / "tests" / "small.yaml").read_text("utf-8").replace("mine", "mvmd"))
    # docs/add-data.md
    table("shop/stock.csv", features, X[:, ::-1])
    table("survey.csv", [*features, *names[:5]], np.hstack([X, Y[:, :5]]))
    markets = (
        f"c{row};{'NSE'[row % 3]};{x[0] if row else ''};{x[1]};{['off', 'on'][y[0]]};{['off', 'on'][y[1]]}".replace(
            ".", ","
        )
        for row, (x, y) in enumerate(zip(X, Y, strict=True))
    )
    write("market.csv", "customer;region;visits;spent;likes;buys", *markets)
    arff("songs-train.arff", range(391), 6, width=72)
    arff("songs-test.arff", range(391, 593), 6, width=72)
    xml("songs.xml", 6)
    words = [" ".join(f"{word}:1" for word in np.unique(part)) for part in rng.integers(1, 200000, (60, 20))]
    labels = [",".join(map(str, np.flatnonzero(row))) for row in Y[:60, :4]]
    write(
        "papers.svmlight", *(f"{','.join(map(str, np.flatnonzero(Y[row, :4]) + 1))} {words[row]}" for row in range(60))
    )
    for name, rows in (("wiki-train.txt", range(40)), ("wiki-test.txt", range(40, 60))):
        write(name, f"{len(rows)} 9 4", *(f"{labels[row]} {row % 7}:1.5 8:0.5" for row in rows))
    if "pictures.mat" in wanted:
        scipy.io.savemat(folder / "pictures.mat", {"X": X, "Y": 1.0 * Y[:, :4], "Xt": X[:50], "Yt": 1.0 * Y[:50, :4]})
    for file in range(2):
        write(f"reut2-00{file}.sgm", '<!DOCTYPE lewis SYSTEM "lewis.dtd">', *(story(20 * file + n) for n in range(20)))


def story(number):
    """Return a document of Reuters-21578's form."""
    topics = "".join(f"<D>{topic}</D>" for topic in ("gold", "silver", "copper")[: 1 + number % 3])
    empty = "".join(f"<{name}></{name}>" for name in ("PLACES", "PEOPLE", "ORGS", "EXCHANGES", "COMPANIES"))
    text = f"<TITLE>metals {number % 4}</TITLE><BODY>ounce price mine {'ton ' * (number % 3)}</BODY>"
    marks = f'TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="{number}"'
    return f"<REUTERS {marks}><TOPICS>{topics}</TOPICS>{empty}<TEXT>{text}</TEXT></REUTERS>"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_first_example_of_a_page_needs_no_file_that_only_this_test_writes(page, tmp_path):
    bring_along(page, tmp_path)
    brought = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    brought -= {piece.file for piece in pieces(page)}
    first: dict[str, str] = {}
    for piece in pieces(page):
        if piece.language in PYTHON and not piece.file:
            first.setdefault("Python", piece.text)
        elif piece.language in (*SHELL, "within"):
            commands = [command for command, run in piece.commands() if run]
            first |= {"command": commands[0]} if commands and "command" not in first else {}
    assert [(kind, name) for kind, text in first.items() for name in brought if name in text] == []


def test_every_data_set_of_the_page_on_data_is_read(tmp_path, monkeypatch):
    page = PROJECT / "docs" / "add-data.md"
    bring_along(page, tmp_path)
    (text,) = [piece.text for piece in pieces(page) if piece.file == "my.yaml"]
    (tmp_path / "my.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    run_python(page)  # which writes the tables of the shop
    for name in yaml.safe_load(text)["datasets"]:
        assert mlreduce.load_dataset(name, catalogue=tmp_path / "my.yaml").Y.sum() > 0


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clean clone, with the finished demo of the project where there is one."""
    return clone_project(tmp_path_factory.mktemp("clone") / "mlreduce")


def as_cloned(clone):
    """Take a clone back to what it was, and to the finished demo alone, before the next page."""
    git("reset", "-q", "--hard", folder=clone)
    git("clean", "-fdq", folder=clone)
    kept = {"data", *(Path(name).parts[1] for name in git("ls-files", "results", folder=clone).splitlines())}
    for place in [clone / ".snakemake", *(clone / "results").iterdir()]:
        if place.name not in kept and place.is_dir():
            shutil.rmtree(place)
    for name in (".snakemake", "results/demo"):
        if (PROJECT / "results" / "demo" / "site").exists():
            shutil.copytree(PROJECT / name, clone / name, symlinks=True)


def run(command, folder):
    """Run a command as in a terminal where the environment is activated."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("COV_", "MLREDUCE_", "SNAKEMAKE_"))}
    own = {"PATH": f"{sys.prefix}/bin:{os.environ['PATH']}", "PYTHONPATH": str(folder / "src"),
           "MLREDUCE_CACHE": str(folder / "cache"), "PYTHONWARNINGS": "error", "MPLBACKEND": "agg"}  # fmt: skip
    if find_mirror():
        own["MLREDUCE_MIRROR"] = str(find_mirror())
    if command.startswith(("snakemake", "make", "pytest")):
        del own["PYTHONWARNINGS"]  # not ours alone
    done = subprocess.run(
        ["bash", "-ec", command], cwd=folder, env=kept | own, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    assert "Traceback" not in done.stderr, f"{command}\n{done.stderr[-4000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("page", chosen(IN_THE_CLONE), ids=name_of)
def test_commands_of_the_page_run(page, clone):
    """With its Python at its first block: in a process of its own, which finds the library of the clone."""
    as_cloned(clone)
    bring_along(page, clone)
    python = False
    for piece in pieces(page):
        if piece.file:
            (clone / piece.file).write_text(piece.text)
        elif piece.language in PYTHON and not piece.marks and not python:
            run(f"python {PROJECT}/tests/documents.py {page}", clone)
            python = True
        elif piece.language in (*SHELL, "within"):
            for _, command in piece.commands():
                if command is not None:
                    run(command, clone)
