"""The paper: the authors' surrogate and solvers, its experiments as presets, and what it published."""

from suffice.paper.presets import Degraded
from suffice.paper.recipes import PerColumn, Recipe, TrustRegion, best, boltzmann, roulette
from suffice.paper.restarts import Restarts, SciPyLBFGSB
from suffice.paper.surrogate import Surrogate
from suffice.record.encoding import register

register(Recipe, PerColumn, TrustRegion, best, boltzmann, roulette, Restarts, SciPyLBFGSB, Surrogate, Degraded)
