"""Tuning a program: the command line is the objective, its output has the value."""
