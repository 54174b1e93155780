"""How exactly libraries maximize their acquisition functions in their own loops, and what that costs.

`python -m research.exactness` runs it; docs/ideas/libraries.md has what was found.
"""
