"""What is believed when the next point is chosen: the posterior of each output, and where evaluations succeed."""

from suffice.belief.beliefs import VALUE, Beliefs, Believed
from suffice.belief.success import Success, success

__all__ = ["VALUE", "Beliefs", "Believed", "Success", "success"]
