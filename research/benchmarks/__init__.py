"""Measurements; each module prints a table. Speeds are ratios within one run, medians, one thread."""
