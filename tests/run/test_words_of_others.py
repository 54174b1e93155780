"""What users of other libraries write first: taken where it is clear, else answered with what to write."""

import copy
import pickle
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import suffice as sf
from suffice.aliases import MEANINGS, NAMES, OPTIMIZERS

SPACE = {"lr": (0.0, 1.0), "n": (1, 5)}
BOX = [(0.0, 1.0), (0.0, 1.0)]


def f(point):
    return point["lr"] + point["n"]


def g(x):
    return float(np.sum(x))


def quick(objective=f, space=SPACE, n_trials=4, **words):
    return sf.minimize(objective, space, n_trials, **{"seed": 0, "n_initial": 3, **words})


def test_a_number_in_the_place_of_the_space_is_said_to_be_there():
    with pytest.raises(TypeError, match=r"20 was taken for the space, .* write minimize\(f, .*n_trials=20\)\. An obj"):
        sf.minimize(f, 20)
    with pytest.raises(TypeError, match=r"space must be a Space, .* got bool"):
        sf.minimize(f, True)


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("n_calls", "it is called 'n_trials' here"),
        ("budget", "it is called 'n_trials' here"),
        ("maxiter", "it is called 'n_trials' here"),
        ("n_iter", "it is called 'n_trials' here"),
        ("random_state", "it is called 'seed' here"),
        ("n_jobs", "it is called 'n_parallel' here"),
        ("n_random_starts", "it is called 'n_initial' here"),
        ("n_initial_points", "it is called 'n_initial' here"),
        ("bounds", "it is called 'space' here"),
        ("rng", "it is called 'seed' here"),
        ("early_stop", "it is called 'pruner' here"),
        ("store", "it is called 'storage' here"),
        ("sense", "call sf.minimize or sf.maximize"),
        ("pending", r"trials without a value are run again; to drop them, cancel each of sf\.Optimizer\.resume\("),
        ("dimensions", "it is called 'space' here"),
        ("acq_func", "it is called 'acquisition' here"),
        ("callbacks", "it is called 'callback' here"),
        ("direction", "call sf.minimize or sf.maximize"),
        ("directions", r"for several objectives call sf\.optimize with objectives=\{"),
        ("objectives", r"for several objectives call sf\.optimize with objectives=\{"),
        ("constraints_func", "it is called 'constraints' here"),
        ("outcome_constraints", "it is called 'constraints' here"),
        ("parameter_constraints", r"constraints on parameters belong to the space: sf\.Space\("),
        ("ref_point", r"'reference' is for several objectives, sf\.optimize\("),
        ("reference", r"'reference' is for several objectives, sf\.optimize\("),
        ("certify", r"write diagnostics=sf\.solvers\.Diagnostics\(proof_seconds=1\.0\)"),
        ("certify_share", r"write diagnostics=sf\.solvers\.Diagnostics\(proof_fraction=0\.02\)"),
        ("audit", r"write diagnostics=sf\.solvers\.Diagnostics\(audit=0\.1\)"),
        ("retries", r"write evaluation=sf\.Evaluation\(retries=2\)"),
        ("trial_timeout", r"write evaluation=sf\.Evaluation\(timeout=60\)"),
        ("on_error", r"write evaluation=sf\.Evaluation\(on_error='raise'\)"),
        ("catch", "leave it out: an exception of the objective is recorded as a failed trial"),
        ("sampler", r"leave it out: .* in a study of Optuna write sampler=SufficeSampler\(\)"),
        ("study_name", r"leave it out: storage='run\.db' is one file for one study"),
        ("load_if_exists", r"leave it out: storage='run\.db' is one file for one study"),
        (
            "args",
            r"give the function its further arguments by name: sf\.minimize\(functools\.partial\(f, a=1\.0\), space\)",
        ),
        ("warm_start", r"start from known points and their values: x0=result\.x_iters, y0=result\.func_vals"),
        ("n_trail", r"did you mean 'n_trials'\?"),
        ("gamma", "it takes f, space, n_trials, seed"),
    ],
)
def test_the_words_of_others_are_answered_with_ours(word, answer):
    with pytest.raises(TypeError, match=rf"minimize\(\) has no keyword argument '{word}': {answer}"):
        quick(**{word: 3})


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("sense", "write direction='minimize' or 'maximize'"),
        ("directions", r"write objectives=\{'error': 'minimize', 'throughput': 'maximize'\}"),
        ("ref_point", "it is called 'reference' here"),
        ("bounds", "it is called 'space' here"),
        ("dimensions", "it is called 'space' here"),
        ("n_calls", "'n_trials' is for sf.minimize and sf.maximize; with an sf.Optimizer, call ask and tell as often"),
        ("n_trials", "'n_trials' is for sf.minimize and sf.maximize; with an sf.Optimizer, call ask and tell as often"),
        ("random_state", "it is called 'seed' here"),
        ("audit", r"write diagnostics=sf\.solvers\.Diagnostics\(audit=0\.1\)"),
        ("retries", r"write evaluation=sf\.Evaluation\(retries=2\), an argument of sf\.minimize"),
        ("evaluation", "'evaluation' is for sf.minimize and sf.maximize"),
    ],
)
def test_so_they_are_of_an_optimizer(word, answer):
    with pytest.raises(TypeError, match=rf"Optimizer\(\) has no keyword argument '{word}': {answer}"):
        sf.Optimizer(SPACE, **{word: 3})


