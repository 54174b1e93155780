"""The reference of the commands, made from their parsers: what `--help` prints cannot differ from the page."""

import argparse
import textwrap

from suffice.cli import make_parser

PAGE, PLACE = "reference/command-line", "<!-- commands -->"


def setup(app):
    """For Sphinx: fill the page in when it is read."""
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    """Put the commands into their page."""
    if page == PAGE:
        source[0] = source[0].replace(PLACE, commands(make_parser()))


def commands(parser):
    """A section for each command, in MyST Markdown."""
    group = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {action.dest: action.help for action in group._choices_actions}
    return "\n\n".join(section(name, command, summaries.get(name)) for name, command in group.choices.items())


def section(name, command, summary):
    """What a command does, how it is typed, and its arguments."""
    said = " ".join((command.description or summary or "").split())
    options = [option(action, command) for action in command._actions if action.help is not argparse.SUPPRESS]
    usage = textwrap.indent(command.format_usage().removeprefix("usage: ").rstrip(), "")
    rst = "\n\n".join([f".. program:: suffice {name}", *options])
    return f"## suffice {name}\n\n{said}\n\n```text\n{usage}\n```\n\n```{{eval-rst}}\n{rst}\n```"


def option(action, command):
    """One argument, as the directive of Sphinx for it."""
    formatter = command._get_formatter()
    value = formatter._format_args(action, formatter._get_default_metavar_for_optional(action)) if (
        action.nargs != 0
    ) else ""
    typed = ", ".join(f"{word} {value}".strip() for word in action.option_strings) or (
        formatter._format_args(action, formatter._get_default_metavar_for_positional(action))
    )
    text = " ".join((formatter._expand_help(action) if action.help else "").split())
    return f".. option:: {typed}\n\n   {text}"
