"""Bayesian optimization that spends just enough on each decision, and says how good each decision was."""

from suffice.acquisition import EI, KG, MES, PI, UCB, Constant, LogEI, SqrtLog, Theory, Thompson, Widening
from suffice.candidates import delaunay, halton, latin, local, sobol, uniform, voronoi
from suffice.errors import NoFinishedTrial, SpaceExhausted, SufficeError
from suffice.gp import GP, RBF, LogNormal, Matern, Prior, Refit
from suffice.run.minimize import maximize, minimize
from suffice.solvers import CG, LBFGSB, Enough, Fixed, Grid, Linear, NelderMead, Polished, Power
from suffice.space import Choice, Float, Int, Space
from suffice.study.audit import audit
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result, load
from suffice.study.stop import NoImprovement, RegretBelow, Target
from suffice.study.trial import Trial

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
    "NelderMead",
    "NoFinishedTrial",
    "NoImprovement",
    "Optimizer",
    "Polished",
    "Power",
    "Prior",
    "Refit",
    "RegretBelow",
    "Result",
    "Space",
    "SpaceExhausted",
    "SqrtLog",
    "SufficeError",
    "Target",
    "Theory",
    "Thompson",
    "Trial",
    "Widening",
    "audit",
    "delaunay",
    "halton",
    "latin",
    "load",
    "local",
    "maximize",
    "minimize",
    "sobol",
    "uniform",
    "voronoi",
]
