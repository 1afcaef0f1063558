"""Update generated tables and quoted numbers of README.md and docs from results/reference: part of `make reference`."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
import update_evidence
from scipy.stats import norm

from mlreduce import registry
from mlreduce.configuration import read_yaml
from mlreduce.methods import evidence as methods_evidence
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.plot.figure import pyplot
from mlreduce.plot.layout import house_style, save
from mlreduce.stats.ranking import CONTROLS, MARGIN, WHOLE, Ranking, one_variant, rank
from mlreduce.stats.tendency import signed_rank
from mlreduce_studies.benchmark.answers import PREDICTORS
from mlreduce_studies.gathering.rankings import MAIN, sized_cells
from mlreduce_studies.site.description import says_and_headline
from mlreduce_studies.site.reasons import Pair, telling_pair
from mlreduce_studies.site.writing import brief
from mlreduce_studies.study import PAPERS, study_files
from mlreduce_studies.tables.layout import to_markdown
from mlreduce_studies.verdicts.audit import REPRODUCED, audit_sentences, beside_printed, sums_by_protocol
from mlreduce_studies.verdicts.columns import CLASSES, SUMMARY, summary_counts
from mlreduce_studies.verdicts.judging import _MORE_DATASETS, _MORE_SPLITS, LEVEL
from mlreduce_studies.verdicts.reading import Claim, read_claims
from mlreduce_studies.verdicts.sensitivity import Variant, stays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROJECT = Path(__file__).parents[1]
REFERENCE = PROJECT / "results" / "reference"
RETROSPECTIVE = PROJECT / "results" / "retrospective"
STUDIES = study_files(PROJECT, [PAPERS])
#: The items of each paper, and where they are.
COVERAGE = PROJECT / PAPERS / "coverage.yaml"
PAGES = (
    PROJECT / "README.md",
    *(
        PROJECT / "docs" / name
        for name in (
            *("papers.md", "deviations.md", "questions.md", "which-method.md", "peers.md", "verdicts.md"),
            *("benchmark.md", "scale.md", "coverage.md"),
        )
    ),
    *(file.with_name("README.md") for file in STUDIES.values()),
)
#: The entry in place of missing results.
NOT_RUN = "not run yet"
PICTURE = PROJECT / "docs" / "verdicts" / "claims.png"
#: Families in the opening picture and text.
OPENING = {"Mix features": "projection", "Keep some features": "selection", "Have fewer labels": "labelspace"}
#: Predictors of which a ranking is shown, in words.
#: Verdicts and their colours, in the order in which they are counted.
SHADES = dict(zip(SUMMARY, ("#009E73", "#D55E00", "#c8c8c8", "#E69F00", "#56B4E9", "#CC79A7", "#ededed"), strict=True))
#: What is drawn of confirmed claims that say little.
LITTLE = "confirmed, says little"
#: The verdicts of the edition as it was frozen, before the amendment of 2026-11-28.
AS_FROZEN = PROJECT / "docs" / "verdicts" / "as-frozen.csv"


def claims_in(file: Path) -> pd.DataFrame:
    """Return claims with their verdicts; those of the retrospective edition had fewer columns."""
    claims = pd.read_csv(file)
    if "own" not in claims:
        claims = claims.assign(own=False, group=claims["id"])
    return claims.replace({"verdict": {"unchecked": "cannot be checked"}})


def count_verdicts(study: str) -> dict[str, int]:
    """Return how many claims of a paper have which verdict; what was not run or cannot be checked is not judged."""
    return summary_counts(claims_in(REFERENCE / study / "claims.csv"))


def headline_claims() -> pd.DataFrame:
    """Return the claim that each paper's page names as its headline, with the paper as ``study``."""
    rows = []
    for name, path in STUDIES.items():
        if is_run(name):
            _, headline = says_and_headline(path.with_name("README.md"))
            claims = claims_in(REFERENCE / name / "claims.csv")
            rows.append(claims[claims["id"] == headline].assign(study=name))
    return pd.concat(rows, ignore_index=True)


def papers_claims() -> pd.DataFrame:
    """Return the claims of all papers, with the paper as ``study`` and without questions and readings of ours."""
    tables = [claims_in(REFERENCE / study / "claims.csv").assign(study=study) for study in committed_claims()]
    claims = pd.concat(tables, ignore_index=True)
    return claims[~claims["own"].astype(bool)].fillna({"weakness": ""})


