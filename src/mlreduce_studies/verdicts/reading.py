"""Claims of a paper, read from a file; refused with file, line and the nearest right name where they are wrong.

Light to import, since every plan of a run reads the claims: nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlreduce.configuration import read_yaml, validate
from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.metrics import higher_is_better
from mlreduce_studies.verdicts.statements import KINDS, QUANTITIES, TABLES, WORDINGS, Line, Statement

__all__ = ["Claim", "Known", "read_claims"]

_WORDS = ("labels", "labels-1", "features", "min(labels, features)", "min(rows, features)")
_OPTIONS = (
    *("about", "factor", "at_least", "at_most", "nearer_one_than_on", "more_than_on"),
    *("direction", "control", "relative_to", "table"),
)

_WITHOUT_MARGIN = ("ratio", "bound", "correlation")
# Of quantities that are no measures: size, and whether it is a share of the second value.
_MARGINS = {
    "seconds": (0.1, True),
    "directions": (0.0, False),
    "approximation-error": (0.02, True),
    "approximation-error-fall": (0.01, False),
}
_PROOFS = {"proved": "proved", "false_by_algebra": "false by algebra"}

# What is named, the names, and those that there are.
_Named = tuple[str, Iterable[str], Sequence[str]]


@dataclass(frozen=True)
class Known:
    """Names that claims of a study may use.

    Attributes
    ----------
    outputs : sequence of str
        Its tables and figures.
    """

    methods: Sequence[str]
    predictors: Sequence[str]
    protocols: Sequence[str]
    datasets: Sequence[str]
    measures: Sequence[str]
    outputs: Sequence[str]


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper.

    Attributes
    ----------
    id, claim, where : str
        A name, what the paper says in our words, and its place.
    unchecked : str
        Why it cannot be checked; "" where it is.
    proof : dict
        ``verdict``, "proved" or "false by algebra", the ``derivation`` and the ``test`` that computes it; empty where
        results judge.
    wording : str
        Of `mlreduce_studies.verdicts.statements.WORDINGS`; "" where nothing is judged by results.
    group : str
        Name that claims on one comparison share; its ``id`` where it is alone.
    own : bool
        Whether it is a question of ours, which no paper claims, or rests on a reading of ours (``reading_because``).
    shown_in : sequence of str
        Tables and figures of the study that show what it is about.
    entry : dict
        As in the file, without these.
    """

    id: str
    claim: str
    where: str
    unchecked: str
    proof: Mapping[str, str]
    wording: str
    group: str
    own: bool
    shown_in: Sequence[str]
    entry: Mapping[str, Any]

    def lines(self, datasets: Sequence[str]) -> list[Line]:
        """Return its lines on the data sets of a study, or on those that it names.

        One per setting; a claim made on one public data set has the others of the study in a second line of each, which
        is not counted.
        """
        settings = self.entry.get("settings", [{"name": ""}])
        merged = [(_merged(self.entry, setting), setting["name"]) for setting in settings]
        return [line for entry, name in merged for line in _lines(entry, name, datasets)]


def _merged(entry: Mapping[str, Any], setting: Mapping[str, Any]) -> dict[str, Any]:
    changed = {key: value for key, value in setting.items() if key not in ("name", "select")}
    if "quantity" in changed:  # the printed effect is about the quantity of the claim
        entry = {key: value for key, value in entry.items() if key != "printed_effect"}
    return {**entry, **changed, "select": {**entry.get("select", {}), **setting.get("select", {})}}


def _lines(entry: Mapping[str, Any], name: str, datasets: Sequence[str]) -> list[Line]:
    about = tuple(entry.get("datasets", datasets))
    first = entry.get("first")
    if first is None:
        return [_line(entry, name, about)]
    others = tuple(other for other in about if other != first)
    made = [_line(entry, name, (first,))]
    if others:
        made.append(_line(entry, f"{name}, stand-ins".removeprefix(", "), others, counted=False))
    return made


def _line(entry: Mapping[str, Any], name: str, datasets: tuple[str, ...], counted: bool = True) -> Line:
    margin = _margin(entry)
    holds = entry.get("holds") or WORDINGS[entry["wording"]].holds
    statement = Statement(
        kind=entry["kind"],
        methods=_listed(entry.get("methods", entry.get("method"))),
        than=_listed(entry.get("than")),
        quantities=_listed(entry.get("quantity")),
        select=entry.get("select", {}),
        cells=entry.get("cells", "mean"),
        margin=margin["relative"] if isinstance(margin, Mapping) else margin,
        relative=isinstance(margin, Mapping),
        options={key: entry[key] for key in _OPTIONS if key in entry},
        than_select={**entry["select"], **entry["than_select"]} if "than_select" in entry else None,
        methods_hold=_number(entry.get("methods_hold", "all")),
    )
    number = _number(holds)
    counted = counted and not entry.get("shown", False)
    return Line(name, statement, datasets, min(number, len(datasets)) if isinstance(number, int) else number, counted)


