"""What the page of a method says of its use: five lines of Python that run on embedded data, and when not to use it."""

from __future__ import annotations

import mlreduce
from mlreduce.methods.description import describe
from mlreduce.methods.evidence import TYPICAL, typical_seconds
from mlreduce.methods.facts import Facts, facts_of, method_of

#: Instances of the embedded data that the examples use.
ROWS = 100

# What is done with a fitted method of each family.
_USES = {
    **dict.fromkeys(("projection", "embedding", "selection"), "print(method.transform(X).shape)"),
    "labelspace": "print(method.decode(method.encode(Y)).shape)",
    "predictors": "print(method.predict(X).shape)",
}


def example_of(name: str) -> str:
    """Return Python code that fits a method of the registry and prints the shape of what it returns.

    Examples
    --------
    >>> print(example_of("mvmd"))
    import mlreduce
    data = mlreduce.load_dataset("digits")
    X, Y = data.X[:100], data.Y[:100]
    method = mlreduce.MVMD().fit(X, Y)
    print(method.transform(X).shape)
    """
    described, facts = method_of(name), facts_of(name)
    cls = described.class_name
    if hasattr(mlreduce, cls):
        head, made = "import mlreduce", f"mlreduce.{cls}()"
    else:
        head, made = f"import mlreduce\nfrom {described.module} import {cls}", f"{cls}()"
    lines = [head, 'data = mlreduce.load_dataset("digits")', f"X, Y = data.X[:{ROWS}], {_labels(facts)}"]
    if described.family == "propagation":
        lines += [f"Y[{ROWS // 2}:] = float('nan')", f"print({made}.fit_transform(X, Y).shape)"]
    elif not facts.out_of_sample:
        lines += [f"method = {made}", "print(method.fit_transform(X, Y).shape)"]
    else:
        lines += [f"method = {made}.fit(X, Y)", _USES[described.family]]
    return "\n".join(lines)


def _labels(facts: Facts) -> str:
    if facts.single_label:
        return f"data.Y[:{ROWS}, 0]"
    return f"data.Y[:{ROWS}].astype(float)" if facts.family == "propagation" else f"data.Y[:{ROWS}]"


def limits_of(name: str) -> list[str]:
    """Return when a method cannot be used, and what it needs and costs, in sentences from its declaration.

    Examples
    --------
    >>> limits_of("mvmd")[0]
    'It needs labels.'
    """
    facts, described = facts_of(name), describe(name)
    unknown = {"no": "It takes no unknown labels.", "rows": "Labels may be unknown for complete instances only."}
    sparse = {"no": "It takes no sparse features.", "made dense": "It makes sparse features dense."}
    sentences = [
        "It needs labels." if facts.needs_labels else "It does not use labels." if facts.needs_labels is False else "",
        "Each instance must have one label." if facts.single_label else unknown.get(facts.unknown_labels, ""),
        f"It needs at least {facts.least_labels} labels." if facts.least_labels > 1 else "",
        "" if facts.negative else "Features must not be negative.",
        sparse.get(facts.sparse or "", ""),
        "" if facts.out_of_sample else "It returns values for the instances of the fit only, for no further ones.",
    ]
    if described.cost:
        holds = f"; it holds {described.memory}" if described.memory else ""
        sentences.append(f"A fit takes {described.cost}{holds}.")
    if (seconds := typical_seconds(name)) is not None:
        shape = f"{TYPICAL.n:,} instances, {TYPICAL.d} features and {TYPICAL.q} labels"
        sentences.append(f"For {shape} it takes about {seconds:.2g} s, within a factor of about four.")
    return [sentence for sentence in sentences if sentence]
