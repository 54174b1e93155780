"""A study: what was asked, what came back, and what to ask next."""
