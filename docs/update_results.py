"""Update generated tables and quoted numbers of README.md and docs from results/reference: part of `make reference`."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import update_evidence

from mlreduce import registry
from mlreduce.configuration import read_yaml
from mlreduce.methods import evidence as methods_evidence
from mlreduce.metrics import measure_label
from mlreduce.stats.ranking import CONTROLS, MARGIN, WHOLE
from mlreduce_studies.benchmark.answers import PREDICTORS
from mlreduce_studies.description import says_and_headline
from mlreduce_studies.gathering.rankings import MAIN, StudyRanking
from mlreduce_studies.site.writing import brief
from mlreduce_studies.study import PAPERS, study_files
from mlreduce_studies.tables.layout import fill_block, to_markdown
from mlreduce_studies.verdicts.audit import sums_by_protocol
from mlreduce_studies.verdicts.columns import CLASSES, SUMMARY, summary_counts
from mlreduce_studies.verdicts.reading import Claim, read_claims
from mlreduce_studies.verdicts.reasons import Pair, telling_pair

PROJECT = Path(__file__).parents[1]
REFERENCE = PROJECT / "results" / "reference"
STUDIES = study_files(PROJECT, [PAPERS])
#: The items of each paper, and where they are.
COVERAGE = PROJECT / PAPERS / "coverage.yaml"
PAGES = [
    PROJECT / "README.md",
    *(
        PROJECT / "docs" / f"{name}.md"
        for name in (
            *("index", "papers", "deviations", "questions", "which-method", "peers", "verdicts", "benchmark", "scale"),
            "coverage",
        )
    ),
    *(file.with_name("README.md") for file in STUDIES.values()),
]
#: The entry in place of missing results.
NOT_RUN = "not run yet"
#: Where tables of experiments with verdicts are, and where complete tables are, of which pages show parts.
VERDICTS, COMPLETE = PROJECT / "docs" / "verdicts", PROJECT / "docs" / "tables"
#: How many rows of a complete table a page shows.
SHOWN = 8
#: Verdicts of experiments, those without a baseline last.
JUDGED = [*CLASSES["experiments"], *CLASSES["no baseline"]]
#: Families in the opening text.
OPENING = {"Mix features": "projection", "Keep some features": "selection", "Have fewer labels": "labelspace"}
#: The verdicts of the edition as it was frozen, before the amendment of 2026-11-28, and those of the retrospective one,
#: with what changed them: the claim, where its new form has another verdict on the old scores; or the scores.
AS_FROZEN, EDITIONS = VERDICTS / "as-frozen.csv", VERDICTS / "editions.csv"


def committed_claims() -> pd.DataFrame:
    """Return the claims of all papers that are run; ``headline`` is true of the claim that a page names first."""
    tables = []
    for name in filter(is_run, STUDIES):
        _, headline = says_and_headline(STUDIES[name].with_name("README.md"))
        claims = pd.read_csv(REFERENCE / name / "claims.csv").fillna({"weakness": ""})
        tables.append(claims.assign(study=name, headline=claims["id"] == headline))
    return pd.concat(tables, ignore_index=True)


def select_weak(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the confirmed claims of papers that say little."""
    return claims[(claims["verdict"] == "confirmed") & (claims["weakness"] != "") & ~claims["own"]]


def is_run(study: str) -> bool:
    """Return whether a study has committed results."""
    return (REFERENCE / study / "manifest.json").is_file()


def title_and_authors(study: dict[str, Any]) -> tuple[str, str]:
    """Return the title of a study, and from the brackets at its end the authors; "" without them."""
    return re.fullmatch(r"(.*?)(?: \((.*)\))?", study["title"]).groups(default="")


