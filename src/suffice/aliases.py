"""Words of other optimizers, for arguments and for parts of a result, and what they are called here."""

import difflib
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, cast

Taker = TypeVar("Taker", bound=Callable[..., Any])

# Arguments by the words of scikit-optimize, Optuna, BayesianOptimization, Ax, SMAC, hyperopt,
# nevergrad and SciPy.
MEANINGS: dict[str, str] = {
    "n_trials": "n_calls n_iter n_iters n_evals n_evaluations num_trials num_iterations total_trials max_evals "
    "n_candidates max_iter maxiter maxfun maxfev max_trials budget iterations trials",
    "n_initial": "n_random_starts n_initial_points init_points n_startup_trials n_init initial_design_size "
    "num_initialization_trials n_initial_trials initial_design_numdata",
    "seed": "rng random_state random_seed rng_seed",
    "n_parallel": "n_jobs workers n_workers num_workers max_workers parallelism batch_size",
    "space": "bounds dimensions search_space parameter_space pbounds domain ranges distributions parameters "
    "param_distributions param_grid param_space param_bounds params",
    "f": "func fun fn objective objective_function function target_function",
    "acquisition": "acq acq_func acquisition_function acq_optimizer",
    "model": "base_estimator surrogate surrogate_model estimator",
    "callback": "callbacks",
    "evaluation": "evaluations",
    "diagnostics": "checks",
    "progress": "verbose show_progress_bar show_progressbar disp",
    "stop": "tol patience early_stopping stop_criterion",
    "pruner": "early_stop pruners early_stopping_strategy early_stop_fn",
    "storage": "store",
    "y0": "y_init y_list evaluated_rewards",
    "x0": "x_init points_to_evaluate initial_points enqueue_trials",
    "constraints": "constraint constraints_func outcome_constraints nonlinear_constraint nonlinear_constraints "
    "black_box_constraints",
    "reference": "ref_point reference_point objective_thresholds",
    "direction": "sense mode maximize minimize goal",
    "objectives": "directions multi_objective",
    "where": "parameter_constraints space_constraint inequality_constraints forbiddens",
}
# Arguments that are fields of a value here: what to write, and the words for it.
FIELDS: dict[str, str] = {
    "evaluation=sf.Evaluation(timeout=60)": "trial_timeout time_limit_per_trial walltime_limit",
    "evaluation=sf.Evaluation(retries=2)": "retries max_retries",
    "evaluation=sf.Evaluation(on_error='raise')": "on_error",
    "diagnostics=sf.solvers.Diagnostics(proof_seconds=1.0)": "certify",
    "diagnostics=sf.solvers.Diagnostics(proof_fraction=0.02)": "certify_share",
    "diagnostics=sf.solvers.Diagnostics(audit=0.1)": "audit",
}
# Arguments that are not needed here, and how the same is done.
SENTENCES: dict[str, str] = {
    "give the function its further arguments by name: sf.minimize(functools.partial(f, a=1.0), space)": "args kwargs "
    "func_args func_kwargs fargs fkwargs",
    "start from known points and their values: x0=result.x_iters, y0=result.func_vals": "warm_start warmstart "
    "previous_result previous_trials initial_data previous_data",
    "leave it out: an exception of the objective is recorded as a failed trial, and the run continues; "
    "evaluation=sf.Evaluation(on_error='raise') ends the run instead": "catch",
    "leave it out: storage='run.db' is one file for one study, created or resumed": "study_name load_if_exists",
    "leave it out: the default needs no choice, and acquisition= and model= change it; in a study of Optuna write "
    "sampler=SufficeSampler(), from suffice.integrations.optuna": "sampler",
    "to record a trial without a value write optimizer.fail(trial), .cancel(trial) or .prune(trial)": "state",
}
# Arguments of pruning rules.
PRUNERS: dict[str, str] = {
    "startup": "n_startup_trials",
    "warmup": "n_warmup_steps",
    "min_step": "min_resource",
    "eta": "reduction_factor",
}
# Attributes and methods of a result.
RESULTS: dict[str, str] = {
    "result.x": "best_params best_params_ x_best best_x best_point best_parameters argmin params best incumbent",
    "result.fun": "best_value best_score best_score_ best_fun fun_best y_best best_y best_loss value best_objective",
    "result.history.best, a trial with its number, values and attributes": "best_trial",
    "result.trials; result.x and result.fun are the best of them": "best_trials best_index best_index_",
    "result.nfev": "n_trials n_calls n_evals n_iter",
    "result.x_iters": "xs x_list X_iters",
    "result.func_vals": "ys y_list values",
    "result.settings.space": "space",
    "result.message": "reason",
    "result.to_dataframe()": "trials_dataframe get_trials_data_frame dataframe to_pandas df",
    "sf.exchange.write(result, 'trials.csv')": "to_csv",
    "result.importance()": "param_importances get_param_importances feature_importances_ importances",
    "result.predict(points)": "models surrogate posterior predict_mean",
    "result.diagnose()": "check diagnostics warnings",
    "result.x and result.fun: the result has one objective; sf.optimize takes several": "front hypervolume reference "
    "pareto_front pareto_frontier get_pareto_frontier",
    "result.feasibility()": "feasible is_feasible constraint_violations best_feasible",
    "result.plot(), or a function of sf.plot": "plot_convergence plot_objective plot_evaluations "
    "plot_optimization_history show visualize",
}
FRONTS: dict[str, str] = {  # of a result of several objectives
    "result.front": "best_trials pareto_front pareto_frontier get_pareto_frontier pareto incumbents",
    "result.front; result.pick(…) and result.knee() choose from it": "best_params best_value best_trial best_x "
    "best_y best_point best_parameters best best_fun best_objective incumbent",
    "result.reference": "ref_point reference_point",
    "result.hypervolume": "hypervolumes hv",
}
# Attributes and methods of an optimizer.
OPTIMIZERS: dict[str, str] = {
    "optimizer.best.point": "best_params best_x x x_best params",
    "optimizer.best.value": "best_value best_score fun y_best value",
    "optimizer.best, or optimizer.result().front with several objectives": "best_trial best_trials max min",
    "optimizer.result().front; pick(…) and knee() choose from it": "best",  # asked for where there are several
    "optimizer.result(), with several objectives": "front pareto_front pareto_frontier "
    "get_pareto_frontier hypervolume reference pick knee",
    "optimizer.result().feasibility()": "feasibility",
    "optimizer.trials": "res get_trials space_trials xi Xi yi",
    "optimizer.ask()": "suggest next get_next_points ask_next generate get_next_point",
    "optimizer.tell(point, value)": "register observe add_trial add_observation complete_trial update",
    "optimizer.should_prune(trial)": "should_stop should_stop_trial_early",
    "break in your loop to end the run, or optimizer.prune(trial) to end one trial": "stop",
    "optimizer, which is the study": "study",
    "optimizer.direction": "sense",
    "optimizer.storage": "store",
    "optimizer.result().save('run.json'), or give the optimizer storage='run.db'": "save dump to_json save_state",
    "sf.exchange.write(optimizer, 'trials.csv')": "to_csv",
    "optimizer.result().to_dataframe()": "trials_dataframe get_trials_data_frame dataframe to_dataframe to_pandas",
    "optimizer.result().predict(points)": "predict models surrogate",
    "optimizer.result().importance()": "importance param_importances get_param_importances feature_importances_",
    "optimizer.result().diagnose()": "check diagnose diagnostics",
    "optimizer.result().plot(), or a function of sf.plot": "plot plot_convergence plot_optimization_history",
    "sf.minimize(f, space, n_trials=50), or ask and tell in a loop": "optimize minimize maximize run fmin",
    "x0= of sf.Optimizer, the points to evaluate first": "enqueue_trial probe",
}
# Names at the top of a library.
NAMES: dict[str, str] = {
    "sf.CustomSpace": "OwnSpace",
    "sf.gp.CustomKernel": "OwnKernel",
    "sf.Pruned": "Stopped TrialPruned",
    "sf.solvers.Adaptive": "Enough",
    "sf.solvers.Exhaustive": "Heavy",
    "sf.Float(low, high), or with log=True": "Real Uniform LogUniform FloatDistribution UniformFloat loguniform",
    "sf.Int(low, high)": "Integer IntDistribution Discrete UniformInteger randint",
    "sf.Choice('a', 'b'), or sf.Ordinal": "Categorical CategoricalDistribution choice",
    "a dict of parameters, such as {'x': sf.Float(0, 1), 'n': sf.Int(1, 9)}": "hp ConfigurationSpace ConfigSpace",
    "sf.minimize(f, space, n_trials=50)": "fmin run",
    "sf.minimize(f, space, n_trials=50), or import gp_minimize from suffice.compat.skopt": "gp_minimize "
    "forest_minimize gbrt_minimize dummy_minimize",
    "from suffice.compat.skopt import BayesSearchCV": "BayesSearchCV",
    "from suffice.integrations.sklearn import SufficeSearchCV": "SufficeSearchCV SearchCV",
    "from suffice.integrations.optuna import SufficeSampler": "SufficeSampler Sampler",
    "sf.minimize(f, space, seed=0), which has no samplers; in a study of Optuna SufficeSampler(), from "
    "suffice.integrations.optuna": "samplers TPESampler GPSampler CmaEsSampler NSGAIISampler RandomSampler",
    "pruner=sf.pruning.Median(), or another rule of sf.pruning": "pruners MedianPruner PercentilePruner "
    "HyperbandPruner SuccessiveHalvingPruner",
    "result.plot(), or a function of sf.plot": "visualization",
    "result.report('report.html')": "report write_report",
    "sf.Optimizer(space), or sf.minimize(f, space, n_trials=50)": "create_study Study BayesianOptimization AxClient",
    "sf.load('run.db'), or sf.Optimizer.resume('run.db') to continue": "load_study read resume open",
    "constraints={'latency': sf.AtMost(50)}, with sf.AtMost or sf.AtLeast": "Constraint Constraints OutcomeConstraint "
    "NonlinearConstraint LessThan GreaterThan",
    "sf.acquisition.Hypervolume()": "EHVI qEHVI qNEHVI qLogEHVI qLogNEHVI ParEGO",
}
PLOTS: dict[str, str] = {
    "sf.plot.convergence(result)": "plot_optimization_history optimization_history plot_convergence history",
    "sf.plot.front(result)": "plot_pareto_front pareto_front",
    "sf.plot.slice(result)": "plot_slice",
    "sf.plot.contour(result)": "plot_contour",
    "sf.plot.parallel(result)": "plot_parallel_coordinate parallel_coordinate",
    "sf.plot.importance(result)": "plot_param_importances param_importances",
    "sf.plot.evaluations(result)": "plot_evaluations",
    "sf.plot.partial_dependence(result)": "plot_objective",
}
LIVE_TRIALS: dict[str, str] = {  # what an objective gets
    "trial.should_prune()": "should_stop",
    "trial.point": "params parameters suggest_float suggest_int suggest_categorical",
    "trial.note('a text', name=value)": "set_user_attr user_attrs log log_metric attributes",
}
ASKED: dict[str, str] = {  # what it asks for, where no space was given
    "trial.float(name, low, high)": "suggest_float suggest_uniform suggest_loguniform",
    "trial.int(name, low, high)": "suggest_int",
    "trial.choice(name, options)": "suggest_categorical",
}
# Attributes of a trial and of its report.
TRIALS: dict[str, str] = {
    "trial.point": "params parameters x config args arms suggest_float suggest_int suggest_categorical",
    "trial.value": "y fun loss score result objective",
    "trial.values, which has one for each objective": "value",  # asked for where there are several
    "trial.number": "id _id trial_id trial_index index",
    "trial.state": "status",
    "trial.seconds": "duration time elapsed",
    "trial.attributes, set by optimizer.note(trial, name=value)": "user_attrs set_user_attr metadata tags",
    "trial.reports": "intermediate_values curve",
    "trial.solve": "accuracy",
    "trial.solve.pending_information": "hallucinated",
    "trial.feasible, and the outputs in trial.values": "constraints is_feasible violation violations",
    "optimizer.report(trial, value, step)": "report",  # what the second argument of an objective can do
    "optimizer.should_prune(trial)": "should_stop should_prune",
    "optimizer.prune(trial)": "stop prune",
}


