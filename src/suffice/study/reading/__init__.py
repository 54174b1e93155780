"""Reading a finished run: what its model says anywhere, which parameters matter, what to look at, and as a table."""
