"""The output that is shown in docs/tutorial, made again: python -m research.benchmarks.tutorial_pages"""

from research.benchmarks.timing import pin_threads

pin_threads()

import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

from tests.docs.pages import ROOT, Page  # noqa: E402
from tests.docs.tutorial import Shown, walk  # noqa: E402

PATHS = sorted((ROOT / "docs" / "tutorial").glob("[1-5]-*.md"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _, shown = walk(Path(folder), [Page(f"docs/tutorial/{path.name}") for path in PATHS])
    for page in {output.page.path: output.page for output in shown}.values():
        write(page, [output for output in shown if output.page is page])


def write(page: Page, shown: list[Shown]) -> None:
    """Put what was printed into the page, where it is something else than what stands there."""
    lines = page.text.splitlines(keepends=True)
    for output in reversed(shown):  # from the end, so that the lines before keep their numbers
        first = output.block.line - 1
        if not output.exact:
            lines[first : first + output.block.code.count("\n")] = [output.printed]
            print(f"{page.path}:{output.block.line}: written anew")
    (ROOT / page.path).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
