"""Numbers of mvmd-2016."""

from __future__ import annotations

from quoted import DEVIATIONS, Sentences, by_method, quote, quoted_on, rows

SUMMARY = "mvmd-2016/summary.csv.gz"


@quoted_on("papers/mvmd-2016/README.md")
def page() -> Sentences:
    scores = by_method(SUMMARY, ["dataset", "predictor"], measure="instance-f1", energy=0.999)
    yield quote(
        "MVMD is PCA at 0 and MDDM at 1, and for every balance below 1",
        given=max(scores.eval("abs(`mvmd-0.0` - pca)").max(), scores.eval("abs(`mvmd-1.0` - mddmp)").max()) < 1e-7,
    )
    methods = ["mvmd-0.5", "mddmp"]
    shares = by_method(SUMMARY, ["energy", "dataset"], measure="instance-f1", predictor="ridge", method=methods)
    near = shares.eval("abs(`mvmd-0.5` - mddmp) < 0.01").groupby("energy").sum()
    yield quote(
        "F1 at the balance of {} is within {} of MDDM's on {} of {} sets and views at t = {}, and on {} at t = "
        "{}, where MVMD keeps more directions",
        *(0.5, 0.01, near[0.9], len(shares.loc[0.9]), 0.9, near[0.999], 0.999),
        given=near[0.999] < near[0.9],
    )
    slower = by_method("mvmd-2016/times.csv", "dataset", "seconds", method=["mvmd", "mddmp"]).eval("mvmd > mddmp")
    yield quote("It is not faster: every fit decomposes a larger matrix than MDDM's", given=slower.mean() > 0.5)


@quoted_on(DEVIATIONS)
def penalty_and_directions() -> Sentences:
    cells = rows(SUMMARY, measure="instance-f1", energy=0.999).set_index("dataset")
    scene = cells.loc["scene"].query("method == 'cca'").set_index("predictor")["mean"]
    yield quote(
        "a penalty of 1 halves what CCA, MDDMf, MLSI, MLDA and DMLDA can say: F1 of CCA on scene is {:.2f}, with the "
        "relative penalty {:.2f}",
        *scene[["fixed-ridge", "ridge"]],
        given=scene["fixed-ridge"] < scene["ridge"] / 2,
    )
    place = {"measure": "instance-f1", "energy": 0.999, "predictor": "ridge"}
    needed = by_method(SUMMARY, "dataset", "size", **place, method=["pca", "mvmd"])
    yield quote(
        "At t = {} PCA needs more directions than MVMD on {} of {} sets and views (enron {:.0f} against {:.0f}); on "
        "birds both need {:.0f}",
        *(0.999, (needed["pca"] > needed["mvmd"]).sum(), len(needed), *needed.loc["enron", ["pca", "mvmd"]]),
        needed.loc["birds", "pca"],
        given=(needed["pca"] >= needed["mvmd"]).all() and needed.loc["birds"].nunique() == 1,
    )
