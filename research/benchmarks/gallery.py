"""The figures of docs/gallery.md and of the README: python -m research.benchmarks.gallery [--again]

They are drawn from two runs, kept in docs/figures/gallery/; --again makes them anew, in a minute. The first tunes a
support-vector classifier on scikit-learn's digits: mixed and conditional parameters, noise by a new split of the data
for each evaluation, and failures, since there cannot be more components than pixels. The second tunes a forest on the
same data for two objectives, with a limit on a third output.
"""

from research.benchmarks.timing import pin_threads

pin_threads()

import re  # noqa: E402
import sys  # noqa: E402
from itertools import count  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import matplotlib as mpl  # noqa: E402

mpl.use("agg")

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs"
FIGURES = DOCS / "figures" / "gallery"
RUN, FRONT = FIGURES / "run.json", FIGURES / "front.json"
# Width and height in inches of the README's figure come from sf.plot; 200 dots make 1400 of them.
LARGE, SMALL = 200, 110  # dots for each inch
TRIALS, SEED = 60, 0

SPACE = sf.Space(
    kernel=sf.Choice("rbf", "poly", "linear"),
    C=sf.Float(1e-2, 1e3, log=True),
    gamma=sf.Float(1e-4, 1.0, log=True, when={"kernel": ("rbf", "poly")}),
    degree=sf.Int(2, 5, when={"kernel": "poly"}),
    scaling=sf.Choice("none", "range", "deviation"),
    components=sf.Int(2, 100, log=True),
)


def tuned() -> sf.Result:
    """The run; scikit-learn is needed for it."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA
    from sklearn.model_selection import ShuffleSplit, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.svm import SVC

    X, y = load_digits(return_X_y=True)
    scalers = {"none": "passthrough", "range": MinMaxScaler(), "deviation": StandardScaler()}
    calls = count()

    def error(p: dict[str, Any]) -> float:
        """The share of digits that are read wrongly, learned from 200."""
        split = ShuffleSplit(2, train_size=200, test_size=400, random_state=next(calls))
        words = {name: p[name] for name in ("kernel", "C", "gamma", "degree") if name in p}
        reduced = PCA(p["components"], random_state=0)
        model = make_pipeline(scalers[p["scaling"]], reduced, SVC(**words, max_iter=20_000))
        return 1.0 - float(cross_val_score(model, X / 16, y, cv=split, error_score="raise").mean())

    return sf.minimize(error, SPACE, TRIALS, seed=SEED, diagnostics=sf.solvers.Diagnostics(audit=0.2))


FOREST = sf.Space(
    trees=sf.Int(1, 60, log=True),
    depth=sf.Int(2, 12),
    features=sf.Float(0.02, 1.0, log=True),
    leaf=sf.Int(1, 10),
)


def traded() -> sf.Result:
    """The run of two objectives: how many digits are read rightly, by how many nodes."""
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import accuracy_score, recall_score
    from sklearn.model_selection import cross_val_predict

    X, y = load_digits(return_X_y=True)
    X, y = X[:900], y[:900]

    def trade(p: dict[str, Any]) -> dict[str, float]:
        words = {"max_depth": p["depth"], "max_features": p["features"], "min_samples_leaf": p["leaf"]}
        forest = RandomForestClassifier(p["trees"], **words, random_state=0)
        read = cross_val_predict(forest, X, y, cv=3)
        nodes = sum(tree.tree_.node_count for tree in forest.fit(X, y).estimators_)
        worst = float(recall_score(y, read, average=None).min())
        return {"accuracy": float(accuracy_score(y, read)), "nodes": float(nodes), "worst_digit": worst}

    aims = {"accuracy": "maximize", "nodes": "minimize"}
    return sf.optimize(trade, FOREST, TRIALS, objectives=aims, constraints={"worst_digit": sf.AtLeast(0.6)}, seed=SEED)


def lines(page: str) -> list[tuple[str, str]]:
    """The figures of the page and the code that draws each: what stands in the block before it."""
    return re.findall(r"```python\n(.*?)```\n\n!\[[^\]]*\]\(figures/gallery/(\w+)\.png\)", page, re.DOTALL)


def main() -> None:
    for path, run in ((RUN, tuned), (FRONT, traded)):
        if "--again" in sys.argv[1:] or not path.exists():
            import warnings

            FIGURES.mkdir(parents=True, exist_ok=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # where the classifier gives up
                run().save(path)
    result, several = sf.load(RUN), sf.load(FRONT)
    print(result, several, sep="\n\n")
    names = {"sf": sf, "result": result, "several": several}
    for code, name in lines((DOCS / "gallery.md").read_text(encoding="utf-8")):
        drawn = eval(code.strip().splitlines()[-1].split(" = ", 1)[-1], dict(names))
        ax = drawn.ravel()[0] if isinstance(drawn, np.ndarray) else drawn
        save(getattr(ax, "figure", ax), FIGURES / f"{name}.png", SMALL)
    save(result.plot(), DOCS / "figures" / "overview.png", LARGE)


def save(figure: Any, path: Path, dots: int) -> None:
    """As a picture of 256 colours, which is half of the size; rare colours, such as those of a cross, are kept."""
    from PIL import Image  # matplotlib needs it itself

    figure.savefig(path, dpi=dots)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    mpl.pyplot.close(figure)
    print(f"wrote {path.relative_to(DOCS.parent)}, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    import matplotlib.pyplot

    main()
