"""One addition of each kind to a copy of the project, in the files that CONTRIBUTING names and no others."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import yaml
from documents import pieces

STUDY = {
    "title": "A projection of mine (Doe, 2020)",
    "protocols": {"ten-fold": {"folds": 10}},
    "methods": {"projections": {"mvmd": {}}},
    "predictors": {"ridge": {}},
    "sizes": [20],
    "measures": ["micro-f1"],
    "tables": {"table1": {"caption": "Table 1", "measure": "micro-f1", "predictor": "ridge", "methods": ["mvmd"]}},
    "figures": {},
    "scales": {
        "demo": {"datasets": ["digits"], "splits": 2},
        "paper": {"datasets": ["emotions", "scene"], "splits": 10},
    },
}
CLAIM = {
    **{"id": "mine-at-least-a-half", "claim": "Its F1 is at least a half.", "where": "Section 5; Table 1"},
    **{"shown_in": ["table1"], "kind": "bound", "method": "mvmd", "quantity": "micro-f1", "at_least": 0.5},
    "wording": "every",
    "select": {"protocol": "ten-fold", "predictor": "ridge", "sizes": [20]},
}
PAGE = """\
# NAME: one table

Doe, "A projection of mine", 2020.

## What the paper says

<!-- headline: mine-at-least-a-half -->
A projection that keeps the variance of the features and their dependence on the labels has a good micro-averaged F1 on
two data sets, whatever the number of its directions is.

## Results

Its F1 is at least a half: <!-- verdict mine-at-least-a-half -->not run yet<!-- end -->.

<!-- claims NAME: begin -->

