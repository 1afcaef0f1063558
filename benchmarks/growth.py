"""How the fit of every method grows with instances, features and labels, and what that means for larger sets.

    OPENBLAS_NUM_THREADS=1 python benchmarks/growth.py            # some hours; resumes where it was stopped
    python benchmarks/growth.py --draw                    # tables and figure of docs/scale.md from what there is
    python benchmarks/growth.py --check 1                 # are the predictions right? fits at the larger sets' sizes
    python benchmarks/growth.py --shapes 30               # and those of mlreduce.recommend, on so many shapes? an hour
    python benchmarks/growth.py --large 16                # and on shapes up to 100,000 features? 20 minutes

Data are generated: 50 words an instance by Zipf's law, three labels an instance that draw a third of the words. One
number grows over a decade while the others stay. Each fit runs in a separate process on one thread; seconds are the
processor's, divided by the machine's factor that is measured after each fit (`machine_factor`), so that other machines
and other load are comparable; memory is the peak above what the process began with. An exponent is the slope of log
seconds on log size, with Student's interval of 95 % for the slope. A method that took more than the limit is not tried
at a larger size. Estimates for larger sets use the slopes of the upper half decades: a sum of powers bends upwards on
these scales. Additional fits to small data show the least that a fit takes.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy import stats

import mlreduce
from mlreduce.complexity import Sizes
from mlreduce.exceptions import DataError
from mlreduce.labelspace import CodedClassifier
from mlreduce.methods import evidence
from mlreduce.methods.calibration import machine_factor
from mlreduce.methods.shapes import estimated_size, shape_of
from mlreduce.preprocessing.scaling import scale_parts
from mlreduce.projection.classes import ClassProjection
from mlreduce.projection.semi_supervised import PartlyLabelled
from mlreduce.validation.limits import MemoryLimitError, TimeLimitError, within_limits
from mlreduce_studies.experiments.memory import begin_peak, process_bytes
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
FITS = PROJECT / "docs" / "scale" / "fits.csv"
PAGE, CHECKED, LARGE_CHECKED = PROJECT / "docs" / "scale.md", FITS.with_name("shapes.csv"), FITS.with_name("large.csv")
COLUMNS = ("family", "method", "axis", "n", "d", "c", "seconds", "gigabytes")
DECADES = {
    "n": (1000, 1778, 3162, 5623, 10_000),
    "d": (300, 533, 949, 1687, 3000),
    "c": (10, 18, 32, 56, 100),
}
BASE = {axis: sizes[2] for axis, sizes in DECADES.items()}
#: Small data, instances, features and labels: what a fit takes at least.
SMALL = ((100, 30, 5), (300, 60, 8), (1000, 100, 16))
#: Sparse data with more features than instances, and many labels: instances, features, labels.
WIDE = (
    (250, 8000, 800),
    (800, 20_000, 150),
    (1200, 6000, 600),
    (1600, 60_000, 60),
)
#: What is measured in addition to the decades.
OTHERS = [*(("small", row) for row in SMALL), *(("wide", row) for row in WIDE)]
#: Processor seconds that these fits may take.
WIDE_SECONDS = 10.0
#: Ranges of the shapes on which the seconds of `mlreduce.recommend` are checked, and what they may be wrong by.
SHAPES, FACTOR = {"n": (100, 5000), "d": (10, 2000), "c": (4, 100)}, 4.0
#: The same of sparse data with many features and labels, what memory may be wrong by, and how many methods are drawn.
LARGE_SHAPES, MEMORY_FACTOR, DRAWN = {"n": (200, 5000), "d": (2000, 100_000), "c": (20, 1000)}, 2.0, 8
#: Processor seconds that each of these fits may take, and that it is estimated to take at most.
LARGE_SECONDS = 60.0
#: By how much the lower end of a slope's interval may exceed the declared slope.
EXCESS = 0.3
FAMILIES = ("labelspace", "projection", "embedding", "propagation", "selection", "predictors")
# Seconds beyond which larger sizes are not tried, and bytes that a process may take.
LIMIT, MEMORY = 120.0, 12e9
# Instances, features and labels of sets that no study has.
LARGER = {
    "bookmarks": (87_856, 2_150, 208),
    "EUR-Lex": (19_348, 5_000, 3_956),
}
# Seconds and gigabytes, with which a method is called feasible on these.
FEASIBLE = {"seconds": 3600.0, "gigabytes": 16.0}
# What counts as that much: under it, what the process had before and the clock say more than the method.
LEAST = {"seconds": 1e-3, "gigabytes": 0.05}
#: Parameters without which a method does not run on these data.
PARAMETERS: dict[str, dict[str, Any]] = {
    "random-projection": {"n_components": 50},
    "gmba": {"random_state": 0},
    # Of three labels at random, few sets occur six times.
    "ppt-chi2": {"min_count": 2},
    "ppt-mi": {"min_count": 2},
}


def documents(n: int, d: int, c: int, dense: bool = False) -> tuple[sp.csr_array | np.ndarray, np.ndarray]:
    """Return counts of words and labels in {0, 1}; or numbers, all of them filled."""
    if dense:
        X, Y = documents(n, d, c)
        return np.random.default_rng([n, d, c]).random((n, d)) + X.toarray(), Y
    rng = np.random.default_rng([n, d, c])
    labels = np.array([rng.choice(c, 3, replace=False) for _ in range(n)])
    places = rng.integers(d, size=c)
    words = ((d + 1) ** rng.random((n, 50))).astype(int) - 1
    topics = np.take_along_axis(labels, rng.integers(3, size=(n, 17)), axis=1)
    words[:, :17] += places[topics]
    words %= d
    X = sp.csr_array((np.ones(words.size), (np.repeat(np.arange(n), 50), words.ravel())), shape=(n, d))
    Y = np.zeros((n, c), dtype=np.int8)
    np.put_along_axis(Y, labels, 1, axis=1)
    return X, Y


def job(
    family: str,
    name: str,
    X: sp.csr_array,
    Y: np.ndarray,
    asked: bool = False,
    sparse: bool = False,
    parameters: dict[str, Any] | None = None,
) -> Any:
    """Return what is timed: the fit as a study would have it; or with as many features as `recommend` expects.

    Selectors have dense features in studies, and sparse ones where `sparse` is set. Of `parameters` those are set that
    the method has.
    """
    method = mlreduce.make(name, **PARAMETERS.get(name, {}))
    taken = method.get_params()
    method.set_params(**{key: value for key, value in (parameters or {}).items() if key in taken})
    if asked and "k" in method.get_params():
        method.set_params(k=shape_of(X, Y).sizes.k)
    if family == "labelspace":
        return lambda: CodedClassifier(method).fit(X, Y)
    if family == "predictors":
        return lambda: method.fit(X, Y).predict(X[: len(Y) // 10])  # some only store what they were given
    if family == "selection" and not sparse:
        rows = X.toarray() if sp.issparse(X) else X
        dense = scale_parts(rows, rows[:1], "none").train
        return lambda: method.fit(dense, Y)
    if isinstance(method, ClassProjection):
        return lambda: method.fit(X, Y.argmax(axis=1))
    if isinstance(method, PartlyLabelled) or family == "propagation":
        partly = Y.astype(float)
        partly[len(partly) // 2 :] = np.nan
        return lambda: method.fit(X, partly)
    return lambda: method.fit(X, Y)


def measured(sender: Any, family: str, name: str, sizes: dict[str, int], asked: bool = False) -> None:
    warnings.simplefilter("ignore")
    small = documents(100, 60, 8)
    job(family, name, *small)()  # compiles and imports
    X, Y = documents(**sizes)
    fit = job(family, name, X, Y, asked)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    resource.setrlimit(resource.RLIMIT_AS, (int(MEMORY), int(MEMORY)))
    times: list[float] = []
    while not times or (sum(times) < 1.0 and len(times) < 5):
        start = time.process_time()
        fit()
        times.append(time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    machine_factor.cache_clear()  # that of the process from which this one is forked
    sender.send((min(times) / machine_factor(), (peak - before) * 1024 / 1e9))


def alone(work: Callable[..., None], *what: Any, most: float = 20 * LIMIT) -> Any:
    """Run in a separate process, so many seconds at most; return what it sends, None where it ends without that."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(sender, *what))
    process.start()
    wait([receiver, process.sentinel], timeout=most)
    found = receiver.recv() if receiver.poll() else None
    process.kill()
    process.join()
    return found


