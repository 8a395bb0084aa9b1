"""Names that mean the same: labels without case and separators, and values of a closed vocabulary."""

import unicodedata
from collections.abc import Callable

Warning = dict[str, str]
"""An `InferWarning` of the runner."""


def matcher_of(known: list[str]) -> Callable[[str], str | None]:
    """Returns what finds the known label that is meant: the same, else the first that is equal without case and separators."""
    same = set(known)
    normal = {_normal(label): label for label in reversed(known)}
    return lambda label: label if label in same else normal.get(_normal(label))


def unlearned(what: str, label: str) -> Warning:
    """Returns the warning about a requested name that the model did not learn."""
    message = f'The model learned no {what} "{label}". Train a model with examples of it.'
    return {"code": "unresolved_label", "message": message, "label": label}


def _normal(label: str) -> str:
    composed = unicodedata.normalize("NFC", label).lower()
    return "".join(character for character in composed if unicodedata.category(character)[0] in "LMN")


class Choices:
    """A closed vocabulary."""

    def __init__(self, choices: list[str]) -> None:
        self._choices = [(choice, _exact(choice), _plain(choice)) for choice in choices]

    def nearest(self, value: str) -> tuple[str, float] | None:
        """
        Returns the choice that a value in a text stands for, and how like it is (0 to 1): the one that is written like it but for
        case; else by shared words ("business" for "business class") and runs of three characters ("Buisness").
        """
        exact, plain = _exact(value), _plain(value)
        best: tuple[str, float] | None = None
        for choice, own_exact, own_plain in self._choices:
            if own_exact == exact:
                return choice, 1.0
            likeness = _likeness(plain, own_plain)
            if likeness > (best[1] if best else 0.0):
                best = choice, likeness
        return best


def _exact(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower().strip()


def _plain(text: str) -> str:
    return " ".join("".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in _exact(text)).split())


def _likeness(value: str, choice: str) -> float:
    if not value or not choice:
        return 0.0
    return 1.0 if value == choice else max(_dice(set(value.split()), set(choice.split())), _dice(_runs(value), _runs(choice)))


def _runs(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[at : at + 3] for at in range(max(1, len(padded) - 2))}


def _dice(a: set[str], b: set[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b))
