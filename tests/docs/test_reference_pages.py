"""The reference: commands by their parsers, links to what docstrings mention, signatures without addresses."""

import re
import sys
from pathlib import Path

import pytest

import suffice as sf
from suffice.accuracy.report import SolveReport
from suffice.cli import COMMANDS, make_parser
from suffice.types import Solver

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module", autouse=True)
def site():
    """The extensions of the site, which Sphinx finds in docs/."""
    sys.path.insert(0, str(DOCS))
    yield
    sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def commands():
    from _site.command_line import commands

    return commands(make_parser())


def test_every_command_has_a_section_with_what_it_does_and_how_it_is_typed(commands):
    sections = dict(re.findall(r"^## suffice (\S+)\n\n(.*?)(?=^## |\Z)", commands, re.MULTILINE | re.DOTALL))
    assert list(sections) == list(COMMANDS)
    for name, text in sections.items():
        said, usage = re.match(r"(.*?)\n\n```text\n(suffice \S+).*?```", text, re.DOTALL).groups()
        assert said.endswith(".") or said[0].islower()
        assert usage == f"suffice {name}"


def test_every_option_is_there_as_it_is_typed_with_its_help(commands):
    assert ".. option:: -n N, --trials N\n\n   how many trials, including earlier ones (50)" in commands
    assert ".. option:: --format {csv,jsonl}\n\n" in commands
    assert "--help" not in re.sub(r"```text.*?```", "", commands, flags=re.DOTALL)


def test_only_the_page_of_the_commands_is_filled_in():
    from _site.command_line import PAGE, PLACE, fill

    assert PLACE in (DOCS / f"{PAGE}.md").read_text(encoding="utf-8")
    page, other = [f"before {PLACE} after"], [f"before {PLACE} after"]
    fill(PAGE, page)
    fill("howto/tune", other)
    assert page[0].startswith("before ## suffice tune\n")
    assert other == [f"before {PLACE} after"]


def test_pages_names_and_types_in_a_docstring_are_links_and_examples_are_left_alone():
    from _site.docstrings import link

    lines = [
        "As sf.LogEI() and `sf.minimize`, but not sf.UCB(beta=2), sf.nothing or docs/none.md: docs/howto/store.md.",
        "`sf.plot.slice(result)`, sf.GP(kernel=sf.gp.RBF()) and (sf.plot.time).",
        ">>> sf.minimize",
        ":Parameters:",
        "    **size** : Fixed, Linear or matplotlib.Fixed, default: Linear(100)",
        ":Returns:",
        "    list of Trial",
        "        A Trial each.",
        ":Raises:",
        "    SpaceExhausted",
        ".. seealso::",
        "    :obj:`Optimizer`",
    ]
    link("suffice.solvers.Grid", lines)
    assert lines == [
        "As :obj:`sf.LogEI() <suffice.LogEI>` and :obj:`sf.minimize <suffice.minimize>`, but not sf.UCB(beta=2), "
        "sf.nothing or docs/none.md: :doc:`/howto/store`.",
        "`sf.plot.slice(result)`, sf.GP(kernel=sf.gp.RBF()) and (:obj:`sf.plot.time <suffice.plot.time>`).",
        ">>> sf.minimize",
        ":Parameters:",
        "    **size** : :obj:`Fixed <suffice.solvers.Fixed>`, :obj:`Linear <suffice.solvers.Linear>` or "
        "matplotlib.Fixed, default: Linear(100)",
        ":Returns:",
        "    list of :obj:`Trial <suffice.Trial>`",
        "        A Trial each.",
        ":Raises:",
        "    :obj:`SpaceExhausted <suffice.errors.SpaceExhausted>`",
        ".. seealso::",
        "    :obj:`Optimizer`",
    ]


def test_the_types_of_scikit_optimize_are_not_taken_for_ours():
    from _site.docstrings import link

    lines = [":Parameters:", "    **space** : Space"]
    link("suffice.compat.skopt.Optimizer", lines)
    assert lines[1] == "    **space** : Space"


def test_a_signature_has_no_addresses_and_what_users_get_has_none():
    from _site.docstrings import readable

    assert readable(sf.solvers.Grid, f"(candidates={sf.candidates.uniform!r}, keep=10)", None) == (
        "(candidates=uniform, keep=10)",
        None,
    )
    assert readable(sf.solvers.Grid, "(candidates=<function uniform>)", None) == (
        "(candidates=uniform)",
        None,
    )  # as Sphinx has it
    assert readable(sf.acquisition.LookAround, "(improve=<factory>)", None) == ("(improve=LogEI())", None)
    assert readable(SolveReport, "(value, upper)", None) == ("", None)
    assert readable(Solver, "(*args, **kwargs)", None) == ("", None)
    assert readable(sf.plot, None, None) is None
