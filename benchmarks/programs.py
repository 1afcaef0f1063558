"""Our methods compared with the programs of their authors, with the same parameters.

    mkdir /tmp/programs
    git clone https://github.com/jiazhang-ml/GRRO /tmp/programs/jiazhang-ml+GRRO
    MLREDUCE_MIRROR=... python benchmarks/programs.py --programs /tmp/programs --methods grro
    python benchmarks/programs.py --draw                  # docs/agreement.md from the table

Programs run in Octave or Python on published data, ours on the same arrays; program_cases/ has a module for each
method. A row is measured again where our code, the case or the program's commit changed; --methods names modules.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import program_cases
import scipy.sparse as sp
from program_cases import Case
from scipy.stats import spearmanr

import mlreduce
from mlreduce.exceptions import ConfigurationError
from mlreduce.files import write_text
from mlreduce.programs import ProgramError
from mlreduce.validation.limits import TimeLimitError
from mlreduce_studies.provenance.digest import source_digest
from mlreduce_studies.tables.layout import fill_block, number, to_markdown

PROJECT = Path(__file__).parents[1]
TABLE = PROJECT / "docs" / "performance" / "programs.csv"
PAGE = PROJECT / "docs" / "agreement.md"
KEYS = ["method", "setting", "dataset", "compared"]
COLUMNS = ["method", "program", "setting", "dataset", "compared", "difference", "spearman", "note", "code"]
#: Of results that agree.
CLOSE = 1e-3


def commit_of(clone: Path, case: Case) -> str:
    """Return the commit of a program's clone.

    Raises
    ------
    SystemExit
        If there is none.
    """
    if not clone.is_dir():
        address = f"https://github.com/{case.program.repository}"
        raise SystemExit(f"the program of {case.method} is not in {clone.parent}: git clone {address} {clone}")
    command = ["git", "-C", str(clone), "rev-parse", "--short=7", "HEAD"]
    return subprocess.check_output(command, text=True).strip()


def agreement(name: str, ours: Any, theirs: Any) -> dict[str, float]:
    """Return the largest relative difference of a result, and Spearman's correlation of arrays.

    Of an objective the difference has a sign: below 0 where ours is the lower one. Of a ranking it is the share of the
    places that have another column.
    """
    ours, theirs = np.squeeze(np.asarray(ours, dtype=float)), np.squeeze(np.asarray(theirs, dtype=float))
    if ours.shape != theirs.shape:
        raise SystemExit(f"{name}: ours has the shape {ours.shape}, the program's {theirs.shape}")
    if name == "objective":
        return {"difference": float((ours - theirs) / abs(theirs)), "spearman": np.nan}
    if name == "ranking":
        columns = np.union1d(ours, theirs)  # of those that only one has, the place is behind the last
        places = [[(*order, column).index(column) for column in columns] for order in (list(ours), list(theirs))]
        return {"difference": float(np.mean(ours != theirs)), "spearman": float(spearmanr(*places).statistic)}
    largest = float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-300))
    return {"difference": largest, "spearman": float(spearmanr(ours.ravel(), theirs.ravel()).statistic)}


def compared(case: Case, clone: Path, X: Any, Y: Any) -> dict[str, dict[str, float]]:
    """Return the agreement of each result on a data set.

    Raises
    ------
    ProgramError, TimeLimitError
        If the program fails.
    """
    dense = [np.asarray(table.toarray() if sp.issparse(table) else table, dtype=float) for table in (X, Y)]
    data = case.data(*dense)
    theirs = case.program.run(clone, data, case.results)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = case.ours(data)
    return {name: agreement(name, ours[name], theirs[name]) for name in case.results}


def read(path: Path) -> pd.DataFrame:
    """Return the table; no rows where there is no file."""
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    numbers = {"difference": float, "spearman": float}
    texts = {name: str for name in COLUMNS if name not in numbers}
    return pd.read_csv(path, dtype={**texts, **numbers}).fillna(dict.fromkeys(texts, ""))[COLUMNS]


def measure(cases: Mapping[str, tuple[Case, ...]], programs: Path, mirror: Any, output: Path) -> None:
    """Compare what is not in the table, or is in it of other code, and write each row when it is there."""
    for module, several in cases.items():
        text = Path(program_cases.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
        for case in several:
            clone = programs / case.program.repository.replace("/", "+")
            commit = commit_of(clone, case)
            of_ours = source_digest(type(mlreduce.make(case.method)).__module__)
            code = hashlib.sha256(f"{of_ours} {commit} {text}".encode()).hexdigest()[:16]
            for dataset in case.datasets:
                table, key = read(output), (case.method, case.setting, dataset)
                same = [table[name] == value for name, value in zip(KEYS[:3], key, strict=True)]
                earlier = np.logical_and.reduce(same)
                if set(table["code"][earlier]) == {code}:
                    continue
                data = mlreduce.load_dataset(dataset, mirror=mirror)
                row = {"method": case.method, "program": f"{case.program.repository}@{commit}", "code": code}
                row |= {"setting": case.setting, "dataset": dataset, "note": case.note}
                try:
                    found = compared(case, clone, data.X, data.Y)
                except (ProgramError, TimeLimitError, ConfigurationError) as reason:  # the last without Octave
                    raise SystemExit(f"the program of {case.method} fails on {dataset}: {reason}") from None
                rows = pd.DataFrame([row | {"compared": name} | values for name, values in found.items()])
                print(module, case.setting, dataset, found, flush=True)
                both = pd.concat([table[~earlier], rows[COLUMNS]]) if len(table) else rows[COLUMNS]
                both = both.sort_values(KEYS, kind="stable")
                write_text(output, both.to_csv(index=False, float_format="%.3g"))


def page_of(page: str, table: pd.DataFrame, most: int = 12) -> str:
    """Return the text of the page with how many results agree, and those that differ by most."""
    off = table["difference"].abs()
    counted = (
        f"{(off <= CLOSE).sum()} of {len(table)} results of {table['method'].nunique()} methods agree to {CLOSE:g} of "
        "the program's largest value. Those that differ by most:"
    )
    worst = table.loc[off.sort_values(ascending=False, kind="stable").index].drop_duplicates(["method", "compared"])
    rows = [
        [row.method, row.compared, row.dataset, f"{row.difference:.1g}", number(row.spearman, ".3f", ""), row.note]
        for row in worst.head(most).itertuples()
    ]
    shown = to_markdown(["method", "result", "data set", "difference", "correlation", "because"], rows)
    return fill_block(page, "agreement", [counted, "", *shown.splitlines()])


def main() -> None:
    """Compare, and write table and page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, help="folder with the clones, each OWNER+NAME")
    parser.add_argument("--methods", help="modules of program_cases, separated by commas; all if not given")
    parser.add_argument("--output", type=Path, default=TABLE)
    parser.add_argument("--mirror", default=os.environ.get("MLREDUCE_MIRROR"))
    parser.add_argument("--draw", action="store_true", help="only the page, from the table that there is")
    options = parser.parse_args()
    if not options.draw:
        if options.programs is None:
            parser.error("--programs names the folder with the clones of the programs")
        cases = program_cases.all_cases()
        chosen = options.methods.split(",") if options.methods else list(cases)
        if unknown := set(chosen) - set(cases):
            parser.error(f"no module of program_cases: {', '.join(sorted(unknown))}; there are {', '.join(cases)}")
        measure({name: cases[name] for name in chosen}, options.programs, options.mirror, options.output)
    if options.output == TABLE:
        PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8"), read(TABLE)), encoding="utf-8")


if __name__ == "__main__":
    main()
