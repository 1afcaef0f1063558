"""Links that the repository and the site need in different forms."""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_refnode

import mlreduce
from mlreduce import registry

PROJECT = Path(__file__).parents[2]
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s:#]+)\)")
_NAME = re.compile(r"(?:mlreduce\.)?(?P<name>[A-Za-z_][\w.]*)(?:\(.*\))?")


def rewrite_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Point links to examples at their pages in the gallery, and those to folders at their page, if there is one."""
    path = Path(app.env.doc2path(docname))
    if path.suffix != ".md":
        return

    def rewritten(link: re.Match[str]) -> str:
        target = (path.parent / link["target"]).resolve()
        if target == PROJECT / "examples":
            return f"[{link['text']}](/docs/gallery/index.rst)"
        if target.is_dir():
            page = next((page for name in ("README.md", "audit.md") if (page := target / name).is_file()), None)
            return (
                link["text"]
                if page is None
                else link[0].replace(f"({link['target']})", f"(/{page.relative_to(PROJECT)})")
            )
        if target.parent == PROJECT / "examples" and target.suffix == ".py":
            return f"[{link['text']}](/docs/gallery/{target.stem}.rst)"
        if target.suffix == ".md" and target.is_file() and app.env.path2doc(str(target)) not in app.env.found_docs:
            return f"[{link['text']}](path:{link['target']})"  # a file to download
        return link[0]

    source[0] = _LINK.sub(rewritten, source[0])


class NamesToReferences(SphinxTransform):
    """Link names in code font, such as ``mlreduce.read`` or ``MVMD``, in Markdown pages to the API reference."""

    default_priority = 9  # before cross-references are resolved

    def apply(self) -> None:
        """Wrap literals that are public names."""
        if not self.document["source"].endswith(".md"):
            return
        for literal in list(self.document.findall(nodes.literal)):
            match = _NAME.fullmatch(literal.astext())
            if not match or isinstance(literal.parent, (nodes.reference, addnodes.pending_xref)):
                continue
            name = match["name"]
            dotted = literal.astext().startswith("mlreduce.")
            known = name in PUBLIC if dotted else name in CLASSES
            if known:
                reference = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=f"mlreduce.{name}", refexplicit=True, refwarn=True
                )
                literal.replace_self(reference)
                reference += literal


def resolve_name(app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, shown: nodes.Element) -> Any:
    """Resolve names that docstrings write shorter than in full; show those of the package that are not public.

    What exists nowhere in the package stays unresolved, which is a warning.
    """
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target:
        return None
    objects = env.domains.python_domain.objects
    places = {(obj.docname, obj.node_id) for name, obj in objects.items() if name.endswith(f".{target}")}
    if len(places) == 1:
        ((docname, anchor),) = places
        return make_refnode(app.builder, node["refdoc"], docname, anchor, shown)
    return shown if any(_has(owner, target) for owner in _owners()) else None


@cache
def _owners() -> list[Any]:
    """Return the modules of the package and the classes in them."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "mlreduce"]
    classes = {cls for module in modules for cls in vars(module).values() if inspect.isclass(cls)}
    return [*modules, *(cls for cls in classes if cls.__module__.startswith("mlreduce"))]


def _has(owner: Any, path: str) -> bool:
    """Whether a module or class has something, such as ``Form.graph`` or ``mlreduce.spectral.Form.graph``."""
    *parents, last = path.removeprefix(f"{owner.__name__}.").split(".")
    for parent in parents:
        owner = getattr(owner, parent, None)
    if hasattr(owner, last) or last in getattr(owner, "__annotations__", {}):
        return True
    # What only instances have: attributes of the parameters' names.
    code = getattr(getattr(owner, "__init__", None), "__code__", None)
    return code is not None and last in code.co_varnames


CLASSES = frozenset(registry.class_names())
PUBLIC = CLASSES | {name for name in mlreduce.__all__ if callable(getattr(mlreduce, name))}


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the hooks."""
    app.connect("source-read", rewrite_links)
    app.connect("missing-reference", resolve_name)
    app.add_transform(NamesToReferences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
