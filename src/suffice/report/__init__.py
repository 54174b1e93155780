"""One study as one page: what was found, whether it can be trusted, and what to do next.

`write` makes the page of a result, `read` has the data of a page again.
"""

from suffice.report.page import write
from suffice.report.tables import read

__all__ = ["read", "write"]
