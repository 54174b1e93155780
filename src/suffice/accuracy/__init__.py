"""How good a decision was: facts and numbers about one solve and about a run."""
