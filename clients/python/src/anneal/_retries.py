from __future__ import annotations

import random
from dataclasses import dataclass

import httpx2

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0
LONGEST_RETRY_AFTER_S = 120.0
"""A system that asks for a longer pause is not waited for."""


@dataclass(frozen=True)
class Retries:
    """Which requests are sent again, and when: after faults of the network, and where the API says that it may be tried again."""

    limit: int

    def after_fault(self, error: httpx2.TransportError, attempt: int) -> float | None:
        """Return the seconds to wait after attempt number `attempt`, counted from 0; None: give up."""
        if isinstance(error, (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)):
            return None
        return _pause(attempt) if attempt < self.limit else None

    def after_refusal(self, response: httpx2.Response, attempt: int) -> float | None:
        """Return the seconds to wait after attempt number `attempt`, counted from 0; None: the refusal is final."""
        if attempt >= self.limit:
            return None
        asked = _retry_after(response)
        if asked is not None:
            return asked if asked <= LONGEST_RETRY_AFTER_S else None
        again = response.headers.get("x-should-retry") == "true"
        return _pause(attempt) if again or response.status_code in (408, 425, 429) or response.status_code >= 500 else None


def _retry_after(response: httpx2.Response) -> float | None:
    try:
        return float(response.headers["retry-after"])
    except (KeyError, ValueError):
        return None


def _pause(attempt: int) -> float:
    # Full jitter below a bound that doubles: clients that failed together do not come back together.
    return random.uniform(0.5, 1.0) * min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**attempt)