<!-- claims NAME: end -->
"""
#: Methods of the families of which the pages on writing a method print none: each is another by another name, and so
#: is its definition.
DERIVED = {
    "my-embedding": ("embedding", "scaling", "MDS", "mds"),
    "my-propagation": ("propagation", "ml_grf", "MLGRF", "ml_grf"),
    "my-predictor": ("predictors", "majority", "MajorityLabels", "majority_labels"),
}
FILES = {
    "src/mlreduce/metrics/prevalence.py": '''\
        """Share of the labels that are predicted."""

        from __future__ import annotations

        from mlreduce.metrics.counts import check_pair
        from mlreduce.metrics.measures import measure
        from mlreduce.metrics.outcome import Outcome


        @measure("micro-prevalence", label="prevalence", higher_is_better=False)
        def micro_prevalence(outcome: Outcome) -> float:
            """Return the fraction of label assignments that are predicted to be true."""
            check_pair(outcome.labels, outcome.predicted)
            return float(outcome.label_counts.predicted.sum() / outcome.n_known())
        ''',
    "src/mlreduce_studies/tables/means.py": '''\
        """Table of the means of a measure over everything else."""

        from __future__ import annotations

        from collections.abc import Iterator

        import pandas as pd

        from mlreduce_studies.options import MEASURE
        from mlreduce_studies.tables.kinds import Spec, table
        from mlreduce_studies.tables.layout import Part


        def means_parts(means: pd.DataFrame, spec: Spec) -> Iterator[Part]:
            """Lay the means out, one row per method."""
            rows = [[row["method"], f"{row['mean']:.3f}"] for row in means.to_dict("records")]
            yield "means", "over data sets and sizes", ["method", "mean"], rows


        @table("means", source="summary.csv", layout=means_parts, required={"measure": MEASURE}, note="Means.")
        def means_table(summary: pd.DataFrame, spec: Spec) -> pd.DataFrame:
            """Return the mean of each method."""
            rows = summary[(summary["measure"] == spec["measure"]) & summary["method"].isin(spec["methods"])]
            return rows.groupby("method")["mean"].mean().reset_index()
        ''',
    "src/mlreduce_studies/figures/bars.py": '''\
        """Figure of the means of a measure."""

        from __future__ import annotations

        from typing import Any

        import pandas as pd

        from mlreduce.plot.layout import panels
        from mlreduce_studies.figures.kinds import Spec, figure
        from mlreduce_studies.options import MEASURE


        @figure("bars", source="summary.csv", required={"measure": MEASURE})
        def bars(summary: pd.DataFrame, spec: Spec) -> Any:
            """Draw the mean of each method on each data set."""
            rows = summary[(summary["measure"] == spec["measure"]) & summary["method"].isin(spec["methods"])]
            drawn, axes = panels(sorted(rows["dataset"].unique()), spec["caption"])
            for dataset, axis in axes.items():
                means = rows[rows["dataset"] == dataset].groupby("method")["mean"].mean()
                axis.bar(means.index, means)
            return drawn
        ''',
    "leaderboard/my-pca.yaml": """\
        title: Principal component analysis (scikit-learn)
        family: projection
        class: sklearn.decomposition.PCA
        size: n_components
        packages: {scikit-learn: 1.9.1}
        entered_by: Doe
        reference: https://doi.org/10.1080/14786440109462720
        """,
}
DATA_SET = """
[datasets.my-data]
title = "Generated labels as in planted, of 200 instances"
domain = "generated"
reader = "planted"
parameters = { n_samples = 200, n_features = 20, n_labels = 6, n_latent = 3, n_distractors = 2, random_state = 0 }
licence = "generated, none"
citation = "mlreduce.datasets.embedded.planted"
"""


def add_paper(project: Path, claims=(CLAIM,), name: str = "mine-2020", study=STUDY) -> Path:
    """Add a paper and return its page; without claims it has no file of them, and its page names none."""
    folder = project / "papers" / name
    folder.mkdir()
    (folder / "study.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    page = PAGE.replace("NAME", name)
    if claims:
        (folder / "claims.yaml").write_text(yaml.safe_dump(list(claims), sort_keys=False))
    else:
        page = re.sub(r"<!-- headline.*?-->\n|Its F1.*?\n\n", "", page, flags=re.DOTALL)
    (folder / "README.md").write_text(page)
    return folder / "README.md"


def add_methods(project: Path) -> list[str]:
    """Add a method of each family, a definition of each and a page of all, and return their names."""
    pages = (project / "docs" / "tutorial-researcher.md", project / "docs" / "add-method.md")
    blocks = {piece.file: piece.text for page in pages for piece in pieces(page) if piece.file}
    classes = {}
    for file, text in blocks.items():
        if file.endswith(".py"):
            (project / file).write_text(text)
        match = re.search(r'@register\("([\w-]+)".*\nclass (\w+)', text)
        if match:
            classes[match[1]] = match[2]
            add_to_stubs(project, Path(file).parent.name, Path(file).stem, match[2])
    for name, (family, module, base, definition) in DERIVED.items():
        classes[name] = name.title().replace("-", "")
        definitions = project / "tests" / "definitions"
        text = f'''\
            """Another name of {base}."""

            from __future__ import annotations

            from mlreduce.{family}.{module} import {base}
            from mlreduce.registry import register


            @register("{name}")
            class {classes[name]}({base}):
                """{base} by another name: to see what a method needs.

                References
                ----------
                Doe (2020), "A projection of mine".
                """
            '''
        file = name.replace("-", "_") + ".py"
        (project / "src" / "mlreduce" / family / file).write_text(dedent(text))
        add_to_stubs(project, family, Path(file).stem, classes[name])
        (definitions / file).write_text((definitions / f"{definition}.py").read_text())
    names = ("beta", "proximity", "smoothness", "label_smoothness", "label_similarity", "gamma", "decision", "measure")
    parameters = ", ".join(f"`{name}`" for name in names)
    lines = ["# Methods of mine", ""]
    for name, class_name in classes.items():
        lines += [
            f"`{name}`, class `{class_name}`.",
            "",
            "```python",
            "import mlreduce",
            f"mlreduce.{class_name}()",
            "```",
            "",
        ]
    (project / "docs" / "methods" / "mine.md").write_text("\n".join([*lines, f"Parameters: {parameters}.", ""]))
    return [*classes]


def add_to_stubs(project: Path, family: str, module: str, class_name: str) -> None:
    """Add the imports of a class to the stubs of the package and of its family."""
    package = project / "src" / "mlreduce"
    for stub, place in ((package, family), (package / family, module)):
        with (stub / "__init__.pyi").open("a", encoding="utf-8") as file:
            file.write(f"from .{place} import {class_name} as {class_name}\n")


def add_everything(project: Path) -> list[str]:
    """Add one of each kind that CONTRIBUTING names, and return the names of the methods."""
    methods = add_methods(project)
    for file, text in FILES.items():
        (project / file).write_text(dedent(text))
    with (project / "config" / "datasets.toml").open("a") as file:
        file.write(DATA_SET)
    add_paper(project)
    shown = {"measure": "micro-prevalence", "methods": ["mvmd", "my-projection"]}
    scale = {"datasets": ["my-data"], "splits": 2}
    added = {
        "methods": {"projections": {"mvmd": {}, "my-projection": {}}},
        "measures": ["micro-f1", "micro-prevalence"],
        "tables": {"table2": {"kind": "means", "caption": "Table 2", **shown}},
        "figures": {"figure1": {"kind": "bars", "caption": "Figure 1", **shown}},
        "scales": {"demo": scale, "paper": scale},
    }
    add_paper(project, (), "doe-2021", STUDY | added)
    figures = project / "tests" / "studies" / "test_figures.py"
    line = '    "bars": lambda: measured("bars", summary(SETS[:2], percents=(10,))),\n'
    figures.write_text(figures.read_text().replace("EVERY = {\n", "EVERY = {\n" + line))
    return methods
