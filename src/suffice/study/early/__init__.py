"""Stopping an evaluation before its end: what it reported, the rules that judge it, and what is learned of it."""