def _margin(entry: Mapping[str, Any]) -> Any:
    """Return the margin of a claim: that of its entry or of its quantities, at most half of the printed effect.

    Two of 100 of a loss and a tenth of seconds are relative; whole directions, ratios and bounds have none.
    """
    if "margin" in entry or entry["kind"] in _WITHOUT_MARGIN:
        return entry.get("margin")
    margins = {_MARGINS.get(quantity, _margin_of_measure(quantity)) for quantity in _listed(entry["quantity"])}
    if len(margins) > 1:
        raise ConfigurationError(f"{entry['id']}: its quantities have different margins; give a setting to each")
    (size, relative), *_ = margins
    size = min(size, entry["printed_effect"] / 2) if "printed_effect" in entry else size
    return {"relative": size} if relative else size


def _margin_of_measure(measure: str) -> tuple[float, bool]:
    return (0.02, True) if measure in _MARGINS or not higher_is_better(measure) else (0.01, False)


def _number(holds: Any) -> Any:
    """Return how many are to hold: a word, or the number in ``{"at_least": number}``."""
    return holds["at_least"] if isinstance(holds, Mapping) else holds


def _listed(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def read_claims(path: str | Path, known: Known | None = None, taken: Mapping[str, str] | None = None) -> list[Claim]:
    """Read the file of the claims of a study.

    Parameters
    ----------
    known : Known or None, default=None
        The names of the study, which are checked; None where they are not known.
    taken : dict of str to str or None, default=None
        The ``id`` of each claim of other studies to its file.

    Raises
    ------
    ConfigurationError
        If the file is not as its schema says, an ``id`` occurs twice, or a kind, method, data set, measure or other
        name is unknown, or a margin or another key of the kind is missing. The sentence has file and line, and the
        nearest right name.
    """
    content = read_yaml(path)
    if not isinstance(content, list) or not content:
        raise ConfigurationError(f"{path}: expected a list of claims, each with the keys id, claim and where")
    claims = []
    taken = dict(taken or {})
    for entry, line in zip(content, _lines_of(path, len(content)), strict=True):
        validate(entry, "claims", f"{path}, line {line}")
        where = f"{path}, line {line}: {entry['id']}"
        if entry["id"] in taken:
            raise ConfigurationError(f"{where}: this id is used in {taken[entry['id']]} too; give one of them another")
        taken[entry["id"]] = f"{path}, line {line}"
        rest = {key: value for key, value in entry.items() if key not in ("claim", "where", "unchecked", "shown_in")}
        proofs = [
            {"verdict": verdict, "derivation": entry[key], "test": entry.get("test", "")}
            for key, verdict in _PROOFS.items()
            if key in entry
        ]
        claim = Claim(
            id=entry["id"],
            claim=entry["claim"],
            where=entry["where"],
            unchecked=entry.get("unchecked", ""),
            proof=proofs[0] if proofs else {},
            wording=entry.get("wording", ""),
            group=entry.get("group", entry["id"]),
            own=entry.get("own", False) or "reading_because" in entry,
            shown_in=entry.get("shown_in", ()),
            entry=rest,
        )
        if known is not None:
            _refuse_unknown([("table or figure", claim.shown_in, known.outputs)], where)
        if proofs:
            if "kind" in entry or claim.unchecked or len(proofs) > 1 or not claim.proof["test"]:
                raise ConfigurationError(f"{where}: a claim with a proof has its 'test', and no other verdict")
        elif not claim.unchecked:
            for setting in rest.get("settings", [{"name": ""}]):
                _check(_merged(rest, setting), where, known)
            _check_scope(entry, where)
        claims.append(claim)
    return claims


def _lines_of(path: str | Path, number: int) -> list[int]:
    """Return the lines on which the items of a list begin; all 1 where the file is written in another form."""
    rows = [(place, row) for place, row in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1)]
    dashes = [(place, len(row) - len(row.lstrip(" "))) for place, row in rows if row.lstrip(" ").startswith("- ")]
    found = [place for place, indent in dashes if indent == dashes[0][1]]
    return found if len(found) == number else [1] * number


