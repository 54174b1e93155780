"""The pictures of docs/howto/dashboard.md: `python -m research.benchmarks.dashboard_figures [FOLDER]`.

Studies are made in a folder: a support vector machine that is tuned on scikit-learn's bundled data about breast cancer,
whose training fails where it takes too many steps, and a few that are quick. `suffice dashboard` watches them, and
Chromium takes pictures of the list, of one study, of a trial in the dark, of a comparison and of a phone. Beside
scikit-learn it needs playwright and Debian's package chromium.
"""

import io
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import suffice as sf

SPACE = {
    "kernel": sf.Choice("rbf", "poly", "sigmoid"),
    "C": sf.Float(1e-3, 1e3, log=True),
    "gamma": sf.Float(1e-5, 1, log=True),
    "degree": sf.Int(2, 5, when={"kernel": "poly"}),
    "shrinking": sf.Choice("yes", "no"),
}
# The other studies: how many trials, and the depth of the valley.
QUICK = {"lab/yield.db": (34, 0.3), "lab/purity.db": (21, 7.3), "sim/old.db": (40, 21.3)}
SEEDS = {f"sim/wing-{seed}.db": (40, 14.3) for seed in range(3)}
STEPS = 700  # of the training, after which it counts as failed
TRIALS = 60
DAY = 86400.0
COLOURS = 192  # of a picture: edges of letters are the most of them
LARGEST = 150_000  # bytes of a picture


def accuracy(point: dict[str, Any]) -> float:
    """The share of cases that are told right, in a cross-validation."""
    X, y = load_breast_cancer(return_X_y=True)
    words = point | {"shrinking": point["shrinking"] == "yes"}
    model = make_pipeline(StandardScaler(), SVC(**words, max_iter=STEPS))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        share = float(cross_val_score(model, X, y, cv=5).mean())
    if said:
        raise RuntimeError(f"the training did not converge in {STEPS} steps")
    return share


def bowl(point: dict[str, Any], depth: float) -> float:
    """A quick objective with a valley."""
    x, y = point["temperature"] / 100 - 1.3, math.log10(point["pressure"]) - 0.4
    return depth + x * x + 0.6 * (y - x) ** 2 + 0.05 * math.sin(9 * x)


def make_studies(folder: Path) -> None:
    """What the list shows; the one in the pictures last, so that it runs."""
    space = {"temperature": sf.Float(20, 250), "pressure": sf.Float(0.1, 50, log=True)}
    for i, (name, (trials, depth)) in enumerate((QUICK | SEEDS).items()):
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        sf.minimize(partial(bowl, depth=depth), space, n_trials=trials, seed=i, storage=path)
        if name == "sim/old.db":
            content = path.read_bytes()
            path.write_bytes(content[: 3 * len(content) // 4] + bytes(len(content) // 4))
        os.utime(path, (time.time() - (i + 0.2) * DAY,) * 2)
    with sf.Optimizer(SPACE, direction="maximize", seed=0, storage=folder / "svm.db") as optimizer:
        for _ in range(TRIALS):
            trial = optimizer.ask()
            begun = time.perf_counter()
            try:
                value = accuracy(trial.point)
            except RuntimeError as error:
                optimizer.fail(trial, str(error), seconds=time.perf_counter() - begun)
            else:
                optimizer.tell(trial, value, seconds=time.perf_counter() - begun)
        optimizer.ask()
        optimizer.ask()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a dashboard that watches the folder meanwhile."""
    command = [sys.executable, "-m", "suffice", "dashboard", folder.name, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder.parent) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found.group()
        finally:
            process.send_signal(signal.SIGINT)


def opened(browser: Browser, address: str, width: int, height: int, scheme: Any = "light") -> Page:
    """The list, in a window of its own."""
    page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
    page.goto(address)
    page.get_by_role("link", name="svm.db").wait_for()
    page.locator(".study-damaged").wait_for()
    return page


def open_study(page: Page) -> None:
    """The study, with everything that comes later."""
    page.get_by_role("link", name="svm.db").click()
    page.get_by_text("Search for this point").wait_for(state="attached")
    page.locator(".said dt", has_text="best seen").wait_for(timeout=60_000)
    page.get_by_role("heading", name="Prediction along").scroll_into_view_if_needed()
    page.locator(".multiple .band").first.wait_for(timeout=60_000)
    page.evaluate("window.scrollTo(0, 0)")


def take_pictures(address: str, target: Path) -> None:
    """list.png, study.png, trial.png, compare.png, phone.png."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = opened(browser, address, 1200, 420)
        save(page, target / "list.png")
        page = opened(browser, address, 1500, 1250)
        open_study(page)
        save(page, target / "study.png")
        page = opened(browser, address, 1500, 800, "dark")
        open_study(page)
        page.get_by_role("region", name="Failures by reason").get_by_role("button").last.click()
        page.get_by_role("searchbox", name="Filter trials").fill("rbf C<30")
        page.get_by_role("heading", name="Failures").evaluate("heading => heading.scrollIntoView()")
        page.wait_for_timeout(500)
        save(page, target / "trial.png")
        page = opened(browser, address, 1200, 640)
        for name in SEEDS:
            page.get_by_role("checkbox", name=f"Compare {name}").check()
        page.get_by_role("link", name="Compare 3 studies").click()
        page.locator("svg[viewBox] path.line.study-2").wait_for(state="attached")
        save(page, target / "compare.png")
        page = opened(browser, address, 400, 860, "dark")
        open_study(page)
        save(page, target / "phone.png")
        browser.close()


def save(page: Page, path: Path) -> None:
    """What the window shows, in as many colours as a page of few colours needs."""
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


def main() -> None:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/figures/dashboard")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "studies"
        make_studies(folder)
        with served(folder) as address:
            take_pictures(address, target)
    for path in sorted(target.glob("*.png")):
        size = path.stat().st_size
        print(f"{path}: {size / 1000:.0f} kB{' (too large)' if size > LARGEST else ''}")


if __name__ == "__main__":
    main()