def test_optimize_names_the_argument_that_has_the_directions():
    with pytest.raises(TypeError, match=r"objectives= has the direction of each; for one objective call sf\.minimize"):
        sf.optimize(f, SPACE, objectives={"a": "minimize", "b": "maximize"}, direction="minimize")


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("plot_optimization_history", r": write sf.plot.convergence\(result\)"),
        ("optimization_history", r": write sf.plot.convergence\(result\)"),
        ("pareto_front", r": write sf.plot.front\(result\)"),
        ("contuor", r": did you mean 'contour'\?"),
        ("quite_another_thing", "$"),
        ("__wrapped__", "$"),
    ],
)
def test_the_figures_of_others_are_answered_with_ours(name, here):
    with pytest.raises(AttributeError, match=f"module 'suffice.plot' has no attribute '{name}'{here}"):
        getattr(sf.plot, name)


def test_arguments_of_pruning_rules_and_of_tell_are_answered_with_ours():
    with pytest.raises(TypeError, match=r"Median\(\) has no keyword argument 'n_warmup_steps': it is called 'warmup'"):
        sf.pruning.Median(n_warmup_steps=2)
    with pytest.raises(TypeError, match=r"Halving\(\) has .* 'reduction_factor': it is called 'eta' here"):
        sf.pruning.Halving(reduction_factor=4)
    assert pickle.loads(pickle.dumps(sf.pruning.Median(warmup=2))) == sf.pruning.Median(5, 2)
    optimizer = sf.Optimizer(SPACE)
    with pytest.raises(TypeError, match=r"tell\(\) has .* 'state': to record .* write optimizer\.fail\(trial\)"):
        optimizer.tell(optimizer.ask(), None, state="fail")


def test_the_best_trial_has_its_attributes():
    def objective(point, trial):
        trial.note(model="a")
        return f(point)

    result = quick(objective)
    assert result.history.best.attributes == {"model": "a"}
    assert result.history.best.value == result.fun


def test_no_word_of_others_is_one_of_ours():
    for word in " ".join(MEANINGS.values()).split():
        with pytest.raises(TypeError, match=f"has no keyword argument '{word}'"):
            sf.minimize(f, SPACE, **{word: 3})


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("check", r"result.diagnose\(\)"),
        ("best_params", "result.x"),
        ("best_value", "result.fun"),
        ("x_best", "result.x"),
        ("best_trial", "result.history.best, a trial with its number, values and attributes"),
        ("n_trials", "result.nfev"),
        ("trials_dataframe", r"result.to_dataframe\(\)"),
        ("best_trials", "result.trials"),
        ("pareto_front", "result.x and result.fun: the result has one objective; sf.optimize takes several"),
        ("is_feasible", r"result.feasibility\(\)"),
        ("feature_importances_", r"result.importance\(\)"),
        ("plot_convergence", r"result.plot\(\)"),
    ],
)
def test_the_parts_of_a_result_are_answered_with_ours(name, here):
    result = quick()
    with pytest.raises(AttributeError, match=f"a result has no '{name}': read {here}"):
        getattr(result, name)
    assert not hasattr(pickle.loads(pickle.dumps(result)), name)
    with pytest.raises(AttributeError, match=r"did you mean 'trials'\?"):
        _ = result.trails


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("params", "read trial.point"),
        ("x", "read trial.point"),
        ("suggest_float", "read trial.point"),
        ("loss", "read trial.value"),
        ("status", "read trial.state"),
        ("constraints", "read trial.feasible"),
        ("report", r"write optimizer.report\(trial, value, step\)"),
        ("should_prune", r"write optimizer.should_prune\(trial\)"),
        ("orign", r"did you mean 'origin'\?"),
        ("zzz", "it has number, point, state, "),
    ],
)
def test_the_parts_of_a_trial_are_answered_with_ours(name, here):
    trial = quick().trials[0]
    with pytest.raises(AttributeError, match=f"a trial has no '{name}': {here}"):
        getattr(trial, name)
    assert not hasattr(pickle.loads(pickle.dumps(copy.deepcopy(trial))), name)


