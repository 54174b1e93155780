"""Studies of every kind have a page, and their data come back from it."""

from itertools import pairwise

import numpy as np

from suffice.report import read


def test_every_study_has_a_page_with_headings_in_order_and_no_element_that_loads_or_runs(kind):
    _, page, _ = kind
    assert [level for level, _ in page.headings if level == 1] == [1]
    levels = [level for level, _ in page.headings]
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert page.tags["script"] == 1
    assert not {"img", "link", "iframe", "object", "form"} & set(page.tags)
    links = [value for _, name, value in page.attributes if name in ("src", "href") and value[0] != "#"]
    assert all(value.startswith("data:image/png;base64,") for value in links)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert ("meta", "http-equiv", "Content-Security-Policy") in page.attributes


def test_every_study_comes_back_with_all_its_digits(kind):
    study, _, path = kind
    found = read(path)
    assert found["n_trials"] == len(found["rows"]) == len(study.trials)
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    for row, trial in zip(rows, study.trials, strict=True):
        assert (row["number"], row["state"], row["reason"], row["cause"]) == (
            trial.number,
            trial.state,
            trial.reason,
            trial.cause,
        )
        assert {name: row[name] for name in study.settings.outputs} == {
            name: (trial.values or {}).get(name) for name in study.settings.outputs
        }
        if isinstance(trial.point, dict) and study.settings.space.params:
            assert {name: row[name] for name in trial.point} == trial.point
            assert all(row[name] is None for name in study.settings.space.params if name not in trial.point)
        elif isinstance(trial.point, np.ndarray) and study.settings.space.params:
            assert [row[name] for name in study.settings.space.names] == trial.point.tolist()
