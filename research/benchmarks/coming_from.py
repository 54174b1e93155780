"""The programs of docs/coming-from/ in other libraries' words, run.

    python -m research.benchmarks.coming_from [--python PATH]

Each page has a block that is a file, with_NAME.py. PATH is an interpreter that has the libraries; where one is missing,
its program is left out, and said so. What the pages claim of a library should be read again when a version changes.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "coming-from"
BLOCK = re.compile(r"^```python\n(# with_(\w+)\.py\n.*?)^```", re.MULTILINE | re.DOTALL)
SECONDS = 600  # Ax takes one and a half minutes
NAMES = {"skopt": "scikit-optimize", "ax": "ax-platform", "bayes_opt": "bayesian-optimization"}  # others: their own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the libraries")
    interpreter = parser.parse_args().python
    for page in sorted(PAGES.glob("*.md")):
        for program, package in BLOCK.findall(page.read_text(encoding="utf-8")):
            print(f"{page.name}: {outcome(interpreter, program, package)}", flush=True)


def outcome(interpreter: str, program: str, package: str) -> str:
    """The version of the package and the last line that its program prints, or why there is none."""
    ask = f"import importlib.metadata as m; print(m.version({NAMES.get(package, package)!r}))"
    version = subprocess.run([interpreter, "-c", ask], capture_output=True, text=True, check=False)
    if version.returncode:
        return f"{package} is not installed for {interpreter}"
    with tempfile.TemporaryDirectory() as folder:
        command = [interpreter, "-W", "ignore", "-c", program]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    last = (done.stdout.splitlines() or done.stderr.splitlines() or [""])[-1]
    return f"{package} {version.stdout.strip()} {'ended with an error' if done.returncode else 'ran'}: {last}"


if __name__ == "__main__":
    main()
