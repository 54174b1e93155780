import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    layers = trial.suggest_int("layers", 1, 3)
    loss = abs(trial.suggest_float("rate", 1e-4, 1e-1, log=True) - 0.01) + 0.1 * abs(layers - 2)
    for i in range(layers):
        loss += 0.001 * abs(trial.suggest_int(f"width{i}", 8, 256, log=True) - 64)
    return loss


if __name__ == "__main__":
    module = optunahub.load_module(package="samplers/suffice")
    study = optuna.create_study(sampler=module.SufficeSampler(seed=0))
    study.optimize(objective, n_trials=30)
    print(study.best_params, study.best_value)
