"""The cases on which the statistics of the library and those of the pages' script are tested.

In `stats/cases.json`: by hand, from SciPy's distributions, and for the signed-rank test from the sum over all pairs in
400,000 draws. ``null`` is NaN; "refused" is a `DataError` in Python and a ``RangeError`` in the script.
"""

from __future__ import annotations

import json
from pathlib import Path

CASES = json.loads((Path(__file__).parent / "stats" / "cases.json").read_text(encoding="utf-8"))

#: Calls a function of `statistics.js` by the name that a case has.
SCRIPT = """({function: name, arguments: given}) => {
    const own = mlreduceStatistics, filled = (value) => Array.isArray(value) ? value.map(filled) : value ?? NaN;
    const calls = {
        "ranks": own.ranks,
        "ranking": (sets, higher, margin) => own.ranking(sets, higher, margin).methods.flatMap(Object.values),
        "friedman": (rows) => Object.values(own.friedman(rows)),
        "critical difference": own.criticalDifference,
        "posterior": (values, share, margin) => {
            const made = own.posterior(values, share), regions = made.regions(margin);
            return [made.mean, made.scale, ...made.interval(), regions.below, regions.within, regions.above];
        },
        "signed rank": (values, margin) => Object.values(own.signedRank(values, margin)),
    };
    try {
        return calls[name](...given.map(filled));
    } catch (error) {
        if (error instanceof RangeError) return "refused";
        throw error;
    }
}"""
