"""A peer that repeats the first point of the design, and from then on takes whatever is last or highest."""


class Peer:
    def __init__(self, space, points, values, seed):
        self.highest = [len(p["options"]) - 1 if p["kind"] == "choice" else p["high"] for p in space]
        self.first = points[0]

    def ask(self):
        return self.first

    def tell(self, point, value):
        self.first = self.highest
