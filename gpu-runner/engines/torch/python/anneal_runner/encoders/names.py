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
    """A closed vocabulary: the only values that a field may have."""

    def __init__(self, choices: list[str]) -> None:
        self._exact: dict[str, str] = {}
        # By letters and digits alone; None where several choices have the same, as "C" and "C++".
        self._plain: dict[str, str | None] = {}
        for choice in choices:
            exact, plain = _exact(choice), _plain(choice)
            if exact not in self._exact:
                self._exact[exact] = choice
                self._plain[plain] = None if plain in self._plain else choice

    def find(self, value: str) -> str | None:
        """Returns the choice that is written like a value, but for case and punctuation; None if none is."""
        plain = _plain(value)
        return self._exact.get(_exact(value)) or (self._plain.get(plain) if plain else None)


def _exact(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower().strip()


def _plain(text: str) -> str:
    return " ".join("".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in _exact(text)).split())
