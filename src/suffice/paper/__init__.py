"""The paper: the authors' surrogate and solvers, its experiments as presets, and what it published."""
