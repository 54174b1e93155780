"""Local searches of a whole batch of starts at once: what they climb, how they step, and where they end."""
