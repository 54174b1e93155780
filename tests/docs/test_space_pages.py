"""The pages about pools and spaces of one's own: their examples run, and what they say about them is true."""

import numpy as np

from .pages import Page


def test_the_page_about_pools_finds_the_best_row_and_its_rows_are_told(tmp_path):
    ran = Page("docs/howto/pool.md").run(tmp_path)
    assert ran["result"].fun == max(map(ran["strength"], ran["library"]))
    assert [trial.point["name"] for trial in ran["opt"].trials] == ["ethanol", "hexane", "acetone"]
    assert ran["trial"].number == 0
    assert ran["letters"].dim == 5


def test_the_page_about_spaces_of_ones_own_runs(tmp_path):
    own = Page("docs/howto/own-space.md").run(tmp_path)
    assert own["binding"](own["found"].x) == own["found"].fun >= 4
    assert own["small"].fun == own["few_edges_and_no_lonely_node"](own["small"].x) < 12
    space, kernel = own["Sequences"](6), own["OtherLetters"]()
    X = space.sample(30, np.random.default_rng(0))
    assert np.linalg.eigvalsh(kernel(X, X)).min() > -1e-9
