"""Pages as a reader gets them: opened in Debian's Chromium, at any width, in light and dark, on screen and paper.

    def test_my_page(visit, tmp_path):
        seen = visit(path, width=400, scheme="dark")      # fails at once on an error or a request
        assert seen.sticking_out() == []
        seen.page.locator("h1").inner_text()              # all that playwright can do

`check_page` does what every page is held to. To look at it: seen.shot(tmp_path / "page.png").
"""

import os
import sys
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest


def fixtures_of(room):
    """The fixtures of another folder, for pages that are made of hand-made runs."""
    spec = spec_from_file_location(f"fixtures_of_{room}", Path(__file__).parents[1] / room / "conftest.py")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lab = fixtures_of("lab")
make_run, make_plan, make_runs = lab.make_run, lab.make_plan, lab.make_runs

QUIET = (  # it opens files and nothing else: no first-run pages, no updates, no reports
    *("--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-quic", "--disable-default-apps", "--no-default-browser-check"),
)
WIDTHS = (400, 1200, 1920)  # a phone, a small laptop, a large screen

# Two frames later the styles of a page are computed; transitions that they began are ended.
SETTLED = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
  document.getAnimations().forEach(running => running.effect.getTiming().iterations < Infinity && running.finish());
  done();
})))"""

# Elements that reach beyond the window and are not inside something that scrolls or cuts them off.
STICKING_OUT = """() => {
  const width = document.documentElement.clientWidth, found = [];
  const inside = element => {
    for (let e = element.parentElement; e; e = e.parentElement)
      if (e !== document.body && getComputedStyle(e).overflowX !== "visible") return true;
    return false;
  };
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1) && !element.closest("svg svg, svg *") && !inside(element))
      found.push(`<${element.tagName.toLowerCase()} class="${element.getAttribute("class") || ""}"> ` +
        `${Math.round(box.left)} to ${Math.round(box.right)} of ${width}: ${element.textContent.trim().slice(0, 60)}`);
  }
  if (document.documentElement.scrollWidth > width)
    found.push(`the page is ${document.documentElement.scrollWidth} wide, its window ${width}`);
  return found;
}"""


@dataclass(frozen=True)
class Seen:
    """A page that is open."""

    page: Any  # playwright's
    errors: list[str]  # of its console and its scripts
    requests: list[str]  # for anything but itself

    def sticking_out(self) -> list[str]:
        """What is too wide for the window, in words; [] if nothing is."""
        return self.page.evaluate(STICKING_OUT)

    def colour(self, selector: str, what: str = "color") -> str:
        """A colour of the first element that the selector finds, such as "rgb(27, 27, 27)"."""
        self.page.evaluate(SETTLED)
        return self.page.eval_on_selector(selector, f"e => getComputedStyle(e).{what}")

    def shot(self, path) -> None:
        """The whole page as a PNG file."""
        self.page.screenshot(path=str(path), full_page=True)


@pytest.fixture(scope="module")
def few_charts():
    """few_charts(report, "regret"): let the reports of that module draw these only, which saves most of their time."""
    with pytest.MonkeyPatch.context() as patch:

        def few_charts(report, *names):
            every = report.charts
            wanted = lambda *words: [chart for chart in every(*words) if chart.name in names]  # noqa: E731
            patch.setattr(report, "charts", wanted)

        yield few_charts


@pytest.fixture(scope="module")
def chromium(need):
    """The browser; of a module, since it keeps an event loop running that other tests must not find."""
    program = need("chromium", "chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    sandbox = [] if os.getuid() else ["--no-sandbox"]  # Chromium has none for root
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*QUIET, *sandbox])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """visit(path, width=1200, scheme="dark", media="print"): open a local page, which must not complain or ask.

    Instead of a path it takes the address of a server, http://…, whose page may ask that server.
    """
    contexts = []

    def visit(path, *, width=1200, height=900, scheme="light", media="screen"):
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page, address = context.new_page(), path if isinstance(path, str) else path.absolute().as_uri()
        page.emulate_media(media=media)
        seen = Seen(page, [], [])
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("console", lambda said: seen.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("request", lambda asked: _record(seen.requests, asked.url, address))
        page.on("dialog", lambda dialog: (seen.errors.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(address)
        assert seen.errors == []
        assert seen.requests == []
        return seen

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def check_page(visit):
    """check_page(path): at every width in light and dark, and on paper, nothing is wrong and nothing is cut off."""

    def check_page(path):
        for width in WIDTHS:
            seen = visit(path, width=width)
            assert seen.sticking_out() == []
            for scheme in ("dark", "light"):
                seen.page.emulate_media(color_scheme=scheme)
                assert seen.colour("body", "backgroundColor") == ("rgb(22, 24, 27)" if scheme == "dark" else WHITE)
            assert seen.errors == seen.requests == []
        printed = visit(path, width=PAPER, media="print", scheme="dark")
        assert printed.sticking_out() == []
        assert printed.colour("body", "backgroundColor") == WHITE

    return check_page


WHITE = "rgb(255, 255, 255)"
PAPER = 703  # pixels between the margins of a sheet of A4: (210 − 2 · 12) mm at 96 to the inch


def _record(requests, url, address):
    server = urlsplit(address)
    own = url.startswith(f"{server.scheme}://{server.netloc}/") if server.netloc else url.split("#")[0] == address
    if not own and not url.startswith("data:"):
        requests.append(url)
