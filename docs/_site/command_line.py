"""The page of the commands, made from their parsers: what `--help` prints cannot differ from it."""

import argparse
import inspect

from suffice.cli import make_parser

PAGE, PLACE = "reference/command-line", "<!-- commands -->"


def setup(app):
    """For Sphinx: fill the page in when it is read."""
    app.connect("source-read", lambda _, page, source: fill(page, source))
    return {"parallel_read_safe": True}


def fill(page, source):
    """Put the commands into their page; `source` is a list of its text."""
    if page == PAGE:
        source[0] = source[0].replace(PLACE, commands(make_parser()))


def commands(parser):
    """A section for each command, in MyST Markdown."""
    group = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {action.dest: action.help for action in group._choices_actions}
    return "\n\n".join(section(name, command, summaries[name]) for name, command in group.choices.items())


def section(name, command, summary):
    """What a command does, how it is typed, and its arguments."""
    options = [option(action, command) for action in command._actions if action.dest != "help"]
    rst = "\n\n".join([f".. program:: suffice {name}", *options])
    usage = inspect.cleandoc(command.format_usage().removeprefix("usage: "))
    more = f"\n\n```text\n{inspect.cleandoc(command.epilog)}\n```" if command.epilog else ""
    said = command.description or summary
    return f"## suffice {name}\n\n{said}\n\n```text\n{usage}\n```\n\n```{{eval-rst}}\n{rst}\n```{more}"


def option(action, command):
    """One argument, as Sphinx's directive for it."""
    formatter = command._get_formatter()
    value = ""
    if action.nargs != 0:
        default = action.dest if not action.option_strings else action.dest.upper()
        value = formatter._format_args(action, default)
    typed = ", ".join(f"{word} {value}".strip() for word in action.option_strings) or value
    text = " ".join(formatter._expand_help(action).split()) if action.help else ""
    return f".. option:: {typed}\n\n   {text}"
