"""A peer whose first coordinate is a hundredth of the last value it was told."""


class Peer:
    def __init__(self, bounds, points, values, seed, second=1.0):
        self.value, self.second = values[-1], second

    def ask(self):
        return [self.value / 100, self.second]

    def tell(self, point, value):
        self.value = value
