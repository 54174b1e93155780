"""One file for each package: how it is asked and told.

An adapter stands alone: `host.py` loads it by its path, in whatever interpreter has the package, so it imports nothing
of suffice and needs no more of Python than that package does. It has a class `Peer`, which minimizes:

    Peer(space, points, values, seed, **settings)     told the initial design, (n, d) and (n,), as lists
    ask()                                             the next point, d numbers inside the space
    tell(point, value)                                its value, before the next is asked for

`space` is a list of parameters, {"kind": "float" or "int", "low": …, "high": …, "log": …} or {"kind": "choice",
"options": [a word for each, as Python writes it]}; in a point an option is its place, from 0. A package that knows
floats only takes `bounds` in place of `space`, [[low, high], …], and has no part in problems with integers and choices.

A peer follows its package's documentation and keeps its defaults, where the settings say nothing else.
"""
