"""Failures that are sent to the runner, by kind."""

from typing import Literal

Kind = Literal["training", "artifact", "out_of_memory", "unsupported", "bad_request", "cancelled", "internal"]


class RunnerError(Exception):
    """A failure with a kind that the runner acts on. The message is for the user: no path, no traceback."""

    def __init__(self, kind: Kind, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.field = field
        """The field of the message that is at fault; None without one."""

    def fields(self) -> dict[str, str]:
        """Returns the fields of the `error` message."""
        return {"kind": self.kind, "message": self.message} | ({} if self.field is None else {"field": self.field})


class Cancelled(Exception):
    """The runner cancelled the work that raises this."""
