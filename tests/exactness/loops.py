"""Short runs of other libraries, each in its own loop with its own defaults: what it suggested, in order."""

import numpy as np


def hill(x):
    """A valley with a second one beside it, (2,) -> a number to minimize."""
    x = np.asarray(x, dtype=np.float64)
    return float(((x - 0.3) ** 2).sum() - 0.6 * np.exp(-((x - 0.8) ** 2).sum() / 0.02))


def botorch(steps=3, q=1):
    import torch
    from botorch.acquisition import qLogExpectedImprovement
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf

    torch.manual_seed(0)
    X = torch.rand(6, 2, dtype=torch.double)
    bounds, found = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.double), []
    for _ in range(steps):
        Y = torch.tensor([[-hill(x)] for x in X.numpy()], dtype=torch.double)
        model = SingleTaskGP(X, Y)
        acquisition = qLogExpectedImprovement(model, best_f=Y.max())
        x, _ = optimize_acqf(acquisition, bounds, q=q, num_restarts=3, raw_samples=32, sequential=q > 1)
        found.append(x.tolist())
        X = torch.cat([X, x])
    return [*found, torch.rand(2).tolist()]


def ax(steps=3):
    import torch
    from ax.service.ax_client import AxClient, ObjectiveProperties

    torch.manual_seed(0)
    client, found = AxClient(random_seed=0, verbose_logging=False), []
    client.create_experiment(
        name="hill",
        parameters=[{"name": name, "type": "range", "bounds": [0.0, 1.0], "value_type": "float"} for name in "ab"],
        objectives={"hill": ObjectiveProperties(minimize=True)},
    )
    for _ in range(5 + steps):
        point, number = client.get_next_trial()
        client.complete_trial(number, raw_data={"hill": (hill([point["a"], point["b"]]), 0.0)})
        found.append([point["a"], point["b"]])
    return found


def baybe(steps=2):
    import pandas as pd
    import torch
    from baybe import Campaign
    from baybe.parameters import NumericalContinuousParameter
    from baybe.searchspace import SearchSpace
    from baybe.targets import NumericalTarget

    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  # what the library uses
    parameters = [NumericalContinuousParameter(name, (0.0, 1.0)) for name in "ab"]
    objective = NumericalTarget(name="hill", minimize=True).to_objective()
    campaign, found = Campaign(SearchSpace.from_product(parameters), objective), []
    first = pd.DataFrame(np.random.default_rng(0).random((5, 2)), columns=["a", "b"])
    campaign.add_measurements(first.assign(hill=[hill(row) for row in first.to_numpy()]))
    for _ in range(steps):
        asked = campaign.recommend(1)
        rows = asked[["a", "b"]].to_numpy()
        found.append(rows.tolist())
        campaign.add_measurements(asked.assign(hill=[hill(row) for row in rows]))
    return found


def optuna(steps=4):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=0, n_startup_trials=5))
    study.optimize(
        lambda trial: (
            hill([trial.suggest_float("a", 0, 1), trial.suggest_float("b", 0, 1)])
            + 0.1 * trial.suggest_int("n", 0, 3)
            + (trial.suggest_categorical("kind", ["s", "t"]) == "s")
        ),
        n_trials=5 + steps,
    )
    return [tuple(trial.params.values()) for trial in study.trials]


def skopt(steps=4):
    from skopt import Optimizer

    optimizer = Optimizer([(0.0, 1.0), (0.0, 1.0)], n_initial_points=5, random_state=0)
    found = []
    for _ in range(5 + steps):
        found.append(optimizer.ask())
        optimizer.tell(found[-1], hill(found[-1]))
    return found


def bayes_opt(steps=4):
    from bayes_opt import BayesianOptimization

    run = BayesianOptimization(lambda a, b: -hill([a, b]), {"a": (0, 1), "b": (0, 1)}, random_state=0, verbose=0)
    run.maximize(init_points=5, n_iter=steps)
    return [tuple(row["params"].values()) for row in run.res]


def suffice(steps=6):
    import suffice as sf

    result = sf.minimize(hill, [(0, 1), (0, 1)], n_trials=8 + steps, seed=0)
    return [tuple(trial.point) for trial in result.trials]


LOOPS = {loop.__name__: loop for loop in (botorch, ax, baybe, optuna, skopt, bayes_opt, suffice)}
