"""The program of docs/howto/ray.md."""

import shutil
import tempfile

import pytest

from ...docs.pages import Page

pytest.importorskip("ray")


@pytest.fixture
def short_folder():
    """Ray puts sockets there, whose paths may have 107 bytes."""
    folder = tempfile.mkdtemp(prefix="ray-")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_ray_tunes_with_the_sampler(program, tmp_path, short_folder):
    settings = {"RAY_TMPDIR": short_folder, "RAY_USAGE_STATS_ENABLED": "0", "HOME": str(tmp_path)}
    last = program(Page("docs/howto/ray.md"), "tune_ray.py", **settings).splitlines()[-1]
    config, loss, n = last.rsplit(" ", 2)
    assert int(n) == 16
    assert float(loss) < 0.5  # the best that the other model can do
    assert "'model': 'forest'" in config
    assert "'depth'" in config
