"""The paper: the authors' surrogate and solvers, its experiments as presets, and its published values."""

from suffice.paper.solvers import Degraded, Restarts, SciPyLBFGSB, Surrogate
from suffice.record.encoding import register

register(Restarts, SciPyLBFGSB, Surrogate, Degraded)
