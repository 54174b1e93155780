"""Experiments: plans of problems × methods × seeds, run, stored, plotted and compared with what was published."""