def papers() -> str:
    """Return one row per paper: sums of printed cells by protocol, claims by verdict, links."""
    rows, judged = [], committed_claims()
    for name, path in STUDIES.items():
        study, links = read_yaml(path), [f"[{name}](../papers/{name}/README.md)"]
        title, authors = title_and_authors(study)
        if authors:
            title = f"[{authors}]({study['identifier']}): {title}" if "identifier" in study else f"{authors}: {title}"
        cells = [NOT_RUN, "", *("" for _ in SUMMARY)]
        if is_run(name):
            claims = judged[judged["study"] == name]
            first, few = claims[claims["headline"]].iloc[0], len(select_weak(claims))
            sums = sums_by_protocol(read_audit(name), [*study["protocols"]])
            numbers = {verdict: str(number) for verdict, number in summary_counts(claims).items()}
            numbers["confirmed"] += f" ({few} say little)" * bool(few)
            cells = [
                f"{brief(first['claim'], 400)} **{first['verdict'].capitalize()}**",
                "; ".join(f"{protocol}: {of_table}" for protocol, of_table in sums.items()) or "none available",
                *numbers.values(),
            ]
            links.append(f"[audit](../results/reference/{name}/audit.md)")
        rows.append([title, *cells, ", ".join(links)])
    by = {verdict: kind for kind in ("experiments", "mathematics") for verdict in CLASSES[kind]}
    header = [f"by {by[verdict]}: {verdict}" if verdict in by else verdict for verdict in SUMMARY]
    return to_markdown(["paper", "headline claim", "printed cells reproduced", *header, "details"], rows, marked=True)


def summarize_headlines() -> list[str]:
    """Return a sentence on the headline claim of each paper, by the comparison that is the farthest from it."""
    lines, known = [], committed_claims().query("headline").set_index("study")
    for name, path in STUDIES.items():
        title, authors = title_and_authors(read_yaml(path))
        link = f"[{_cited(authors or title.partition(':')[0])}](papers/{name}/README.md)"
        if not is_run(name):
            lines.append(f"- {link}: {NOT_RUN}.")
            continue
        claim = known.loc[name]
        files = (REFERENCE / name / f"claims-{part}.csv" for part in ("lines", "differences"))
        tables = (pd.read_csv(file, dtype={"setting": str}).fillna({"setting": ""}) for file in files)
        settings, differences = (table[table["id"] == claim["id"]] for table in tables)
        line = next(line for line in settings.to_dict("records") if line["verdict"] == claim["verdict"])
        pair = telling_pair(line, differences[differences["setting"] == line["setting"]])
        lines.append(f"- {link}: {describe(pair)} (**{claim['verdict']}**).")
    return lines


def describe(pair: Pair) -> str:
    """Return on how many data sets a method is better than another by more than the margin, and worse."""
    half = pair.table[["wins", "ties", "losses"]].sum(axis=1) / 2
    better, worse = (int((pair.table[side] > half).sum()) for side in ("wins", "losses"))
    of = f"{len(pair.table)} data set{'s' * (len(pair.table) > 1)}"
    return f"`{pair.method}` is better than `{pair.other}` on {better} of {of} and worse on {worse}"


def _cited(authors: str) -> str:
    """Return authors and year as a text cites them: "Mu and others 2012" of four, "Chen and Lin 2012" of two."""
    names, _, year = authors.rpartition(", ")
    first, comma, _ = names.partition(",")
    return f"{first}{' and others' * bool(comma)}{' ' * bool(names)}{year}"


def claims(study: str) -> str:
    """Return the verdicts on a paper: the headline claim and those that say most, and the counts of all but ours."""
    table = committed_claims().query("study == @study and not own")
    judged = table[table["verdict"].isin(JUDGED)]
    places = judged["verdict"].map(JUDGED.index) + len(JUDGED) * (judged["weakness"] != "")
    first = judged.loc[places.where(~judged["headline"], -1).sort_values(kind="stable").index[:SHOWN]]
    rows = [[claim["claim"], f"**{claim['verdict']}**"] for claim in first.to_dict("records")]
    few = len(select_weak(judged))
    rest = f"{len(rows)} of {len(judged)} claims on experiments are shown. "
    rest += f"{few} of those that are confirmed say little. " * bool(few)
    counted = ", ".join(f"{number} {word}" for word, number in table["verdict"].value_counts().items())
    text = f"By experiments:\n\n{to_markdown(['claim', 'verdict'], rows)}\n{rest}All: {counted}.\n"
    wrong = "".join(f"- {claim}\n" for claim in table.loc[table["verdict"] == "false by algebra", "claim"])
    return f"{text}\nFalse by mathematics:\n\n{wrong}" if wrong else text


@cache
def read_audit(study: str) -> pd.DataFrame:
    """Return the printed cells of a paper with their verdicts; none where it is not run."""
    columns = ["table", "dataset", "method", "protocol", "verdict"]
    return pd.read_csv(REFERENCE / study / "audit.csv") if is_run(study) else pd.DataFrame(columns=columns)


