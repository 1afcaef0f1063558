"""Experiments on what is not reproduced: tables of docs/deviations.md, one experiment a CSV in docs/deviations.

    make deviations                                           # all, an hour; or one of them:
    python benchmarks/deviations.py scene --splits 5 --mirror ../shared/mirror
    python benchmarks/deviations.py bibtex --splits 2

An existing table is completed: its rows are not computed again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.reuters import read_reuters
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.scores import percent_size
from mlreduce.evaluation.splitting import Split, random_orders, split_rows, take_splits
from mlreduce.evaluation.strategy import Measured
from mlreduce.linalg.kernels import gaussian_kernel, squared_distances
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics import evaluate
from mlreduce.predictors import LinearRegressor

FOLDER = Path(__file__).parents[1] / "docs" / "deviations"
PERCENTS = [20, 40, 60, 80, 100]
SEED = 2012


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def random_splits(data: MultiLabelData, number: int, fraction: float = 0.9) -> list[Split]:
    orders = random_orders(len(data.Y), number, SEED, data.name)
    return [split_rows(order, fraction) for order in orders]


def subset(data: MultiLabelData, rows=slice(None), columns=slice(None)) -> MultiLabelData:
    names = np.asarray(data.feature_names)[columns].tolist()
    return MultiLabelData(dense(data.X)[rows][:, columns], data.Y[rows], names, data.label_names, data.name)


# Table 4, scene: M5P trees are better than printed


def scene_leads(data: MultiLabelData, number: int) -> Iterator[tuple[str, dict, MultiLabelData, list[Split]]]:
    """Yield what may differ in the paper: a name, parameters of the trees, data and splits."""
    rows, half = np.arange(len(data.Y)), data.X.shape[1] // 2
    published = Split(rows[:1211], rows[1211:])
    yield "as here", {}, data, random_splits(data, number)
    yield "published training and test part as the split", {}, data, [published]
    yield "published parts the other way round", {}, data, [Split(published.test, published.train)]
    for name, part in (("training", published.train), ("test", published.test)):
        own = subset(data, rows=part)
        yield f"published {name} part alone, 90 % for training", {}, own, random_splits(own, number)
    twice = subset(data, rows=np.r_[rows, rows])
    yield "every row twice", {}, twice, random_splits(twice, max(1, number // 2))
    columns = np.arange(data.X.shape[1])
    for name, own in (
        ("first", columns[:half]),
        ("last", columns[half:]),
        ("even", columns[::2]),
        ("odd", columns[1::2]),
    ):
        part = subset(data, columns=own)
        yield f"{name} half of the features", {}, part, random_splits(part, number)
    # 49 blocks of a picture, a mean and a variance of three colour components each: 294 = 6 x 49.
    for first in range(0, data.X.shape[1], 49):
        part = subset(data, columns=np.delete(columns, slice(first, first + 49)))
        yield f"without features {first + 1} to {first + 49}", {}, part, random_splits(part, number)
    for first in range(0, data.X.shape[1], 98):
        own = columns[first : first + 98]
        for name, kept in (("only", own), ("without", np.setdiff1d(columns, own))):
            part = subset(data, columns=kept)
            yield f"{name} features {first + 1} to {first + 98}", {}, part, random_splits(part, number)
    for kept in (200, 210, 220, 230, 240, 250, 256):
        part = subset(data, columns=columns[:kept])
        yield f"first {kept} features", {}, part, random_splits(part, number)
    yield (
        "published training part alone, at least 40 rows a node",
        {"min_samples_split": 40},
        (own := subset(data, rows=published.train)),
        random_splits(own, number),
    )
    yield "published training part alone, no pruning", {"pruning": False}, own, random_splits(own, number)
    yield (
        "half the rows for training, at least 100 rows a node",
        {"min_samples_split": 100},
        data,
        [Split(split.train[: len(split.train) // 2], split.test) for split in random_splits(data, number)],
    )


def losses_of_trees(data: MultiLabelData, splits: list[Split], trees: dict) -> pd.DataFrame:
    """Return Hamming losses per method, percentage and split."""
    methods, numbered = {"plst": {}, "cplst": {}}, dict(enumerate(splits))
    strategy = LabelSpaceStrategy(data, seed=SEED)
    fitted = dict(strategy.fit(numbered, methods))
    return strategy.score(numbered, fitted, methods, ("m5p", trees), Measured(["hamming-loss"], PERCENTS))


def scene(options: argparse.Namespace) -> None:
    """What may differ in the paper, each on a few splits."""
    table = Table("table4-scene.csv", ["lead"])
    data = mlreduce.load_dataset("scene", mirror=options.mirror)
    for lead, trees, own, splits in scene_leads(data, options.splits):
        if not table.has(lead):
            table.add({"lead": lead, **cell} for cell in cells_of_scene(own, splits, trees))


def scene_features(options: argparse.Namespace) -> None:
    """The lead that is nearest, the first of the features only, on as many splits as the paper has."""
    table = Table("table4-scene-features.csv", ["features"])
    data = mlreduce.load_dataset("scene", mirror=options.mirror)
    for kept in (196, 200):
        if not table.has(kept):
            own = subset(data, columns=np.arange(kept))
            table.add({"features": kept, **cell} for cell in cells_of_scene(own, random_splits(own, 100), {}))


def cells_of_scene(data: MultiLabelData, splits: list[Split], trees: dict) -> Iterator[dict]:
    """Yield mean and standard error of each cell, beside the printed number."""
    printed = printed_of("table4", "scene")
    scores = losses_of_trees(data, splits, trees)
    cells = scores.groupby(["method", "size_percent"])["value"].agg(["mean", "sem", "size"]).reset_index()
    for cell in cells.to_dict("records"):
        yield {
            "splits": int(cell["size"]),
            "method": cell["method"],
            "size_percent": cell["size_percent"],
            "mean": cell["mean"],
            "se": cell["sem"],
            "printed": printed[cell["method"], cell["size_percent"]],
        }


# Table 5, bibtex: PLST with kernel ridge regression has the loss of predicting no label


def kernel_losses(data: MultiLabelData, split: Split, gamma: float, alphas: list[float]) -> Iterator[dict]:
    """Yield Hamming losses of PLST with kernel ridge regression, from one eigendecomposition of the kernel."""
    train, test = data.X[split.train], data.X[split.test]
    kernel = gaussian_kernel(squared_distances(train, train), gamma)
    across = gaussian_kernel(squared_distances(test, train), gamma)
    values, vectors = np.linalg.eigh(kernel)
    mean = data.Y[split.train].mean(axis=0)
    centred = data.Y[split.train] - mean
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1]
    rotated, projected = across @ vectors, vectors.T @ centred
    for alpha in alphas:
        guess = rotated @ (projected / (np.maximum(values, 0.0) + alpha)[:, np.newaxis])
        for percent in PERCENTS:
            kept = directions[:, : max(1, percent * data.Y.shape[1] // 100)]
            predicted = above_half(guess @ kept @ kept.T + mean)
            yield {
                "log2_alpha": int(np.log2(alpha)),
                "size_percent": percent,
                "loss": float(np.mean(predicted != data.Y[split.test])),
            }


def bibtex(options: argparse.Namespace) -> None:
    """Losses of PLST at every width and penalty: which would give the printed rows of bibtex, medical and enron."""
    table = Table("table5-plst.csv", ["dataset", "split", "log2_gamma"])
    alphas = [2.0**power for power in range(-14, 9, 2)]
    for name in ("medical", "enron", "bibtex"):
        data, printed = mlreduce.load_dataset(name, mirror=options.mirror), printed_of("table5", name)
        for number, split in enumerate(random_splits(data, 1 if name == "bibtex" else options.splits)):
            for power in range(-12, 4, 1 if name != "bibtex" else 2):
                if table.has(name, number, power):
                    continue
                empty = float(data.Y[split.test].mean())
                table.add(
                    {
                        **{"dataset": name, "split": number, "log2_gamma": power, **cell},
                        **{"printed": printed["plst", cell["size_percent"]], "no_label": empty},
                    }
                    for cell in kernel_losses(data, split, 2.0**power, alphas)
                )


def narrow_kernels(options: argparse.Namespace) -> None:
    """The width of which medical's and enron's printed rows of PLST are, on as many splits as the paper has."""
    table = Table("table5-plst-width.csv", ["dataset", "log2_gamma"])
    for name, power in (("medical", -4), ("enron", -4), ("medical", -5), ("enron", -5)):
        if table.has(name, power):
            continue
        data, printed = mlreduce.load_dataset(name, mirror=options.mirror), printed_of("table5", name)
        cells = [
            cell
            for split in random_splits(data, 100)
            for cell in kernel_losses(data, split, 2.0**power, [2.0**-10, 2.0**-8, 2.0**-6])
        ]
        found = pd.DataFrame(cells).groupby(["log2_alpha", "size_percent"])["loss"].agg(["mean", "sem", "size"])
        table.add(
            {
                "dataset": name,
                "log2_gamma": power,
                "log2_alpha": alpha,
                "size_percent": percent,
                "splits": int(cell["size"]),
                "mean": cell["mean"],
                "se": cell["sem"],
                "printed": printed["plst", percent],
            }
            for (alpha, percent), cell in found.iterrows()
        )


# Table II of qpfs-lowrank-2016: ratios of times and of what is computed


def pmu_informations(options: argparse.Namespace) -> None:
    """How many informations the methods of Table II need, and the printed ratios of times."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    informations().to_csv(FOLDER / "pmu-informations.csv", index=False, float_format="%.3g")


