"""Writes src/anneal/_sync from src/anneal/_async: python scripts/make_sync.py [FOLDER]."""

import subprocess
import sys
from pathlib import Path

import unasync

SOURCES = Path(__file__).parent.parent / "src" / "anneal"
CLASSES = ["Anneal", "Datasets", "Improvements", "Inferences", "Jobs", "Model", "Review", "Session"]
REPLACEMENTS = {
    **{f"Async{name}": name for name in CLASSES},
    "AsyncClient": "Client",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aiter_lines": "iter_lines",
    "aread": "read",
    "async_map": "map_in_threads",
    "async_sleep": "sleep",
}


def make_sync(folder: Path) -> None:
    """Write the sync modules into a folder, formatted."""
    rule = unasync.Rule(f"{SOURCES / '_async'}/", f"{folder}/", REPLACEMENTS)
    unasync.unasync_files([str(path) for path in sorted((SOURCES / "_async").glob("*.py"))], [rule])
    subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--quiet", "--no-cache", "--fix", "--select", "I", str(folder)],
        check=True,
    )
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", "--no-cache", str(folder)], check=True)


if __name__ == "__main__":
    make_sync(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES / "_sync")
