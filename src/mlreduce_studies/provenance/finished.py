"""Tables of finished jobs in a folder that machines share: the configuration key ``finished``.

A job has a file there, named by a digest of all that decides its tables: settings, seed and code (the parameters of its
rule), the bytes of its inputs, and the versions of Python and of the packages that compute. A job whose file is there
takes its tables from it. Fitted arrays are not in these files: where they are missing, `predict` fits again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mlreduce.exceptions import DataError
from mlreduce.files import arrays_sha256, file_sha256, replacing
from mlreduce.guards import open_regular

# Beginning of the line in the log of a job that was taken.
_TAKEN = "taken from "

# They decide the last digits of numbers, and the bytes of Parquet.
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "pyarrow")

# Inputs that follow from the others by code that the digest of the job's code has, and one that has a date alone.
_FOLLOWING = ("design", "fitted", "retry")


def job_digest(params: Mapping[str, Any], wildcards: Mapping[str, str], inputs: Mapping[str, Any]) -> str:
    """Return a digest of all that decides the tables of a job; an input is a path or a list of paths."""
    files = {name: [paths] if isinstance(paths, str) else paths for name, paths in inputs.items()}
    digests = {name: [_content(path) for path in paths] for name, paths in files.items() if name not in _FOLLOWING}
    values = [sorted(mapping.items()) for mapping in (params, wildcards, digests, _versions())]
    return hashlib.sha256(repr(values).encode()).hexdigest()


def _content(path: str) -> str:
    return arrays_sha256(path, "prepared data set") if path.endswith(".npz") else file_sha256(path)


def _versions() -> dict[str, str]:
    versions = {"python": "{}.{}".format(*sys.version_info)}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


class FinishedJob:
    """The file, ``path``, of a job in a folder of finished jobs, by its `job_digest`.

    ``tables`` are what the job writes, in the order of its rule.
    """

    def __init__(self, folder: str | Path, digest: str, tables: Sequence[str | Path]) -> None:
        self.path = Path(folder) / digest[:2] / f"{digest}.job"
        self._digest, self._tables = digest, [Path(table) for table in tables]

    def take(self) -> bool:
        """Write the tables of the file; return False where there is no file.

        Raises DataError if the file cannot be read, is damaged, or is of another job; no table is written.
        """
        try:
            with open_regular(self.path) as file:
                parts = self._parts(file.read())
        except FileNotFoundError:
            return False
        except OSError as error:
            raise DataError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        for table, part in zip(self._tables, parts, strict=True):
            with replacing(table) as path:
                path.write_bytes(part)
        return True

    def _parts(self, text: bytes) -> list[bytes]:
        sha256, _, content = text.partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != sha256:
            raise DataError(f"{self.path}: damaged or no finished job: its SHA-256 differs; delete it")
        header, _, content = content.partition(b"\n")
        try:
            digest, sizes = json.loads(header)
            same = digest == self._digest and len(sizes) == len(self._tables) and sum(sizes) == len(content)
            same = same and all(type(size) is int and size >= 0 for size in sizes)
        except (ValueError, TypeError, RecursionError):
            same = False
        if not same:
            raise DataError(f"{self.path}: that of another job; delete it")
        ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
        return [content[end - size : end] for end, size in zip(ends, sizes, strict=True)]

    def put(self) -> None:
        """Write the file from the tables; one that is there stays. Raises OSError if it cannot be written."""
        parts = [table.read_bytes() for table in self._tables]
        content = b"\n".join([json.dumps([self._digest, [*map(len, parts)]]).encode(), b"".join(parts)])
        self.path.parent.mkdir(exist_ok=True)
        number, name = tempfile.mkstemp(prefix=".partial-", dir=self.path.parent)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(b"\n".join([hashlib.sha256(content).hexdigest().encode(), content]))
            Path(name).chmod(0o444)
            try:
                os.link(name, self.path)
            except FileExistsError:
                pass
            except OSError:  # no hard links on this file system
                if not self.path.exists():
                    Path(name).replace(self.path)
        finally:
            Path(name).unlink(missing_ok=True)


def finished_job(snakemake: Any) -> FinishedJob | None:
    """Return the file of a job of the workflow; None where no folder is configured."""
    folder = snakemake.config.get("finished")
    if folder is None:
        return None
    digest = job_digest(*(dict(part.items()) for part in (snakemake.params, snakemake.wildcards, snakemake.input)))
    return FinishedJob(folder, digest, [path for path in snakemake.output if path.endswith(".parquet")])


def sentence_on(job: FinishedJob) -> str:
    """Return the line in the log of a job that was taken."""
    return f"{_TAKEN}{job.path}"


def number_taken(benchmarks: Iterable[str | Path]) -> int:
    """Return how many jobs were taken, by the logs at the places of their benchmarks."""
    parts = [Path(path).with_suffix(".log").parts for path in benchmarks]
    logs = [Path(*("logs" if part == "benchmarks" else part for part in names)) for names in parts]
    return sum(log.is_file() and log.read_text(encoding="utf-8").startswith(_TAKEN) for log in logs)