def select_weak(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the confirmed claims that say little."""
    return claims[(claims["verdict"] == "confirmed") & (claims["weakness"].fillna("") != "")]


def committed_claims() -> dict[str, dict[str, int]]:
    """Return how many claims of each paper with committed results have which verdict."""
    by_study = {file.parent.name: count_verdicts(file.parent.name) for file in sorted(REFERENCE.glob("*/claims.csv"))}
    return {study: counts for study, counts in by_study.items() if any(counts.values())}


def draw_claims(path: Path) -> None:
    """Draw how many claims of each paper have which verdict, and what is near the best in each family."""
    with house_style():
        figure, (headline, axis, proofs, other) = pyplot().subplots(
            1, 4, figsize=(12.4, 3.9), layout="constrained", facecolor="white", width_ratios=[0.22, 1, 0.5, 1.1]
        )
        draw_verdicts(headline, axis, proofs)
        place = 0.0
        for case, family in OPENING.items():
            first, then, controls = methods_evidence.choices(family)
            other.text(0, place, case, fontsize=8.5, va="center", fontweight="bold")
            shown = {one.method: one for one in (first, *then[:2], *controls)}.values()
            for step, one in enumerate(shown, 1):
                bar = other.barh(place + step, one.near, color="#8a8f98" if one in controls else "#0072B2", height=0.7)
                known = describe_choice(one)
                name = f"{one.method} ({known})" if known else one.method
                other.bar_label(bar, [f" {one.near:.2f}  {name}"], fontsize=8)
            place += len(shown) + 1.3
        other.invert_yaxis()
        other.set(xlim=(0, 1.45), xticks=[0, 0.5, 1], yticks=[])
        other.set_xlabel(f"probability of being within {MARGIN:g} of the best", loc="left")
        other.spines[["left", "top", "right"]].set_visible(False)
        other.spines["bottom"].set_bounds(0, 1)
        other.set_title(f"What to use, with {PREDICTORS[one.predictor]}?", loc="left", pad=24)
        save(figure, [path])


def describe_choice(choice: methods_evidence.Ranking) -> str:
    """Return what a reader must know of a method's number: that nothing is reduced, or that it was tuned."""
    if choice.method in WHOLE:
        return "nothing reduced"
    return "tuned" if choice.searched else ""


def draw_verdicts(headline: Axes, experiments: Axes, mathematics: Axes) -> None:
    """Draw the verdict on the headline claim of each paper, then the others: by experiments, and by mathematics."""
    claims, first = committed_claims(), headline_claims().set_index("study")["verdict"]
    named = {verdict: kind for kind, verdicts in SUMMARY.items() for verdict in verdicts}
    headline.barh([*claims], 1, color=[SHADES[named[first[study]]] for study in claims], height=0.7)
    few = select_weak(papers_claims())["study"].value_counts()
    for study, counts in claims.items():
        counts[LITTLE] = int(few.get(study, 0))
        counts["confirmed"] -= counts[LITTLE]
    parts = {
        experiments: ("confirmed", LITTLE, "refuted", "undecided", *CLASSES["no baseline"], "not judged"),
        mathematics: CLASSES["mathematics"],
    }
    for axis, verdicts in parts.items():
        left = [0] * len(claims)
        for verdict in verdicts:
            widths = [counts[verdict] for counts in claims.values()]
            colour = SHADES.get(verdict, "#9ad5c4")
            bars = axis.barh([*claims], widths, left=left, color=colour, label=verdict, height=0.7)
            axis.bar_label(bars, [width or "" for width in widths], label_type="center", fontsize=8)
            left = [start + width for start, width in zip(left, widths, strict=True)]
        axis.set(xlabel="claims", xlim=(0, max(left)), yticks=[])
    for axis, title in ((headline, "Headline"), (experiments, "By experiments"), (mathematics, "By mathematics")):
        axis.invert_yaxis()
        axis.set_title(title, loc="left", pad=38)
    headline.set(xticks=[], xlim=(0, 1))
    headline.spines[:].set_visible(False)
    for axis, columns in ((experiments, 3), (mathematics, 1)):
        axis.legend(
            loc="lower left", bbox_to_anchor=(-0.02, 0.97), ncols=columns, frameon=False, fontsize=8, columnspacing=1
        )


def is_run(study: str) -> bool:
    """Return whether a study has committed results."""
    return (REFERENCE / study / "manifest.json").is_file()


def format_linked(header: list[str], rows: list[list[str]]) -> str:
    """Return a table whose cells are Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in [header, ["---"] * len(header), *rows])


def papers() -> str:
    """Return one row per paper: sums of printed cells by protocol, claims by verdict, links."""
    rows, headline = [], headline_claims().set_index("study")
    for name, path in STUDIES.items():
        study, links = read_yaml(path), [f"[{name}](../papers/{name}/README.md)"]
        title, authors = re.fullmatch(r"(.*?)(?: \((.*)\))?", study["title"]).groups()
        if authors is not None:
            authors = f"[{authors}]({study['identifier']})" if "identifier" in study else authors
            title = f"{authors}: {title}"
        cells = [NOT_RUN, "", *("" for _ in SHADES)]
        if is_run(name):
            sums = sums_by_protocol(pd.read_csv(REFERENCE / name / "audit.csv"), [*study["protocols"]])
            first = headline.loc[name]
            cells = [f"{brief(first['claim'], 400)} **{first['verdict'].capitalize()}**"]
            cells += [
                "; ".join(f"{protocol}: {sums_of_table}" for protocol, sums_of_table in sums.items())
                or "none available"
            ]
            numbers = {verdict: str(number) for verdict, number in count_verdicts(name).items()}
            few = len(select_weak(papers_claims().query("study == @name")))
            numbers["confirmed"] += f" ({few} say little)" if few else ""
            cells += numbers.values()
            links.append(f"[audit](../results/reference/{name}/audit.md)")
        rows.append([title, *cells, ", ".join(links)])
    by = {verdict: kind for kind in ("experiments", "mathematics") for verdict in CLASSES[kind]}
    header = [f"by {by[verdict]}: {verdict}" if verdict in by else verdict for verdict in SHADES]
    return format_linked(["paper", "headline claim", "printed cells reproduced", *header, "details"], rows)


def summarize_headlines() -> list[str]:
    """Return a sentence on the headline claim of each paper, by the comparison that is the farthest from it."""
    lines, known = [], headline_claims().set_index("study")
    for name, path in STUDIES.items():
        title = read_yaml(path)["title"]
        _, authors = re.fullmatch(r"(.*?)(?: \((.*)\))?", title).groups()
        link = f"[{_cited(authors or title.partition(':')[0])}](papers/{name}/README.md)"
        if not is_run(name):
            lines.append(f"- {link}: {NOT_RUN}.")
            continue
        claim, folder = known.loc[name], REFERENCE / name
        settings, differences = (
            table[table["id"] == claim["id"]].fillna({"setting": ""})
            for table in (
                pd.read_csv(folder / f"claims-{part}.csv", dtype={"setting": str}) for part in ("lines", "differences")
            )
        )
        line = next(line for line in settings.to_dict("records") if line["verdict"] == claim["verdict"])
        pair = telling_pair(line, differences[differences["setting"] == line["setting"]])
        lines.append(f"- {link}: {brief(claim['claim'], 400)} **{claim['verdict'].capitalize()}**: {describe(pair)}.")
    return lines


def describe(pair: Pair) -> str:
    """Return on how many data sets a method is ahead of another by more than the margin, and behind."""
    half = pair.table[["wins", "ties", "losses"]].sum(axis=1) / 2
    ahead, behind = (int((pair.table[side] > half).sum()) for side in ("wins", "losses"))
    of = f"{len(pair.table)} data set{'s' * (len(pair.table) > 1)}"
    others = f", the least favourable of {pair.pairs} comparisons" if pair.pairs > 1 else ""
    return f"`{pair.method}` is ahead of `{pair.other}` on {ahead} of {of} and behind on {behind}{others}"


def _cited(authors: str) -> str:
    """Return authors and year as a text cites them.

    Examples
    --------
    >>> _cited("Mu, Goulermas, Tsujii and Ananiadou, 2012"), _cited("Chen and Lin, 2012")
    ('Mu and others 2012', 'Chen and Lin 2012')
    """
    names, _, year = authors.rpartition(", ")
    first, comma, _ = names.partition(",")
    return f"{first}{' and others' * bool(comma)}{' ' * bool(names)}{year}"


def claims(study: str) -> str:
    """Return the claims of a paper with their verdicts, the headline first; the evidence is in the study's audit.

    Those by experiments and those by mathematics are in two tables.
    """
    claims = pd.read_csv(REFERENCE / study / "claims.csv").fillna({"weakness": ""})
    _, headline = says_and_headline(STUDIES[study].with_name("README.md"))
    claims = claims.sort_values("id", key=lambda ids: ids != headline, kind="stable")
    rest = claims[claims["verdict"] == "cannot be checked"]
    proofs = claims[claims["verdict"].isin(CLASSES["mathematics"])]
    judged = claims.drop([*rest.index, *proofs.index])
    rows, proved = (
        [
            [f"{'(Ours, not counted.) ' * bool(claim['own'])}{claim['claim']}", f"**{claim['verdict']}**"]
            + ([claim["weakness"]] if part is judged else [])
            for claim in part.to_dict("records")
        ]
        for part in (judged, proofs)
    )
    reasons = [[claim["claim"], claim["evidence"]] for claim in rest.to_dict("records")]
    table = to_markdown(["cannot be checked", "why"], reasons)
    hidden = f"<details><summary>{len(rest)} sentences that cannot be checked</summary>\n\n{table}\n</details>\n"
    by_proof = f"By mathematics:\n\n{to_markdown(['claim', 'verdict'], proved)}\n" if proved else ""
    header = ["claim", "verdict", "says little if confirmed, since"]
    return f"By experiments:\n\n{to_markdown(header, rows)}\n{by_proof}{hidden}"


def printed(study: str) -> str:
    """Return the printed numbers of a paper next to the computed ones."""
    cells = pd.read_csv(REFERENCE / study / "audit.csv")
    paths = (REFERENCE / study / f"audit-{name}.csv" for name in ("sizes", "order"))
    sizes, order = (pd.read_csv(path) if path.is_file() else None for path in paths)
    sentences = audit_sentences(cells, sizes, order=order)
    file = read_yaml(STUDIES[study])
    protocol = next(iter(file["protocols"]))
    parts = ["\n".join(f"- {sentence}" for sentence in sentences)]
    for table in sorted(cells["table"].unique()):
        shown = beside_printed(cells, table, protocol)
        parts.append(f"<details><summary>{file['tables'][table]['caption']}</summary>\n\n{shown}\n</details>\n")
    return "\n\n".join(parts)


def editions() -> str:
    """Return claims whose verdict is not the same in the retrospective and the confirmatory edition, and why.

    The claims as frozen are judged on the retrospective scores too, which separates changes of the claim from those
    of the data.
    """
    rows = []
    for study in sorted(path.parent.name for path in RETROSPECTIVE.glob("*/frozen.csv")):
        before, frozen = (
            claims_in(RETROSPECTIVE / study / file).set_index("id") for file in ("claims.csv", "frozen.csv")
        )
        now = as_frozen().query("study == @study").set_index("id")
        for claim, row in now.iterrows():
            old, middle = (edition["verdict"].get(claim, "no such claim") for edition in (before, frozen))
            if old == middle == row["verdict"]:
                continue
            why = (
                []
                if old == middle
                else ["the claim, its scope or its settings" if claim in before.index else "a new claim"]
            )
            why += [] if middle == row["verdict"] else ["the new run"]
            rows.append([study, claim, old, middle, row["verdict"], "; ".join(why)])
    return to_markdown(
        ["study", "claim", "retrospective", "as frozen, on the old scores", "confirmatory", "what changed it"], rows
    )


def as_frozen() -> pd.DataFrame:
    """Return the claims of the confirmatory edition as it was frozen, with their verdicts."""
    return pd.read_csv(AS_FROZEN)


def amended_claims() -> pd.DataFrame:
    """Return the claims of the edition as frozen, with what they are after the amendment and the rule that changed it.

    Returns
    -------
    DataFrame
        Columns study, id, ``before`` and ``after`` (verdicts), ``was_own`` and ``is_own`` (whether it is counted as
        ours), ``claim`` and ``rule``, "" where nothing is changed.
    """
    tables = [claims_in(REFERENCE / study / "claims.csv").assign(study=study) for study in committed_claims()]
    after = pd.concat(tables).set_index(["study", "id"])
    both = as_frozen().set_index(["study", "id"])[["verdict", "own"]].rename(columns={"verdict": "before"})
    both = both.rename(columns={"own": "was_own"}).join(after[["verdict", "own", "claim"]], how="outer").reset_index()
    both = both.rename(columns={"verdict": "after", "own": "is_own"})
    rules = {"reading": both["was_own"] != both["is_own"], "baseline": both["before"] != both["after"]}
    both["rule"] = [" and ".join(rule for rule, applies in rules.items() if applies[row]) for row in both.index]
    return both


def amendment() -> str:
    """Return the counts before and after the amendment, side by side, and the claims that it changed."""
    both = amended_claims()
    before, after = (
        summary_counts(both.rename(columns={verdict: "verdict", column: "own"})[["verdict", "own"]])
        for verdict, column in (("before", "was_own"), ("after", "is_own"))
    )
    headline = both.merge(headline_claims()[["study", "id"]])
    first = {side: headline[side].value_counts() for side in ("before", "after")}
    rows = [
        [f"headline claims {verdict}", *(str(first[side].get(verdict, 0)) for side in first)]
        for verdict in CLASSES["experiments"] + CLASSES["no baseline"]
    ]
    rows += [[verdict, str(before[verdict]), str(after[verdict])] for verdict in SUMMARY]
    rows += [["counted as ours", *(str(int(both[column].sum())) for column in ("was_own", "is_own"))]]
    changed = both[both["rule"] != ""]
    by_rule = changed.value_counts(["rule", "before", "after"], sort=False).reset_index(name="claims")
    counts = [
        [row["rule"], row["before"], row["after"] + " (ours)" * ("reading" in row["rule"]), str(row["claims"])]
        for row in by_rule.to_dict("records")
    ]
    listed = [
        [row["study"], row["id"], row["before"], row["after"] + " (ours)" * bool(row["is_own"]), row["rule"]]
        for row in changed.to_dict("records")
    ]
    few = select_weak(papers_claims())
    kinds = few["weakness"].str.replace(r"on (?!yeast)\S+ alone", "on one other data set alone", regex=True)
    kinds = kinds.str.replace(r"by construction: .*", "by construction", regex=True)
    little = kinds.value_counts().sort_index()
    parts = [
        to_markdown(["claims", "as frozen", "amended"], rows),
        f"{len(changed)} claims are changed, by rule:\n\n"
        + to_markdown(["rule", "as frozen", "amended", "claims"], counts),
        to_markdown(["study", "claim", "as frozen", "amended", "rule"], listed),
        f"{len(few)} of the {after['confirmed']} confirmed claims say little:\n\n"
        + to_markdown(["confirmed", "claims"], [[kind, str(number)] for kind, number in little.items()]),
    ]
    return "\n".join(parts)


def readings() -> str:
    """Return the claims that rest on a reading of ours, and why."""
    rows = [
        [study, claim.id, claim.entry["reading_because"]]
        for study in committed_claims()
        for claim in claims_of(study)
        if "reading_because" in claim.entry
    ]
    return to_markdown(["study", "claim", "what the paper has, and what is ours"], rows)


def why_undecided() -> str:
    """Return why claims of papers are undecided: what their counted settings say, and what would decide those."""
    reasons = {
        "settings that the paper leaves open contradict each other: confirmed in one, refuted in another": 0,
        "some of these settings decide, and the others do not": 0,
        "every setting would be decided by more data sets or splits of the same differences": 0,
        f"a setting that neither {_MORE_DATASETS[-1]} data sets nor {_MORE_SPLITS[-1]:,} splits of these differences "
        "would decide: data sets disagree, or the differences lie at the margin": 0,
    }
    contradict, some, more, never = reasons
    for study in committed_claims():
        claims = claims_in(REFERENCE / study / "claims.csv")
        claims = claims[(claims["verdict"] == "undecided") & ~claims["own"]]
        lines = pd.read_csv(REFERENCE / study / "claims-lines.csv")
        lines = lines[lines["counted"] & lines["id"].isin(claims["id"])]
        for _, cells in lines.groupby("id"):
            verdicts = set(cells["verdict"])
            if {"confirmed", "refuted"} <= verdicts:
                reasons[contradict] += 1
            elif len(verdicts) > 1:
                reasons[some] += 1
            else:
                reasons[never if cells["evidence"].str.contains("would not decide").any() else more] += 1
    rows = [[reason, str(count)] for reason, count in reasons.items()]
    return to_markdown(["undecided, since", "claims"], [*rows, ["all", str(sum(reasons.values()))]])


def frozen(folder: str = "papers", name: str = "frozen") -> str:
    """Return when papers or benchmark were frozen, with which seed, and what was changed since."""
    content = read_yaml(PROJECT / folder / f"{name}.yaml")
    text = f"Frozen on {content['frozen']}: {len(content['files'])} files, with the seed {content['seed']}. "
    changes: dict[tuple[str, str], list[str]] = {}
    for change in content["amendments"]:
        changes.setdefault((change["date"], change["why"]), []).append(f"`{change['file']}`")
    rows = [[date, ", ".join(files), why] for (date, why), files in changes.items()]
    return (
        f"{text}Changed since:\n\n{format_linked(['date', 'files', 'what and why'], rows)}"
        if rows
        else f"{text}Not changed since.\n"
    )


def seeds() -> str:
    """Return how many verdicts are the same under other seeds; the first is that of the retrospective scores."""
    path = PROJECT / "docs" / "verdicts" / "seeds.csv"
    verdicts = pd.concat(
        pd.read_csv(path).assign(study=path.parent.name, seed=2012, splits="all")[
            ["study", "seed", "splits", "id", "verdict"]
        ]
        for path in sorted(RETROSPECTIVE.glob("*/frozen.csv"))
    )
    verdicts = pd.concat([verdicts, pd.read_csv(path)]).astype({"splits": str}) if path.is_file() else verdicts
    by_results = set(CLASSES["experiments"])
    now = as_frozen().set_index("id")["verdict"]
    verdicts = verdicts[verdicts["verdict"].isin(by_results) & verdicts["id"].map(now).isin(by_results)]
    verdicts = verdicts.assign(now=verdicts["id"].map(now))
    rows = []
    for seed, part in verdicts.groupby("seed", sort=True):
        turned = (part["now"] != "undecided") & (part["verdict"] != "undecided") & (part["now"] != part["verdict"])
        same = (part["now"] == part["verdict"]).mean()
        splits = " or ".join(
            sorted(part["splits"].unique(), key=lambda splits_of_seed: (len(splits_of_seed), splits_of_seed))
        )
        papers = (
            ", ".join(sorted(part["study"].unique())) if part["study"].nunique() < sum(map(is_run, STUDIES)) else "all"
        )
        rows.append([str(seed), splits, papers, str(len(part)), f"{100 * same:.0f} %", str(turned.sum())])
    header = [
        "seed",
        "splits",
        "papers",
        "claims judged by results",
        "same verdict",
        "turned from confirmed to refuted, or back",
    ]
    return to_markdown(header, rows)


def simulation() -> str:
    """Return the rates of right and wrong verdicts on planted differences, by scope and by way to combine data sets."""
    rates = pd.read_csv(PROJECT / "docs" / "verdicts" / "simulation.csv", dtype={"holds": str})
    selected = rates[(rates["combined_by"] == "lancaster") & (rates["variation"] != "border")]
    scopes = {"all": "all", "most": "most", "1": "one", "tendency": "a tendency"}
    rows = []
    for holds, name in scopes.items():
        part = selected[(selected["holds"] == holds) & (selected["cells"] == 1)]
        far = part[part["effect_in_margins"].abs() == 2]
        right = [f"{100 * far[far['splits'] == splits]['right'].mean():.0f}" for splits in (5, 10, 100)]
        rows.append([name, f"{100 * part['wrong'].max():.1f}", f"{100 * part['wrong'].mean():.2f}", *right])
    header = [
        "holds on",
        "wrong, at most",
        "wrong, mean",
        *(f"right at twice the margin, {n} splits" for n in (5, 10, 100)),
    ]
    table = to_markdown(header, rows)
    others = {
        "bonferroni": "Bonferroni's method",
        "posterior": "the posterior probability that enough of them are true",
    }
    rows = []
    for name, words in {"lancaster": "Lancaster's method (ours)", **others}.items():
        part = rates[(rates["combined_by"] == name) & (rates["holds"] != "tendency") & (rates["cells"] == 1)]
        border, rest = (part[(part["variation"] == "border") == is_border] for is_border in (True, False))
        far = rest[rest["effect_in_margins"].abs() == 2]["right"].mean()
        rows.append([words, *(f"{100 * value:.1f}" for value in (rest["wrong"].max(), border["wrong"].max(), far))])
    header = [
        "data sets combined by",
        "wrong, at most",
        "wrong, at most, at the border",
        "right at twice the margin, mean",
    ]
    at_margin = pd.read_csv(PROJECT / "docs" / "verdicts" / "tendency.csv")
    most, mean = (100 * value for value in (at_margin["wrong"].max(), at_margin["wrong"].mean()))
    largest = 100 * selected.loc[selected["holds"] == "tendency", "wrong"].max()
    tendency = (
        f"Of tendencies up to {largest:.1f} % are wrong, where {100 * LEVEL:.0f} % are promised. That is the largest "
        f"of {int((selected['holds'] == 'tendency').sum())} rates of 200 repetitions each. The {len(at_margin)} cases "
        "whose difference is the margin itself, where a wrong verdict is the most likely, were repeated 2,000 times "
        f"([tendency.csv](verdicts/tendency.csv)): {mean:.1f} % are wrong in the mean, and {most:.1f} % at most."
    )
    return (
        f"In percent, mean over kinds of sentences and numbers of data sets:\n\n{table}\n\n{tendency}\n\n"
        "Other ways to combine data sets. At the border just enough of them, or just too few, are clearly inside, and "
        f"the others a twentieth of the margin from its end:\n\n{to_markdown(header, rows)}"
    )


def sensitivity() -> str:
    """Return which share of the verdicts stays where claims are judged in other ways."""
    table = pd.read_csv(PROJECT / "docs" / "verdicts" / "sensitivity.csv")
    ways = stays(table)
    single = ways[(ways[["margin", "scope", "settings", "combination"]] != list(Variant())).sum(axis=1) == 1]
    words = {
        "margin": "margins times {}",
        "scope": "each claim as `{}`",
        "settings": "settings: {}",
        "combination": "data sets combined as {}",
    }
    rows = []
    for row in single.to_dict("records"):
        key = next(name for name in words if row[name] != getattr(Variant(), name))
        value = f"{row[key]:g}" if key == "margin" else row[key]
        rows.append([words[key].format(value), f"{100 * row['stay']:.0f} %", str(int(row["turned"]))])
    in_all = f"{100 * ways['stay'].mean():.0f} % of the verdicts stay (at least {100 * ways['stay'].min():.0f} %)"
    header = ["changed", "verdicts that stay", "turned from confirmed to refuted, or back"]
    return (
        f"{ways['claims'].iloc[0]} claims that results decide were judged in {len(ways)} other ways: the margin "
        "halved and doubled, every scope for every claim, the first setting only or those too that are only shown, and "
        f"data sets combined without independence. In all of them together {in_all}. One change at a time:\n\n"
        f"{format_linked(header, rows)}"
    )


def cost(study: str) -> str:
    """Return what the committed run of a study took."""
    total = json.loads((REFERENCE / study / "manifest.json").read_text(encoding="utf-8"))["run"]["cost"]["total"]
    minutes, memory = total["cpu_seconds"] / 60, total["peak_mb"] / 1000
    return f"{total['jobs']} jobs, {minutes:.0f} processor minutes, at most {memory:.1f} GB in one job.\n"


def shares() -> str:
    """Return how many printed cells of cplst-2012, and rows with all cells, each share of training rows reproduces."""
    study = "cplst-2012"
    audit = pd.read_csv(REFERENCE / study / "audit.csv")
    audit["reproduced"] = audit["verdict"] == "reproduced"
    train = {name: f"{100 * rule['train']:.0f} %" for name, rule in read_yaml(STUDIES[study])["protocols"].items()}
    inside = 2 * norm.cdf(REPRODUCED) - 1
    parts = [(name.replace("table", "Table "), cells_of_table) for name, cells_of_table in audit.groupby("table")]
    parts += [("all", audit), ("yeast in all", audit[audit["dataset"] == "yeast"])]
    rows = []
    for name, part in parts:
        cells = part.groupby("protocol")["reproduced"].agg(["sum", "size"])
        every = (
            part.groupby(["protocol", "table", "dataset", "method"])["reproduced"]
            .all()
            .groupby("protocol")
            .agg(["sum", "size"])
        )
        counts = [f"{sums.loc[key, 'sum']} of {sums.loc[key, 'size']}" for sums in (cells, every) for key in train]
        rows.append([name, *counts, f"{inside * cells['size'].iloc[0]:.0f}"])
    header = [f"{what}, {share}" for what in ("cells", "rows with all cells") for share in train.values()]
    return to_markdown(["table", *header, "cells expected by chance"], rows)


def study_costs() -> str:
    """Return what the committed run of each paper took: jobs, processor hours, and what took most of them."""
    rows, sums = [], {"jobs": 0, "cpu_seconds": 0.0}
    for study in filter(is_run, STUDIES):
        cost = json.loads((REFERENCE / study / "manifest.json").read_text(encoding="utf-8"))["run"]["cost"]
        total, rules = cost["total"], cost["rules"]
        most = max(rules, key=lambda rule: rules[rule]["cpu_seconds"])
        share = rules[most]["cpu_seconds"] / total["cpu_seconds"]
        longest = pd.read_csv(REFERENCE / study / "jobs.csv")["seconds"].max() / 60
        rows.append(
            [
                *(study, f"{total['jobs']:,}", f"{total['cpu_seconds'] / 3600:.2f}", f"{most}, {100 * share:.0f} %"),
                *(f"{longest:.1f} min", f"{total['peak_mb']:,.0f} MB"),
            ]
        )
        sums = {key: sums[key] + total[key] for key in sums}
    rows.append(["all", f"{sums['jobs']:,}", f"{sums['cpu_seconds'] / 3600:.1f}", "", "", ""])
    return to_markdown(["study", "jobs", "processor hours", "most of it", "longest job", "largest job"], rows)


def theorem() -> str:
    """Return how often the condition of theorem 1 holds, and how often the average is then, and at all, closer."""
    rows = []
    for row in pd.read_csv(REFERENCE / "qpfs-lowrank-2016" / "theorem.csv").to_dict("records"):
        elsewhere = row["better_elsewhere"] / (row["cells"] - row["holds"])
        shares = (row["holds"] / row["cells"], row["better_where_it_holds"] / row["holds"], elsewhere)
        everywhere = (row["better_where_it_holds"] + row["better_elsewhere"]) / row["cells"]
        entry = "half, as in proposition 3" if row["nystrom"] == "half" else "full, as in proposition 2"
        rows.append([row["dataset"], entry, row["condition"], *(f"{share:.3f}" for share in (*shares, everywhere))])
    header = [
        "data set",
        "Nystrom's entry",
        "condition",
        "holds",
        "closer where it holds",
        "closer elsewhere",
        "closer",
    ]
    return to_markdown(header, rows)


def times(over: str, *methods: str) -> str:
    """Return seconds of methods over those of another, and the ratios that are printed in parentheses."""
    seconds = pd.read_csv(REFERENCE / "qpfs-lowrank-2016" / "ratios.csv").pivot(index="dataset", columns="method")
    rows = [
        [name]
        + [
            f"{row[('seconds', method)] / row[('seconds', over)]:.3g}"
            + ("" if pd.isna(row[("printed_ratio", method)]) else f" ({row[('printed_ratio', method)]:.3g})")
            for method in methods
        ]
        for name, row in seconds.iterrows()
    ]
    return to_markdown([f"over {over}", *methods], rows)


@cache
def claims_of(study: str) -> list[Claim]:
    """Return the claims of a paper; none where it has no file of them."""
    path = STUDIES[study].with_name("claims.yaml")
    return read_claims(path) if path.is_file() else []


def waits(study: str, *what: str) -> str:
    """Return what waits for the answer to a question: printed cells and claims of a paper.

    Each is named by a pattern: cells by TABLE/DATASET/METHOD, claims by their ids, or, counted only, by what their
    `open` says (open=PATTERN).
    """
    lines = []
    audit = pd.read_csv(REFERENCE / study / "audit.csv") if is_run(study) else pd.DataFrame()
    claims, known = claims_of(study), verdicts()
    for pattern in what:
        place, _, silence = pattern.partition("=")
        if "/" in place:
            if len(audit):
                places = audit["table"] + "/" + audit["dataset"] + "/" + audit["method"]
                for protocol, cells in audit[[fnmatchcase(cell_place, place) for cell_place in places]].groupby(
                    "protocol"
                ):
                    reproduced = cells["verdict"].eq("reproduced").sum()
                    words = ", ".join(part for part in (*place.split("/"), str(protocol)) if part != "*")
                    lines.append(f"{words}: {reproduced} of {len(cells)} printed cells reproduced")
            continue
        matching = [
            claim.id
            for claim in claims
            if (re.search(silence, claim.entry.get("open", "")) if silence else fnmatchcase(claim.id, place))
        ]
        if not matching:
            raise KeyError(f"{study} has no claim {pattern}")
        verdicts_now = [known.get(name, NOT_RUN) for name in matching]
        if silence:
            counts = ", ".join(f"{number} {word}" for word, number in pd.Series(verdicts_now).value_counts().items())
            lines.append(f"claims with a line for each reading: {counts}")
        else:
            links = [f"[{name}](../papers/{study}/claims.yaml)" for name in matching]
            lines += [f"{link}: {verdict}" for link, verdict in zip(links, verdicts_now, strict=True)]
    return "Waiting:\n\n" + "".join(f"- {line}\n" for line in lines)


class Evidence(NamedTuple):
    """Which committed ranking a page shows of a family; see `mlreduce.stats.ranking`.

    Attributes
    ----------
    study, protocol, measure : str
    predictor : str
        With which all methods are measured; "" with ``mixed`` and ``of``.
    control : str
        What the others should beat; "" for none.
    mixed : bool
        Whether methods are compared that have different predictors.
    of : str
        The label of a method at full size, of which predictors are compared; "" to compare methods.
    most : int or None
        How many are shown, and the controls; None for all.
    """

    study: str
    protocol: str
    measure: str
    predictor: str = ""
    control: str = ""
    mixed: bool = False
    of: str = ""
    most: int | None = None


SELECTED, PROJECTED = (
    partial(Evidence, study, "ten-fold", "micro-f1", control=control)
    for study, control in (("selectors", "random-features"), ("projections", "random-projection"))
)
EVIDENCE = {
    **{
        f"{family}{of}": Evidence(f"benchmark-2-{family}", "folds", "average-precision", predictor, most=10)
        for family in ("projections", "selectors", "coders")
        for of, predictor in (("", MAIN), ("-neighbours", "k-nn" if family == "coders" else "ml-knn"))
    },
    "predictors": Evidence("cplst-2012", "as-printed", "hamming-loss", of="plst"),
    "few-labels": Evidence("mope-mesd-2012", "labelled-40", "macro-f1", mixed=True),
    "all-selectors": SELECTED("ml-knn"),
    "all-selectors-ridge": SELECTED(MAIN),
    "all-coders": Evidence("coders", "ten-fold", "micro-f1", MAIN, control="pbr"),
    "all-coders-kernel-ridge": Evidence("coders", "ten-fold", "micro-f1", "kernel-ridge", control="br"),
    "all-projections": PROJECTED(MAIN),
    "all-projections-knn": PROJECTED("ml-knn"),
    "classifiers": Evidence("selectors", "ten-fold", "micro-f1", of="all-features"),
}


@cache
def ranking(family: str) -> Ranking:
    """Return the ranking that a page shows of a family."""
    spec = EVIDENCE[family]
    if not spec.mixed and not spec.of:
        rankings = update_evidence.studied(spec.study, spec.measure)
        return next(one.ranking for one in rankings if (one.protocol, one.predictor) == (spec.protocol, spec.predictor))
    cells = sized_cells(update_evidence.summary_of(spec.study).query("measure == @spec.measure"))
    cells = cells[cells["protocol"] == spec.protocol].drop(columns=["protocol", "measure"])
    if spec.of:
        unreduced = update_evidence.whole_cells(spec.study, cells, spec.of)
        return rank(unreduced, higher_is_better(spec.measure))
    chosen = one_variant(cells.drop(columns="predictor"), *update_evidence.names_in(spec.study))
    return rank(chosen, higher_is_better(spec.measure), seconds=update_evidence.seconds_of(chosen["method"]))


def summarize_findings() -> str:
    """Return the results in short and which methods to use, for the first lines of README.md."""
    wrapped = partial(fill, width=124, break_long_words=False, break_on_hyphens=False)
    papers_in_short = "\n".join(wrapped(line, subsequent_indent="  ") for line in summarize_headlines())
    return "\n\n".join([wrapped(summarize_claims()), papers_in_short, wrapped(summarize_choices())]) + "\n"


def summarize_claims() -> str:
    """Return the counts of the papers' verdicts: of the headlines, by experiments, and by mathematics."""
    counts = committed_claims()
    sums = {verdict: sum(claims[verdict] for claims in counts.values()) for verdict in SHADES}
    headline = headline_claims()["verdict"].value_counts()
    confirmed = headline.pop("confirmed") if "confirmed" in headline else 0
    names = {"baseline not reproduced": "without baseline"}
    others = ", ".join(f"{number} {names.get(verdict, verdict)}" for verdict, number in headline.items())
    tested = sum(sums[verdict] for verdict in CLASSES["experiments"])
    few = len(select_weak(papers_claims()))
    return (
        f"**Results:** of {len(counts)} headline claims {confirmed or 'none'} {'are' if confirmed > 1 else 'is'} "
        f"confirmed ({others}). By experiments {sums['confirmed']} of {tested} claims are confirmed ({few} say "
        f"little), {sums['refuted']} refuted, {sums['undecided']} undecided; {sums['baseline not reproduced']} more "
        f"lack a baseline. By mathematics {sums['proved']} are proved, {sums['false by algebra']} false."
    )


def summarize_choices() -> str:
    """Return which methods come first with their defaults by each predictor, nothing reduced among them."""
    number = methods_evidence.choices("projection").first.data_sets
    sentences = [
        f"**To use**, by the [benchmark](docs/benchmark.md) of defaults on {number} data sets, with the probability of "
        f"being within {MARGIN:g} of the best."
    ]
    for predictor in (MAIN, "ml-knn"):
        parts = []
        for case, family in OPENING.items():
            wanted = methods_evidence.Wanted(predictor)
            first, (second, *_), _controls = chosen = methods_evidence.choices(family, wanted)
            named = [first, second] if first.method in WHOLE else [first, *whole_of(chosen)]
            shown = ", then ".join(f"`{one.method}` ({one.near:.2f})" for one in named)
            parts.append(f"to {case.lower()}, {shown}" if predictor == MAIN else shown)
        order = "" if predictor == MAIN else "in the same order, "
        sentences.append(f"With {PREDICTORS[predictor]}, {order}{'; '.join(parts)}.")
    return " ".join([*sentences, "`all-features` and `br` reduce nothing."])


def whole_of(chosen: methods_evidence.Choices) -> list[methods_evidence.Ranking]:
    """Return what reduces nothing in the comparison of a family."""
    return [one for one in chosen.controls if one.method in WHOLE]


def evidence(family: str) -> str:
    """Return how the methods of a family rank over the data sets of a study, the best first."""
    spec, made = EVIDENCE[family], ranking(family)
    larger, means, known = higher_is_better(spec.measure), made.by_set["mean"], made.table["seconds"].notna().any()
    rows = [
        [name, f"{row['near']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}", f"{row['rank']:.1f}"]
        + [f"{row['mean']:.3f}", f"{row['won']:.2f}"]
        + ([_ahead(means[name] - means[spec.control], larger)] if spec.control else [])
        + ([f"{row['seconds']:.2g}{'*' * row['front']}"] if known else [])
        for place, (name, row) in enumerate(made.table.iterrows())
        if spec.most is None or place < spec.most or name in CONTROLS
    ]
    header = ["predictor" if spec.of else "method", f"within {made.margin:g} of the best", "95 % interval", "mean rank"]
    header += [f"mean {measure_label(spec.measure)}", "best in"]
    header += [f"better than {spec.control}"] if spec.control else []
    header += ["seconds"] if known else []
    named = f" ({', '.join(made.data_sets)})" if len(made.data_sets) <= MOST_NAMED else ""
    by = f"With {PREDICTORS.get(spec.predictor, spec.predictor)}, " if spec.predictor else ""
    sets = f"{by}{len(made.data_sets)} data sets{named}"
    left = len(made.table) - len(rows)
    rest = (
        f"\n\nThe other {left} are behind the tenth, and in [a picture](benchmark.md#rankings-with-ridge-regression).\n"
        if left
        else ""
    )
    return f"{sets}, {made.settings} settings:\n\n{to_markdown(header, rows)}{rest}"


def _ahead(differences: pd.Series, larger: bool) -> str:
    """Return the probability that a method is ahead of the control by more than the margin."""
    if not differences.any():
        return ""
    return f"{signed_rank((differences if larger else -differences).to_numpy(), MARGIN).above:.2f}"


#: Data sets that are named before a table; of more their number says enough.
MOST_NAMED = 15
#: Families of which a first choice is named: what they reduce, and of which comparison.
CASES = {
    **{
        what: (family, methods_evidence.Wanted(predictor))
        for predictor in (MAIN, "ml-knn")
        for what, family in (
            ("features, new ones may be mixtures", "projection"),
            ("features, some are to be selected", "selection"),
            ("labels", "labelspace"),
        )
        for what in [what if predictor == MAIN else f"{what}; with neighbours"]
    },
    "a predictor, nothing is reduced": ("predictors", methods_evidence.ANY),
    "labels of some rows are unknown, a map for new rows": ("projection", methods_evidence.Wanted(partly=True)),
    "labels of the rows at hand are unknown": ("propagation", methods_evidence.Wanted(partly=True)),
}


def first_choices() -> str:
    """Return what `mlreduce.recommend` names first in each case, and the controls."""
    rows = []
    for case, (family, wanted) in CASES.items():
        first, then, controls = methods_evidence.choices(family, wanted)
        sets = f"{first.data_sets} data sets of {first.study}"
        by = (
            f"{measure_label(first.measure)} with {first.predictor}"
            if first.predictor
            else measure_label(first.measure)
        )
        place = f"{by}, {sets}"
        interval = f" ({first.low:.2f} to {first.high:.2f})"
        named = [
            ", ".join(f"`{one.method}` {one.near:.2f}" for one in several) for several in ([first], then, controls)
        ]
        rows.append([case, named[0] + interval, *named[1:], place])
    return format_linked(["what is reduced", "first", "then", "controls", "by"], rows)


@cache
def items_of_papers() -> dict[str, list[dict[str, Any]]]:
    """Return the items of each paper, as they are listed by hand."""
    return read_yaml(COVERAGE)


@cache
def coverage_of(study: str) -> list[list[str]]:
    """Return a row per item of a paper: its name, what it is, where it is here, and its state.

    Raises
    ------
    KeyError, StopIteration, ConfigurationError
        If an item names a claim, an output or a method that does not exist.
    """
    folder, known = REFERENCE / study, verdicts()
    audit = pd.read_csv(folder / "audit.csv") if (folder / "audit.csv").is_file() else pd.DataFrame()
    rows = []
    for item in items_of_papers()[study]:
        if "reason" in item:
            rows.append([item["item"], item["what"], "", f"not made: {item['reason']}"])
            continue
        places, states = [], []
        for name in item.get("methods", []):
            registry.method_class(name)
            places.append(f"`{name}`")
        for name in item.get("outputs", []):
            ends = ("csv",) if name == "datasets" else ("md", "svg", "png")  # tables have their numbers as CSV too
            file = next(path for end in ends if (path := folder / f"{name}.{end}").is_file())
            places.append(f"[{name}](../{file.relative_to(PROJECT)})")
            states += _printed_cells(audit, name)
        states += [f"{claim}: {known[claim]}" for claim in item.get("claims", [])]
        states = states or ["computed" if "outputs" in item else "implemented"]
        states += [item["note"]] if "note" in item else []
        rows.append([item["item"], item["what"], ", ".join(places), "; ".join(states)])
    return rows


def _printed_cells(audit: pd.DataFrame, table: str) -> list[str]:
    """Return how many of the printed cells of a table are reproduced, by protocol; nothing where none is printed."""
    cells = audit[audit["table"] == table] if len(audit) else audit
    counts = []
    for protocol, part in cells.groupby("protocol", sort=False) if len(cells) else ():
        reproduced = int((part["verdict"] == "reproduced").sum())
        counts.append(f"{reproduced} of {len(part)} ({protocol})")
    return [f"printed cells reproduced: {', '.join(counts)}"] if counts else []


def coverage(study: str) -> str:
    """Return the items of a paper as a table, and what there is beyond them."""
    listed = {name for item in items_of_papers()[study] for name in item.get("outputs", [])}
    specified = read_yaml(STUDIES[study])
    more = sum(name not in listed for key in ("tables", "figures") for name in specified[key])
    beyond = f"Tables and figures of the [study](../papers/{study}/study.yaml) beyond those of the paper: {more}."
    return f"{format_linked(['item', 'what', 'here', 'state'], coverage_of(study))}\n{beyond}\n"


def coverage_counts() -> str:
    """Return how many items of the papers there are, and how many are not made."""
    states = [row[3] for study in items_of_papers() for row in coverage_of(study)]
    missing = sum(state.startswith("not made") for state in states)
    text = (
        f"Of {len(states)} items of {len(items_of_papers())} papers {len(states) - missing} are here, and {missing} "
        "are not made, each with its reason."
    )
    return fill(text, 124) + "\n"


#: Parts of pages that scripts in benchmarks write.
OF_BENCHMARKS = ("exponents", "larger", "scheduling", "shapes", "sizes", "many-labels-nodes", "benchmark", "large")
#: What is shown of the results of one study.
OF_A_STUDY = {"claims": claims, "printed": printed, "cost": cost}
BLOCKS = {
    **{
        "evidence": evidence,
        "opening": summarize_findings,
        "first-choices": first_choices,
        "papers": papers,
        "amendment": amendment,
        "readings": readings,
        "waits": waits,
        "editions": editions,
        "frozen": frozen,
        "why-undecided": why_undecided,
        "seeds": seeds,
        "simulation": simulation,
        "sensitivity": sensitivity,
        "shares": shares,
        "study-costs": study_costs,
        "theorem": theorem,
        "times": times,
        "coverage": coverage,
        "coverage-counts": coverage_counts,
    },
    **OF_A_STUDY,
}


#: The verdict on a claim within a sentence; lines may be broken anywhere.
VERDICT = re.compile(r"(?P<begin><!--\s+verdict\s+(?P<id>\S+)\s+-->)[^<]*(?P<end><!--\s+end\s+-->)")


@cache
def verdicts() -> dict[str, str]:
    """Return the committed verdict of each claim, of all claims of a paper that is not run yet."""
    judged = pd.concat(pd.read_csv(path) for path in REFERENCE.glob("*/claims.csv"))
    missing = {claim.id: NOT_RUN for study in STUDIES if not is_run(study) for claim in claims_of(study)}
    return missing | dict(zip(judged["id"], judged["verdict"], strict=True))


def update_page(text: str) -> str:
    """Return a page with its generated parts written anew.

    These stand between ``<!-- NAME ARGUMENTS: begin -->`` and its end, and the verdict on a claim within a sentence
    between ``<!-- verdict ID -->`` and ``<!-- end -->``.
    """

    def block(match: re.Match[str]) -> str:
        name, *arguments = match["call"].split()
        if name in OF_BENCHMARKS:
            return match[0]
        missing = name in OF_A_STUDY and not is_run(arguments[0])
        text = f"{NOT_RUN.capitalize()}.\n" if missing else BLOCKS[name](*arguments)
        return f"{match['begin']}\n{text}\n{match['end']}"

    marks = r"(?P<begin><!-- (?P<call>[^:]+): begin -->\n).*?(?P<end><!-- (?P=call): end -->\n)"
    known = verdicts()
    text = re.sub(VERDICT, lambda match: f"{match['begin']}{known[match['id']]}{match['end']}", text)
    return re.sub(marks, block, text, flags=re.DOTALL)


if __name__ == "__main__":
    import update_numbers

    for page in PAGES:
        page.write_text(update_page(page.read_text(encoding="utf-8")), encoding="utf-8")
    draw_claims(PICTURE)
    update_numbers.main()
