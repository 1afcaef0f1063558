"""The manifest of a study: what its results were made of, with and at what cost, and which files they are.

What any run with the same code, data and configuration says stands at the top, with a digest of it: two runs are
compared by that. What belongs to one run and machine stands under ``run``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.configuration import validate
from mlreduce.datasets.catalogue import Dataset
from mlreduce.exceptions import DataError
from mlreduce.files import arrays_sha256, file_sha256

#: Columns of the table of jobs, one row per job. What a rule does not have is empty, and so is what was not measured.
JOB_COLUMNS = (
    *("rule", "protocol", "dataset", "group", "predictor", "batch"),
    *("seconds", "cpu_seconds", "peak_mb", "threads", "ended"),
)

# Meaning of the folders below a rule's, by their number.
_PLACES = {
    1: ("dataset",),
    2: ("dataset", "group"),
    3: ("dataset", "unit", "batch"),
    4: ("dataset", "unit", "predictor", "batch"),
}


def read_jobs(benchmarks: Iterable[str | Path], threads: Mapping[str, int]) -> pd.DataFrame:
    """Collect what Snakemake measured of jobs, in ``.../benchmarks/<rule>/<wildcards>.tsv``.

    A file that is missing is a job that was not measured. ``threads`` has the rules whose jobs have more than one
    thread. Returns `JOB_COLUMNS`, sorted. Seconds are exact; the processor's seconds and the memory are samples, taken
    every half second, and every half minute of what runs longer than that.
    """
    rows = []
    for path in map(Path, benchmarks):
        rule, *wildcards = path.with_suffix("").parts[len(path.parts) - path.parts[::-1].index("benchmarks") :]
        row: dict[str, Any] = {"rule": rule, "threads": threads.get(rule, 1)}
        row |= dict(zip(_PLACES[len(wildcards)], wildcards, strict=True))
        if "." in row.get("unit", ""):
            row["protocol"], row["group"] = row["unit"].split(".", 2)[:2]
        rows.append(row | (_measured(path) if path.is_file() else {}))
    table = pd.DataFrame(rows, columns=list(JOB_COLUMNS))
    return table.sort_values(list(JOB_COLUMNS[:6]), ignore_index=True, na_position="first")


def _measured(path: Path) -> dict[str, Any]:
    """Read a benchmark; a rule that ran several times in one job has as many lines."""
    lines = pd.read_csv(path, sep="\t", na_values=["-", "NA"])
    ended = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return {
        "seconds": lines["s"].sum(),
        "cpu_seconds": lines["cpu_time"].sum(min_count=1),
        "peak_mb": lines["max_rss"].max(),
        "ended": ended.isoformat(timespec="seconds"),
    }


def costs(jobs: pd.DataFrame) -> dict[str, Any]:
    """Sum up jobs, all of them under ``total`` and by rule under ``rules``.

    Of each: ``jobs``, how many of them were measured, their seconds, and those of the processor; the largest memory of
    a job in MB; their threads.
    """
    rules = {str(rule): _sum(of_rule) for rule, of_rule in jobs.groupby("rule", sort=True)}
    return {"total": _sum(jobs), "rules": rules}


def _sum(jobs: pd.DataFrame) -> dict[str, Any]:
    peak = jobs["peak_mb"].max()
    return {
        "jobs": len(jobs),
        "measured": int(jobs["seconds"].notna().sum()),
        "seconds": round(float(jobs["seconds"].sum()), 2),
        "cpu_seconds": round(float(jobs["cpu_seconds"].sum()), 2),
        "peak_mb": None if math.isnan(peak) else float(peak),
        "threads": int(jobs["threads"].max()) if len(jobs) else 0,
    }


def span(jobs: pd.DataFrame) -> dict[str, str | None]:
    """Return when the first of some jobs began and the last ended, by the dates of their benchmarks."""
    known = jobs.dropna(subset=["seconds", "ended"])
    if known.empty:
        return {"started": None, "ended": None}
    ends = pd.to_datetime(known["ended"])
    begins = ends - pd.to_timedelta(known["seconds"], unit="s")
    first, last = begins.min().floor("s"), ends.max()
    return {"started": first.isoformat(), "ended": last.isoformat()}


def digests(paths: Iterable[str | Path]) -> dict[str, str]:
    """Return the SHA-256 of files by their names, sorted."""
    return {path.name: file_sha256(path) for path in sorted(map(Path, paths), key=lambda path: path.name)}


def describe_input(dataset: Dataset, prepared: str | Path, folder: str | Path | None) -> dict[str, Any]:
    """Say what a data set was: the files as fetched, with where they are published, and the arrays made of them.

    The folder has the fetched files, as `Dataset.copies` names them; it is None for an embedded data set.
    """
    entries = dataset.entries
    copies = dataset.copies(folder) if folder is not None else []
    files = [
        {"name": entry.name, "sha256": file_sha256(copy), "addresses": list(entry.addresses)}
        for entry, copy in zip(entries, copies, strict=True)
    ]
    return {"files": files, "prepared_sha256": arrays_sha256(prepared, "prepared data set")}


def _digest(description: Mapping[str, Any]) -> str:
    text = json.dumps(description, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def make_manifest(
    description: Mapping[str, Any], inputs: Mapping[str, Any], outputs: Mapping[str, str], run: Mapping[str, Any]
) -> dict[str, Any]:
    """Put a manifest together, and check it against its schema; raise ConfigurationError if it is not as that says.

    The description is the request: study, scale, protocols, methods and so on. ``inputs`` are by data set from
    `describe_input`, ``outputs`` files that are the same in every run, and their SHA-256. ``run`` belongs to this run:
    from `mlreduce_studies.provenance.digest.environment`, `costs` and `span`, and ``outputs``, files that hold measured
    times.
    """
    same = {**description, "inputs": dict(inputs), "outputs": dict(outputs)}
    manifest = {**same, "digest": _digest(same), "run": dict(run)}
    validate(manifest, "manifest", f"manifest of {description.get('study')}")
    return manifest


def same_results(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a manifest that is the same in every run: all but ``run``."""
    return {key: value for key, value in manifest.items() if key != "run"}


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """Read the manifest in the folder of a study's results and check it against its schema and its digest.

    Raises DataError if there is none, it cannot be read, or it was changed after it was written, and ConfigurationError
    if it is not as its schema says.
    """
    path = Path(folder) / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        # JSON can hold lone surrogates, and Python reads NaN and Infinity.
        json.dumps(manifest, ensure_ascii=False, allow_nan=False).encode()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; a study that was run to its end has one") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: not a manifest ({error})") from error
    validate(manifest, "manifest", str(path))
    same = {key: value for key, value in same_results(manifest).items() if key != "digest"}
    if _digest(same) != manifest["digest"]:
        raise DataError(f"{path}: its digest is not that of what it says; it was changed after it was written")
    return manifest


def file_faults(folder: str | Path, some: bool = False) -> tuple[int, list[str]]:
    """Check the files of a study against its manifest, read as `read_manifest` does.

    ``some`` is for a copy of some of the files: one that is not there is passed over, and one that was packed is looked
    at as ``NAME.gz``. Returns how many files were looked for, and a sentence for each that is missing or is another
    one.
    """
    manifest = read_manifest(folder)
    named = manifest["outputs"] | manifest["run"]["outputs"]
    number, faults = 0, []
    for name, expected in sorted(named.items()):
        path, sha256 = Path(folder) / name, file_sha256
        if some and not path.is_file():
            path, sha256 = path.with_name(f"{name}.gz"), _packed_sha256
            if not path.is_file():
                continue
        number += 1
        if not path.is_file():
            faults.append(f"{path}: no such file")
        elif (actual := sha256(path)) != expected:
            faults.append(f"{path}: its SHA-256 is {actual}, but the manifest says {expected}")
    return number, faults


def _packed_sha256(path: str | Path) -> str:
    """Return the SHA-256 of what was packed, or why there is none."""
    try:
        with gzip.open(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, EOFError, zlib.error):
        return "that of no file, since it cannot be unpacked"
