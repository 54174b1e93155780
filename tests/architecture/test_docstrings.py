"""Every public docstring says what it is about and what each argument means, in numpydoc's form; its examples run."""

import dataclasses
import doctest
import inspect
from functools import cached_property
from importlib import import_module

import pytest
from numpydoc.docscrape import NumpyDocString, get_doc_object
from numpydoc.validate import ERROR_MSGS, validate

LEFT_OUT = {
    "GL02": "a docstring that is completed with shared arguments ends with its last word",
    "ES01": "one sentence is enough where it says everything",
    "YD01": "nothing public yields but a context manager, whose value is None",
    "SA01": "not everything has a relative; what a text mentions is a link on the site",
    "EX01": "the main ones have examples; the how-to pages have the others, and are run too",
}
CHECKED = sorted(set(ERROR_MSGS) - set(LEFT_OUT))
MODULES = (  # whose __all__ is public
    "suffice",
    "suffice.plot",
    "suffice.report",
    "suffice.exchange",
    "suffice.testing",
    "suffice.integrations.optuna",
    "suffice.integrations.sklearn",
    "suffice.compat.skopt",
)


@pytest.fixture(scope="module")
def names(reference):
    """All of them, members too."""
    return [dotted for name, members in reference.items() for dotted in (name, *(f"{name}.{m}" for m in members))]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference(module, reference, resolved):
    described = [resolved(name) for name in reference]
    public = [getattr(import_module(module), name) for name in import_module(module).__all__ if name[0] != "_"]
    missing = [thing for thing in public if not inspect.ismodule(thing) and not any(thing is one for one in described)]
    assert missing == [], f"docs/reference/ lacks names of {module}"


def test_every_error_is_in_the_reference(reference):
    errors = [name for name, thing in vars(import_module("suffice.errors")).items() if inspect.isclass(thing)]
    assert [name for name in errors if f"suffice.errors.{name}" not in reference] == []


def test_the_docstrings_keep_to_numpydoc(names, resolved):
    wrong = [
        f"{name}: {code} {message}"
        for name in names
        for code, message in validate(get_doc_object(maker(resolved(name))))["errors"]
        if code in CHECKED and not (code == "PR01" and is_report(resolved(name)))
    ]
    assert wrong == [], "\n".join(wrong)


def test_what_is_made_for_the_user_has_every_field_among_its_attributes(names, resolved):
    wrong = {}
    for name in names:
        thing = resolved(name)
        if is_report(thing) and dataclasses.is_dataclass(thing):
            described = [word for entry in sections(thing)["Attributes"] for word in entry.name.split(", ")]
            fields = [field.name for field in dataclasses.fields(thing)]
            if described != fields:
                wrong[name] = sorted(set(described) ^ set(fields)) or "in another order"
    assert wrong == {}


def test_a_left_out_check_exists_and_has_a_reason():
    assert set(LEFT_OUT) < set(ERROR_MSGS)
    assert all(LEFT_OUT.values())


def test_the_examples_of_the_docstrings_run(names, resolved):
    finder, runner, report = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(), []
    examples = [example for name in names for example in finder.find(unbound(resolved(name)), name, globs={})]
    for example in examples:
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
    assert sum(bool(example.examples) for example in examples) >= 15


def is_report(thing):
    """Whether users get it and do not make it: its docstring has attributes, and no parameters."""
    if not inspect.isclass(thing) or sections(thing)["Parameters"]:
        return False
    return bool(sections(thing)["Attributes"]) or issubclass(thing, tuple)


def maker(thing):
    """What has the parameters: of a rule that is an object, such as sf.candidates.delaunay, its class."""
    return thing if inspect.isroutine(thing) or isinstance(thing, type | property | cached_property) else type(thing)


def sections(thing):
    return NumpyDocString(inspect.getdoc(thing))


def unbound(thing):
    """What has the docstring, for doctest: of a property the function behind it."""
    return thing.fget if isinstance(thing, property) else getattr(thing, "func", thing)