def instead(word: str, known: Collection[str]) -> str:
    """What to write instead of a keyword argument that is not one of the known."""
    names = [name for name in known if name != "self"]
    ours = next((ours for ours, words in PRUNERS.items() if ours in names and word in words.split()), None)
    if ours is not None:
        return f"it is called {ours!r} here"
    value = next((value for value, words in FIELDS.items() if word in words.split()), None)
    if value is not None:
        return f"write {value}" + ("" if value.partition("=")[0] in names else ", an argument of sf.minimize")
    sentence = next((sentence for sentence, words in SENTENCES.items() if word in words.split()), None)
    if sentence is not None:
        return sentence
    meant = meaning(word)
    if word == "pending":
        return (
            "trials without a value are run again; to drop them, cancel each of sf.Optimizer.resume('run.db').pending"
        )
    if meant == "direction":
        if "direction" in names:
            return "write direction='minimize' or 'maximize'"
        each = "objectives= has the direction of each; for one objective " if "objectives" in names else ""
        return f"{each}call sf.minimize or sf.maximize"
    if meant == "objectives":
        wanted = "objectives={'error': 'minimize', 'throughput': 'maximize'}"
        return f"write {wanted}" if "objectives" in names else f"for several objectives call sf.optimize with {wanted}"
    if meant == "where":
        return "constraints on parameters belong to the space: sf.Space(..., where=lambda p: p['x'] < 1)"
    if meant in names:
        return f"it is called {meant!r} here"
    if meant == "reference":
        return "'reference' is for several objectives, sf.optimize(f, space, objectives={...}, reference={...})"
    if meant is not None:
        return (
            f"{meant!r} is for sf.minimize and sf.maximize; with an sf.Optimizer, call ask and tell as often as you "
            "like"
        )
    near = difflib.get_close_matches(word, names, 1)
    return f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(names)}"


