"""The comparison names the functions on which the defaults were chosen, and says what is left without them."""

import csv
import re
from statistics import mean

from research.benchmarks.defaults import TUNING

from ..docs.pages import ROOT

PAGE = (ROOT / "research/comparison/README.md").read_text(encoding="utf-8")
CELLS = list(csv.DictReader((ROOT / "research/comparison/standings.csv").read_text(encoding="utf-8").splitlines()))
OTHERS = {cell["problem"] for cell in CELLS} - {"all"} - set(TUNING)


def test_the_functions_on_which_the_defaults_were_chosen_are_named():
    said = re.search(r"on\s+eight\s+of\s+them\s+\((.*?)\)\.\s+The\s+others\s+are\s+(.*?)\.\n", PAGE, re.DOTALL)
    chosen, others = (set(re.findall(r"\w+", text)) - {"and"} for text in said.groups())
    assert others == OTHERS
    assert chosen == {cell["problem"] for cell in CELLS} - {"all"} - OTHERS


def test_the_ranks_on_the_other_functions_are_those_of_the_cells():
    def rank(system):
        return mean(float(c["rank_all_digits"]) for c in CELLS if c["system"] == system and c["problem"] in OTHERS)

    said = PAGE.partition("On the eight functions that were not used")[2].partition("\n\n")[0]
    numbers = [float(number) for number in re.findall(r"\b\d\.\d\b", said)]
    systems = ("suffice", "botorch_ucb", "botorch_logei", "optuna_gp", "bayes_opt")
    assert numbers == [round(rank(system), 1) for system in systems]
    assert not {c["system"] for c in CELLS if c["problem"] in OTHERS} & {"ax", "hebo", "smac", "skopt"}
