"""What a browser takes with 20 studies of 5 000 trials: `python -m research.benchmarks.dashboard_page [--studies 20]`.

-   seconds from the start of the server to the list, in a browser that was opened at once;
-   the first paint of the list and of a study, as the browser itself has it;
-   seconds from a value that is told to a study till its row is on the page;
-   milliseconds in which a new trial is drawn, all panels together.

Beside playwright it needs Debian's package chromium.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

import suffice as sf
from research.benchmarks.dashboard import SPACE, Site, real_facts, site_of, written
from research.benchmarks.timing import print_table

PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
# All charts and tables once more, as a new trial would have it.
AGAIN = """() => {
  const begun = performance.now();
  document.querySelectorAll(".chart").forEach(({ chart }) => chart.draw());
  return performance.now() - begun;
}"""


def measured(page: Page, site: Site, folder: Path, studies: int) -> Iterator[tuple[str, str, str]]:
    """What, how long, and how long it may take."""
    page.goto(site.url)
    page.locator(".studies tbody tr").nth(studies - 1).wait_for()
    yield "from the start of the server to the list", f"{time.perf_counter() - site.begun:.2f} s", ""
    yield "first paint of the list", f"{page.evaluate(PAINT):.2f} s", "< 2 s"
    while any(study["state"] == "loading" for study in site.studies()):
        time.sleep(0.1)
    study = site.studies()[0]
    begun = time.perf_counter()
    page.get_by_role("link", name=study["name"]).click()
    page.locator(".chart .dot").first.wait_for()
    yield "from a click to the charts of a study", f"{time.perf_counter() - begun:.2f} s", "< 2 s"
    yield "milliseconds to draw all charts anew", f"{page.evaluate(AGAIN):.0f}", ""
    seconds = []
    with sf.Optimizer.resume(folder / study["name"]) as optimizer:
        for i in range(8):
            time.sleep(1.0 + 0.37 * i % 1.0)  # at any moment between two looks
            point = {**SPACE.from_unit(SPACE.sample(1, np.random.default_rng(i))[0])}
            begun = time.perf_counter()
            trial = optimizer.tell(point, -float(i))
            page.locator(f'tr[data-trial="{trial.number}"]').wait_for(state="attached")
            seconds.append(time.perf_counter() - begun)
    yield "from a value told to its row", f"{np.median(seconds):.2f} s, at most {max(seconds):.2f} s", "< 2 s"
    page.reload()
    page.locator(".chart .dot").first.wait_for()
    yield "first paint of a study that is loaded anew", f"{page.evaluate(PAINT):.2f} s", "< 2 s"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--studies", type=int, default=20)
    parser.add_argument("--trials", type=int, default=5000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        start, *facts = real_facts(folder / "real.db")
        reports = [fact.data["report"] for fact in facts if fact.data.get("report")]
        for i in range(chosen.studies):
            written(folder / "runs" / f"study{i:02}.db", start, reports, chosen.trials, i)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        with site_of(folder / "runs") as site:
            rows = list(measured(page, site, folder / "runs", chosen.studies))
        browser.close()
    print_table("the dashboard's page", ("what", "measured", "target"), rows)


if __name__ == "__main__":
    main()
