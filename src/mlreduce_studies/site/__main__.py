"""Write the results of runs as a site: ``python -m mlreduce_studies.site FOLDER --to SITE``.

The folder is that of a finished run, such as results/demo, or results/reference.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from mlreduce.exceptions import MLReduceError
from mlreduce_studies.runs import open_run
from mlreduce_studies.site.writing import write_site


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a site."""
    summary, _, details = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m mlreduce_studies.site", description=summary, epilog=details)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--to", required=True, type=Path, help="folder of the site")
    parser.add_argument("--project", type=Path, default=Path(), help="folder with papers and comparisons")
    parser.add_argument("--force", action="store_true", help="write into a folder with other files; they stay")
    options = parser.parse_args(arguments)
    try:
        write_site(open_run(options.folder, options.project), options.to, force=options.force)
    except (MLReduceError, OSError) as error:
        parser.exit(1, f"{error}\n")
    print(f"The site: {options.to / 'index.html'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
