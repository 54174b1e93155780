"""A page that is run once for all tests of its file."""

import pytest


@pytest.fixture(scope="module")
def ran(request, tmp_path_factory):
    """The page of the test file, its `PAGE`, after all its blocks were run in an empty folder."""
    return request.module.PAGE.run(tmp_path_factory.mktemp("page"))