def methods() -> Iterator[tuple[str, str]]:
    for family in FAMILIES:
        for name in mlreduce.registry.method_names(family):
            yield family, name


def measure(only: list[str]) -> None:
    FITS.parent.mkdir(parents=True, exist_ok=True)
    done = pd.read_csv(FITS) if FITS.exists() else pd.DataFrame(columns=list(COLUMNS))
    with FITS.open("a", newline="") as file:
        writer = csv.writer(file)
        if done.empty:
            writer.writerow(COLUMNS)
        for family, name in methods():
            if only and name not in only:
                continue
            own = done[done["method"] == name]
            places = [(axis, value, {**BASE, axis: value}) for axis, values in DECADES.items() for value in values]
            places += [(axis, row[0], dict(zip("ndc", row, strict=True))) for axis, row in OTHERS]
            slow = set(own.loc[~(own["seconds"] <= LIMIT), "axis"])
            for axis, value, sizes in places:
                if axis in slow or ((own["axis"] == axis) & (own[axis if axis in DECADES else "n"] == value)).any():
                    continue
                seconds, gigabytes = fit_alone(family, name, axis, sizes)
                print(f"{name:18} {axis} = {value:5} {seconds:9.3f} s {gigabytes:7.3f} GB", flush=True)
                writer.writerow((family, name, axis, *sizes.values(), f"{seconds:.4g}", f"{gigabytes:.4g}"))
                file.flush()
                if not seconds <= LIMIT:
                    slow.add(axis)


