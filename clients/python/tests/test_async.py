from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from conftest import TICKETS, rows_of

from anneal import AsyncAnneal, Model, NotFoundError


def test_the_whole_path(tickets: str, promoted: Model) -> None:
    async def path() -> tuple[Any, Any]:
        async with AsyncAnneal() as client:
            version = await client.datasets.upload(TICKETS, f"{tickets}-async")
            model = await client.train(version, nr_epochs=1)
            texts = [row["text"] for row in rows_of("support-tickets.held-out.jsonl")[:60]]
            answers = await model(texts)
            items = await client.review.list(strategy="random", model_id=model.id, limit=1)
            await client.review.confirm(items[0])
            listed = [call.id async for call in client.inferences.list(model_id=model.id)]
            calls = await client.inferences.to_pandas(model_id=model.id)
            assert list(answers["text"]) == texts
            assert sorted(listed) == sorted(calls["id"]) == sorted(answers["inference_id"])
            return calls, items[0]

    calls, item = asyncio.run(path())
    assert calls.set_index("id").loc[item.inference_id, "human_verdict"] == "correct"


def test_no_more_calls_run_at_once_than_asked_for() -> None:
    running = [0, 0]

    async def answer(request: httpx2.Request) -> httpx2.Response:
        running[0] += 1
        running[1] = max(running)
        await asyncio.sleep(0)
        running[0] -= 1
        fixed: dict[str, Any] = {"type": "encoder", "inference_id": None, "result": {}, "model_id": "m", "model_used": "m"}
        return httpx2.Response(200, json={**fixed, "latency_ms": 1, "token_usage": 1})

    async def calls() -> None:
        http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
        async with AsyncAnneal("http://mock", "pio_sk_mock", http_client=http_client, progress=False) as client:
            await client.model("m")([str(number) for number in range(30)], concurrency=3)

    asyncio.run(calls())
    assert running == [0, 3]


def test_a_refusal_ends_the_other_calls() -> None:
    left: list[str] = []

    async def answer(request: httpx2.Request) -> httpx2.Response:
        if b'"0"' in request.content:
            return httpx2.Response(404, json={"detail": 'model "m" does not exist'})
        try:
            await asyncio.Event().wait()
        finally:
            left.append("cancelled")
        raise AssertionError

    async def calls() -> None:
        http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
        async with AsyncAnneal("http://mock", "pio_sk_mock", http_client=http_client, progress=False) as client:
            await client.model("m")(["1", "2", "0", "3"], concurrency=3)

    with pytest.raises(NotFoundError):
        asyncio.run(calls())
    assert left == ["cancelled", "cancelled"]