def printed(study: str) -> str:
    """Return how many printed numbers each table of a paper has that are reproduced, by protocol."""
    audit, protocols = read_audit(study), [*read_yaml(STUDIES[study])["protocols"]]
    parts = [*audit.groupby("table"), ("all", audit)]
    rows = [[name, *(format_reproduced(part, protocol) for protocol in protocols)] for name, part in parts]
    return to_markdown(["table", *protocols], rows)


def format_reproduced(audit: pd.DataFrame, protocol: str) -> str:
    """Return how many of the printed cells are reproduced with a protocol."""
    verdicts = audit.loc[audit["protocol"] == protocol, "verdict"]
    return f"{verdicts.eq('reproduced').sum()} of {len(verdicts)}"


def by_protocol(audit: pd.DataFrame) -> str:
    """Return how many of the printed cells are reproduced with each protocol."""
    return ", ".join(f"{format_reproduced(audit, protocol)} ({protocol})" for protocol in audit["protocol"].unique())


def as_frozen() -> pd.DataFrame:
    """Return the claims of the confirmatory edition as it was frozen, with their verdicts."""
    return pd.read_csv(AS_FROZEN)


def amended_claims() -> pd.DataFrame:
    """Return the claims of the edition as frozen, with what they are after the amendment and the rule that changed it.

    ``before`` and ``after`` are verdicts; ``was_own`` and ``is_own`` say whether a claim is counted as ours.
    """
    key = ["study", "id"]
    before = as_frozen()[[*key, "verdict", "own"]].rename(columns={"verdict": "before", "own": "was_own"})
    after = committed_claims()[[*key, "verdict", "own", "claim"]].rename(columns={"verdict": "after", "own": "is_own"})
    both = before.merge(after, on=key, how="outer")
    reading, baseline = both["was_own"] != both["is_own"], both["before"] != both["after"]
    rules = {"reading and baseline": reading & baseline, "reading": reading, "baseline": baseline}
    return both.assign(rule=np.select([*rules.values()], [*rules], ""))


def amendment() -> str:
    """Return the counts before and after the amendment, and how many claims each of its rules changed."""
    both, claims, sides = amended_claims(), committed_claims(), {"before": "was_own", "after": "is_own"}
    counts = {
        side: summary_counts(pd.DataFrame({"verdict": both[side], "own": both[own]})) for side, own in sides.items()
    }
    headline = both.merge(claims.loc[claims["headline"], ["study", "id"]])
    rows = [
        [f"headline claims {verdict}", *(str((headline[side] == verdict).sum()) for side in sides)]
        for verdict in JUDGED
    ]
    rows += [[verdict, *(str(counts[side][verdict]) for side in sides)] for verdict in SUMMARY]
    rows += [["counted as ours", *(str(int(both[own].sum())) for own in sides.values())]]
    by_rule = both.loc[both["rule"] != "", "rule"].value_counts()
    changed = f"It changed {by_rule.sum()} claims: " + ", ".join(f"{n} by {rule}" for rule, n in by_rule.items())
    few = f"{len(select_weak(claims))} of the {counts['after']['confirmed']} confirmed claims say little."
    return f"{to_markdown(['claims', 'as frozen', 'amended'], rows)}\n{changed}. {few}\n"


def claims_table() -> pd.DataFrame:
    """Return all claims of all papers, with their verdicts in all editions and what is said about them."""
    readings = {claim.id: claim.entry.get("reading_because", "") for study in STUDIES for claim in claims_of(study)}
    by = {verdict: grounds for grounds, verdicts in CLASSES.items() for verdict in verdicts}
    changes = amended_claims()[["study", "id", "before", "rule"]].merge(pd.read_csv(EDITIONS), how="left")
    table = committed_claims().merge(changes, on=["study", "id"], how="left")
    table = table.replace({name: {True: "yes", False: ""} for name in ("headline", "own")}).assign(
        by=table["verdict"].map(by).replace("no baseline", "experiments"), reading=table["id"].map(readings)
    )
    names = {"own": "ours, not counted", "weakness": "says little, since", "before": "as frozen"}
    names |= {"rule": "amended by", "reading": "what is ours"}
    columns = ["study", "id", "headline", "claim", "by", "verdict", *names, "retrospective", "what changed it"]
    return table[columns].rename(columns=names)


