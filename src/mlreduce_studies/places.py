"""Where studies are: each has a folder in `papers` or `comparisons`, named after it, with its file ``study.yaml``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlreduce.exceptions import ConfigurationError, unknown_name

__all__ = ["PAPERS", "beside", "study_file", "study_files", "study_name"]

#: Folder of the papers, which run where no study is named.
PAPERS = "papers"

_FOLDERS = (PAPERS, "comparisons")
_FILE = "study.yaml"


def study_files(project: str | Path, folders: Sequence[str] = _FOLDERS) -> dict[str, Path]:
    """Return the names of a project's studies with their files, sorted within each folder.

    Raises
    ------
    ConfigurationError
        If a paper and a comparison have the same name.
    """
    files: dict[str, Path] = {}
    for path in (path for folder in folders for path in sorted(Path(project, folder).glob(f"*/{_FILE}"))):
        former = files.setdefault(study_name(path), path)
        if former != path:
            raise ConfigurationError(f"{path}: {former} is a study of this name too; rename one of the folders")
    return files


def study_file(name: str, project: str | Path) -> Path:
    """Return the file of a study of a project by its name.

    Raises
    ------
    ConfigurationError
        If there is none; the sentence holds the nearest known name.
    """
    files = study_files(project)
    if name not in files:
        raise ConfigurationError(unknown_name("study", name, files, "studies"))
    return files[name]


def study_name(path: str | Path) -> str:
    """Return the name of a study: that of its folder for a file ``study.yaml``, otherwise that of the file.

    Examples
    --------
    >>> study_name("papers/mvmd-2016/study.yaml"), study_name("my-study.yaml")
    ('mvmd-2016', 'my-study')
    """
    path = Path(path)
    return path.absolute().parent.name if path.name == _FILE else path.stem


def beside(path: str | Path, name: str) -> Path | None:
    """Return a file that belongs to a study, in the folder of its ``study.yaml``; None where there is none."""
    path = Path(path)
    own = path.with_name(name)
    return own if path.name == _FILE and own.is_file() else None
