from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from planted_run import planted_run

from mlreduce_studies.runs import read_run
from mlreduce_studies.site.writing import write_site

AXE = "4.14.1"
AXE_SHA512 = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
# No sandbox: containers rarely let it start. The rest is what a browser would ask the network for by itself.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def site():
    """The built pages."""
    if not (SITE / "objects.inv").is_file():
        pytest.skip("there is no build of the documentation: make docs")
    return SITE


@pytest.fixture(scope="session")
def address(site):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("there is no Chromium: install Debian's package (make chromium, with root)")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make docs")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The script of axe-core, from npm's registry, by its hash."""
    folder = tmp_path_factory.mktemp("axe")
    if shutil.which("npm") is None:
        pytest.skip("there is no npm, which brings axe-core")
    command = ["npm", "pack", f"axe-core@{AXE}", "--silent", "--pack-destination", str(folder)]
    if subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False).returncode:
        pytest.skip("npm reaches no registry")
    (archive,) = folder.glob("*.tgz")
    assert base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() == AXE_SHA512
    with tarfile.open(archive) as packed:
        return packed.extractfile("package/axe.min.js").read().decode()


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    base = planted_run(tmp_path_factory.mktemp("results") / "run")
    write_site(read_run(base), base / "site")
    return base


@pytest.fixture
def opened(planted, browser):
    """Open a page of the planted site; every error, and every request outside, fails the test."""
    contexts, wrong = [], []

    def open_page(name, width=1400, base=None, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith(("file:", "data:", "blob:")) else wrong.append(asked.url),
        )
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.goto((base or planted / "site").as_uri() + f"/{name}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
