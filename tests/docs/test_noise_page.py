"""The page about noise: its examples run, one after the other, and what it says about them is true."""

import re
from pathlib import Path

import pytest

import suffice as sf

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "noise.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def told():
    """What the names of the page stand for after each example."""
    names, after = {}, []
    for example in EXAMPLES:
        exec(example, names)
        after.append(dict(names))
    return after


def value(x):
    return (x[0] - 0.3) ** 2 + 2 * (x[1] - 0.6) ** 2


def test_the_recommended_point_is_better_than_the_luckiest_one(told):
    result = told[0]["result"]
    assert value(result.x_recommended) < value(result.x)
    assert result.fun < -0.1 < 0 < value(result.x)
    assert abs(result.fun_recommended - value(result.x_recommended)) < 3 * result.fun_recommended_sd < 0.1


def test_a_told_variance_is_kept(told):
    assert all(trial.noise_var > 0 for trial in told[1]["opt"].trials[:12])


def test_points_are_measured_again(told):
    result, trials = told[2]["result"], told[2]["opt"].trials
    assert result.nfev == 30
    assert result.x_recommended == {"arm": 4}
    assert trials[-1].point.tolist() == trials[-2].point.tolist() == [0.3, 0.6]


def test_every_name_exists():
    for name in set(re.findall(r"\bsf\.(\w+)", PAGE)) | set(re.findall(r"`([A-Z][A-Za-z]+)`", PAGE)):
        assert hasattr(sf, name), name
    for word in set(re.findall(r"`(?:result\.)?(\w+_recommended\w*)`", PAGE)):
        assert hasattr(sf.Result, word), word


def test_the_readme_leads_to_it():
    assert "(docs/howto/noise.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
