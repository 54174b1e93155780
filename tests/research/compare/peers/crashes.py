"""A peer that ends its process in the second step."""

import os
import sys


class Peer:
    def __init__(self, bounds, points, values, seed):
        self.told = False

    def ask(self):
        if self.told:
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(7)
        return [1.0, 2.0]

    def tell(self, point, value):
        self.told = True
