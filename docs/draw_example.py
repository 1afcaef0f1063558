"""Draw docs/digits.svg, the picture that the first example of README.md makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mlreduce.plot.figure import pyplot
from mlreduce.plot.layout import house_style, save

PROJECT = Path(__file__).parents[1]
PICTURE = PROJECT / "docs" / "digits.svg"


def draw(path: Path) -> None:
    """Run the first example of README.md, and save the figure that it makes."""
    example = re.search(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    names: dict[str, Any] = {}
    with house_style():
        exec(compile(example[1], "README.md", "exec"), names)  # noqa: S102 (the example is a file of this project)
        save(pyplot().gcf(), [path])


if __name__ == "__main__":
    draw(PICTURE)
