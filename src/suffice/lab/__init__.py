"""Experiments as data: plans, the runs they make, and the file that keeps them."""
