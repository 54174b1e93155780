"""The pages about pools and spaces of one's own: their examples run, and what they say about them is true."""

import re
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parents[2] / "docs" / "howto"


def names_of(page, old="", new=""):
    """What the names of a page stand for after its examples, run one after the other, with one word replaced."""
    names = {"__name__": page}
    for example in re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL):
        exec(example.replace(old, new), names)
    return names


def test_the_page_about_pools_finds_the_best_row_and_its_rows_are_told():
    names = names_of("pool.md")
    library, strength = names["library"], names["strength"]
    assert names["result"].fun == max(map(strength, library))
    assert [trial.point["name"] for trial in names["opt"].trials] == ["ethanol", "hexane", "acetone"]
    assert names["trial"].number == 0
    assert names["letters"].dim == 5


def test_the_page_about_spaces_of_ones_own_runs():
    own = names_of("own-space.md", "n_trials=40", "n_trials=12")
    assert own["binding"](own["found"].x) == own["found"].fun >= 4
    assert own["small"].fun == own["few_edges_and_no_lonely_node"](own["small"].x) < 12
    space, kernel = own["Sequences"](6), own["SamePairs"]()
    X = space.sample(30, np.random.default_rng(0))
    assert np.linalg.eigvalsh(kernel(X, X)).min() > -1e-9
