"""Reads the fields of a message, strictly: a field that is missing, wrong or unknown is refused by name."""

from typing import Any

from .errors import RunnerError
from .frames import Message

_MISSING = object()


class Fields:
    """The fields of one message. Each is taken once; `done` refuses what was not taken."""

    def __init__(self, message: Message, where: str) -> None:
        self._left = {key: value for key, value in message.items() if key != "type"}
        self._where = where

    def take(self, name: str, *kinds: type, default: Any = _MISSING) -> Any:
        """
        Returns a field of one of `kinds` (`int` is a `float` too, a bool is neither).
        Without `default` the field is required; with it, null or absent gives the default.
        """
        value = self._left.pop(name, None)
        if value is None and default is not _MISSING:
            return default
        if type(value) in kinds:
            return value
        if float in kinds and type(value) is int:
            return float(value)
        names = " or ".join(kind.__name__ for kind in kinds)
        raise RunnerError("bad_request", f"`{name}` of {self._where} must be {names} (got {type(value).__name__})", name)

    def number(self, name: str, low: float, high: float, default: Any = _MISSING) -> Any:
        """Returns a float within bounds, both included."""
        return self._within(name, self.take(name, float, default=default), low, high)

    def integer(self, name: str, low: int, high: int, default: Any = _MISSING) -> Any:
        """Returns an int within bounds, both included."""
        return self._within(name, self.take(name, int, default=default), low, high)

    def choice(self, name: str, choices: tuple[str, ...], default: Any = _MISSING) -> Any:
        value = self.take(name, str, default=default)
        if value not in choices:
            raise RunnerError("bad_request", f"`{name}` of {self._where} must be one of {', '.join(choices)}", name)
        return value

    def done(self) -> None:
        if self._left:
            names = ", ".join(f"`{name}`" for name in sorted(self._left))
            raise RunnerError("bad_request", f"{names} of {self._where} is not known to this version")

    def _within(self, name: str, value: Any, low: float, high: float) -> Any:
        if value is not None and not low <= value <= high:
            raise RunnerError("bad_request", f"`{name}` of {self._where} must be between {low} and {high} (got {value})", name)
        return value
