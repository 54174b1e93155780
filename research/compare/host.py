"""An optimizer's own process: it takes lines of JSON, and answers each with one.

{"do": "versions", "packages": ["optuna", …]}    → {"optuna": "4.1", …}, null for what is not installed
{"do": "start", "adapter": path, "space": [{"kind": "float", "low": …, "high": …, "log": false}, …],
 "points": [[…], …], "values": […], "seed": 0,
 "settings": {…}}                                → {"seconds": …}, imports included; "bounds": [[low, high], …] in place
                                                   of the space if that is what the adapter takes
{"do": "ask"}                                    → {"point": […], "seconds": …}
{"do": "tell", "point": […], "value": …}         → {"seconds": …}
anything that raises                             → {"error": "ValueError: …"}, and the process ends

Any interpreter from Python 3.8 on runs this file as a script: it imports the standard library only. Whatever the
optimizer prints goes to stderr, and it finds nothing to read. The process ends with its parent, even if the optimizer
hangs.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from importlib import metadata
from typing import Any, TextIO


def main() -> int:
    """Answer until the parent closes the stream, or something raises."""
    requests, answers = take_streams()
    leave_own_folder()
    session = Session()
    while True:
        request = requests.get()
        try:
            answer = getattr(session, request.pop("do"))(**request)
        except BaseException as error:  # SystemExit too: the parent waits for an answer
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if "error" in answer:
            return 1


class Session:
    """What the parent may ask for."""

    def __init__(self) -> None:
        self.peer: Any = None

    def versions(self, packages: list[str]) -> dict[str, str | None]:
        """The versions of distributions; nothing is imported."""
        return {name: installed(name) for name in packages}

    def start(self, adapter: str, settings: dict[str, Any], **words: Any) -> dict[str, float]:
        """Make the optimizer and tell it the initial design."""
        begin = time.perf_counter()
        self.peer = load(adapter).Peer(**words, **settings)
        return {"seconds": time.perf_counter() - begin}

    def ask(self) -> dict[str, Any]:
        """The next point."""
        begin = time.perf_counter()
        point = self.peer.ask()
        seconds = time.perf_counter() - begin
        return {"point": [float(x) for x in point], "seconds": seconds}

    def tell(self, point: list[float], value: float) -> dict[str, float]:
        """The value of that point."""
        begin = time.perf_counter()
        self.peer.tell(point, value)
        return {"seconds": time.perf_counter() - begin}


def take_streams() -> tuple[queue.SimpleQueue[dict[str, Any]], TextIO]:
    """Keep the streams to the parent for this file alone; a thread reads, so that their end is always noticed."""
    lines, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # below sys.stdout, so that compiled code is caught too
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def read() -> None:
        for line in lines:
            requests.put(json.loads(line))
        leave()

    threading.Thread(target=read, daemon=True).start()
    return requests, answers


def leave() -> None:
    """End at once, with whatever the optimizer has started, if that is known to be of this process."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def leave_own_folder() -> None:
    """Python looks for modules next to its script first: an optimizer must not find those of suffice there."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != own]


def load(adapter: str) -> Any:
    """The module in a file, under a name that no package has; one of the user's may import its neighbours and ours."""
    spec = importlib.util.spec_from_file_location("suffice_adapter", adapter)
    if spec is None or spec.loader is None:
        raise ImportError(f"{adapter} is no Python file")
    module = importlib.util.module_from_spec(spec)
    folder = os.path.dirname(os.path.abspath(adapter))
    here = os.path.dirname(os.path.abspath(__file__))
    if folder != os.path.join(here, "adapters"):  # there cma.py is not the package cma
        sys.path += [folder, os.path.dirname(os.path.dirname(here))]
    spec.loader.exec_module(module)
    return module


def installed(package: str) -> str | None:
    """The version of a distribution, if it is installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
