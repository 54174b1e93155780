"""What is believed when the next point is chosen: posteriors by the name of their output, failed and pending points."""

from suffice.belief.beliefs import VALUE, Beliefs

__all__ = ["VALUE", "Beliefs"]