def why_undecided() -> str:
    """Return why claims of papers are undecided: what their counted settings say, and what would decide those."""
    contradict = "settings that the paper leaves open contradict each other"
    some = "some of these settings decide, and others do not"
    more = "more data sets or splits of the same differences would decide every setting"
    never = "they would not: data sets disagree, or the differences lie at the margin"
    reasons = Counter(dict.fromkeys((contradict, some, more, never), 0))
    undecided = committed_claims().query("verdict == 'undecided' and not own")
    for study, claims in undecided.groupby("study"):
        lines = pd.read_csv(REFERENCE / study / "claims-lines.csv").query("counted")
        for _, cells in lines[lines["id"].isin(claims["id"])].groupby("id"):
            verdicts, disagree = set(cells["verdict"]), cells["evidence"].str.contains("would not decide").any()
            if len(verdicts) > 1:
                reasons[contradict if {"confirmed", "refuted"} <= verdicts else some] += 1
            else:
                reasons[never if disagree else more] += 1
    rows = [[reason, str(count)] for reason, count in reasons.items()]
    return to_markdown(["undecided, since", "claims"], [*rows, ["all", str(reasons.total())]])


def frozen(folder: str = "papers", name: str = "frozen") -> str:
    """Return when papers or benchmark were frozen, with which seed, and what was changed since."""
    content = read_yaml(PROJECT / folder / f"{name}.yaml")
    dates = [change["date"] for change in content["amendments"]]
    since = f"Changes to files since: {len(dates)}, the last on {max(dates)}" if dates else "Not changed since"
    return (
        f"Frozen on {content['frozen']}: {len(content['files'])} files, with the seed {content['seed']}. "
        f"{since} ([list](../{folder}/{name}.yaml)).\n"
    )


def study_costs() -> str:
    """Return what the committed run of each paper took: jobs, processor hours, and memory of the largest job."""
    manifests = {study: REFERENCE / study / "manifest.json" for study in filter(is_run, STUDIES)}
    costs = {study: json.loads(path.read_text(encoding="utf-8"))["run"]["cost"] for study, path in manifests.items()}
    rows = []
    for study, cost in costs.items():
        jobs, seconds, peak = (cost["total"][key] for key in ("jobs", "cpu_seconds", "peak_mb"))
        rows.append([study, f"{jobs:,}", f"{seconds / 3600:.2f}", f"{peak:,.0f} MB"])
    jobs, seconds = (sum(cost["total"][key] for cost in costs.values()) for key in ("jobs", "cpu_seconds"))
    rows.append(["all", f"{jobs:,}", f"{seconds / 3600:.1f}", ""])
    return to_markdown(["study", "jobs", "processor hours", "largest job"], rows)


@cache
def claims_of(study: str) -> list[Claim]:
    """Return the claims of a paper; none where it has no file of them."""
    path = STUDIES[study].with_name("claims.yaml")
    return read_claims(path) if path.is_file() else []


def waits(study: str, *what: str) -> str:
    """Return what waits for the answer to a question: printed cells (TABLE/DATASET/METHOD) and claims of a paper.

    Each is named by a pattern; claims by their ids, or, counted only, by what their `open` says (open=PATTERN).
    """
    lines, known, audit = [], verdicts(), read_audit(study)
    for pattern in what:
        place, _, silence = pattern.partition("=")
        if "/" in place:
            places = audit["table"] + "/" + audit["dataset"] + "/" + audit["method"]
            words = " ".join(part for part in place.split("/") if part != "*")
            cells = by_protocol(audit[[fnmatchcase(cell, place) for cell in places]])
            lines += [f"{words}, printed cells reproduced: {cells}"] * (len(audit) > 0)
            continue
        matching = [
            known.get(claim.id, NOT_RUN)
            for claim in claims_of(study)
            if (re.search(silence, claim.entry.get("open", "")) if silence else fnmatchcase(claim.id, place))
        ]
        if not matching:
            raise KeyError(f"{study} has no claim {pattern}")
        several = silence or len(matching) > 1
        counts = (f"{n} {word}" if several else word for word, n in Counter(matching).most_common())
        lines.append(f"{'claims with a line for each reading' if silence else f'`{place}`'}: {', '.join(counts)}")
    return f"Waiting: {'; '.join(lines)}.\n"


