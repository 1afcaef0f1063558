from __future__ import annotations

import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

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
