"""What coroutines and threads do differently: `_async` uses the first of each pair, `_sync` the second."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def async_sleep(seconds: float) -> None:
    """Wait."""
    await asyncio.sleep(seconds)


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


async def async_map(function: Callable[[T], Awaitable[R]], items: Sequence[T], concurrency: int) -> list[R]:
    """Return what the function gives for each item, in their order, with so many calls at once. The first error ends it."""
    results: dict[int, R] = {}
    waiting = iter(enumerate(items))

    async def work() -> None:
        for index, item in waiting:
            results[index] = await function(item)

    workers = [asyncio.create_task(work()) for _ in range(min(concurrency, len(items)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[index] for index in range(len(items))]


def map_in_threads(function: Callable[[T], R], items: Sequence[T], concurrency: int) -> list[R]:
    """Return what the function gives for each item, in their order, with so many calls at once. The first error ends it."""
    with ThreadPoolExecutor(max(1, min(concurrency, len(items)))) as pool:
        # When a result raises, `map` cancels the calls that have not begun.
        return list(pool.map(function, items))
