"""The keyword arguments of a study: the type, the default and the meaning of each stand here once (see keywords.py)."""

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from suffice.acquisition import Acquisition
from suffice.gp.model import Model
from suffice.study.early.rule import EarlyStop
from suffice.study.keywords import Option
from suffice.types import Solver

Sense: TypeAlias = Literal["minimize", "maximize"]
Aim: TypeAlias = Literal["best", "regret"]


class SearchOptions(TypedDict, total=False):
    """What `Optimizer`, `minimize` and `maximize` all take."""

    seed: Annotated[
        int | None,
        Option(
            None,
            "A whole number ≥ 0 from which every random choice follows: the same seed and the same values give the "
            "same points, bit for bit. None draws a fresh one, which the result reports as `seed`. Give one where a "
            "run has to be repeatable.",
        ),
    ]
    rng: Annotated[
        Any,
        Option(
            None,
            "In place of seed: a whole number, or a SeedSequence, Generator or RandomState of NumPy, from which the "
            "seed is drawn once. The result reports that seed. None draws nothing.",
            kind="int, SeedSequence, Generator, RandomState or None",
        ),
    ]
    n_initial: Annotated[
        int | None,
        Option(
            None,
            "How many points are spread over the space before the model chooses the others; points that you give or "
            "tell count among them. None takes 2 (parameters + 1) and at most 20, but `minimize` and `maximize` at "
            "most a third of n_trials (never less than 2). Take more where the objective has much noise, fewer where "
            "you give good points in x0.",
        ),
    ]
    x0: Annotated[
        Sequence[Any] | None,
        Option(
            None,
            "Points to evaluate first, in the form in which the objective gets them: a sequence of arrays or of "
            "dicts, or a single one. None gives none. Give what you use today, so that the search starts from what is "
            "known to work.",
            kind="sequence of points, point or None",
        ),
    ]
    y0: Annotated[
        Sequence[float | None] | float | None,
        Option(
            None,
            "The values at the points x0, where you know them: these points are learned from and not evaluated, and do "
            "not count among n_trials. Of several outputs each is a dict by name. A None in the sequence stands for a "
            "value that is not known.",
            kind="sequence of float, float or None",
        ),
    ]
    aim: Annotated[
        Aim,
        Option(
            "best",
            'What the run is for. "best" looks for the best point: it improves the best one so far, and looks '
            'elsewhere where that gets nowhere. "regret" is for runs in which every evaluation costs what it '
            "returns, such as tuning a machine while it produces: it stays where it is good, and may stay in the "
            "second-best place. It chooses the acquisition; where you give one, or several objectives, it has no "
            "effect.",
        ),
    ]
    resolution: Annotated[
        float | None,
        Option(
            None,
            "Differences of the objective, in its units, that do not matter to you. None takes a thousandth of the "
            "distance from the best value to the median of the initial ones. Once suggestions improve by less, the "
            "search looks elsewhere as well. Give the precision that you need, where you know it.",
        ),
    ]
    model: Annotated[
        Model | None,
        Option(
            None,
            "The statistical model of the objective, and of every other output. None takes sf.GP(), a Gaussian "
            "process whose parameters are fitted to the values. Change it if you know how smooth or how noisy the "
            "objective is.",
        ),
    ]
    acquisition: Annotated[
        Acquisition | None,
        Option(
            None,
            "The rule that scores how much a point is worth trying, such as sf.UCB(), sf.LogEI() or sf.Thompson(). "
            "None takes what serves the aim: sf.LookAround() or sf.UCB(), or sf.Hypervolume() of several objectives. "
            "Change it to explore more or less.",
        ),
    ]
    solver: Annotated[
        Solver | None,
        Option(
            None,
            "How the point with the best score is searched for, such as sf.Enough(), sf.Grid() or sf.LBFGSB(). None "
            "takes sf.Enough(), which searches longer where a miss would cost more. Change it to spend a fixed "
            "effort on every point.",
        ),
    ]
    repeat: Annotated[
        bool,
        Option(
            False,
            "Whether a point may be proposed more than once. False never does, unless the evaluation failed: a point "
            "of a finite space is then tried up to twice again, after others. Set it to True where the objective is "
            "noisy, so that a second measurement of the same point tells something new.",
        ),
    ]
    certify: Annotated[
        float | None,
        Option(
            None,
            "Seconds to spend, after each point is chosen, on a proof of how high the score can be anywhere "
            "(`trial.solve.upper_certified`; not with Thompson and KG). In up to three dimensions a tenth of "
            "a second is mostly enough; the other numbers about the search then rest on the proof. It is a statement "
            "about the search for the point, not about the objective. None makes no proof.",
        ),
    ]
    certify_share: Annotated[
        float | None,
        Option(
            None,
            "The same, with the seconds as a share of the median time of an evaluation, as far as that is known: 0.02 "
            "spends two per cent of it. None makes no proof.",
        ),
    ]
    audit: Annotated[
        float | None,
        Option(
            None,
            "The share of the points, above 0 and at most 1, for which the search is made a second time, far longer, "
            "to see whether the first one missed something (`result.accuracy.audited`). It changes no point, and takes "
            "tens of milliseconds for each that it looks at (seconds with Thompson and KG). None makes no audit; "
            "sf.audit(result) makes one afterwards.",
        ),
    ]
    early_stop: Annotated[
        EarlyStop | None,
        Option(
            None,
            "The rule by which an evaluation is stopped before its end, because of what it has reported: sf.Median() "
            "or sf.Halving() for learning curves, sf.Race() for folds. The objective takes the trial as its second "
            "argument, calls trial.report(value, step) on its way, and returns where trial.should_stop() is true. "
            "None stops none; reports are recorded all the same. docs/howto/early-stopping.md has the details.",
            kind="rule or None",
        ),
    ]
    constraints: Annotated[
        Mapping[str, Any] | None,
        Option(
            None,
            "Limits of further outputs, which are only known once a point is evaluated: a dict such as "
            '{"latency": sf.AtMost(50), "recall": sf.AtLeast(0.9)}. The objective returns a dict then, '
            '{"value": …, "latency": …, "recall": …}, whose other entries may be missing or None where one of the '
            "limited outputs is beyond its limit. The best point is the best of those within all limits. None has no "
            "limits; what can be said without an evaluation is `where` of sf.Space.",
            kind="dict of sf.AtMost and sf.AtLeast, or None",
        ),
    ]
    store: Annotated[
        str | os.PathLike[str] | None,
        Option(
            None,
            'The file of the study, such as "run.db": an SQLite database, made if there is none. Whatever ends the '
            "program, it has every point that was proposed and every value that was told; with the same file the study "
            "goes on where it was, bit for bit. Another space or other settings than those it was made with are "
            "refused. None keeps everything in memory. docs/howto/store.md has the details.",
            kind="path or None",
        ),
    ]


class FrontOptions(TypedDict, total=False):
    """What only studies of several objectives take."""

    reference: Annotated[
        Mapping[str, float] | None,
        Option(
            None,
            "Of several objectives, the worst value of each that is of interest, as a dict by name, in their units: "
            "only what is better in all of them counts in the hypervolume. None chooses one from what is seen; the "
            "result reports it as `reference`.",
            kind="dict of float, or None",
        ),
    ]


class StudyOptions(SearchOptions, FrontOptions, total=False):
    """What `Optimizer` takes."""

    objectives: Annotated[
        Mapping[str, str] | None,
        Option(
            None,
            'Several objectives by name, each with its sense: {"error": "minimize", "throughput": "maximize"}. Every '
            "evaluation then has a dict of all of them, and the study looks for the front of the best compromises. "
            "None has one objective, whose sense is `sense`.",
            kind="dict of 'minimize' and 'maximize', or None",
        ),
    ]

    sense: Annotated[
        Sense,
        Option("minimize", 'Whether small values are good, "minimize", or large ones, "maximize".'),
    ]
