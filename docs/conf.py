"""Configuration of the documentation site: make docs.

The root of the sources is the root of the project, so that links between Markdown files, CONTRIBUTING.md and the
configuration's among them, are the same in the repository and on the site.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

# Processes of the examples' comparisons use one BLAS thread each; set before NumPy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["MPLBACKEND"] = "agg"

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

import mlreduce  # noqa: E402

project = "mlreduce"
author = "The mlreduce developers"
version = release = mlreduce.__version__
copyright = author

extensions = [
    "api_pages",
    "method_tables",
    "results_site",
    "site_links",
    "table_pages",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
]

root_doc = "docs/index"
include_patterns = [
    "docs/**", "papers/*/README.md", "config/README.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
    *(f"results/reference/{study.parent.name}/audit.md" for study in DOCS.parent.glob("papers/*/study.yaml")),
]  # fmt: skip
# Others than these are not searched for sources: thousands of files.
exclude_patterns = [
    "docs/_build",
    "docs/_templates",
    "docs/_ext",
    ".*",
    "src",
    "tests",
    "workflow",
    "comparisons",
    "benchmarks",
    "envs",
]
# The header and the form of the search are those of the pages of results.
SITE = DOCS.parent / "src" / "mlreduce_studies" / "site"
templates_path = [str(DOCS / "_templates"), str(SITE / "templates" / "shared")]  # autosummary: from the sources' root
nitpicky = True
nitpick_ignore = [("py:obj", name) for name in ("GridSearchCV", "Pipeline")]  # of scikit-learn
default_role = "py:obj"
suppress_warnings = [
    "config.cache",  # the gallery's options hold functions
]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say more: shapes, units, ranges
autodoc_default_options = {"members": True, "inherited-members": "object,dict"}
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": str(DOCS.parent / "examples"),
    "gallery_dirs": str(DOCS / "gallery"),
    "filename_pattern": "/plot_",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "ignore_repr_types": r"matplotlib|list",  # what drawing returns is no output
    "download_all_examples": False,
    "doc_module": ("mlreduce",),
    "backreferences_dir": "docs/gallery/backreferences",
    "min_reported_time": 10,
    "write_computation_times": False,
}
# A warning in an example is a defect of the example, as in the tests.
warnings.filterwarnings("error", module="mlreduce")

html_theme = "pydata_sphinx_theme"
html_title = f"mlreduce {release}"
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # dark where the reader's system is
html_extra_path = ["_extra"]  # index.html, which leads to the front page
html_additional_pages = {"search": "search.html"}
html_static_path = ["_static", str(SITE / "static" / "header.css")]
html_css_files = ["header.css", "site.css"]
html_copy_source = False
html_show_sourcelink = False
# Without pages below them, their side bar would be empty.
_ALONE = ("index", "getting-started")
html_sidebars = {"_tables/**": []} | {f"docs/{page}": [] for page in _ALONE}
html_theme_options = {
    "show_prev_next": False,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "collapse_navigation": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
