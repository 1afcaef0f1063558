from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from mlreduce.commandline import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [path for path in sorted(DOCS.glob("*.md")) if "```pycon\n" in path.read_text(encoding="utf-8")]


def test_guide_has_pages_with_code():
    assert {"getting-started", "projections", "command-line"} <= {path.stem for path in PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_the_page_gives_what_it_shows(page, tmp_path, monkeypatch):
    """Blocks ``pycon`` are doctests in one namespace, then lines ``$ mlreduce`` of blocks ``console`` are run."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    assert test.examples
    report = []
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    for command in re.findall(r"^\$ mlreduce (.*)$", "".join(blocks), re.MULTILINE):
        assert main(shlex.split(command)) == 0, command
