"""Running an objective: the loop that asks, evaluates and tells, and the workers it may use."""
