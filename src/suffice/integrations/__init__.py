"""A study inside what other libraries have: each in a folder of its own, imported when it is asked for."""