class Evidence(NamedTuple):
    """Which committed ranking a page shows of a family: by the measure of the first table of a study."""

    study: str
    #: That of all methods.
    predictor: str = ""
    #: A method: the predictors behind it at full size are compared instead.
    of: str = ""


EVIDENCE = {
    "projections": Evidence("benchmark-2-projections", MAIN),
    "projections-neighbours": Evidence("benchmark-2-projections", "ml-knn"),
    "selectors": Evidence("benchmark-2-selectors", MAIN),
    "selectors-neighbours": Evidence("benchmark-2-selectors", "ml-knn"),
    "coders": Evidence("benchmark-2-coders", MAIN),
    "coders-neighbours": Evidence("benchmark-2-coders", "k-nn"),
    "predictors": Evidence("cplst-2012", of="plst"),
    "all-selectors": Evidence("selectors", "ml-knn"),
    "all-selectors-ridge": Evidence("selectors", MAIN),
    "all-coders": Evidence("coders", MAIN),
    "all-coders-kernel-ridge": Evidence("coders", "kernel-ridge"),
    "all-projections": Evidence("projections", MAIN),
    "all-projections-knn": Evidence("projections", "ml-knn"),
    "classifiers": Evidence("selectors", of="all-features"),
}


def ranked(family: str) -> StudyRanking:
    """Return the ranking that a page shows of a family."""
    spec = EVIDENCE[family]
    if spec.of:
        return update_evidence.predictors(spec.study, spec.of, registered=False)[0]
    return next(one for one in update_evidence.studied(spec.study) if one.predictor == spec.predictor)


def opening() -> str:
    """Return the result of each paper in a sentence, and which methods to use, for README.md."""
    wrapped = partial(fill, width=124, break_long_words=False, break_on_hyphens=False)
    numbers = sorted({methods_evidence.choices(family).first.data_sets for family in OPENING.values()})
    parts = [
        "Each paper reports that its method is best. In our computation, by the comparison that is least favourable to "
        "it:",
        "\n".join(wrapped(line, subsequent_indent="  ") for line in summarize_headlines()),
        wrapped(summarize_claims()),
        "## What to use",
        wrapped(
            f"The number is the probability of being within {MARGIN:g} of the best with default parameters, on "
            f"{' or '.join(map(str, numbers))} data sets of the [benchmark](docs/benchmark.md); `all-features` and "
            "`br` reduce nothing."
        ),
        "\n".join(wrapped(line, subsequent_indent="  ") for line in summarize_choices()),
    ]
    return "\n\n".join(parts) + "\n"


def front() -> str:
    """Return what README.md says before its commands, with links from docs/index.md, the home of the site."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    text = readme[readme.index("Dimension reduction") : readme.index("## Two commands")]
    text = re.sub(r"<!-- opening: (?:begin|end) -->\n\n", "", text)
    return re.sub(r"(?<=\]\()(?!https?:)[^)]+", lambda link: posixpath.relpath(link[0], "docs"), text)


def summarize_claims() -> str:
    """Return the counts of the papers' verdicts: of the headlines, by experiments, and by mathematics."""
    claims = committed_claims()
    sums, headline = summary_counts(claims), claims.loc[claims["headline"], "verdict"]
    confirmed, tested = (headline == "confirmed").sum(), sum(sums[verdict] for verdict in CLASSES["experiments"])
    return (
        f"So {confirmed or 'none'} of {len(headline)} headline claims {'are' if confirmed > 1 else 'is'} confirmed. "
        f"By experiments {sums['confirmed']} of {tested} claims are confirmed and {sums['refuted']} refuted; by "
        f"mathematics {sums['proved']} are proved and {sums['false by algebra']} are false."
    )


def summarize_choices() -> list[str]:
    """Return a sentence for each case: the first methods by each predictor, with what reduces nothing."""
    sentences = []
    for case, family in OPENING.items():
        parts = []
        for predictor in (MAIN, "ml-knn"):
            first, (second, *_), controls = methods_evidence.choices(family, methods_evidence.Wanted(predictor))
            unreduced = [one for one in controls if one.method in WHOLE]
            named = [first, second] if first.method in WHOLE else [first, *unreduced]
            shown = ", then ".join(f"`{one.method}` ({one.near:.2f})" for one in named)
            parts.append(f"with {PREDICTORS[predictor]} {shown}")
        sentences.append(f"- **{case}**: {'; '.join(parts)}.")
    return sentences


