"""Formulas of docstrings, typeset: their notation as LaTeX, and that as MathML, which browsers show without scripts.

In docstrings a formula stands between double backquotes, as code does: ``max tr(P'X'HXP)`` subject to ``P'P = I``, or
on separate lines, indented. An apostrophe transposes, ``_`` and ``^`` are followed by one index or power or by what
is in brackets, and names of three small letters and more are words, but for those of Greek letters and of functions.
"""

from __future__ import annotations

import re

from mlreduce.exceptions import from_extra

with from_extra("workflow", "sites"):
    import markupsafe
    from latex2mathml.converter import convert

_GREEK = r"alpha|beta|gamma|delta|lambda|mu|rho|phi|Sigma"
_SIGNS = {
    **{"!=": r"\ne ", "<=": r"\le ", ">=": r"\ge ", "||": r"\Vert ", "|": r"\mid ", "~": r"\approx ", "o": r"\circ "},
    **{"'": r"\text{’}", "max": r"\max ", "min": r"\min ", "exp": r"\exp ", "sum": r"\sum "},
    **{name: rf"\operatorname{{{name}}}" for name in ("tr", "diag", "ceil", "mean", "abs")},
}
# What a formula is made of, the first that fits; names of subscripts end where a capital letter begins.
_TOKEN = re.compile(
    rf"""(?P<script>[_^])(?:\((?P<group>(?:[^()]|\([^()]*\))*)\)|\{{(?P<set>[^{{}}]*)\}}|(?P<index>{_GREEK}|[a-z]+|-?\d+(?:/\d+)?|[A-Z+]))
    |(?P<letter>{_GREEK})(?P<number>\d*)
    |(?P<sign>[!<>]=|\|\||[|~']|(?<=\ )o(?=\ )|(?:tr|diag|ceil|mean|abs|max|min|exp|sum)(?![a-z]))
    |(?P<mean>[XY])c
    |(?P<side>d)(?P<end>[+-])(?=[ )]|$)
    |(?P<word>[a-z]{{3,}}(?:_[a-z]+)*|(?:of|to|is|if)(?=\ ))
    |(?P<other>[A-Za-z0-9\[\]()<=+*/.,;-])|(?P<space>\ +)""",
    re.VERBOSE,
)
_CODE = re.compile(r'[a-z][a-z0-9]*(?:[._-]\w{2,})*_?(?:=[\w."-]+)?')
_SPAN = re.compile(r"``(.+?)``|`(.+?)`", re.DOTALL)
# In displayed formulas: limits of a sum are below it by default.
_LIMITS = re.compile(r"(\\min|\\max|\\operatorname\{mean\}) ?_")
# A formula can be wider than a telephone.
_DISPLAYED = markupsafe.Markup('<div class="wide" tabindex="0" role="group" aria-label="Formula">{}</div>')


def is_formula(text: str) -> bool:
    """Return whether a text between double backquotes is a formula; otherwise it is code, such as a parameter's name.

    Examples
    --------
    >>> is_formula("P'P = I"), is_formula("n_c"), is_formula("n_components"), is_formula("beta=0"), is_formula("y")
    (True, True, False, False, False)
    """
    return _CODE.fullmatch(text) is None


def latex_of(formula: str) -> str:
    r"""Return a formula of a docstring in LaTeX; ValueError if a character has no meaning in one.

    Examples
    --------
    >>> print(latex_of("max tr(P'Xc'XcP)"), latex_of("S_w + ridge I"), latex_of("D^-1/2"))
    \max \,\operatorname{tr}(P\text{’}X_{c}\text{’}X_{c}P) S_{w}+\mathrm{ridge}\,I D^{-1/2}
    """
    parts, at = [], 0
    while at < len(formula):
        found = _TOKEN.match(formula, at)
        if found is None:
            raise ValueError(
                f"{formula!r}: {formula[at:]!r} is no formula; put it between single backquotes, or write code"
            )
        parts.append(_latex(found, formula))
        at = found.end()
    return "".join(parts)


def _latex(found: re.Match[str], formula: str) -> str:
    if found["script"]:
        index = found["index"] or ""
        group = found["set"] if found["group"] is None else found["group"]
        inner = latex_of(group) if group is not None else _SIGNS.get(index, index)
        return found["script"] + "{" + ("\\" if re.fullmatch(_GREEK, index) else "") + inner + "}"
    if found["letter"]:
        return rf"\{found['letter']} " + (f"_{{{found['number']}}}" if found["number"] else "")
    if found["sign"]:
        return _SIGNS[found["sign"]]
    if found["mean"]:
        return f"{found['mean']}_{{c}}"
    if found["side"]:
        return f"d^{{{found['end']}}}"
    if found["word"]:
        return r"\mathrm{" + found["word"].replace("_", r"\_") + "}"
    if len(found["space"] or "") > 2:  # between two formulas of a line
        return r"\quad "
    if found["space"]:  # of a product, where no sign is on one side
        before, behind = formula[: found.start()], formula[found.end() :]
        return r"\," if re.search(r"[\w)\]',]$", before) and re.match(r"[\w(|]", behind) else ""
    return found["other"]


def typeset(text: str) -> markupsafe.Markup:
    """Return a text of a docstring as HTML, its formulas as MathML.

    Examples
    --------
    >>> print(typeset("With ``y`` as in `PCA`."))
    With <code>y</code> as in PCA.
    """
    parts, at = [], 0
    for span in _SPAN.finditer(text):
        code = " ".join((span[1] or "").split())
        parts.append(markupsafe.escape(text[at : span.start()]))
        if span[2]:
            parts.append(markupsafe.escape(span[2]))
        elif is_formula(code):
            parts.append(markupsafe.Markup(convert(latex_of(code))))
        else:
            parts.append(markupsafe.Markup("<code>{}</code>").format(code))
        at = span.end()
    return markupsafe.Markup("").join([*parts, markupsafe.escape(text[at:])])


def typeset_paragraphs(text: str) -> markupsafe.Markup:
    r"""Return the paragraphs of a docstring as HTML; one of indented lines is a formula to each line.

    Examples
    --------
    >>> print(typeset_paragraphs("It minimises\n\nover `W`."))
    <p>It minimises</p>
    <p>over W.</p>
    """
    made = []
    for paragraph in filter(str.strip, text.split("\n\n")):
        lines = paragraph.strip("\n").split("\n")
        if all(line.startswith("    ") for line in lines):
            below = [_LIMITS.sub(r"\1\\limits_", latex_of(line.strip())) for line in lines]
            shown = "".join(convert(line, display="block") for line in below)
            made.append(_DISPLAYED.format(markupsafe.Markup(shown)))
        else:
            made.append(markupsafe.Markup("<p>{}</p>").format(typeset(paragraph)))
    return markupsafe.Markup("\n").join(made)
