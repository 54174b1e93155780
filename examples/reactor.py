"""A simulation that crashes: a reactor that must not run away.

A → B → C in a stirred tank with a cooled jacket; B is what is sold. Warmer is faster, but the reaction heats itself,
and beyond some temperature nothing holds it: then the simulation stops with an error, as a real one does that
diverges. Such an evaluation is a failed trial. The search learns where they happen, and finds the best settings on
the safe side.

python reactor.py
"""

import math

import suffice as sf

SECONDS = 2.0  # of one step


class Runaway(RuntimeError):
    """The reactor got too hot."""


def simulate(jacket, minutes, concentration):
    """How much B is made in an hour, in mol/l, with a jacket of so many kelvin; between two batches are 20 minutes."""
    a, b, temperature = concentration, 0.0, jacket
    for step in range(int(60 * minutes / SECONDS)):
        first = 4e7 * math.exp(-8_000 / temperature) * a
        second = 2e10 * math.exp(-11_000 / temperature) * b
        heat = 35.0 * (first + second) - 0.004 * (temperature - jacket)
        a, b, temperature = a - SECONDS * first, b + SECONDS * (first - second), temperature + SECONDS * heat
        if temperature > 450:
            raise Runaway(f"{temperature:.0f} K after {step * SECONDS / 60:.1f} minutes")
    return 60 * b / (minutes + 20)


def main():
    space = sf.Space(
        jacket=sf.Float(290, 370),
        minutes=sf.Int(5, 120, log=True),
        concentration=sf.Float(0.5, 5),
    )
    result = sf.maximize(lambda point: simulate(**point), space, n_trials=40, seed=0)
    failed = [trial.number for trial in result.trials if trial.state == "failed"]
    early, late = sum(number < 20 for number in failed), sum(number >= 20 for number in failed)
    print(result)
    print(f"\nRunaways: {early} in the first 20 evaluations, {late} in the last 20.")
    print(f"The last one: {result.trials[failed[-1]].reason}")
    print(f"Best safe settings: {result.fun:.2f} mol/l in an hour with {result.x}")
    return result


if __name__ == "__main__":
    main()
