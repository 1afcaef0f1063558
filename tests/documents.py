"""What the documents print to be typed, and how a reader's folder, shell and Python run it.

As a program it runs the Python of a page: ``python tests/documents.py PAGE``.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PROJECT = Path(__file__).parents[1]
PAGES = [
    *(PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "config/README.md")),
    *sorted(PROJECT.glob("papers/*/README.md")),
    *sorted(path for path in (PROJECT / "docs").rglob("*.md") if not {"_build", "api", "gallery"} & {*path.parts}),
]
#: Languages of blocks. Those without one are commands too; blocks in braces are directives of the site.
PYTHON, SHELL, DATA = ("python", "pycon"), ("", "console", "bash"), ("yaml", "toml")
#: What a command within a sentence begins with, before at least one more word.
COMMANDS = "snakemake|mlreduce|make|python|pytest|pip|podman|twine"

#: A comment in front of a block, for all of its commands or those with some words: why they are not run here, or only
#: planned, by the option -n.
MARK = re.compile(r"<!-- (not run|with -n)(?: `(.+?)`)?: .+ -->")
#: The same for commands within sentences: pattern, how they are tried (None: not at all), why.
WITHIN = [
    (r"make ", ("make ", "make -n "), "run by .ci/run, by make test-all, or an hour long"),
    (r"snakemake .*(paper|peers)\.yaml", ("snakemake ", "snakemake -n "), "hours"),
    (r"pytest ", ("pytest ", "pytest --collect-only -q "), "part of make test"),
    (r"pip install|twine|podman", None, "tests/test_installation.py, or a registry of images"),
    (r"mlreduce (fetch all|compare emotions)", None, "downloads"),
    (r"--sdm conda", None, "a channel; tests/workflow/test_conda.py"),
    (r"python (-m build|benchmarks/)", None, "run by make build, or an hour long"),
]


class Piece(NamedTuple):
    """A block of a page, or the commands within a paragraph (`language` is then "within")."""

    language: str
    text: str
    marks: list[tuple[str, str]]

    def commands(self) -> list[tuple[str, str | None]]:
        """Return the commands as printed, and as they are run here; None for those that are not."""
        if self.language == "within":
            return [(command, _tried(command)) for command in self.text.splitlines()]
        lines = re.sub(r"\\\n\s*", "", self.text).splitlines()
        printed = [re.sub(r"^\$ |(^|\s+)# .*", "", line) for line in lines]
        return [(line, self._run(line)) for line in printed if line]

    def _run(self, command: str) -> str | None:
        for how, words in self.marks:
            if words in command:
                return re.sub(r"^(\w+)", r"\1 -n", command) if how == "with -n" else None
        return command

    @property
    def file(self) -> str | None:
        """Return the file that a block names in a comment on its first line."""
        named = re.match(r"# ([\w./-]+\.(?:py|yaml|toml))\b", self.text)
        return named[1] if named and self.language != "within" else None


def _tried(command: str) -> str | None:
    for pattern, how, _ in WITHIN:
        if re.match(f"(?:{pattern})" if pattern[0] != "-" else f".*{pattern}", command):
            return None if how is None else command.replace(*how, 1)
    return command


@cache
def pieces(page: Path) -> list[Piece]:
    """Return what a page prints, from top to bottom."""
    found, marks, paragraph = [], [], []
    lines = iter([*page.read_text(encoding="utf-8").splitlines(), ""])
    for line in lines:
        fence = re.match(r"( *)(`{3,})(.*)", line)
        if fence or not line.strip():
            spans = re.findall(r"(?<!`)`([^`]+)`(?!`)", "\n".join(paragraph))
            commands = [" ".join(span.split()) for span in spans if re.match(rf"(?:{COMMANDS})\s", span)]
            if commands:
                found.append(Piece("within", "\n".join(commands), []))
            paragraph = []
        if fence:
            indent, ticks, language = fence.groups()
            block = []
            for inside in lines:
                if inside == indent + ticks:
                    break
                block.append(inside.removeprefix(indent))
            else:
                raise ValueError(f"{page}: a block without an end")
            found.append(Piece(language.strip(), "\n".join(block) + "\n", marks))
            marks = []
        elif mark := MARK.fullmatch(line):
            marks.append((mark[1], mark[2] or ""))
        elif line.strip():
            if marks:
                raise ValueError(f"{page}: a mark that no block follows: {marks}")
            paragraph.append(line)
    return found


def run_python(page: Path) -> None:
    """Run the blocks of Python, one after the other in one module, and compare the values in their comments."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for piece in pieces(page):
        if piece.language == "pycon":
            report: list[str] = []
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            test = doctest.DocTestParser().get_doctest(piece.text, {}, page.name, str(page), 0)
            test.globs = names
            runner.run(test, out=report.append, clear_globs=False)
            assert test.examples, "no example"
            assert not runner.failures, "".join(report)
        elif piece.language == "python" and not piece.file and not piece.marks:
            _run_block(piece.text, names)


def _run_block(text: str, names: dict[str, Any]) -> None:
    comments = _values_in_comments(text)
    for node in ast.parse(text).body:
        if isinstance(node, ast.Expr):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                value = eval(compile(ast.Expression(node.value), text, "eval"), names)
            if node.end_lineno in comments:
                shown = printed.getvalue().rstrip("\n")
                _compare(value if value is not None else shown, comments.pop(node.end_lineno), ast.unparse(node))
        else:
            exec(compile(ast.Module([node], []), text, "exec"), names)
    assert not comments, f"values beside what has none: {comments}"


def _values_in_comments(text: str) -> dict[int, Any]:
    """Return by line the values that comments begin with, up to a colon."""
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.lstrip() != token.line[token.start[1] :]:
            with contextlib.suppress(ValueError, SyntaxError):
                found[token.start[0]] = ast.literal_eval(token.string.lstrip("# ").partition(": ")[0])
    return found


def _compare(value: Any, expected: Any, what: str) -> None:
    """Compare a value, or what was printed, with the one in the comment: a float to its digits."""
    if isinstance(expected, float):
        digits = len(str(expected).partition(".")[2])
        value = round(float(value), digits)
    elif isinstance(value, str) and not isinstance(expected, str):
        value = ast.literal_eval(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    assert value == expected, f"{what} gives {value!r}, and the page says {expected!r}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub names them."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.+)$", without_blocks(page), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[(.+?)\]\(.+?\)", r"\1", heading).lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return {name if number == 0 else f"{name}-{number}" for name, last in found.items() for number in range(last + 1)}


def without_blocks(page: Path) -> str:
    return re.sub(r"^( *)(`{3,})[^`\n]*\n.*?^\1\2$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def links(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the files and headings that a page links to."""
    text = re.sub(r"`[^`\n]+`", "", without_blocks(page))
    for target in re.findall(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"", text):
        address = target[0] or target[1]
        if not re.match(r"[a-z]+:", address):
            file, _, heading = address.partition("#")
            yield file, heading


if __name__ == "__main__":
    run_python(Path(sys.argv[1]))
