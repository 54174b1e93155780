"""The documentation site: it builds without a warning, asks nobody else for anything, and leads nowhere in vain."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ADDRESSES = ("href", "src", "srcset", "data", "action")  # the attributes of HTML that have one
WIDE = ("index", "reproduction/README", "howto/workers", "reference/running", "genindex")  # the widest
FOUND = {  # first of the many pages that have it
    "install": "Install",
    "n_initial": "Running",
    "load": "suffice.load",
    "constraints": "Constraints",
    "categorical": "Search spaces: numbers and categorical parameters",
    "warm start": "Warm start: use earlier results",
    "multi-objective": "Multi-objective optimization: the Pareto front",
    "resume": "Resume after a crash",
    "parallel": "Run trials in parallel",
    "pruning": "Pruning: stop bad evaluations early",
    "noise": "Noise",
}
PROSE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)  # what is not prose: code
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the site, and what Sphinx had to say."""
    out = tmp_path_factory.mktemp("site")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    environment |= dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")  # nothing is there: offline
    command = [sys.executable, "-m", "sphinx", "--quiet", "--keep-going", DOCS, out / "html"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return out / "html", run


@pytest.fixture(scope="module")
def site(built):
    folder, run = built
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """What each HTML file refers to: (tag, address) by file."""
    return {path: references(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def references(text):
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.extend((tag, value) for name, value in attributes if name in ADDRESSES and value)

    Reader().feed(text)
    return found


def test_the_site_builds_without_a_warning(built):
    _, run = built
    assert (run.returncode, run.stderr) == (0, "")


def test_a_page_loads_nothing_from_another_server(site, pages):
    assert len(pages) > 40
    loaded = [(path.name, to) for path, refs in pages.items() for tag, to in refs if tag != "a"]
    assert [(name, to) for name, to in loaded if urlsplit(to).netloc] == []
    elsewhere = re.compile(r"(url\(|@import)\s*['\"]?(https?:)?//")
    assert [path for path in site.rglob("*.css") if elsewhere.search(path.read_text(encoding="utf-8"))] == []


def test_what_a_page_leads_to_is_there(site, pages):
    dead = [(str(path.relative_to(site)), to) for path, refs in pages.items() for _, to in refs if not leads(path, to)]
    assert dead == []


def leads(path, address):
    """Whether there is a file at an address in the file at `path`; other servers are not asked."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or not parts.path:
        return True
    return (path.parent / unquote(parts.path)).resolve().is_file()


def test_the_markdown_beside_a_page_leads_to_files_of_the_site(site):
    copies = sorted(path for path in site.rglob("*.md") if "_downloads" not in path.parts)
    assert {path.relative_to(site) for path in copies} == {path.relative_to(DOCS) for path in DOCS.rglob("*.md")}
    dead = []
    for copy in copies:
        prose = PROSE.sub("", copy.read_text(encoding="utf-8"))
        dead += [(str(copy.relative_to(site)), to) for to in LINK.findall(prose) if not leads(copy, to)]
    assert dead == []


def test_llms_txt_lists_every_page_once_with_a_line_about_it(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0] == "# suffice"
    assert lines[2].startswith("> ")
    entries = re.findall(r"^- \[(.+)\]\((.+)\): (.+)$", text, re.MULTILINE)
    assert len(entries) == sum(line.startswith("- ") for line in lines)
    listed = [link for _, link, _ in entries]
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if not orphan(path)}
    assert sorted(listed) == sorted(written - {"index.md"})
    assert all((site / link).is_file() for link in listed)


def orphan(path):
    """A page that stays only because its old address is known says so, and is in no table of contents."""
    return "orphan: true" in path.read_text(encoding="utf-8")[:40]


def test_the_reference_as_plain_text_has_the_docstrings_and_the_options_of_the_commands(site):
    running = (site / "reference" / "running.md").read_text(encoding="utf-8")
    assert "**n_trials** : int" in running
    assert "eval-rst" not in running
    assert "--minimize" in (site / "reference" / "command-line.md").read_text(encoding="utf-8")


def test_a_text_of_the_repository_is_a_page_with_its_own_words(site):
    changes = (site / "project" / "changelog.md").read_text(encoding="utf-8")
    assert changes.startswith("# Changelog")
    assert "](../howto/store.md)" in changes
    assert "Add a solver" in (site / "project" / "contributing.html").read_text(encoding="utf-8")


def test_a_file_outside_of_the_documentation_can_be_had_from_the_site(site, pages):
    (to,) = [to for tag, to in pages[site / "howto" / "tune.html"] if to.endswith("/train.py")]
    copy = (site / "howto" / to).resolve()
    assert copy.read_bytes() == (ROOT / "examples" / "train.py").read_bytes()


def found_first(page, site, word):
    """What the search lists first for a word."""
    page.goto((site / "search.html").as_uri() + f"?q={word.replace(' ', '+')}")
    page.locator("#search-results p.search-summary", has_text="finished").wait_for()  # sorted by then
    return page.locator("#search-results li a").first.inner_text()


def test_in_a_browser_no_page_complains_asks_another_server_or_is_wider_than_a_phone(site, need):
    program = need("chromium", "chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    said, asked = [], []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[] if os.getuid() else ["--no-sandbox"])
        page = browser.new_page(viewport={"width": 400, "height": 900})
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: said.append(line.text) if line.type in ("error", "warning") else None)
        page.on("request", lambda request: asked.append(request.url))
        widths = {}
        for name in WIDE:
            page.goto((site / f"{name}.html").as_uri())
            widths[name] = page.evaluate("document.documentElement.scrollWidth")
        page.goto((site / "search.html").as_uri() + "?q=thompson")
        page.locator("#search-results li a", has_text="Thompson").first.wait_for()
        first = {word: found_first(page, site, word) for word in FOUND}
        browser.close()
    assert first == FOUND
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert {name: width for name, width in widths.items() if width > 400} == {}
