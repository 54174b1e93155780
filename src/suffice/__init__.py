"""Bayesian optimization that spends just enough on each decision, and says how good each decision was."""

from suffice.acquisition import EI, KG, MES, PI, UCB, Constant, LogEI, SqrtLog, Theory, Thompson
from suffice.candidates import delaunay, halton, latin, local, sobol, uniform, voronoi
from suffice.errors import MissingExtra, NoFinishedTrial, SpaceExhausted, SufficeError
from suffice.gp import GP, RBF, LogNormal, Matern, Prior, Refit
from suffice.optimizer import Optimizer
from suffice.result import Result
from suffice.run import maximize, minimize, run
from suffice.solvers import CG, LBFGSB, Enough, Fixed, Grid, Linear, NelderMead, Polished, Power
from suffice.space import Choice, Float, Int, Space
from suffice.stop import NoImprovement, Target
from suffice.trial import Trial

__version__ = "0.1.0.dev0"

__all__ = [
    "CG",
    "EI",
    "GP",
    "KG",
    "LBFGSB",
    "MES",
    "PI",
    "RBF",
    "UCB",
    "Choice",
    "Constant",
    "Enough",
    "Fixed",
    "Float",
    "Grid",
    "Int",
    "Linear",
    "LogEI",
    "LogNormal",
    "Matern",
    "MissingExtra",
    "NelderMead",
    "NoFinishedTrial",
    "NoImprovement",
    "Optimizer",
    "Polished",
    "Power",
    "Prior",
    "Refit",
    "Result",
    "Space",
    "SpaceExhausted",
    "SqrtLog",
    "SufficeError",
    "Target",
    "Theory",
    "Thompson",
    "Trial",
    "delaunay",
    "halton",
    "latin",
    "local",
    "maximize",
    "minimize",
    "run",
    "sobol",
    "uniform",
    "voronoi",
]
