from __future__ import annotations


class ServerSentEvents:
    """Reads a `text/event-stream` line by line: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

    def __init__(self, last_id: str | None = None) -> None:
        self.last_id = last_id
        """Id of the last whole message that had one, to go on from there."""
        self._id = last_id
        self._data: list[str] = []

    def feed(self, line: str) -> str | None:
        """Return the data of the message that this line ends; None if it ends none."""
        if not line:
            self.last_id = self._id
            data, self._data = self._data, []
            return "\n".join(data) if data else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        return None