def test_the_parts_of_a_report_and_of_a_trial_in_an_objective_are_answered_with_ours():
    solve = quick().trials[-1].solve
    with pytest.raises(AttributeError, match=r"has no 'hallucinated': read trial\.solve\.pending_information"):
        _ = solve.hallucinated
    assert pickle.loads(pickle.dumps(copy.deepcopy(solve))).kind == solve.kind

    def objective(point, trial):
        return trial.should_stop()

    with pytest.raises(AttributeError, match=r"has no 'should_stop': write trial\.should_prune\(\)"):
        quick(objective, evaluation=sf.Evaluation(on_error="raise"))


def test_a_trial_with_several_values_says_where_they_are():
    trial = replace(quick().trials[0], values={"loss": 1.0, "size": 2.0}, objectives=("loss", "size"))
    with pytest.raises(AttributeError, match=r"a trial has no 'value': read trial.values, which has one for each"):
        _ = trial.value


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("best_params", "write optimizer.best.point"),
        ("fun", "write optimizer.best.value"),
        ("sense", "write optimizer.direction"),
        ("store", "write optimizer.storage"),
        ("stop", r"write break in your loop to end the run, or optimizer.prune\(trial\) to end one trial"),
        ("study", "write optimizer, which is the study"),
        ("should_stop", r"write optimizer.should_prune\(trial\)"),
        ("register", r"write optimizer.tell\(point, value\)"),
        ("best_trials", r"write optimizer.best, or optimizer.result\(\).front"),
        ("knee", r"write optimizer.result\(\), with several objectives"),
        ("optimize", r"write sf.minimize\("),
        ("predict", r"write optimizer.result\(\).predict\(points\)"),
        ("trails", r"did you mean 'trials'\?"),
    ],
)
def test_the_parts_of_an_optimizer_are_answered_with_ours(name, here):
    optimizer = sf.Optimizer(SPACE)
    with pytest.raises(AttributeError, match=f"an optimizer has no '{name}': {here}"):
        getattr(optimizer, name)
    assert not hasattr(pickle.loads(pickle.dumps(optimizer)), name)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("Enough", ": write sf.solvers.Adaptive"),
        ("OwnSpace", ": write sf.CustomSpace"),
        ("OwnKernel", ": write sf.gp.CustomKernel"),
        ("Stopped", ": write sf.Pruned"),
        ("Halving", ": write sf.pruning.Halving"),
        ("LBFGSB", ": write sf.solvers.LBFGSB"),
        ("sobol", ": write sf.candidates.sobol"),
        ("SpaceExhausted", ": write sf.errors.SpaceExhausted"),
        ("create_study", r": write sf.Optimizer\(space\)"),
        ("gp_minimize", r": write sf.minimize\(.* from suffice\.compat\.skopt"),
        ("BayesSearchCV", r": write from suffice\.compat\.skopt import BayesSearchCV"),
        ("TPESampler", r": write sf.minimize\(f, space, seed=0\), .* SufficeSampler"),
        ("samplers", r": write sf.minimize\(f, space, seed=0\), .* SufficeSampler"),
        ("MedianPruner", r": write pruner=sf.pruning.Median\(\)"),
        ("pruners", r": write pruner=sf.pruning.Median\(\)"),
        ("visualization", r": write result.plot\(\), or a function of sf.plot"),
        ("Real", r": write sf.Float\("),
        ("Categorical", r": write sf.Choice\("),
        ("NonlinearConstraint", r": write constraints=\{'latency': sf.AtMost\(50\)\}"),
        ("qLogNEHVI", r": write sf.acquisition.Hypervolume\(\)"),
        ("Optimiser", r": did you mean 'Optimizer'\?"),
        ("quite_another_thing", "$"),
        ("__wrapped__", "$"),
    ],
)
def test_the_names_of_others_are_answered_with_ours(name, here):
    with pytest.raises(AttributeError, match=f"module 'suffice' has no attribute '{name}'{here}"):
        getattr(sf, name)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("best_trials", "result.front"),
        ("pareto_front", "result.front"),
        ("best_params", "result.front; result.pick"),
        ("ref_point", "result.reference"),
        ("trials_dataframe", r"result.to_dataframe\(\)"),
    ],
)
def test_a_front_has_its_words(name, here):
    several = sf.Optimizer(SPACE, objectives={"error": "minimize", "gain": "maximize"})
    with pytest.raises(AttributeError, match=f"a result has no '{name}': read {here}"):
        getattr(several.result(), name)
    with pytest.raises(AttributeError, match=r"an optimizer has no 'best': write optimizer.result\(\).front; pick"):
        _ = several.best


