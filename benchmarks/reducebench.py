"""ReduceBench: its cost, its folds, the run in pieces, and what the stored pieces say.

    python benchmarks/reducebench.py plan                # processor hours by data set and family, before it is run
    python benchmarks/reducebench.py folds               # digests of the rows of all folds, for the repository
    python benchmarks/reducebench.py run --hours 2       # missing pieces, the quickest first
    python benchmarks/reducebench.py run --candidates 1  # those of methods with their defaults
    python benchmarks/reducebench.py run flags emotions  # those of some data sets
    python benchmarks/reducebench.py keep                # store pieces that the workflow has finished, as on a cluster
    python benchmarks/reducebench.py check               # SHA-256 and protocol of the stored pieces
    python benchmarks/reducebench.py sets                # what describes the data sets, for the repository
    python benchmarks/reducebench.py predictors          # the predictor that the training rows of each fold choose
    python benchmarks/reducebench.py speed               # seconds and memory of fit and prediction, reduced and not
    python benchmarks/reducebench.py answers             # answers from the pieces, and advice on data sets left out
    python benchmarks/reducebench.py page                # update docs/benchmark.md and its tables

The study workflow computes the scores (config/benchmark-2.yaml). A piece is one study on one data set. It is stored in
results/benchmark-2 as soon as it is finished; a committed piece is never run again. Version 1 is withdrawn; `plan`,
`folds`, `run`, `keep` and `check` take it with ``--version 1``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.base import RegressorMixin, clone
from sklearn.pipeline import make_pipeline

import mlreduce
from mlreduce import registry
from mlreduce.datasets.catalogue import load_dataset
from mlreduce.evaluation.scaling_choice import choose_scaling
from mlreduce.evaluation.view import normalise
from mlreduce.exceptions import MLReduceError
from mlreduce.files import replacing, write_text
from mlreduce.labelspace import CodedClassifier
from mlreduce.methods import evidence
from mlreduce.methods.evidence import BENCHMARK
from mlreduce.metrics import evaluate, higher_is_better, measure_label
from mlreduce.plot.layout import house_style
from mlreduce.predictors.decision import Decision, fold_predictions
from mlreduce.stats.ranking import CONTROLS, MARGIN, rank
from mlreduce.stats.ranks import DECIMALS
from mlreduce.validation import FloatArray
from mlreduce_studies.benchmark.answers import NOUNS, PREDICTORS, WHOLE, Effect, Evidence, answers
from mlreduce_studies.benchmark.costs import plan, shape_of
from mlreduce_studies.benchmark.folds import check_folds, fold_rows, folds_of, write_folds
from mlreduce_studies.benchmark.picture import draw_gains
from mlreduce_studies.benchmark.pieces import Pieces, job_files
from mlreduce_studies.benchmark.protocol import VERSIONS, Protocol
from mlreduce_studies.benchmark.rankings import rankings, rankings_with
from mlreduce_studies.benchmark.scores import CHOICES, CHOSEN, MAJORITY, SETS, names_in
from mlreduce_studies.figures import save
from mlreduce_studies.figures.near_best import draw_ranking
from mlreduce_studies.gathering.held_out import advice_pays, rates
from mlreduce_studies.gathering.rankings import MAIN, StudyRanking
from mlreduce_studies.study import PAPERS, study_files
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "docs"))

import update_evidence  # noqa: E402

PAGE, WITHDRAWN = (PROJECT / "docs" / f"{name}.md" for name in ("benchmark", "benchmark-withdrawn"))
RESULTS = PAGE.with_suffix("")
ANSWERS, HELD_OUT, SPEED = (RESULTS / name for name in ("answers.json", "leave-one-out.csv", "speed.csv"))
#: Steps of version 2 alone.
ANSWERING = ("sets", "predictors", "speed", "answers", "page")
#: Names of the pictures of the rankings.
FAMILIES = {"selection": "selectors", "labelspace": "coders", "projection": "projections"}
#: Numbers of features and codes whose seconds are measured.
TIMED = (16, 64)
# The file of the table of each answer, in the order of the questions.
_FILES = ("features", "labels", "costs", "numbers", "tuning", "characteristics", "papers", "power")
# What an answer that a reduction helps is, by the word of version 2.
_LEFT = {"helps": "holds", "costs": "reversed"}
# Data sets that are run together: the steps of one leave a core idle at times.
_TOGETHER = 3


def print_plan(protocol: Protocol, names: list[str], only: int | None = None) -> None:
    """Print hours by data set and study, and their sum."""
    costs = plan(protocol)
    first, *_ = protocol.studies().values()
    studies = list(protocol.config["studies"])
    families = [name.removeprefix("benchmark-") for name in studies]
    print(
        f"{'processor hours':26}{'rows':>7}{'columns':>9}{'labels':>8}{'folds':>7}"
        + "".join(f"{own:>13}" for own in families)
    )
    total: Counter[str] = Counter()
    for candidates, sets in protocol.budgets.items():
        if only not in (None, candidates):
            continue
        if candidates != protocol.candidates:
            print(f"{candidates} candidate{'s' * (candidates > 1)} each")
        for name in (name for name in sets if name in (names or sets)):
            shape = shape_of(first, protocol.catalogue[name])
            planned = {study: costs.get((candidates, name, study)) for study in studies}  # the longest are not run
            hours = {study: cost.seconds / 3600 if cost else 0.0 for study, cost in planned.items()}
            total.update(hours)
            numbers = f"{shape.train + shape.test:7}{shape.columns:9}{shape.labels:8}{shape.splits:7}"
            print(f"{name:26}{numbers}" + "".join(f"{own:13.3f}" for own in hours.values()))
    print(
        f"{'together':57}" + "".join(f"{total[study]:13.2f}" for study in studies) + f"   {sum(total.values()):.1f} h"
    )


def folds(protocol: Protocol) -> None:
    """Write the digests of the rows of all folds."""
    study, *_ = protocol.studies().values()
    rows = [row for name in protocol.datasets for row in fold_rows(protocol, study, load_dataset(name))]
    write_folds(protocol, rows)
    print(f"{len(rows)} splits of {len(protocol.datasets)} data sets")


def missing(protocol: Protocol, pieces: Pieces, names: list[str]) -> list[tuple[float, int, str, list[str]]]:
    """Return expected seconds, candidates, data set and studies of what is not kept, the quickest first."""
    costs, done, found = plan(protocol), pieces.done(), []
    for candidates, sets in protocol.budgets.items():
        for name in (name for name in sets if name in (names or sets)):
            planned = [study for study in protocol.config["studies"] if (candidates, name, study) in costs]
            studies = [study for study in planned if (study, name, candidates) not in done]
            if studies:
                expected = sum(costs[candidates, name, study].seconds for study in studies)
                found.append((expected, candidates, name, studies))
    return sorted(found)


def keep(protocol: Protocol, pieces: Pieces, names: list[str]) -> int:
    """Keep the pieces of what the workflow has finished; return how many."""
    kept = 0
    for _, candidates, name, studies in missing(protocol, pieces, names):
        base = protocol.project / protocol.base(candidates)
        known = protocol.studies(None if candidates == protocol.candidates else candidates)
        for study in studies:
            if all((base / file).is_file() for file in job_files(study, name).values()):
                piece = pieces.keep(known[study], name, candidates, base)
                print(f"{piece.file}: {piece.rows} rows, {piece.bytes / 1e3:.0f} kB", flush=True)
                kept += 1
    return kept


def run(
    protocol: Protocol, pieces: Pieces, names: list[str], hours: float, cores: int, only: int | None = None
) -> None:
    """Run what is not kept, some data sets at a time, until the hours are over or all is done."""
    end = time.monotonic() + 3600 * hours
    keep(protocol, pieces, names)
    failed: set[tuple[int, str]] = set()
    while True:
        waiting = [own for own in missing(protocol, pieces, names) if own[1:3] not in failed]
        waiting = [own for own in waiting if only in (None, own[1])]
        if not waiting:
            break
        # What is begun should end within the hours: as many sets as their expected seconds allow, at least one.
        candidates, batch, expected = waiting[0][1], [], 0.0
        for seconds, own, name, studies in waiting:
            if own == candidates and len(batch) < _TOGETHER:
                expected += seconds
                if batch and time.monotonic() + expected / cores > end:
                    break
                batch.append((name, studies))
        if time.monotonic() + waiting[0][0] / cores > end:
            print(f"{len(waiting)} data sets are left: the hours do not suffice for the next, {waiting[0][2]}")
            break
        study, *_ = protocol.studies().values()
        for name, _ in batch:
            check_folds(protocol, study, load_dataset(name))
        base = protocol.base(candidates)
        targets = [f"{base}/{file}" for name, own in batch for study in own for file in job_files(study, name).values()]
        call_workflow(protocol, candidates, targets, cores)
        keep(protocol, pieces, names)
        left = {own[1:3] for own in missing(protocol, pieces, names)}
        failed |= {(candidates, name) for name, _ in batch} & left
    if failed:
        where = "; ".join(f"{protocol.base(own)}: {name}" for own, name in sorted(failed))
        raise SystemExit(f"not finished, see the logs in {where}")


def call_workflow(protocol: Protocol, candidates: int, targets: list[str], cores: int) -> None:
    """Make files of a run by the study workflow. Failed cells are results, and no reason to end."""
    more = [] if candidates == protocol.candidates else [f"candidates={candidates}"]
    if protocol.version > 1 and candidates == protocol.candidates:  # methods without parameters have one candidate
        more += [f"methods=[{','.join(searched(protocol))}]"]
    more += [f"name={protocol.run_name(candidates)}"] if more else []
    mirror = os.environ.get("MLREDUCE_MIRROR")
    more += [f"mirror={mirror}"] if mirror else []
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        str(cores),
        "--configfile",
        protocol.config_file,
        "--keep-going",
    ]
    command += [*(["--config", *more] if more else []), "--", *targets]
    subprocess.run(command, cwd=protocol.project, check=False)


def searched(protocol: Protocol) -> list[str]:
    """Return the labels of the methods whose parameters are searched."""
    groups = [group for study in protocol.studies().values() for group in study.groups.values() if group.search]
    return sorted({label for group in groups for label in group.methods})


def describe(protocol: Protocol) -> None:
    """Write what describes the data sets."""
    rows = [{"dataset": name, **load_dataset(name).describe()} for name in protocol.datasets]
    pd.DataFrame(rows).to_csv(protocol.project / SETS, index=False, float_format="%.6g")


def predictors(protocol: Protocol, pieces: Pieces, names: list[str]) -> None:
    """Write which predictor the training rows of each fold choose, by measure, where nothing is reduced.

    It is the better one in three inner folds, on features scaled as in the run. Data sets that are there already are
    left as they are.
    """
    path = pieces.folder / CHOICES
    rows = pd.read_csv(path).to_dict("records") if path.is_file() else []
    there = {row["dataset"] for row in rows}
    among = {
        study.family: {name: entry for name, entry in study.predictors.items() if name in PREDICTORS}
        for study in protocol.studies().values()
    }
    models = {name: registry.make_entry(name, entry) for of in among.values() for name, entry in of.items()}
    measures = list(protocol.shared["search"]["tuned"])
    for name in (name for name in names or protocol.datasets if name not in there):
        data = load_dataset(name)
        for fold, split in folds_of(protocol, data).items():
            X = normalise(data, split, choose_scaling(data, split)).train
            values = {label: inner(model, X, data.Y[split.train], measures) for label, model in models.items()}
            for family, measure in product(among, measures):
                best = max(among[family], key=lambda one: (round(values[one][measure], 9), one == MAIN))
                rows.append({"family": family, "dataset": name, "fold": fold, "measure": measure, "predictor": best})
        chosen = Counter(row["predictor"] for row in rows if row["dataset"] == name)
        print(f"{name:26}", *(f"{number} x {label}" for label, number in chosen.most_common()), flush=True)
        rows.sort(key=lambda row: protocol.datasets.index(row["dataset"]))
        with replacing(path) as temporary:
            pd.DataFrame(rows).to_csv(temporary, index=False)


def inner(model: Any, X: Any, labels: Any, measures: list[str]) -> dict[str, float]:
    """Return the measures of a predictor on rows that inner folds leave out."""

    def scores_of(fitted: Any, rows: Any) -> FloatArray:
        return fitted.predict_scores(rows) if hasattr(fitted, "predict_scores") else fitted.predict(rows)

    scores = fold_predictions(model, X, labels.astype(float), scores_of)
    found = {}
    for measure in measures:
        name, _, rule = measure.partition("@")
        given = Decision.from_scores(rule, name, scores, labels).apply(scores) if rule else scores
        found[measure] = evaluate(name, labels, given, **({} if rule else {"ties": "expected"}))
    return found


def speed(protocol: Protocol, names: list[str]) -> None:
    """Write the processor seconds of fit and prediction, and the size of the model, reduced and not.

    Of the first method of each family with ridge regression, and of a random projection, on the first fold of each data
    set. Seconds are the least of two. Other data sets than those named are left as they are.
    """
    warnings.simplefilter("ignore")
    study = protocol.studies()[f"{BENCHMARK}selectors"]
    models = {
        name: registry.make_entry(name, study.predictors[name]) for name in study.predictors if name in PREDICTORS
    }
    rows = []
    for name in names or protocol.datasets:
        data = load_dataset(name)
        split = folds_of(protocol, data, 1)[0]
        train, test, *_ = normalise(data, split, choose_scaling(data, split))
        for family, method, size, model in timed_models(models, train.shape[1], data.Y.shape[1]):
            for label, made in model.items():
                whole, alone = zip(*(seconds_of(made, train, data.Y[split.train], test) for _ in range(2)), strict=True)
                joblib.dump(made, buffer := BytesIO())
                rows.append((name, family, method, label, size, min(whole), min(alone), len(buffer.getvalue()) / 1e6))
        print(f"{name:26}{sum(row[5] for row in rows if row[0] == name):8.2f} s", flush=True)
    columns = ["dataset", "family", "method", "predictor", "size", "seconds", "predict", "megabytes"]
    SPEED.parent.mkdir(exist_ok=True)
    measured = pd.DataFrame(rows, columns=columns)
    if SPEED.is_file():
        others = pd.read_csv(SPEED)
        measured = pd.concat([others[~others["dataset"].isin(measured["dataset"])], measured])
    measured.to_csv(SPEED, index=False, float_format="%.4g")


def timed_models(models: dict[str, Any], columns: int, labels: int) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """Yield family, method, number (0: nothing reduced), and models by predictor, for data of a shape."""
    for family, noun in NOUNS.items():
        main, *_ = rankings_with(update_evidence.SCORES, family, "average-precision")
        first = next(one for one in main.ranking.table.index if one not in CONTROLS)
        coders = family == "labelspace"
        whole = {name: CodedClassifier(mlreduce.make("br"), clone(model)) if coders else clone(model)
                 for name, model in models.items() if not coders or isinstance(model, RegressorMixin)}  # fmt: skip
        yield family, WHOLE[family], 0, whole
        for method in (first, *(["random-projection"] if noun == "projection" else [])):
            for size in (size for size in TIMED if size < (labels if coders else columns)):
                given = {"k": size} if family == "selection" else {"n_components": size}
                yield (
                    family,
                    method,
                    size,
                    {
                        name: CodedClassifier(mlreduce.make(method, **given), clone(models[name]))
                        if coders
                        else make_pipeline(mlreduce.make(method, **given), clone(models[name]))
                        for name in whole
                    },
                )


def seconds_of(model: Any, X: Any, labels: Any, rows: Any) -> tuple[float, float]:
    """Return the processor seconds of fit and prediction together, and of a prediction alone."""
    start = time.process_time()
    model.fit(X, labels)
    fitted = time.process_time()
    model.predict(rows)
    return time.process_time() - start, time.process_time() - fitted


def answer() -> None:
    """Write what the pieces say, and how good advice is on data sets that are left out."""
    RESULTS.mkdir(exist_ok=True)
    advice().to_csv(HELD_OUT, index=False, float_format="%.4g")
    write_text(ANSWERS, json.dumps(answered(), indent=1, default=float) + "\n")
    for name, drawn in figures().items():
        save(drawn, [RESULTS / f"{name}.svg"])


def advice() -> pd.DataFrame:
    """Return how often the first three methods contain one near the best of a data set left out, by kind of advice.

    A row per family, measure, predictor, defaults or tuned, what is left out (a data set, or its group), and whether
    controls may be advised and be the best.
    """
    rows = []
    for family, study in update_evidence.SCORES.studies.items():
        for one in rankings(update_evidence.SCORES, family):
            by_kind = {
                (left, out): update_evidence.held_out(family, one, out, with_related=left == "group")
                for left, out in product(("data set", "group"), ((), CONTROLS))
            }
            weighted = advice_pays(by_kind["group", ()])
            for (left_out, controls), advised in by_kind.items():
                row = {"study": study.name, "measure": one.measure, "predictor": one.predictor, "tuned": one.tuned}
                row |= {"data_sets": len(advised), "left_out": left_out, "controls": not controls, **rates(advised)}
                row |= {"unreduced": np.nan if controls else share_unreduced(family, one)}
                rows.append(row | {"advice": "weighted" if weighted else "fixed"})
    return pd.DataFrame(rows)


def share_unreduced(family: str, one: StudyRanking) -> float:
    """Return on which share of the data sets nothing reduced is as good as the best, within the margin, over sizes."""
    means = one.ranking.by_set["mean"] * (1 if higher_is_better(one.measure) else -1)
    return float(((means[WHOLE[family]] - means.max(axis=1)).round(DECIMALS) >= -MARGIN).mean())


def orders() -> dict[str, tuple[str, dict[str, float]]]:
    """Return the average ranks of the methods of each paper, by what is reduced.

    As printed where the paper prints values of three methods or more that the benchmark has; otherwise in our run of
    the paper's protocol, over all that it compares.
    """
    studies, by_paper = update_evidence.SCORES.studies, {}
    there = {family: {*update_evidence.names_in(study.name)[0].values()} for family, study in studies.items()}
    for name in (study for study in update_evidence.studies() if study in study_files(PROJECT, [PAPERS])):
        family = update_evidence.study_of(name).family
        sources = [("printed", table) for table in printed_ranks(name)]
        sources += [("our run", rank) for rank in average_ranks(name)]
        sources.sort(key=lambda source: len(there[family] & {*source[1].index}) < update_evidence.FEWEST)
        for how, order in sources[:1]:
            by_paper[f"{name}, {how}"] = family, {str(method): float(value) for method, value in order.items()}
    return by_paper


def average_ranks(name: str) -> list[pd.Series]:
    """Return the average ranks of the methods of a study by protocol, over predictors that have the same methods."""
    by_protocol: dict[tuple[str, frozenset[str]], list[pd.Series]] = {}
    for one in update_evidence.studied(name):
        by_protocol.setdefault((one.protocol, frozenset(one.labels)), []).append(one.ranking.table["rank"])
    return [pd.concat(ranks, axis=1).mean(axis=1).round(9) for ranks in by_protocol.values()]  # equal ones stay equal


def printed_ranks(name: str) -> list[pd.Series]:
    """Return the average ranks of the methods in each printed table of a paper that has values by size."""
    study, (names, _) = update_evidence.study_of(name), update_evidence.names_in(name)
    if study.published is None:
        return []
    rows, rankings = pd.read_csv(study.published), []
    for table, part in rows.groupby("table") if "size_percent" in rows else ():
        cells = part.rename(columns={"size_percent": "size", "mean": "value"})[["dataset", "method", "size", "value"]]
        cells["method"] = cells["method"].map(lambda label: names.get(label, label))
        measure = {**study.tables, **study.figures}[str(table)]["measure"]
        complete = cells.dropna().groupby("dataset")["method"].transform("nunique") == cells["method"].nunique()
        if complete.any():
            rankings.append(rank(cells.dropna()[complete], higher_is_better(measure)).table["rank"])
    return rankings


def evidence_of() -> Evidence:
    """Return the scores as the answers read them."""
    described = pd.read_csv(PROJECT / SETS)
    timed = pd.read_csv(SPEED) if SPEED.is_file() else None
    return Evidence(update_evidence.SCORES, described, update_evidence.GROUPS, orders(), timed)


def answered() -> dict[str, dict[str, dict[str, Any]]]:
    """Return by question and measure the sentences, numbers and table of the answer."""
    return {
        question: {
            name: {"sentences": own.sentences, "numbers": own.numbers, "table": own.table} for name, own in by.items()
        }
        for question, by in answers(evidence_of(), update_evidence.SCORES.measures).items()
    }


def figures() -> dict[str, Any]:
    """Return pictures by the first measure: what reduction brings against seconds, and the rankings of each family."""
    measure, *_ = update_evidence.SCORES.measures
    drawn = {"gains": draw_gains(evidence_of(), measure)}
    for family, name in FAMILIES.items():
        main, *_ = rankings_with(update_evidence.SCORES, family, measure)
        with house_style():
            caption = f"{NOUNS[family]}s with their defaults and {PREDICTORS[main.predictor]}"
            drawn[name] = draw_ranking(main.ranking, {one: one for one in main.ranking.table.index}, measure, caption)
    return drawn


def held_out() -> list[str]:
    """Return a table of advice where a group of data sets is left out, by the first measure, in Markdown."""
    table, rows = pd.read_csv(HELD_OUT), []
    shown = table["controls"] & (table["left_out"] == "group")
    for row in table[shown & (table["measure"] == update_evidence.SCORES.measures[0])].itertuples():
        rows.append(
            [row.study.removeprefix(BENCHMARK), PREDICTORS[row.predictor], "tuned" if row.tuned else "defaults"]
        )
        rows[-1] += [f"{row.fixed:.2f} ({row.fixed_low:.2f} to {row.fixed_high:.2f})"]
        rows[-1] += [f"{row.random:.2f}", f"{row.unreduced:.2f}"]
    header = ["family", "predictor", "parameters", "first three", "any three", "nothing reduced"]
    return to_markdown(header, rows).splitlines()


def texts_of(protocol: Protocol) -> dict[Path, str]:
    """Return the pages of the benchmark with their generated parts written anew, and their tables."""
    study, *_ = protocol.studies().values()
    sets, groups = [], update_evidence.GROUPS
    for name in protocol.datasets:
        own = shape_of(study, protocol.catalogue[name])
        sets.append((name, own.rows, own.columns, own.labels, own.train, groups.get(name, "")))
    tables = {
        "data-sets": pd.DataFrame(sets, columns=["data set", "rows", "features", "labels", "training rows", "group"]),
        "left-out": pd.DataFrame(protocol.shared["excluded"].items(), columns=["left out", "why"]),
        "reversed": reversed_answers(),
        **answer_tables(),
    }
    changed = tables["reversed"].drop(columns="version 2")
    texts = {RESULTS / f"{name}.csv": table.to_csv(index=False, float_format="%.4g") for name, table in tables.items()}
    parts = {
        PAGE: {
            "run": progress(protocol, Pieces(protocol)),
            "answers": said(tables),
            "effects": effects_of(tables),
            "held-out": held_out(),
        },
        WITHDRAWN: {"reversed": to_markdown([*changed], changed.to_numpy()).splitlines()},
    }
    for path, blocks in parts.items():
        texts[path] = path.read_text(encoding="utf-8")
        for name, lines in blocks.items():
            texts[path] = fill_block(texts[path], f"benchmark {name}", lines)
    return texts


def reversed_answers() -> pd.DataFrame:
    """Return what version 1 answered next to what version 2 does, with the word that follows."""
    fewer, codes, _, _, tuned, _, orders, sets = (next(iter(by.values()))["numbers"] for by in known_answers().values())

    def best(effects: dict[str, Any], family: str, predictor: str) -> tuple[str, str]:
        """Return the largest effect of a family for a predictor as text, and its word."""
        of = {place: own for place, own in effects.items() if place.startswith(f"{family}, {predictor}, ")}
        place = max(of, key=lambda one: of[one]["mean"])
        text = f"at best {Effect(**of[place])} with {place.rpartition(', ')[2]}: {of[place]['word']}"
        return text, of[place]["word"]

    firsts = {family: evidence.choices(family).first for family in NOUNS}
    neighbours = {family: evidence.choices(family, evidence.Wanted("ml-knn")).first for family in NOUNS}

    def near(choices: dict[str, evidence.Ranking]) -> str:
        return ", ".join(f"{one.method} {one.near:.2f} ({NOUNS[family]}s)" for family, one in choices.items())

    ridge = [best(fewer["effects"], family, "ridge") for family in ("selection", "projection")]
    three = [best(fewer["effects"], family, "ml-knn") for family in ("selection", "projection")]
    of_codes, near_codes = (best(codes["effects"], "labelspace", name) for name in ("ridge", "k-nn"))
    used = {name: next(one for one in evidence.foremost(family) if one.method == name)
            for name, family in (("wmlda", "projection"), ("hsl1", "projection"), ("faie", "labelspace"))}  # fmt: skip
    words = Counter(own["word"] for place, own in orders.items() if place.endswith(", ridge"))
    needed = ", ".join(
        f"{own['needed']} ({place.partition(',')[0]}s)" for place, own in sets.items() if "ridge" in place
    )
    rows = [
        ["Which method is first?", "nothing reduced, in all resamples, over all predictors",
         f"with ridge regression {near(firsts)}; with neighbours {near(neighbours)}",
         "holds" if all(one.method in WHOLE.values() for one in (*firsts.values(), *neighbours.values()))
         else "holds with ridge regression alone" if all(one.method in WHOLE.values() for one in firsts.values())
         else "reversed"],
        ["Do fewer features help ridge regression?", "no", "; ".join(text for text, _ in ridge),
         "reversed" if any(word == "helps" for _, word in ridge) else "holds"],
        ["Do fewer features help neighbours?", "selectors hardly, projections by 0.09 and more (three neighbours)",
         "; ".join(text for text, _ in three) + " (their number chosen)",
         _LEFT.get(three[1][1], "not shown")],
        ["Do codes help ridge regression?", "no", of_codes[0], "reversed" if of_codes[1] == "helps" else "holds"],
        ["Do codes help neighbours?", "yes, by 0.06 to 0.13 (three neighbours, ties as errors)", near_codes[0],
         _LEFT.get(near_codes[1], "not shown")],
        ["What to use?", "wmlda 0.58, hsl1 0.46, faie 0.40, tuned, over all predictors",
         ", ".join(f"{name} {one.near:.2f}" for name, one in used.items()) + ", defaults with ridge regression",
         "does not hold" if all(one.near < firsts[one.family].near for one in used.values()) else "holds"],
        ["Does tuning help?", "+0.006 for projections, undecided, on eight data sets",
         "; ".join(f"{place}: {Effect(**own)}" for place, own in tuned.items()) or "not run yet",
         "open" if not tuned else "reversed" if any(own["word"] == "helps" for own in tuned.values()) else "holds"],
        ["Which paper's order of methods is reproduced?", "six, and one is reversed",
         ", ".join(f"{word} {number}" for word, number in words.items()) + " (p below 0.05)",
         "holds" if words["reproduced"] == 6 else "weaker" if words["reproduced"] < 6 else "stronger"],
        ["How many data sets does a comparison need?", "80 (selectors), 10 (projections), 400 (coders)", needed,
         "recomputed"],
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["question", "version 1", "version 2", "the answer of version 1"])


def known_answers() -> dict[str, dict[str, dict[str, Any]]]:
    """Return what `answer` has written."""
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


def answer_tables() -> dict[str, pd.DataFrame]:
    """Return the table of each answer that has one, by all measures; effects with their intervals."""
    tables = {}
    for file, by in zip(_FILES, known_answers().values(), strict=True):
        parts = []
        for measure, own in by.items():
            header, rows = own["table"] or ([], [])
            if effects := own["numbers"].get("effects"):
                by_labels = {f"label coder, {place}": one for place, one in own["numbers"].get("by labels", {}).items()}
                header = ["reduced by", "predictor", "number", *Effect._fields]
                rows = [[*place.rsplit(", ", 2), *one.values()] for place, one in (effects | by_labels).items()]
            table = pd.DataFrame(rows, columns=header).replace({"reduced by": NOUNS, "predictor": PREDICTORS})
            table.insert(0, "measure", measure)
            parts.append(table)
        if len(table := pd.concat(parts)):
            tables[file] = table
    return tables


def effects_of(tables: dict[str, pd.DataFrame]) -> list[str]:
    """Return the effects on the first measure by number of features, directions or codes, in Markdown."""
    table = pd.concat([tables["features"], tables["labels"]]).astype({"number": int})
    shown = table["reduced by"].isin(NOUNS.values()) & (table["predictor"] != PREDICTORS[CHOSEN])
    table = table[shown & (table["measure"] == table["measure"].iloc[0])]
    numbers, rows = sorted(table["number"].unique()), []
    for place, part in table.groupby(["reduced by", "predictor"], sort=False):
        texts = {row.number: f"{row.mean:+.3f} {row.word}".removesuffix(" undecided") for row in part.itertuples()}
        rows.append([*place, *(texts.get(number, "") for number in numbers)])
    return to_markdown(["reduced by", "predictor", *map(str, numbers)], rows).splitlines()


def said(tables: dict[str, pd.DataFrame]) -> list[str]:
    """Return the answers by the first measure in Markdown, each with a link to its table, and what to use."""
    lines = []
    for file, (question, by) in zip(_FILES, known_answers().items(), strict=True):
        sentences = [one for one in next(iter(by.values()))["sentences"] if PREDICTORS[CHOSEN] not in one]
        link = f" [Table](benchmark/{file}.csv)." if file in tables else ""
        lines.append(f"- **{question}** {' '.join(sentences)}{link}")
    used = []
    for predictor in (MAIN, "ml-knn"):
        named = []
        for family, noun in NOUNS.items():
            first, (second, *_), _ = evidence.choices(family, evidence.Wanted(predictor))
            named.append(f"{noun}s: `{first.method}` {first.near:.2f}, `{second.method}` {second.near:.2f}")
        used.append(f"With {PREDICTORS[predictor]}, {'; '.join(named)}.")
    within = f"The first two of each family, with the probability of being within {MARGIN:g} of the best."
    return [*lines, f"- **What should I use?** {within} {' '.join(used)} [All](which-method.md#first-choices)."]


def progress(protocol: Protocol, pieces: Pieces) -> list[str]:
    """Return how much is run, how much failed, and what the controls are, in Markdown."""
    scores, of = update_evidence.SCORES, len(protocol.datasets)
    done = set.intersection(*(set(scores.datasets(family)) for family in NOUNS))
    tuned = ", ".join(f"{noun}s on {len(scores.datasets(family, tuned=True))}" for family, noun in NOUNS.items())
    numbers = Counter(
        registry.kind_of(name)
        for study in protocol.studies().values()
        for name in {*names_in(study)[0].values()} - {*CONTROLS}
        if not registry.is_import_path(name)
    )
    compared = ", ".join(
        f"{numbers[family]} {noun}s" for family, noun in (NOUNS | {"propagation": "propagation"}).items()
    )
    lines = [f"Compared are {compared}. With defaults they are run on {len(done)} of {of} data sets; tuned, {tuned}."]
    if not done:
        return lines
    measure, *_ = scores.measures
    tables = [scores.folds(family, measure) for family in NOUNS]
    cells = pd.concat([table[table["predictor"].isin(["ridge", "ml-knn", "k-nn"])] for table in tables])
    failed, warned = cells["value"].isna().mean(), (cells["warnings"].fillna("") != "").mean()
    lines += [
        f"Of {len(cells):,} values of {measure_label(measure)} {100 * failed:.1f} % failed, and {100 * warned:.1f} % "
        "have a warning."
    ]
    means = scores.cells("selection", measure).pivot_table(
        index=["predictor", "dataset"], columns="method", values="value", aggfunc="first"
    )
    found = []
    for predictor, own in means.drop(CHOSEN).groupby("predictor", sort=False):
        below = int((own["all-features"] < own[MAJORITY] - 1e-9).sum())
        found.append(f"{own['all-features'].mean():.3f} with {PREDICTORS[str(predictor)]} (lower on {below} sets)")
    frequencies = means[MAJORITY].groupby("dataset").first().mean()
    lines.append(f"Its mean with label frequencies is {frequencies:.3f}. On all features it is {', '.join(found)}.")
    return [" ".join(lines)]


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("plan", "folds", "run", "keep", "check", *ANSWERING))
    parser.add_argument("datasets", nargs="*", help="some of the data sets (default: all)")
    parser.add_argument("--version", type=int, choices=VERSIONS, default=2, help="of the benchmark (default: 2)")
    parser.add_argument("--candidates", type=int, help="of plan and run: only the searches with so many")
    parser.add_argument("--hours", type=float, default=24.0, help="after which nothing more is begun")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    own = parser.parse_args(arguments)
    if own.version == 1 and own.step in ANSWERING:
        parser.error(f"version 1 is withdrawn; {own.step} is of version 2: leave --version out")
    protocol = Protocol(PROJECT, os.environ.get("MLREDUCE_MIRROR"), own.version)
    try:
        names, pieces = protocol.check_datasets(own.datasets), Pieces(protocol)
        if own.step == "plan":
            print_plan(protocol, names, own.candidates)
        elif own.step == "folds":
            folds(protocol)
        elif own.step == "run":
            run(protocol, pieces, names, own.hours, own.cores, own.candidates)
        elif own.step == "keep":
            keep(protocol, pieces, names)
        elif own.step == "sets":
            describe(protocol)
        elif own.step == "predictors":
            predictors(protocol, pieces, names)
        elif own.step == "speed":
            speed(protocol, names)
        elif own.step == "answers":
            answer()
        elif own.step == "page":
            for path, text in texts_of(protocol).items():
                write_text(path, text)
        else:
            pieces.check()
            listed = pieces.listed()
            print(f"{len(listed)} pieces, {sum(piece.bytes for piece in listed) / 1e6:.1f} MB: as listed")
    except MLReduceError as error:
        sys.exit(f"reducebench: {error}")


if __name__ == "__main__":
    main()
