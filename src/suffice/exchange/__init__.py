"""The way in and out of a study: its trials as a table that people fill in, or as JSON lines for other programs.

sf.exchange.write(optimizer, "batch.csv", pending=True)     # days pass, a column of values is filled in
sf.exchange.read("batch.csv", optimizer)                    # recorded 4, already known 1, still pending 2
"""

from suffice.exchange.reading import Summary
from suffice.exchange.writing import read, write

__all__ = ["Summary", "read", "write"]