def evidence(family: str) -> str:
    """Return the first methods of a ranking over the data sets of a study, and its controls."""
    spec, made, table = EVIDENCE[family], ranked(family).ranking, ranking_table(family)
    shown = ["near", "low", "high", "rank", "mean", "seconds"]
    numbers = made.table[(np.arange(len(table)) < SHOWN) | made.table.index.isin(CONTROLS)]
    rows = [
        [str(name), f"{near:.2f}", f"{low:.2f} to {high:.2f}", f"{place:.1f}", f"{mean:.3f}", f"{seconds:.2g}"]
        for name, near, low, high, place, mean, seconds in numbers[shown].itertuples()
    ]
    method, near, *_, mean = table.columns[:6]
    header = [method, near, "95 % interval", "mean rank", mean, "seconds"]
    if numbers["seconds"].isna().all():
        header, rows = header[:-1], [row[:-1] for row in rows]
    by = f"With {PREDICTORS.get(spec.predictor, spec.predictor)}, " if spec.predictor else ""
    link = f" [All {len(table)} rows](tables/ranking-{family}.csv)." if len(rows) < len(table) else ""
    return f"{by}{len(made.data_sets)} data sets, {made.settings} settings.{link}\n\n{to_markdown(header, rows)}"


def ranking_table(family: str) -> pd.DataFrame:
    """Return all rows of a ranking: a method or predictor, and its numbers."""
    spec, one = EVIDENCE[family], ranked(family)
    made = one.ranking
    names = {"near": f"within {made.margin:g} of the best", "low": "low", "high": "high", "rank": "mean rank"}
    names |= {"mean": f"mean {measure_label(one.measure)}", "won": "best in", "seconds": "seconds", "front": "front"}
    table = made.table[[*names]].replace({"front": {True: "yes", False: ""}}).rename(columns=names)
    return table.rename_axis("predictor" if spec.of else "method").reset_index().dropna(axis=1, how="all")


#: Families of which a first choice is named: what they reduce, and of which comparison.
CASES = {
    "features, new ones may be mixtures": ("projection", methods_evidence.Wanted(MAIN)),
    "features, some are to be selected": ("selection", methods_evidence.Wanted(MAIN)),
    "labels": ("labelspace", methods_evidence.Wanted(MAIN)),
    "features, new ones may be mixtures; with neighbours": ("projection", methods_evidence.Wanted("ml-knn")),
    "features, some are to be selected; with neighbours": ("selection", methods_evidence.Wanted("ml-knn")),
    "labels; with neighbours": ("labelspace", methods_evidence.Wanted("ml-knn")),
    "a predictor, nothing is reduced": ("predictors", methods_evidence.ANY),
    "labels of some rows are unknown, a map for new rows": ("projection", methods_evidence.Wanted(partly=True)),
    "labels of the rows at hand are unknown": ("propagation", methods_evidence.Wanted(partly=True)),
}


def first_choices() -> str:
    """Return what `mlreduce.recommend` names first in each case, and the controls."""
    rows = []
    for case, (family, wanted) in CASES.items():
        first, then, controls = methods_evidence.choices(family, wanted)
        measure = measure_label(first.measure) + f" with {first.predictor}" * bool(first.predictor)
        named = [", ".join(f"`{one.method}` {one.near:.2f}" for one in part) for part in ([first], then, controls)]
        named[0] += f" ({first.low:.2f} to {first.high:.2f})"
        rows.append([case, *named, f"{measure}, {first.data_sets} data sets of {first.study}"])
    return to_markdown(["what is reduced", "first", "then", "controls", "by"], rows, marked=True)


