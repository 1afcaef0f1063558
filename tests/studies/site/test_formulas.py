"""Formulas of all methods as MathML: well formed, and nothing of the docstring is lost or moved."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from mlreduce import registry
from mlreduce.methods.facts import method_of
from mlreduce_studies.site.formulas import is_formula, latex_of, typeset, typeset_paragraphs

SIGNS = {"α": "alpha", "β": "beta", "γ": "gamma", "λ": "lambda", "μ": "mu", "ρ": "rho", "φ": "phi", "ϕ": "phi"}
SIGNS |= {"Σ": "Sigma", "∑": "sum", "∘": "o", "’": "'", "≤": "<=", "≈": "~", "−": "-", "‖": "||", "∥": "||", "∣": "|"}
SIGNS |= {"≠": "!=", "≥": ">=", "δ": "delta"}
INVISIBLE = re.compile("[\\s\u2061-\u2064]")


def spans_of(name: str) -> list[str]:
    return [" ".join(span.split()) for span in re.findall(r"``(.+?)``", method_of(name).marked, re.DOTALL)]


def said(mathml: str) -> str:
    """What a formula has from left to right, in the notation of docstrings, without blanks and marks of scripts."""
    text = "".join(ElementTree.fromstring(mathml).itertext())
    return INVISIBLE.sub("", "".join(SIGNS.get(letter, letter) for letter in text))


def test_every_formula_of_every_method_is_typeset_whole():
    formulas = {span for name in registry.method_names() for span in spans_of(name) if is_formula(span)}
    assert {"P'P = I", "max tr(P'((1 - beta) Xc'Xc + beta X'HYY'HX)P)", "n_c"} <= formulas
    for formula in formulas:
        assert_whole(typeset(f"``{formula}``"), formula)


def assert_whole(mathml: str, formula: str) -> None:
    inner = re.sub(r"([_^])\(((?:[^()]|\([^()]*\))*)\)", r"\1\2", formula)
    assert said(mathml).replace("_", "") == re.sub(r"[\s^_{}]", "", inner), formula


def test_every_line_that_is_a_formula_is_typeset_whole():
    shown = 0
    for name in registry.method_names():
        marked = method_of(name).marked
        lines = re.findall(r"(?m)^ {4}(.*)$", marked)
        typeset_lines = re.findall(r'<math[^>]*display="block".*?</math>', typeset_paragraphs(marked))
        for line, mathml in zip(lines, typeset_lines, strict=True):
            assert_whole(mathml, line)
        shown += len(lines)
    assert shown >= 35


def test_no_formula_of_a_method_is_left_as_text():
    """In the text beside formulas no equation, norm, power, index or information stands unmarked."""
    for name in registry.method_names():
        beside = re.sub(r"(?m)^ {4}.*$", "", method_of(name).marked)
        text = re.sub(r"``.+?``|`.+?`", "", beside, flags=re.DOTALL)
        assert not re.search(r"[<>!]?= |\^|\b[A-Za-z]_[a-z]\b|\|\||\b[HIJ]\(", text), name


def test_a_headline_alone_has_no_paragraphs():
    assert typeset_paragraphs("\n") == ""


def test_what_a_mean_is_over_is_below_it():
    math = ElementTree.fromstring(re.search("<math.*</math>", typeset_paragraphs("    mean_{s selected} I(f;s)"))[0])
    mean, over = math.find(".//{*}munder")
    assert ("".join(mean.itertext()), "".join(over.itertext())) == ("mean", "sselected")


def test_code_is_no_formula():
    code = {span for name in registry.method_names() for span in spans_of(name) if not is_formula(span)}
    assert {"y", "beta=0", "eigenvalues_", "n_neighbors", "sklearn.feature_selection.chi2", "kernel-ridge"} <= code
    assert all(re.fullmatch(r'[a-z][\w.-]*(=[\w."]+)?', span) for span in code)


def test_scripts_and_fences():
    math = ElementTree.fromstring(typeset("``||Z - ZV'V||_F^2``"))
    tags = [element.tag.rpartition("}")[2] for element in math.iter()]
    assert "msubsup" in tags
    power = ElementTree.fromstring(typeset("``D^-1/2``")).find(".//{*}msup")
    assert "".join(power[1].itertext()) == "−1/2"


def test_what_is_no_formula_is_named():
    with pytest.raises(ValueError, match="is no formula"):
        latex_of("X @ Y")


def test_text_is_escaped():
    assert str(typeset("<b> & ``a<b``")).startswith("&lt;b&gt; &amp; <math")
    assert str(typeset("of `PCA`, ``n_components``")) == "of PCA, <code>n_components</code>"
