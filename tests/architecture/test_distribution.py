"""What is handed out: a wheel that anybody can build again to the same bytes, with all that the library needs in it."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import suffice

ROOT = Path(__file__).parents[2]
NEEDED = ("pyproject.toml", "README.md", "LICENSE", ".gitignore")  # besides the sources


def build(folder, out, umask):
    """The wheel of the tree in `folder`."""
    if importlib.util.find_spec("hatchling") is None:
        reason = "there is no hatchling here; with pip: pip install --group test"
        (pytest.fail if os.environ.get("SUFFICE_TEST_ALL") == "1" else pytest.skip)(reason)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=folder, env=environment, umask=umask, check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    return wheel


def copied(folder):
    """The sources somewhere else: other paths, another order on the disk, other times."""
    shutil.copytree(
        ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile
    )
    for name in NEEDED:
        shutil.copyfile(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("here"), umask=0o022)


def test_a_wheel_that_is_built_elsewhere_has_the_same_bytes(wheel, tmp_path):
    (tmp_path / "tree").mkdir()
    again = build(copied(tmp_path / "tree"), tmp_path / "out", umask=0o077)
    assert again.name == wheel.name
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(wheel.read_bytes()).digest()


def test_a_wheel_has_every_file_of_the_library_and_nothing_else(wheel):
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    library = {name for name in files if "__pycache__" not in name and ".egg-info" not in name}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"suffice/py.typed", "suffice/__init__.py"} <= library
    about = f"suffice-{suffice.__version__}.dist-info/"
    assert {name for name in names if not name.startswith(about)} == library


def test_the_command_and_the_licence_come_with_it(wheel):
    about = f"suffice-{suffice.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        assert "suffice = suffice.cli:main" in archive.read(f"{about}/entry_points.txt").decode()
        assert archive.read(f"{about}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        assert f"\nVersion: {suffice.__version__}\n" in archive.read(f"{about}/METADATA").decode()


def test_the_version_is_the_same_wherever_it_is_written():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE).group(1) == suffice.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d.*?)\]", changes, re.MULTILINE).group(1)
    assert newest == suffice.__version__.partition(".dev")[0]
