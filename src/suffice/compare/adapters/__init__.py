"""One file for each package: how it is asked and told.

An adapter stands alone: `host.py` loads it by its path, in whatever interpreter has the package, so it imports nothing
of suffice and needs no more of Python than that package does. It has a class `Peer`, which minimizes:

    Peer(bounds, points, values, seed, **settings)    told the initial design, (n, d) and (n,), as lists
    ask()                                             the next point, d floats inside the bounds
    tell(point, value)                                its value, before the next is asked for

A peer follows its package's documentation and keeps its defaults, where the settings say nothing else.
"""
