"""Connections on which nobody asks, or takes the answer, are closed.

There is room for so many, and uvicorn waits without end for the first request and for an answer to be taken. A laptop
that was shut leaves such connections behind.
"""

from collections.abc import Iterable
from typing import Any

ASKING = 20.0  # seconds for a request to come, and to be complete
TAKING = 60.0  # seconds for an answer to be made and taken; streams of events see to it themselves
ENDLESS = "/api/events"


class Idle:
    """What each connection has been doing, and since when."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[object, bool, float]] = {}

    def close(self, connections: Iterable[Any], now: float) -> None:
        """Close those that have done the same for too long; to be called now and then."""
        seen: dict[Any, tuple[object, bool, float]] = {}
        for connection in list(connections):  # uvicorn's, with the request that is answered, or was last: `cycle`
            if not hasattr(connection, "cycle"):
                continue  # a later uvicorn, which calls it something else: no room is made, and all else goes on
            cycle = connection.cycle
            asks = cycle is None or cycle.response_complete
            before = self._known.get(connection)
            same = before is not None and before[0] is cycle and before[1] == asks
            since = before[2] if before is not None and same else now
            seen[connection] = cycle, asks, since
            endless = not asks and cycle.scope["path"] == ENDLESS
            if now - since > (ASKING if asks else TAKING) and not endless:
                connection.transport.abort()
        self._known = seen
