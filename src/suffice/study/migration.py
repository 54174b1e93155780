"""Files of earlier versions, as plain data of the present one.

Version 1 kept the trials as they were at the end, not what happened. The events follow from them: trials are in the
order they were asked for, `told` is their place in the order of tellings, and each report says how many tellings came
before it. Of a trial that was settled twice only the last settlement is known.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Plain: TypeAlias = Any
Content: TypeAlias = dict[str, Plain]

NEVER_NEGATIVE, NEGATIVE = ("EI", "PI", "KG", "MES"), ("UCB", "Thompson")  # LogEI, a logarithm, needs no shift


def from_version_1(content: Mapping[str, Plain]) -> Content:
    """The content of a version 1 file as that of version 2."""
    content = present(content)
    settings = dict(content["settings"])
    settings["objectives"] = {"value": settings.pop("sense")}
    return {
        "settings": settings | {"x0": [], "certify": None},
        "notes": content["notes"],
        "events": list(_events([_with_shift(trial, settings["acquisition"]) for trial in content["trials"]])),
        "message": content["message"],
        "accuracy": {"premises" if name == "setting" else name: value for name, value in content["accuracy"].items()},
    }


def present(data: Plain) -> Plain:
    """Every part as it is made today, whatever holds it."""
    if isinstance(data, list):
        return [present(item) for item in data]
    if not isinstance(data, dict):
        return data
    spec = {name: present(value) for name, value in data.items()}
    match spec:
        case {"is": "Outcome", "sign": _}:  # outputs are turned to larger-is-better before they reach it
            del spec["sign"]
        case {"is": "Widening", "wide": _}:  # a step knows the one before it, and the schedule no longer remembers
            del spec["wide"]
        case {"is": "Setting"}:  # another name
            spec["is"] = "Premises"
        case {"is": "Binding", "n_fit": n_refit}:  # another name
            del spec["n_fit"]
            spec["n_refit"] = n_refit
        case {"is": "GP", "sides": None, "refit": {"memory": True}}:
            del spec["sides"], spec["refit"]["memory"]
            spec["kernel"].pop("lengthscale", None)  # it was not looked at
        case {"is": "GP", "sides": _}:  # the paper's surrogate, a model of its own by now
            return {"text": _described(data)}
    return spec


def _with_shift(trial: Mapping[str, Plain], acquisition: Plain) -> Content:
    """The trial with the shift C of its report, which version 1 did not store, as far as the rest of the report tells.

    eta_lower = 1 − (upper − value)/(upper + C) is solved for C; at 0 and 1 it does not depend on it.
    """
    report = trial["solve"]
    if report is None or "shift" in report:
        return dict(trial)
    shift = 0.0 if acquisition.get("is") in NEVER_NEGATIVE else None
    match report:
        case {"value": float(value), "upper": float(upper), "eta_lower": float(eta)} if (
            0.0 < eta < 1.0 and acquisition.get("is") in NEGATIVE
        ):
            shift = (upper - value) / (1.0 - eta) - upper
    return {**trial, "solve": {**report, "shift": shift}}


def _described(spec: Plain) -> str:
    """What the repr of the part was."""
    if isinstance(spec, list):
        return f"({', '.join(map(_described, spec))})"
    if not isinstance(spec, dict):
        return repr(spec)
    words = ", ".join(f"{name}={_described(value)}" for name, value in spec.items() if name != "is")
    return f"{spec.get('is', '')}({words})"


def _events(trials: list[Mapping[str, Plain]]) -> Iterator[Content]:
    """What happened, in an order that agrees with all that is known."""
    told = sorted((trial for trial in trials if trial["told"] is not None), key=lambda trial: int(trial["told"]))
    waiting = iter([*told, None])
    following = next(waiting)
    for trial in trials:
        report = trial["solve"]
        before = -1 if report is None else report["binding"]["n_told"]
        while following is not None and following["told"] < before:
            yield _settlement(following)
            following = next(waiting)
        yield {
            "event": "asked",
            "number": trial["number"],
            "point": trial["point"],
            "origin": trial["origin"],
            "report": report,
        }
    while following is not None:
        yield _settlement(following)
        following = next(waiting)


def _settlement(trial: Mapping[str, Plain]) -> Content:
    number, seconds = trial["number"], trial["seconds"]
    match trial["state"]:
        case "done":
            values = {"value": trial["value"]}
            noise = trial["noise_var"]
            return {"event": "told", "number": number, "values": values, "noise_var": noise, "seconds": seconds}
        case "failed":
            reason = trial["reason"]
            return {"event": "failed", "number": number, "reason": reason, "cause": "failed", "seconds": seconds}
        case "cancelled":
            return {"event": "cancelled", "number": number, "reason": trial["reason"]}
    raise ValueError(f"trial {number} was told, but its state is {trial['state']!r}")