def informations() -> pd.DataFrame:
    """Return how many informations of pairs and triples of variables the methods of Table II need on its data sets.

    With d features, q labels and a fifth of the features sampled, s:

    - all: d q, each feature with each label;
    - PMU, which ranks all features: also d (d - 1) / 2 q of two features and a label and d q (q - 1) / 2 of a feature
      and two labels;
    - QPFS: also d (d + 1) / 2, each feature with each and with itself;
    - the approximation: also s d, each sampled feature with each.

    And how many entropies they compute where each is computed by itself, H(f), H(l) and H(f, l) once:

    - PMU as the program of its laboratory does it, for the first 50 features: H(l, l') and H(f, l, l') once, and for
      each pair of a selected feature, but the last, and any feature H(f, s) and H(f, s, l) for each label;
    - the approximation: H(f, s) of each pair with a sampled feature.
    """
    sizes = pd.read_csv(Path(__file__).parents[1] / "results" / "reference" / "qpfs-lowrank-2016" / "datasets.csv")
    printed = pd.read_csv(Path(__file__).parents[1] / "papers" / "qpfs-lowrank-2016" / "published.csv").pivot(
        index="dataset", columns="method", values="seconds"
    )
    rows = []
    for cell in sizes.to_dict("records"):
        d, q = cell["features"], cell["labels"]
        relevance = d * q
        pmu = relevance + d * (d - 1) // 2 * q + d * (q * (q - 1) // 2)
        qpfs = relevance + d * (d + 1) // 2
        approximated = relevance + percent_size(20, d) * d
        seconds = printed.loc[cell["dataset"]]
        once, pairs, s, k = d + q + relevance, q * (q - 1) // 2, percent_size(20, d), min(50, d)
        program = once + pairs * (1 + d) + 2 * q * ((k - 1) * d - (k - 1) * (k - 2) // 2)
        sampled = once + s * d - s * (s + 1) // 2
        rows.append(
            {
                **{"dataset": cell["dataset"], "features": d, "labels": q},
                **{"pmu": pmu, "qpfs": qpfs, "qpfs_approx": approximated},
                **{"pmu_ratio": pmu / approximated, "qpfs_ratio": qpfs / approximated},
                "printed_pmu_time_ratio": seconds["pmu"] / seconds["qpfs-approx"],
                **{"pmu_entropies": program, "qpfs_approx_entropies": sampled, "entropies_ratio": program / sampled},
            }
        )
    return pd.DataFrame(rows)


# cssp-2013: the sampling of labels (Tables 6 to 8), and the area under the precision-recall curve (Table 4)


def ten_folds(data: MultiLabelData) -> dict[int, Split]:
    return take_splits(data.Y, {"folds": 10, "shuffle": False}, range(10), SEED, data.name)


def sampling(options: argparse.Namespace) -> None:
    """Sample a tenth of the labels on the training parts of ten folds, by leverage and uniformly."""
    table = Table("cssp-sampling.csv", ["dataset", "labels_centred", "probabilities"])
    for name in ("cal500", "corel5k", "delicious"):
        data = mlreduce.load_dataset(name, mirror=options.mirror)
        for centred in (False, True):
            parts = [
                data.Y[split.train] - data.Y[split.train].mean(axis=0) * centred for split in ten_folds(data).values()
            ]
            for probabilities in ("leverage", "uniform"):
                if table.has(name, centred, probabilities):
                    continue
                draws = pd.DataFrame(
                    sampled(Z, percent_size(10, Z.shape[1]), probabilities, 3, number) for number, Z in enumerate(parts)
                )
                place = {"dataset": name, "labels_centred": centred, "probabilities": probabilities}
                table.add(iter([place | draws.mean().to_dict() | {"trials_sd": draws["trials"].std()}]))


def sampled(Z: np.ndarray, size: int, probabilities: str, draws: int, seed: int) -> dict[str, float]:
    """Return means over draws of what the paper prints of its algorithm 1."""
    rng, gram = np.random.default_rng(seed), Z.T @ Z
    values, vectors = np.linalg.eigh(gram)
    leading = vectors[:, -size:].T
    weights = (
        np.square(leading).sum(axis=0) / size if probabilities == "leverage" else np.full(len(gram), 1 / len(gram))
    )
    best = np.sqrt(values[:-size].clip(0).sum())
    found = []
    for _ in range(draws):
        chosen: dict[int, None] = {}
        trials = 0
        while len(chosen) < size:
            chosen[int(rng.choice(len(gram), p=weights / weights.sum()))] = None
            trials += 1
        columns = list(chosen)
        basis = np.linalg.qr(Z[:, columns])[0]
        ratio = np.linalg.norm(Z - basis @ (basis.T @ Z)) / best
        found.append((trials, ratio, np.linalg.matrix_rank(leading[:, columns]) == size))
    trials, ratio, full = np.mean(found, axis=0)
    return {"k": size, "k_log_k": size * np.log(size), "trials": trials, "ratio": ratio, "full_rank": full}


def auprc(options: argparse.Namespace) -> None:
    """Compute the area under the precision-recall curve in other ways than the measure micro-auprc."""
    table = Table("cssp-auprc.csv", ["dataset", "method"])
    for name in ("cal500", "corel5k"):
        data = mlreduce.load_dataset(name, mirror=options.mirror)
        for method in ("cssp", "plst", "cplst", "br"):
            if not table.has(name, method):
                areas = [areas_of(data, split, method) for split in ten_folds(data).values()]
                table.add(iter([{"dataset": name, "method": method} | pd.DataFrame(areas).mean().to_dict()]))


def areas_of(data: MultiLabelData, split: Split, method: str) -> dict[str, float]:
    coder = mlreduce.make(method, **({} if method == "br" else {"n_components": "10%"}))
    if method == "cssp":
        coder.set_params(random_state=0)
    X, Y, truth = dense(data.X), data.Y, data.Y[split.test]
    codes = coder.fit(X[split.train], Y[split.train]).encode(Y[split.train])
    predicted = LinearRegressor(rcond=1e-10).fit(X[split.train], codes).predict(X[split.test])
    scores = coder.scores(coder.reconstruct(predicted), codes.shape[1])
    areas = {"all_thresholds": evaluate("micro-auprc", truth, scores)}
    for steps in (10, 100):  # by trapezoids, from the largest recall to that at threshold 1
        above = [scores > threshold for threshold in np.linspace(0, 1, steps + 1)]
        hits, all_of = (np.array([(own & other).sum() for own in above]) for other in (truth == 1, True))
        areas[f"thresholds_{steps}"] = -np.trapezoid(hits / np.maximum(all_of, 1), hits / truth.sum())
    own = truth.any(axis=0)
    areas["per_label"] = average_precision_score(truth[:, own], scores[:, own], average="macro")
    own = truth.any(axis=1)
    areas["per_instance"] = average_precision_score(truth[own], scores[own], average="samples")
    return areas


# Data: the articles of mope-mesd-2012, ranks in cplst-2012, the order of the rows in cssp-2013


def reuters(options: argparse.Namespace) -> None:
    """Count the articles that rules of selection keep, and their terms by the number of articles they are in."""
    table = Table("mope-reuters.csv", ["rule", "tokens"])
    paths = sorted((Path(options.mirror) / "reuters21578").glob("reut2-*.sgm"))
    modapte = {"marks": ["YES"], "splits": ["TRAIN", "TEST"]}
    rules = {
        "ModApte split": modapte,
        "ModApte split, once per category": modapte | {"copies": True},
        "TOPICS=YES": {"marks": ["YES"]},
        "all": {},
    }
    for rule, parameters in rules.items():
        for tokens in ("spaced", "alphanumeric") if rule == "ModApte split" else ("spaced",):
            if not table.has(rule, tokens):
                data = read_reuters(paths, {"top": 10}, **parameters, tokens=tokens)
                topics, of_a_row = data.Y.sum(axis=0), data.Y.sum(axis=1)
                articles = (data.X > 0).sum(axis=0)
                found = {"articles": len(data.Y), "pairs": topics.sum(), "in_several": np.mean(of_a_row > 1)}
                found |= {"topics_of_400": (topics >= 400).sum()}
                found |= {f"terms_in_{least}": (articles >= least).sum() for least in range(1, 6)}
                table.add(iter([{"rule": rule, "tokens": tokens, **found}]))


def gaps(options: argparse.Namespace) -> None:
    """Find the ranks of the features of cplst-2012 with a column of ones, and the gaps in the spectra there."""
    table = Table("cplst-ranks.csv", ["dataset"])
    for name in ("emotions", "enron", "genbase", "medical", "scene", "yeast"):
        if not table.has(name):
            X = dense(mlreduce.load_dataset(name, mirror=options.mirror).X)
            spectrum = np.linalg.svd(np.column_stack([np.ones(len(X)), X]), compute_uv=False)
            rank = int((spectrum > 1e-10 * spectrum[0]).sum())
            below = spectrum[rank] if rank < len(spectrum) else 0.0
            shape = {"dataset": name, "instances": len(X), "features": X.shape[1], "rank": rank}
            table.add(iter([shape | {"smallest": spectrum[rank - 1] / spectrum[0], "next": below / spectrum[0]}]))


def neighbours(options: argparse.Namespace) -> None:
    """Count the labels that two neighbouring rows of corel5k share, and two rows at random."""
    table = Table("cssp-neighbours.csv", ["dataset"])
    for name in ("cal500", "corel5k", "delicious"):
        if not table.has(name):
            Y = mlreduce.load_dataset(name, mirror=options.mirror).Y.astype(float)
            pairs = (np.square(Y.sum(axis=0)) - Y.sum(axis=0)).sum() / (len(Y) * (len(Y) - 1))
            table.add(iter([{"dataset": name, "shared": (Y[1:] * Y[:-1]).sum(axis=1).mean(), "at_random": pairs}]))


# What experiments share


class Table:
    """Rows of a CSV, written after each lead; a file that is there is completed."""

    def __init__(self, name: str, keys: list[str]) -> None:
        self._path, self._keys = FOLDER / name, keys
        self._rows = pd.read_csv(self._path) if self._path.is_file() else pd.DataFrame(columns=keys)
        self._done = set(self._rows[keys].itertuples(index=False, name=None))

    def has(self, *key) -> bool:
        return key in self._done

    def add(self, rows: Iterator[dict]) -> None:
        new = pd.DataFrame(list(rows))
        self._rows = new if self._rows.empty else pd.concat([self._rows, new], ignore_index=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._rows.to_csv(self._path, index=False, float_format="%.6g")
        print(new.to_string(index=False), flush=True)


def printed_of(table: str, dataset: str) -> dict[tuple[str, int], float]:
    numbers = pd.read_csv(Path(__file__).parents[1] / "papers" / "cplst-2012" / "published.csv")
    own = numbers[(numbers["table"] == table) & (numbers["dataset"] == dataset)]
    return {(row.method, row.size_percent): row.mean for row in own.itertuples()}


EXPERIMENTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "scene": scene,
    "scene-features": scene_features,
    "bibtex": bibtex,
    "narrow-kernels": narrow_kernels,
    "pmu-informations": pmu_informations,
    "sampling": sampling,
    "auprc": auprc,
    "reuters": reuters,
    "gaps": gaps,
    "neighbours": neighbours,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", default=list(EXPERIMENTS), choices=list(EXPERIMENTS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    options = parser.parse_args()
    for name in options.experiments:
        EXPERIMENTS[name](options)


if __name__ == "__main__":
    main()
