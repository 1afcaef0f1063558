"""Command that copies published files into a folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from mlreduce.commandline.arguments import add_command, add_mirror, in_options
from mlreduce.exceptions import DataError, MLReduceError


def add_commands(commands: Any) -> None:
    """Add ``fetch``."""
    text = "Copy the files of data sets into a folder, checked against their SHA-256."
    parser = add_command(commands, "fetch", _fetch, text)
    parser.add_argument("names", nargs="+", metavar="name", help="data sets, or all")
    parser.add_argument(
        "--to", type=Path, required=True, metavar="FOLDER", help="gets <folder>/<file>, and can be a mirror"
    )
    add_mirror(parser)


def _fetch(options: argparse.Namespace) -> Any:
    from mlreduce.datasets.catalogue import read_catalogue
    from mlreduce.datasets.fetch import copy
    from mlreduce.files import file_sha256

    catalogue = read_catalogue()
    names = [name for name, entry in catalogue.items() if entry.files] if options.names == ["all"] else options.names
    written, failed = [], 0
    for name in names:
        try:
            for entries in catalogue[name].files.values():
                for entry in entries:
                    place = options.to / entry.folder / entry.name
                    if place.exists() and file_sha256(place) != entry.sha256:
                        raise DataError(f"{place}: this is not the published file; move it, or name another folder")
                    copy(entry, place, options.mirror)
                    written.append(str(place))
        except MLReduceError as error:
            failed += 1
            print(in_options(f"mlreduce: {name}: {error}"), file=sys.stderr)
    if failed:
        raise DataError(f"{failed} of {len(names)} data sets were not fetched")
    return written