def test_no_name_of_others_is_one_of_ours():
    ours = set(dir(sf.Optimizer)) - {"best"}  # which a study of several objectives does not have
    for words, known in ((NAMES, dir(sf)), (OPTIMIZERS, ours)):
        assert not set(" ".join(words.values()).split()) & set(known)


# The objective.


def two(lr, n):
    return lr + n


@pytest.mark.parametrize("objective", [two, lambda lr, n: lr, lambda: 1.0, lambda *, point: 1.0])
def test_an_objective_that_does_not_take_one_point_is_refused_before_it_is_called(objective):
    with pytest.raises(TypeError, match=r"gets one argument, a point, which is one dict .*\(\*\*point\)"):
        quick(objective)
    with pytest.raises(TypeError, match=r"one array or list with all values: .*\(\*point\), or .*point\[0\]"):
        quick(objective, BOX)


class Method:
    def evaluate(self, point, scale=2.0):
        return scale * f(point)

    def __call__(self, point):
        return f(point)


@pytest.mark.parametrize("objective", [Method(), Method().evaluate, lambda *points: f(points[0]), lambda p, k=1: f(p)])
def test_anything_that_takes_one_point_is_an_objective(objective):
    assert quick(objective).success


def test_a_function_that_does_not_say_what_it_takes_is_tried():
    assert quick(np.sum, BOX).success


# Numbers of trials, rules, callbacks.


def test_a_whole_float_is_a_number_of_trials():
    assert quick(n_trials=4.0).nfev == quick(n_trials=np.float64(4)).nfev == 4
    with pytest.raises(ValueError, match=r"n_trials must be a whole number ≥ 1: got 4\.5"):
        quick(n_trials=4.5)
    with pytest.raises(ValueError, match="n_trials must be a whole number"):
        quick(n_trials=float("nan"))


def test_a_class_of_rules_is_no_rule():
    with pytest.raises(
        TypeError, match=r"got the class NoImprovement; create an instance, as in sf.NoImprovement\(10\)"
    ):
        quick(stop=sf.NoImprovement)
    with pytest.raises(TypeError, match="got the class Target"):
        quick(stop=[sf.NoImprovement(5), sf.Target])


def test_several_callbacks_are_all_called_until_one_of_them_ends_the_run():
    first, second = [], []

    def ends(result):
        second.append(result.nfev)
        return result.nfev == 2

    result = quick(callback=[lambda result: first.append(result.nfev), ends])
    assert (first, second, result.nfev) == ([1, 2], [1, 2], 2)
    with pytest.raises(TypeError, match="callback takes a function, or a list of them: got 3"):
        quick(callback=[print, 3])


# Callbacks.


def test_a_callback_of_two_arguments_is_refused_before_anything_is_evaluated():
    seen = []
    with pytest.raises(TypeError, match=r"a callback is called with one argument, the result so far.*\(study, trial\)"):
        sf.minimize(seen.append, SPACE, callback=lambda study, trial: None)
    assert not seen


def test_an_objective_written_for_optuna_is_told_how_a_point_is_read_and_what_runs_it():
    with pytest.raises(AttributeError) as raised:
        sf.minimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, SPACE, 5)
    assert any("f(point) reads point" in note and "SufficeSampler" in note for note in raised.value.__notes__)
    with pytest.raises(AttributeError, match=r"the trial of an objective has no 'suggest_float'.*trial.point"):
        sf.minimize(lambda point, trial: trial.suggest_float("x", 0, 1) ** 2, SPACE, 5)


@pytest.mark.parametrize(("name", "home"), [("SufficeSampler", "optuna"), ("SufficeSearchCV", "sklearn")])
def test_a_class_imported_from_the_folder_of_integrations_is_answered_with_its_module(name, home):
    with pytest.raises(ImportError, match=f"write from suffice.integrations.{home} import {name}"):
        exec(f"from suffice.integrations import {name}")
    assert not hasattr(import_module("suffice.integrations"), "Sampler")


def test_a_class_in_place_of_a_pruning_rule_is_answered_with_an_instance():
    with pytest.raises(TypeError, match=r"pruner must be a rule .*; create an instance of the class, as in Median\(\)"):
        sf.Optimizer(SPACE, pruner=sf.pruning.Median)
