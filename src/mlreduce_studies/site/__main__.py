"""Write the results of runs as a site: ``python -m mlreduce_studies.site FOLDER --to SITE``.

The folder is that of a finished run, such as results/demo, or results/reference.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.exceptions import ConfigurationError, MLReduceError
from mlreduce_studies.site import DESCRIPTION
from mlreduce_studies.site.description import describe_study
from mlreduce_studies.site.runs import Run, read_run
from mlreduce_studies.site.writing import write_site
from mlreduce_studies.study import load_study, study_file


def open_run(folder: Path, project: Path) -> Run:
    """Return the run of a folder; where the folder does not describe its studies, their files in the project do.

    Raises ConfigurationError if the folder holds no results of a study.
    """
    if (folder / DESCRIPTION).is_file():
        return read_run(folder)
    manifests = sorted(folder.glob("*/manifest.json"))
    if not manifests:
        raise ConfigurationError(f"{folder}: there are no results of a study in it; name such as results/demo")
    catalogue, studies = read_catalogue(), {}
    for path in manifests:
        made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        study = load_study(
            study_file(made["study"], project), made["scale"], catalogue, splits=made["splits"], run_on=made["datasets"]
        )  # fmt: skip
        studies[study.name] = describe_study(study) | {"left_out": made.get("left_out", [])}
    text = "Every table and figure computed from the published data, with the numbers that the papers print."
    return read_run(folder, {"title": "mlreduce: the papers", "introduction": text, "studies": studies})


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