def fit_alone(family: str, name: str, axis: str, sizes: dict[str, int]) -> tuple[float, float]:
    """Return seconds and gigabytes of a fit in a separate process; NaN where it is not ended within its limits."""
    if axis != "wide":
        return alone(measured, family, name, sizes) or (np.nan, np.nan)
    X, Y = documents(**sizes)
    fit = alone(measured_within, family, name, X, Y, WIDE_SECONDS, most=3 * WIDE_SECONDS)
    return (float(fit[1]), float(fit[2])) if fit and fit[0] == "ends" else (np.nan, np.nan)


def slopes(fits: pd.DataFrame, what: str = "seconds", least: float = 0.0) -> pd.DataFrame:
    """Return exponent, half width of its interval and number of points, a row per method and axis.

    Of the whole decade, or from a share of the base on.
    """
    rows = []
    decades = fits[fits["axis"].isin(list(DECADES))]
    for (family, method, axis), own in decades.dropna().groupby(["family", "method", "axis"], sort=False):
        own = own[own[axis] >= least * BASE[axis]]
        if len(own) < 3:
            continue
        line = stats.linregress(np.log(own[axis]), np.log(own[what].clip(lower=LEAST[what])))
        half = stats.t.ppf(0.975, len(own) - 2) * line.stderr
        rows.append((family, method, axis, line.slope, half, len(own)))
    return pd.DataFrame(rows, columns=["family", "method", "axis", "exponent", "half_width", "points"])


def is_sparse(fit: Any) -> bool:
    """Whether a measured fit had sparse features: selectors' are dense, as in studies, but for wide data."""
    return fit.family != "selection" or fit.axis == "wide"


def stored_sizes(fit: Any) -> Sizes:
    """Return the sizes of a measured fit: 50 words per instance where features are sparse."""
    size = getattr(mlreduce.make(fit.method, **PARAMETERS.get(fit.method, {})), "n_components", None)
    if fit.axis == "wide":  # as `mlreduce.recommend` requests
        size = estimated_size(fit.n, fit.d)
    stored = 50 * fit.n if is_sparse(fit) else fit.n * fit.d
    return Sizes(fit.n, fit.d, fit.c, stored, size if isinstance(size, int) else min(fit.n, fit.d))


# What a doubling of the rate of a term costs in the sum of the logarithms of some twenty fits, and most doublings.
PENALTY, MOST_POWER = 0.2, 10.0