def _check_scope(entry: Mapping[str, Any], where: str) -> None:
    """Refuse a claim whose scope or margin does not follow from its sentence."""
    wording = entry.get("wording")
    if wording is None:
        raise ConfigurationError(f"{where}: 'wording' is missing; it says on how many data sets the sentence holds")
    if wording not in WORDINGS:
        raise ConfigurationError(unknown_name("wording", wording, WORDINGS, where))
    if ("holds" in entry) != (wording == "counted"):
        raise ConfigurationError(f"{where}: 'holds' is the number of the wording 'counted', and of no other")
    counted = [setting for setting in entry.get("settings", ()) if not setting.get("shown", False)]
    if len(counted) > 1 and "open" not in entry:
        raise ConfigurationError(
            f"{where}: 'open' is missing; it says what the paper leaves open where several settings count"
        )
    if entry.get("settings") and not counted:
        raise ConfigurationError(f"{where}: settings: none is counted; leave 'shown' out of one")
    for part in (entry, *entry.get("settings", ())):
        if ("margin" in part) != ("margin_because" in part):
            raise ConfigurationError(f"{where}: 'margin' and 'margin_because' belong together")
        if ("printed_effect" in part) != ("printed_in" in part):
            raise ConfigurationError(f"{where}: 'printed_effect' and 'printed_in' belong together")


def _check(entry: Mapping[str, Any], where: str, known: Known | None) -> None:
    if "kind" not in entry or not {"quantity", "table"} & set(entry):
        lacks = "quantity" if "kind" in entry else "kind"
        raise ConfigurationError(f"{where}: {lacks!r} is missing; a claim without a check says why in 'unchecked'")
    if entry["kind"] not in KINDS:
        raise ConfigurationError(unknown_name("kind", entry["kind"], KINDS, where))
    kind = KINDS[entry["kind"]]
    for key in kind.needs:
        if key not in entry:
            raise ConfigurationError(f"{where}: {key!r} is missing; the kind {entry['kind']!r} needs it")
    if not {"method", "methods", "table"} & set(entry):
        raise ConfigurationError(f"{where}: 'method' or 'methods' is missing")
    if kind.one_of and not set(kind.one_of) & set(entry):
        raise ConfigurationError(f"{where}: the kind {entry['kind']!r} needs one of {', '.join(kind.one_of)}")
    _check_combinations(entry, where)
    for key in ("at_least", "at_most"):
        if isinstance(entry.get(key), str) and entry[key] not in _WORDS:
            raise ConfigurationError(unknown_name(key, entry[key], _WORDS, where))
    for quantity in _listed(entry.get("quantity")):
        of_predictions = quantity not in QUANTITIES or quantity == "directions"
        if of_predictions and "protocol" not in entry.get("select", {}):
            raise ConfigurationError(f"{where}: 'select' has no 'protocol'; the quantity {quantity!r} needs one")
    _refuse_unknown(_named(entry, known), where)
    _margin(entry)


def _check_combinations(entry: Mapping[str, Any], where: str) -> None:
    """Refuse keys of a claim that do not belong together."""
    if "table" in entry and entry["kind"] != "bound":
        raise ConfigurationError(f"{where}: 'table' belongs to the kind 'bound'; got {entry['kind']!r}")
    if "table" in entry and entry["table"]["name"] not in TABLES:
        raise ConfigurationError(unknown_name("table", entry["table"]["name"], TABLES, where))
    if "nearer_one_than_on" in entry and entry.get("cells", "mean") != "mean":
        raise ConfigurationError(f"{where}: 'nearer_one_than_on' compares means over the cells; leave 'cells' out")
    if "more_than_on" in entry and "table" not in entry:
        raise ConfigurationError(f"{where}: 'more_than_on' compares a number of a table; give the 'table'")
    if ("about" in entry) != ("factor" in entry):
        raise ConfigurationError(f"{where}: 'about' and 'factor' belong together")


def _refuse_unknown(named: Iterable[_Named], where: str) -> None:
    for what, names, there in named:
        for name in names:
            if name not in there:
                raise ConfigurationError(unknown_name(what, name, there, where))


def _named(entry: Mapping[str, Any], known: Known | None) -> Iterator[_Named]:
    """Yield what is named in a claim."""
    if "table" in entry:
        table = entry["table"]
        columns = TABLES[table["name"]]
        yield "column", (*_listed(table["column"]), *_listed(table.get("over"))), columns.numbers
        yield "column", (*table.get("where", ()), *table.get("over_where", ())), columns.keys
    if known is None:
        return
    selects = entry.get("select", {}), entry.get("than_select", {})
    for key in ("methods", "method", "than", "control", "relative_to"):
        yield "method", _listed(entry.get(key)), known.methods
    yield "quantity", _listed(entry.get("quantity")), (*QUANTITIES, *known.measures)
    for key, there in (("predictor", known.predictors), ("protocol", known.protocols)):
        yield key, [name for select in selects for name in _listed(select.get(key))], there
    for key in ("datasets", "nearer_one_than_on", "more_than_on", "first"):
        yield "data set", _listed(entry.get(key)), known.datasets
