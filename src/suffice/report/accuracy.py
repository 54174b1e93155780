"""How well the points were searched for and predicted, in plain words; what the words are about comes with them."""

from suffice.accuracy.series import Accuracy
from suffice.page.html import paragraphs

ABOUT = (
    "Each point of the model is the maximum of an acquisition function, which is searched for anew in every step. A "
    "search that is not exact takes a point that is a little worse than the best one to try next; this says how much. "
    "It does not say how far the best value is from the optimum of the objective."
)


def accuracy(found: Accuracy) -> str:
    """The verdict of the reports, sentence by sentence; nothing where the model has chosen no point."""
    return paragraphs([*found.verdict, ABOUT]) if found.verdict else ""