def fit_line(amounts: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return a and b such that ``a amounts + b`` is near the values, in the sum of the absolute logarithms."""
    best = (np.inf, 0.0, 0.0)
    for least in values.min() * np.array([0.0, 0.5, 0.9]):
        slope = float(np.exp(np.median(np.log(np.maximum(values - least, 0.05 * values) / amounts))))
        error = float(np.abs(np.log((slope * amounts + least) / values)).sum())
        best = min(best, (error, slope, float(least)))
    return best[1], best[2]


def term_factors(
    amounts: np.ndarray, given: np.ndarray, seconds: np.ndarray, rate: float, least: float
) -> tuple[float, list[float]]:
    """Return a rate and a power of two for each term: ``given + least + rate (amounts @ factors)`` is near the seconds.

    Of the sum of the absolute logarithms; a power has a penalty, so that terms that these fits do not show have none.
    """
    powers = np.zeros(1 + amounts.shape[1])  # of the rate, and of each term
    steps = [sign * step for step in np.eye(len(powers)) for sign in (1.0, -1.0)]

    def loss(powers: np.ndarray) -> float:
        expected = given + least + rate * 2.0 ** powers[0] * (amounts @ 2.0 ** powers[1:])
        return float(np.abs(np.log(expected / seconds)).sum() + PENALTY * np.abs(powers[1:]).sum())

    while True:
        others = [powers + step for step in steps if np.abs(powers + step).max() <= MOST_POWER]
        best = min(others, key=loss)
        if loss(best) > loss(powers) - 1e-6:
            return rate * float(2.0 ** powers[0]), [float(factor) for factor in 2.0 ** powers[1:]]
        powers = best


@cache
def costs() -> pd.DataFrame:
    """Return the constants of the costs: a row per method that was measured."""
    rows: dict[str, tuple[Any, ...]] = {}
    fits_of = {str(name): fits for name, fits in pd.read_csv(FITS).dropna().groupby("method")}
    for name in ["ridge", *(name for name in fits_of if name != "ridge")]:
        fits, (complexity, *regression) = fits_of[name], evidence.complexities(name)
        sizes = [(stored_sizes(fit), is_sparse(fit)) for fit in fits.itertuples()]
        amounts = np.array([evidence.term_operations(complexity, *size) for size in sizes])
        seconds, gigabytes = fits["seconds"].to_numpy(), fits["gigabytes"].to_numpy()
        given = np.zeros(len(seconds))
        for part in regression:  # of the codes, at its own rates
            rate, _, _, _, factors = rows["ridge"]
            given += rate * np.array([evidence.term_operations(part, *size) for size in sizes]) @ factors
        rate, least = fit_line(amounts.sum(axis=1), np.maximum(seconds - given, 0.05 * seconds))
        rate, factors = term_factors(amounts, given, seconds, rate, least)
        # What fits to data that are not small take at least is added: blocks are not counted as numbers.
        numbers = np.array([sum(part.numbers(size) for part in (complexity, *regression)) for size, _ in sizes])
        least_gigabytes = float(gigabytes[(fits["axis"] != "small").to_numpy()].min())
        largest = int(np.argmax(np.where(fits["axis"] != "wide", gigabytes, 0.0)))
        per_number = 1e9 * (gigabytes[largest] - least_gigabytes) / numbers[largest]
        rows[name] = rate, least, max(per_number, 8.0), 1e9 * least_gigabytes, factors
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*evidence.CONSTANTS, "factors"]).sort_index()
    for column in evidence.CONSTANTS:
        table[column] = [float(f"{value:.3g}") for value in table[column]]
    table["factors"] = [" ".join(f"{factor:g}" for factor in factors) for factors in table["factors"]]
    return table.rename_axis("method").reset_index()


def declared(fits: pd.DataFrame) -> pd.DataFrame:
    """Return `slopes`, and those of the operations by the declared complexities at the same sizes."""
    table = slopes(fits)
    exponents = []
    for row in table.itertuples():
        points = fits[(fits["method"] == row.method) & (fits["axis"] == row.axis)].dropna()
        operations = [
            sum(
                sum(evidence.term_operations(part, stored_sizes(fit), is_sparse(fit)))
                for part in evidence.complexities(fit.method)
            )
            for fit in points.itertuples()
        ]
        exponents.append(stats.linregress(np.log(points[row.axis]), np.log(operations)).slope)
    return table.assign(declared=exponents)


def above_declared(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `declared` whose slope is above the declared one: mend the code, or its complexity."""
    table = declared(fits)
    return table[table["exponent"] - table["half_width"].fillna(0.0) - table["declared"] > EXCESS]


def at_base(fits: pd.DataFrame, what: str) -> pd.Series:
    base = fits[(fits["n"] == BASE["n"]) & (fits["d"] == BASE["d"]) & (fits["c"] == BASE["c"])]
    return base.groupby("method")[what].median()


def extrapolated(fits: pd.DataFrame) -> pd.DataFrame:
    """Return what one fit takes on the larger sets by the powers of the upper half decades, none of them below 0.

    A method with less than three points there is left out.
    """
    rows = []
    for what in ("seconds", "gigabytes"):
        own, base = slopes(fits, what, least=1.0), at_base(fits, what)
        table = own.pivot(index="method", columns="axis", values="exponent").clip(lower=0).dropna()
        for dataset, (n, d, c) in LARGER.items():
            ratios = {"n": n / BASE["n"], "d": d / BASE["d"], "c": c / BASE["c"]}
            logs = sum(table[axis] * np.log(ratio) for axis, ratio in ratios.items())
            values = base.reindex(table.index).clip(lower=LEAST[what]) * np.exp(logs)
            rows += [(dataset, method, what, value) for method, value in values.items()]
    long = pd.DataFrame(rows, columns=["dataset", "method", "what", "value"])
    return long.pivot(index=["method", "dataset"], columns="what", values="value").reset_index()


def check(minutes: float, only: list[str]) -> None:
    """Fit at the sizes of the larger sets, per family the cheapest and costliest estimated below the limit.

    Or the requested methods. Earlier checks stay in the table.
    """
    fits, rows = pd.read_csv(FITS), []
    said = extrapolated(fits).merge(fits[["family", "method"]].drop_duplicates())
    dense = said["dataset"].map({name: n * c for name, (n, d, c) in LARGER.items()})  # labels, a byte each
    within = said[(said["seconds"] <= 60 * minutes) & (1e9 * said["gigabytes"] + dense <= MEMORY)]
    within = within[within["method"].isin(only)] if only else within
    for (dataset, _), own in within.groupby(["dataset", "family"], sort=False):
        for _, one in own.sort_values("seconds").iloc[[0, -1]].drop_duplicates().iterrows():
            sizes = dict(zip("ndc", LARGER[dataset], strict=True))
            seconds, gigabytes = alone(measured, one["family"], one["method"], sizes) or (np.nan, np.nan)
            rows.append((dataset, one["family"], one["method"], one["seconds"], seconds, one["gigabytes"], gigabytes))
            print(*rows[-1], flush=True)
    columns = ["dataset", "family", "method", "seconds_said", "seconds", "gigabytes_said", "gigabytes"]
    path, found = FITS.with_name("checks.csv"), pd.DataFrame(rows, columns=columns)
    if path.exists():
        found = pd.concat([pd.read_csv(path), found]).drop_duplicates(["dataset", "method"], keep="last")
    found.sort_values(["dataset", "family", "seconds"]).to_csv(path, index=False, float_format="%.3g")


def shapes(number: int, ranges: dict[str, tuple[int, int]] = SHAPES) -> list[dict[str, Any]]:
    """Return instances, features and labels of some generated sets, every second of the small ones dense."""
    rng = np.random.default_rng(number)
    drawn = {axis: np.exp(rng.uniform(*np.log(ends), size=number)).astype(int) for axis, ends in ranges.items()}
    return [
        {**{axis: int(own[i]) for axis, own in drawn.items()}, "dense": ranges is SHAPES and i % 2 == 1}
        for i in range(number)
    ]


def said_of(shape: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Return what `mlreduce.recommend` says of a generated shape, by family, in seconds of the reference machine.

    Selectors have dense features, but for shapes with more of them than any of `SHAPES`.
    """
    X, Y = documents(**shape)
    dense = X.toarray() if sp.issparse(X) and shape["d"] <= SHAPES["d"][1] else X
    tables = {goal: mlreduce.recommend(dense if goal == "selection" else X, Y, goal=goal).table for goal in FAMILIES}
    return {goal: table.assign(seconds=table["seconds"] / machine_factor()) for goal, table in tables.items()}


def check_shapes(number: int, only: list[str], seconds: float = 20.0) -> None:
    """Fit on generated shapes the methods that take some seconds by `mlreduce.recommend`; compare with its estimates.

    Earlier measurements stay in the table, with the current estimates.
    """
    columns = ["family", "method", *SHAPES, "dense", "seconds_said", "seconds"]
    done = pd.read_csv(CHECKED) if CHECKED.exists() else pd.DataFrame(columns=columns)
    known = {tuple(row) for row in done[["method", *SHAPES, "dense"]].itertuples(index=False)}
    said = {}
    with CHECKED.open("a", newline="") as file:
        writer = csv.writer(file)
        if done.empty:
            writer.writerow(columns)
        for shape in shapes(number):
            tables = said_of(shape)
            for family, name in methods():
                row, key = tables[family].loc[name], (name, *shape.values())
                said[key] = row["seconds"]
                wanted = not only or name in only
                if not (wanted and row["fits"] and row["seconds"] <= seconds) or key in known:
                    continue
                taken, _ = alone(measured, family, name, shape, True) or (np.nan, np.nan)
                print(f"{name:18} {shape} {row['seconds']:9.4f} s estimated {taken:9.4f} s", flush=True)
                writer.writerow((family, name, *shape.values(), f"{row['seconds']:.4g}", f"{taken:.4g}"))
                file.flush()
    table = pd.read_csv(CHECKED)
    table["seconds_said"] = [
        float(f"{said.get((row.method, row.n, row.d, row.c, row.dense), row.seconds_said):.4g}")
        for row in table.itertuples()
    ]
    table.to_csv(CHECKED, index=False)


def measured_within(sender: Any, family: str, name: str, X: Any, Y: Any, most: float = LARGE_SECONDS) -> None:
    """Send outcome, seconds of the reference machine and gigabytes of one fit of `recommend`'s size."""
    warnings.simplefilter("ignore")
    machine_factor.cache_clear()
    factor, size = machine_factor(), shape_of(X, Y).sizes.k
    job(family, name, *documents(100, 60, 8), sparse=True)()  # compiles and imports
    directions = {"n_components": size} if size and family in ("projection", "embedding") else {}
    fit = job(family, name, X, Y, asked=True, sparse=True, parameters=directions)
    outcome, error, seconds, gigabytes = fitted_within(fit, most, MEMORY / 1e9)
    if error is not None and outcome == "fails":
        raise error
    sender.send((outcome, f"{seconds / factor:.4g}", f"{gigabytes:.4g}"))


def fitted_within(
    fit: Callable[[], Any], seconds: float, gigabytes: float
) -> tuple[str, Exception | None, float, float]:
    """Return how a fit within limits ended and with which error, its processor seconds, and gigabytes at its peak.

    It ``ends``, is ``slow`` or ``large`` beyond a limit, ``refuses`` by a `DataError`, or ``fails`` by another error.
    """
    begin_peak()
    before, start, outcome, raised = process_bytes("VmHWM"), time.process_time(), "ends", None
    try:
        with within_limits({"seconds": seconds, "gigabytes": gigabytes}):
            fit()
    except Exception as error:  # noqa: BLE001 - what is measured
        kinds = {TimeLimitError: "slow", MemoryLimitError: "large", DataError: "refuses"}
        raised, outcome = error, next((word for kind, word in kinds.items() if isinstance(error, kind)), "fails")
    return outcome, raised, time.process_time() - start, (process_bytes("VmHWM") - before) / 1e9


def check_large(number: int, only: list[str]) -> None:
    """Fit drawn methods on generated shapes with many features and labels; compare with `mlreduce.recommend`.

    Earlier measurements stay in the table, with the current estimates. A fit that was not ended took more than its
    seconds.
    """
    columns = ["family", "method", *LARGE_SHAPES, "outcome", "seconds_said", "seconds", "gigabytes_said", "gigabytes"]
    done = pd.read_csv(LARGE_CHECKED) if LARGE_CHECKED.exists() else pd.DataFrame(columns=columns)
    rows = {tuple(row[1:5]): row for row in done.itertuples(index=False, name=None)}
    for place, shape in enumerate(shapes(number, LARGE_SHAPES)):
        X, Y = documents(**shape)
        tables, sizes = said_of(shape), (shape["n"], shape["d"], shape["c"])
        suited = [
            (family, name)
            for family, name in methods()
            if tables[family].loc[name, "fits"] and tables[family].loc[name, "seconds"] <= LARGE_SECONDS
        ]
        drawn = np.random.default_rng([number, place]).permutation(len(suited))[:DRAWN]
        for family, name in [suited[one] for one in sorted(drawn)] if not only else suited:
            if (name, *sizes) not in rows and (not only or name in only):
                taken = alone(measured_within, family, name, X, Y, most=10 * LARGE_SECONDS) or ("slow", "nan", "nan")
                print(f"{name:18} {sizes} {tables[family].loc[name, 'seconds']:9.4f} s estimated, {taken}", flush=True)
                rows[name, *sizes] = (family, name, *sizes, taken[0], np.nan, taken[1], np.nan, taken[2])
        for key, row in rows.items():
            if key[1:] == sizes:
                estimate = tables[row[0]].loc[row[1]]
                rows[key] = (*row[:6], f"{estimate['seconds']:.4g}", row[7], f"{estimate['gigabytes']:.4g}", row[9])
        pd.DataFrame(rows.values(), columns=columns).to_csv(LARGE_CHECKED, index=False)


def off_large(table: pd.DataFrame) -> pd.DataFrame:
    """Return by which factors (>= 1) seconds and gigabytes are wrong, a row for each fit that was not refused.

    A fit that was not ended is not wrong where more is estimated than it had taken.
    """
    fits, factors = table[table["outcome"] != "refuses"].dropna(), {}
    for what, least in LEAST.items():
        logs = np.log(fits[[f"{what}_said", what]].clip(lower=least))
        off = logs[f"{what}_said"] - logs[what]
        factors[what] = np.exp(off.abs().where((fits["outcome"] == "ends") | (off < 0), 0.0))
    return pd.DataFrame(factors).assign(family=fits["family"], method=fits["method"])


def large_of_page(table: pd.DataFrame) -> list[str]:
    """Return in Markdown how often estimates for many features and labels are right to their factors."""
    off, rows = off_large(table), []
    for family in (*FAMILIES, "together"):
        part = off if family == "together" else off[off["family"] == family]
        if len(part):
            shares = (part["seconds"] <= FACTOR).mean(), (part["gigabytes"] <= MEMORY_FACTOR).mean()
            rows.append([family, f"{len(part):,}", *(f"{share:.0%}" for share in shares)])
    refused = table.loc[table["outcome"] == "refuses", "method"].unique()
    names = ", ".join(f"`{name}`" for name in refused)
    named = f" Refused, although they are recommended: {names}." if names else ""
    worst = off.groupby("method")["seconds"].median().sort_values(ascending=False).head(8)
    text = ", ".join(f"`{name}` ({value:.1f})" for name, value in worst.items())
    header = ["family", "fits", f"seconds within {FACTOR:g}", f"memory within {MEMORY_FACTOR:g}"]
    return [*to_markdown(header, rows).splitlines(), "", f"Off most, by seconds: {text}.{named}"]


def off_by(table: pd.DataFrame) -> pd.Series:
    """Return the factor (>= 1) between estimate and measurement of each fit; shorter times count as a millisecond."""
    logs = np.log(table[["seconds_said", "seconds"]].dropna().clip(lower=LEAST["seconds"]))
    off = np.exp((logs["seconds_said"] - logs["seconds"]).abs())
    return pd.Series(off.to_numpy(), index=table.loc[off.index, "method"])


def exponents_of_page(fits: pd.DataFrame) -> list[str]:
    """Return the least and the largest exponents of each family in Markdown."""
    own, rows = slopes(fits), []
    for family in FAMILIES:
        part = own[own["family"] == family]
        ends = [_between(part.loc[part["axis"] == axis, "exponent"]) for axis in "ndc"]
        rows.append([family, str(part["method"].nunique()), *ends])
    shown = to_markdown(["family", "methods", "instances", "features", "labels"], rows)
    return [f"The exponents of {fits['axis'].isin(list(DECADES)).sum():,} fits:", "", *shown.splitlines()]


def _between(values: pd.Series) -> str:
    ends = [f"{value:.1f}".replace("-0.0", "0.0") for value in (values.min(), values.max())]
    return " to ".join(dict.fromkeys(ends))


def larger_of_page(fits: pd.DataFrame) -> list[str]:
    """Return in Markdown, by family, what one fit takes on the larger sets, and what is not feasible there."""
    said = extrapolated(fits).merge(fits[["family", "method"]].drop_duplicates())
    said["feasible"] = (said[list(FEASIBLE)] <= pd.Series(FEASIBLE)).all(axis=1)
    rows = [[family, *(_family_on(said, family, name) for name in LARGER)] for family in FAMILIES]
    shapes_of = [f"{name} ({' x '.join(f'{size:,}' for size in own)})" for name, own in LARGER.items()]
    lines = [*to_markdown(["family", *shapes_of], rows).splitlines(), ""]
    for name in LARGER:
        others = sorted(said.loc[~said["feasible"] & (said["dataset"] == name), "method"])
        lines.append(f"- Not feasible on {name}: {', '.join(f'`{other}`' for other in others)}.")
    unknown = [f"`{name}`" for name in sorted(set(fits["method"]) - set(said["method"]))]
    return [*lines, f"- Measured at too few sizes to be extrapolated: {', '.join(unknown) or 'none'}."]


def shapes_of_page(checked: pd.DataFrame) -> list[str]:
    """Return in Markdown how often what is said of generated shapes is right to a factor, by family."""
    off, rows = off_by(checked), []
    parts = {name: off_by(own) for name in FAMILIES if len(own := checked[checked["family"] == name])}
    for family, found in (parts | {"together": off}).items():
        shares = ((found <= factor).mean() for factor in (2.0, FACTOR))
        rows.append([family, f"{len(found):,}", *(f"{share:.0%}" for share in shares), f"{found.median():.2g}"])
    worst = off.groupby(level=0).median().sort_values(ascending=False).head(5)
    named = ", ".join(f"`{name}` ({value:.1f})" for name, value in worst.items())
    header = ["family", "fits", "within a factor of 2", f"of {FACTOR:g}", "median factor"]
    return [*to_markdown(header, rows).splitlines(), "", f"Off most, by the median over the shapes: {named}."]


def _family_on(said: pd.DataFrame, family: str, dataset: str) -> str:
    """Return how many methods of a family are feasible on a set, their median seconds and largest memory."""
    own = said[(said["family"] == family) & (said["dataset"] == dataset)]
    good = own[own["feasible"]]
    return f"{len(good)} of {len(own)}: {_time(good['seconds'].median())}, {good['gigabytes'].max():.1f} GB"


def _time(seconds: float) -> str:
    unit, divisor = ("s", 1) if seconds < 90 else ("minutes", 60) if seconds < 5400 else ("hours", 3600)
    return f"{seconds / divisor:.2g} {unit}"


def page_of(text: str, fits: pd.DataFrame, checked: pd.DataFrame, large: pd.DataFrame) -> str:
    """Return the page of scale with its tables of fits written anew, each between two comments."""
    blocks = {
        "exponents": exponents_of_page(fits),
        "shapes": shapes_of_page(checked) if len(checked) else ["Not measured yet."],
        "large": large_of_page(large) if len(large) else ["Not measured yet."],
        "larger": larger_of_page(fits),
    }
    for name, lines in blocks.items():
        text = fill_block(text, name, lines)
    return text


def draw(folder: Path) -> None:
    """Write exponents, extrapolations and the figure."""
    import matplotlib.pyplot as plt

    from mlreduce.plot.layout import house_style, save

    fits = pd.read_csv(FITS)
    own = slopes(fits)
    declared(fits).round(3).to_csv(folder / "exponents.csv", index=False)
    extrapolated(fits).to_csv(folder / "larger.csv", index=False, float_format="%.3g")
    checked, large = (pd.read_csv(path) if path.is_file() else pd.DataFrame() for path in (CHECKED, LARGE_CHECKED))
    PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8"), fits, checked, large), encoding="utf-8")
    shown = [(family, name) for family, name in methods() if name in set(own["method"])][::-1]
    order = [name for _, name in shown]
    between = [row - 0.5 for row in range(1, len(shown)) if shown[row][0] != shown[row - 1][0]]
    with house_style():
        size = 9, 0.15 * len(order) + 1
        figure, axes = plt.subplots(1, 3, figsize=size, sharex=True, sharey=True, layout="constrained")
        for axis, panel, title in zip("ndc", axes, ("instances", "features", "labels"), strict=True):
            part = own[own["axis"] == axis].set_index("method").reindex(order)
            panel.errorbar(part["exponent"], range(len(order)), xerr=part["half_width"], fmt="o", ms=3, lw=0.8)
            panel.set(title=f"exponent in {title}")
            panel.grid(axis="x", linewidth=0.4)
            for height in between:
                panel.axhline(height, color="0.6", linewidth=0.6)
        axes[0].set_yticks(range(len(order)), order, fontsize=7)
        axes[0].set_ylim(-1, len(order))
        save(figure, [folder / "exponents.png", folder / "exponents.svg"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="", help="only these, with commas")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    parser.add_argument("--check", type=float, metavar="MINUTES", help="fit, at the larger sizes, what takes less")
    parser.add_argument("--shapes", type=int, metavar="NUMBER", help="check what recommend says, on generated shapes")
    parser.add_argument("--large", type=int, metavar="NUMBER", help="the same with many features and labels")
    options = parser.parse_args()
    only = [name for name in options.methods.split(",") if name]
    if options.shapes:
        check_shapes(options.shapes, only)
    elif options.large:
        check_large(options.large, only)
    elif options.check is not None:  # 0 minutes measure nothing, rather than everything
        check(options.check, only)
    elif not options.draw:
        measure(only)
    draw(FITS.parent)


if __name__ == "__main__":
    main()
