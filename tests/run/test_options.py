"""The keyword arguments: written down once, seen everywhere."""

import inspect
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal, TypedDict

import pytest

import suffice as sf
from suffice.record.options import (
    Option,
    SearchOptions,
    in_words,
    options_of,
    takes,
)
from suffice.run.minimize import run
from suffice.run.options import MinimizeOptions, RunOptions

BOX = [(0.0, 1.0)]


class Sizes(TypedDict, total=False):
    """Two keyword arguments."""

    width: Annotated[int, Option(2, "How wide it is, in metres.")]
    colour: Annotated[str | None, Option(None, "Its colour; None leaves it as it is.")]


@takes(Sizes)
def paint(wall, /, coats=1, **options):
    """Paint a wall."""
    return wall, coats, options


@takes(Sizes)
class Wall:
    """A wall.

    Parameters
    ----------
    height : float
        In metres.

    See Also
    --------
    paint : Paints one.
    """

    def __init__(self, height, **options):
        self.height, self.options = height, options


def test_what_is_left_out_arrives_as_its_default():
    assert paint("north", coats=2, width=5) == ("north", 2, {"width": 5, "colour": None})
    assert vars(Wall(3, colour="red")) == {"height": 3, "options": {"width": 2, "colour": "red"}}


@pytest.mark.parametrize(
    ("make", "signature"),
    [
        (paint, "(wall, /, coats=1, *, width: int = 2, colour: str | None = None)"),
        (Wall, "(height, *, width: int = 2, colour: str | None = None)"),
    ],
)
def test_the_signature_shows_every_name_type_and_default(make, signature):
    assert str(inspect.signature(make)) == signature


@pytest.mark.parametrize(("make", "summary"), [(paint, "Paint a wall."), (Wall, "A wall.")])
def test_the_parameters_of_the_docstring_go_on_with_every_meaning(make, summary):
    assert make.__doc__.splitlines()[0] == summary
    assert (
        "\nwidth : int, default: 2\n    How wide it is, in metres.\ncolour : str or None, default: None\n"
        in make.__doc__
    )


def test_what_follows_the_parameters_in_a_docstring_still_follows_them():
    head, _, tail = Wall.__doc__.partition("width : int, default: 2\n")
    assert head == "A wall.\n\nParameters\n----------\nheight : float\n    In metres.\n"
    assert tail.endswith("    Its colour; None leaves it as it is.\n\nSee Also\n--------\npaint : Paints one.")
    assert paint.__doc__.startswith("Paint a wall.\n\nParameters\n----------\nwidth : int, default: 2\n")


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int | None, "int or None"),
        (float, "float"),
        (Literal["a", "b"], "{'a', 'b'}"),
        (Sequence[Any] | str | None, "sequence, str or None"),
        (Sequence[float], "sequence of float"),
        (Callable[[int], Any], "callable"),
        (Any, "object"),
    ],
)
def test_types_are_written_in_words(annotation, words):
    assert in_words(annotation) == words


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paint("north", color="red"), r"paint\(\) has no keyword argument 'color': did you mean 'colour'\?"),
        (lambda: paint("north", coat=2), r"paint\(\) .* 'coat': did you mean 'coats'\?"),
        (lambda: Wall(3, zzz=1), r"Wall\(\) .* 'zzz': it takes height, width, colour$"),
        (lambda: sf.minimize(None, BOX, n_inital=4), r"minimize\(\) .* 'n_inital': did you mean 'n_initial'\?"),
        (lambda: sf.maximize(None, BOX, direction="minimize"), r"maximize\(\) has no keyword argument 'direction'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_known_one(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_the_functions_of_a_run_show_what_they_take_and_explain_it():
    for function, options in ((sf.minimize, MinimizeOptions), (sf.maximize, MinimizeOptions), (run, RunOptions)):
        parameters = inspect.signature(function).parameters
        for name, (_, option) in options_of(options).items():
            assert parameters[name].default == option.default
            assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
            assert f", default: {option.default!r}\n" in function.__doc__.split(f"\n{name} : ")[1]


def test_an_optimizer_takes_what_a_run_hands_to_it():
    parameters = inspect.signature(sf.Optimizer).parameters
    for name, (_, option) in options_of(SearchOptions).items():
        assert parameters[name].default == option.default


def test_every_keyword_argument_of_minimize_reaches_the_run():
    seen = []
    with ThreadPoolExecutor(1) as pool:
        result = sf.minimize(
            lambda x: float(x[0]),
            BOX,
            9,
            seed=5,
            n_initial=3,
            x0=[[0.25]],
            model=sf.GP(warp=False),
            acquisition=sf.acquisition.EI(),
            solver=sf.solvers.Grid(size=sf.solvers.Fixed(32)),
            repeat=True,
            executor=pool,
            n_parallel=2,
            timeout=60,
            stop=sf.Target(-1.0),
            callback=lambda result: seen.append(result.nfev),
        )
    settings = result.settings
    assert (settings.seed, settings.n_initial, settings.repeat, settings.direction) == (5, 3, True, "minimize")
    parts = sf.GP(warp=False), sf.acquisition.EI(), sf.solvers.Grid(size=sf.solvers.Fixed(32))
    assert (settings.model, settings.acquisition, settings.solver) == parts
    assert result.trials[0].point.tolist() == [0.25]
    assert seen == list(range(1, 10))


def test_the_front_door_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(sf.minimize)) is sf.minimize
