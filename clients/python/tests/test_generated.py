from __future__ import annotations

from pathlib import Path

from make_sync import SOURCES, make_sync


def test_sync_is_made_of_async(tmp_path: Path) -> None:
    """`python scripts/make_sync.py` writes it anew."""
    make_sync(tmp_path)
    made = {path.name: path.read_text() for path in tmp_path.glob("*.py")}
    assert made == {path.name: path.read_text() for path in (SOURCES / "_sync").glob("*.py")}
