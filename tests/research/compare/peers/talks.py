"""A peer that prints, also from below Python and from another process, reads, and tells of its surroundings."""

import os
import subprocess
import sys
from pathlib import Path


class Peer:
    def __init__(self, bounds, points, values, seed):
        print('{"point": [0, 0], "seconds": 0}', flush=True)
        os.write(1, b"from below\n")

    def ask(self):
        print("asked")
        sys.stdout.flush()
        subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
        return [1.0, 2.0]

    def tell(self, point, value):
        Path("left behind").write_text("here")
        raise RuntimeError(
            f"read {sys.stdin.read()!r}; threads {os.environ['OMP_NUM_THREADS']}; folder {os.getcwd()}; path {sys.path}"
        )
