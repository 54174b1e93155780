"""One self-contained HTML page: its building blocks."""
