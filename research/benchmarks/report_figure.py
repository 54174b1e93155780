"""The picture of docs/howto/report.md: `python -m research.benchmarks.report_figure [FILE]`.

A support vector machine is tuned on scikit-learn's bundled data about breast cancer, the report of the study is written
and opened in Chromium, and its first screen becomes docs/figures/report.png. Beside scikit-learn it needs playwright
and Debian's package chromium.
"""

import sys
import tempfile
import warnings
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import suffice as sf
from suffice.report import write

SPACE = {
    "kernel": sf.Choice("rbf", "poly", "linear"),
    "C": sf.Float(1e-3, 3, log=True),
    "gamma": sf.Float(1e-5, 1, log=True, when={"kernel": ("rbf", "poly")}),
    "degree": sf.Int(2, 5, when={"kernel": "poly"}),
}
WIDTH, HEIGHT = 1000, 1530  # pixels: the verdict, the best points, the checks


def accuracy(point: dict[str, object]) -> float:
    """The share of cases that are told right, in a cross-validation."""
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(**point))
    return float(cross_val_score(model, X, y, cv=5).mean())


def main() -> None:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/figures/report.png")
    warnings.filterwarnings("ignore", category=UserWarning)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "svm.html"
        result = sf.maximize(accuracy, SPACE, n_trials=60, seed=0, storage=Path(folder) / "svm.db")
        write(result, page, name="svm.db")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            tab.goto(page.as_uri())
            tab.screenshot(path=target)
            browser.close()
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
