"""What is wrong with a row that somebody filled in."""


class Fault(ValueError):
    """One row cannot be taken as it is; whoever reads the file adds its name and the line."""
