from __future__ import annotations

import builtins
import sys
import threading
import time
from types import TracebackType

WIDTH = 30
REDRAW_S = 0.1


class Progress:
    """Tells people on standard error how far something is; silent if it is not enabled."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled

    def line(self, text: str) -> None:
        """Print a line."""
        if self.enabled:
            print(text, file=sys.stderr, flush=True)

    def bar(self, label: str, total: float) -> Bar:
        """Return a bar, which is drawn while it is entered."""
        return Bar(label, total, self.enabled)


class Bar:
    """A progress bar, for several threads. Where standard error is no terminal and no notebook, only its lines are printed."""

    def __init__(self, label: str, total: float, enabled: bool) -> None:
        self._label = label
        self._total = total
        self._enabled = enabled
        self._redraws = enabled and (sys.stderr.isatty() or hasattr(builtins, "get_ipython"))
        self._done = 0.0
        self._drawn_at = 0.0
        self._drawn = ""
        self._lock = threading.Lock()

    def advance(self, by: float = 1) -> None:
        """Add to what is done."""
        with self._lock:
            self._done += by
            self._draw()

    def set(self, done: float) -> None:
        """Set how much is done."""
        with self._lock:
            self._done = done
            self._draw()

    def line(self, text: str) -> None:
        """Print a line above the bar."""
        if not self._enabled:
            return
        with self._lock:
            self._erase()
            print(text, file=sys.stderr, flush=True)
            self._draw(at_once=True)

    def __enter__(self) -> Bar:
        with self._lock:
            self._draw(at_once=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._lock:
            self._erase()

    def _draw(self, at_once: bool = False) -> None:
        now = time.monotonic()
        if not self._redraws or (not at_once and now - self._drawn_at < REDRAW_S):
            return
        share = min(1.0, self._done / self._total) if self._total else 1.0
        filled = round(share * WIDTH)
        text = f"{self._label} |{'█' * filled}{' ' * (WIDTH - filled)}| {share:4.0%}"
        print(f"\r{text.ljust(len(self._drawn))}", end="", file=sys.stderr, flush=True)
        self._drawn, self._drawn_at = text, now

    def _erase(self) -> None:
        if self._drawn:
            print(f"\r{' ' * len(self._drawn)}\r", end="", file=sys.stderr, flush=True)
            self._drawn = ""
