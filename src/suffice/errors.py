"""Errors a caller may want to catch by name. Wrong arguments raise ValueError or TypeError."""


class SufficeError(Exception):
    """The base of every error below."""


class NoFinishedTrial(SufficeError):
    """A best point was asked for before any evaluation succeeded."""


class SpaceExhausted(SufficeError):
    """Every point of a finite space has been proposed already."""
