"""A peer that goes half-way to the best point so far, from a corner that the seed chooses."""


class Peer:
    def __init__(self, bounds, points, values, seed):
        best = values.index(min(values))
        self.best, self.lowest = points[best], values[best]
        self.corner = [pair[seed % 2] for pair in bounds]

    def ask(self):
        self.corner = [(a + self.best[i]) / 2 for i, a in enumerate(self.corner)]
        return self.corner

    def tell(self, point, value):
        if value < self.lowest:
            self.best, self.lowest = point, value