def coverage() -> str:
    """Return how many items of each paper are here, and those that are not, with their reasons."""
    table, rows = coverage_table(), []
    missing = table["state"].str.startswith("not made")
    for study, part in table.groupby("study", sort=False):
        name = f"[{study}](../papers/{study}/README.md)"
        rows.append([name, str(len(part)), str((~missing[part.index]).sum())])
    rows.append(["all", str(len(table)), str((~missing).sum())])
    listed = "".join(
        f"- {row.study}, {row.item} ({row.what}): {row.state.removeprefix('not made: ')}.\n"
        for row in table[missing].itertuples()
    )
    return f"{to_markdown(['paper', 'items', 'here'], rows, marked=True)}\nMissing:\n\n{listed}"


@cache
def coverage_table() -> pd.DataFrame:
    """Return the items of all papers: what each is, where it is here, and its state; none names what does not exist."""
    rows, known = [], verdicts()
    for study, item in ((study, item) for study, items in read_yaml(COVERAGE).items() for item in items):
        places, states = [*item.get("methods", [])], []
        for name in places:
            registry.method_class(name)
        for name in item.get("outputs", []):
            ends = ("csv",) if name == "datasets" else ("md", "svg", "png")  # tables have their numbers as CSV too
            places.append(next(file for end in ends if (REFERENCE / study / (file := f"{name}.{end}")).is_file()))
            cells = read_audit(study).query("table == @name")
            states += [f"printed cells reproduced: {by_protocol(cells)}"] * (len(cells) > 0)
        states += [f"{claim}: {known[claim]}" for claim in item.get("claims", [])]
        states = states or ["computed" if "outputs" in item else "implemented"]
        states = [f"not made: {item['reason']}"] if "reason" in item else [*states, *filter(None, [item.get("note")])]
        rows.append([study, item["item"], item["what"], ", ".join(places), "; ".join(states)])
    return pd.DataFrame(rows, columns=["study", "item", "what", "here", "state"])


#: Parts of pages that scripts in benchmarks write.
OF_BENCHMARKS = (
    *("exponents", "larger", "scheduling", "shapes", "sizes", "many-labels-nodes", "benchmark", "large"),
    *("seeds", "simulation", "sensitivity"),
)
#: What is shown of the results of one study.
OF_A_STUDY = {"claims": claims, "printed": printed}
#: The functions that write parts of pages, by the names of the parts.
BLOCKS = {
    block.__name__.replace("_", "-"): block
    for block in (
        *(amendment, coverage, evidence, first_choices, front, frozen, opening, papers, study_costs),
        *(waits, why_undecided, *OF_A_STUDY.values()),
    )
}
#: The complete tables by their files' names.
TABLES = {
    "claims": claims_table,
    "coverage": coverage_table,
    **{f"ranking-{family}": partial(ranking_table, family) for family in EVIDENCE},
}


def table_text(name: str) -> str:
    """Return the text of a complete table."""
    return str(TABLES[name]().to_csv(index=False, float_format="%.4g", lineterminator="\n"))


#: The verdict on a claim within a sentence; lines may be broken anywhere.
VERDICT = re.compile(r"(?P<begin><!--\s+verdict\s+(?P<id>\S+)\s+-->)[^<]*(?P<end><!--\s+end\s+-->)")


@cache
def verdicts() -> dict[str, str]:
    """Return the committed verdict of each claim, of all claims of a paper that is not run yet."""
    judged = pd.concat(pd.read_csv(path) for path in REFERENCE.glob("*/claims.csv"))
    missing = {claim.id: NOT_RUN for study in STUDIES if not is_run(study) for claim in claims_of(study)}
    return missing | dict(zip(judged["id"], judged["verdict"], strict=True))


def update_page(text: str) -> str:
    """Return a page with its generated parts and the verdicts within its sentences written anew."""
    known = verdicts()
    text = re.sub(VERDICT, lambda match: f"{match['begin']}{known[match['id']]}{match['end']}", text)
    for part in re.findall(r"<!-- ([^:>]+): begin -->\n", text):
        name, *arguments = part.split()
        if name not in OF_BENCHMARKS:
            missing = name in OF_A_STUDY and not is_run(arguments[0])
            made = f"{NOT_RUN.capitalize()}." if missing else BLOCKS[name](*arguments).removesuffix("\n")
            text = fill_block(text, part, [made])
    return text


if __name__ == "__main__":
    import update_numbers

    for page in PAGES:
        page.write_text(update_page(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name in TABLES:
        (COMPLETE / f"{name}.csv").write_text(table_text(name), encoding="utf-8")
    update_numbers.main()
