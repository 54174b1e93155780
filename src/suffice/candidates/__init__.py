"""Rules that propose points: `rule(n, domain, design=…, rng=…)` gives n members of the domain."""

from suffice.candidates.spacefilling import Local, halton, latin, local, sobol, uniform
from suffice.candidates.voronoi import Delaunay, Voronoi, delaunay, voronoi
from suffice.types import Candidates

# All of the library, with their defaults; the contract is tested with each, and files may name their classes.
CANDIDATES: dict[str, Candidates] = {
    "uniform": uniform,
    "sobol": sobol,
    "halton": halton,
    "latin": latin,
    "delaunay": delaunay,
    "voronoi": voronoi,
    "local": local,
}

__all__ = [
    "CANDIDATES",
    "Delaunay",
    "Local",
    "Voronoi",
    "delaunay",
    "halton",
    "latin",
    "local",
    "sobol",
    "uniform",
    "voronoi",
]