def answering(taker: Taker) -> Taker:
    """A function, or a class, that refuses an unknown keyword argument with what it is called here."""
    function: Any = taker.__init__ if isinstance(taker, type) else taker  # type: ignore[misc]
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        for word in words:
            if word not in known:
                raise TypeError(f"{taker.__name__}() has no keyword argument {word!r}: {instead(word, known)}")
        return function(*args, **words)

    if not isinstance(taker, type):
        return cast(Taker, call)
    made: Any = taker
    made.__init__ = call
    return taker


def to_read(name: str, known: Collection[str]) -> str:
    """What to read instead of a part that a result does not have."""
    words = FRONTS | RESULTS if "front" in known else RESULTS
    return called_here(name, known, words, "read") or f"it has {', '.join(known)}"


def of_trial(name: str, known: Collection[str]) -> str:
    """What to write instead of a part that a trial does not have."""
    return called_here(name, known, TRIALS, "read") or f"it has {', '.join(known)}"


def of_report(name: str, known: Collection[str]) -> str:
    """What to read instead of a part that the report of a search does not have."""
    return called_here(name, known, TRIALS, "read") or f"it has {', '.join(known)}"


def of_live_trial(name: str, asks: bool = False) -> str:
    """What to write in an objective instead of a part that its trial does not have.

    asks    whether it asks the trial for its parameters
    """
    known = ("number", "point", "float", "int", "choice", "ordinal", "report", "should_prune", "note")
    return called_here(name, known, ASKED | LIVE_TRIALS if asks else LIVE_TRIALS) or f"it has {', '.join(known)}"


def of_optimizer(name: str, known: Collection[str]) -> str:
    """What to write instead of a part that an optimizer does not have; "" if nothing is like it."""
    return called_here(name, known, OPTIMIZERS)


def called_here(name: str, known: Collection[str], words: Mapping[str, str], verb: str = "write") -> str:
    """What a name of another library is called here, or which one is nearly the same; "" if there is none."""
    for here, others in words.items():
        if name in others.split():
            return f"{'write' if here.startswith('optimizer.') else verb} {here}"
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else ""


def meaning(word: str) -> str | None:
    """Which of our arguments a word means, also one of ours that is for another function; None: none that is known."""
    if word in MEANINGS:
        return word
    return next((ours for ours, others in MEANINGS.items() if word in others.split()), None)
