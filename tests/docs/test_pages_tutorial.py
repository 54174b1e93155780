"""The pages of the tutorial that have no test of their own: every block runs."""

import pytest

from .pages import Page
from .who import others


@pytest.mark.parametrize("path", others("docs/tutorial/"))
def test_every_block_of_a_page_runs(path, tmp_path):
    Page(path).run(tmp_path)
