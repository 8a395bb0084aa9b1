from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from anneal import Anneal, APIConnectionError, InternalServerError, RateLimitError

Reply = httpx2.Response | httpx2.TransportError
JOB = {"id": "j", "normalized_status": "complete", "status": "complete"}


class Scripted:
    """Replies one after the other, and what was sent."""

    def __init__(self, *replies: Reply) -> None:
        self._replies: Iterator[Reply] = iter(replies)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        self.requests.append(request)
        reply = next(self._replies)
        if isinstance(reply, httpx2.TransportError):
            raise reply
        return reply

    def client(self) -> Anneal:
        http_client = httpx2.Client(transport=httpx2.MockTransport(self))
        return Anneal("http://mock", "pio_sk_mock", max_retries=2, progress=False, http_client=http_client)


class Broken(httpx2.SyncByteStream):
    """A body that breaks off."""

    def __init__(self, *chunks: bytes) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        yield from self._chunks
        raise httpx2.RemoteProtocolError("broke off")


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the client would have waited."""
    waited: list[float] = []
    monkeypatch.setattr("anneal._sync.session.sleep", waited.append)
    return waited


def ok(body: Any) -> httpx2.Response:
    return httpx2.Response(200, json=body)


STOPPED = {"success": True, "message": "", "job_id": "j", "status": "cancelled"}


@pytest.mark.parametrize(
    ("reply", "pause"),
    [
        (lambda: httpx2.Response(429, headers={"retry-after": "17"}), 17),
        (lambda: httpx2.Response(503, headers={"retry-after": "0"}), 0),
        (lambda: httpx2.Response(409, headers={"retry-after": "1", "x-should-retry": "true"}), 1),
        (lambda: httpx2.Response(425, headers={"retry-after": "2"}), 2),
        (lambda: httpx2.Response(503), None),
        (lambda: httpx2.Response(502, text="<html>"), None),
        (lambda: httpx2.ConnectError("refused"), None),
        (lambda: httpx2.ReadTimeout("late"), None),
        (lambda: httpx2.Response(200, stream=Broken(b'{"success"')), None),
    ],
)
def test_a_request_is_sent_again_under_the_same_key(reply: Callable[[], Reply], pause: float | None, pauses: list[float]) -> None:
    scripted = Scripted(reply(), ok(STOPPED))
    assert scripted.client().jobs.stop("j").status == "cancelled"
    first, second = scripted.requests
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert pauses == [pause] if pause is not None else 0.25 <= pauses[0] <= 0.5


def test_each_request_has_a_key_of_its_own() -> None:
    scripted = Scripted(ok(STOPPED), ok(STOPPED))
    client = scripted.client()
    client.jobs.stop("j")
    client.jobs.stop("j")
    assert len({request.headers["idempotency-key"] for request in scripted.requests}) == 2


def test_pauses_grow_until_retries_are_used_up(pauses: list[float]) -> None:
    scripted = Scripted(*[httpx2.Response(503, json={"detail": "stopping"}) for _ in range(3)])
    with pytest.raises(InternalServerError, match="stopping"):
        scripted.client().jobs.get("j")
    assert len(scripted.requests) == 3
    assert pauses[0] <= 0.5 <= pauses[1] <= 1


def test_a_fault_of_the_network_is_raised_in_the_end() -> None:
    scripted = Scripted(*[httpx2.ConnectError("refused") for _ in range(3)])
    with pytest.raises(APIConnectionError, match="ConnectError: refused") as raised:
        scripted.client().jobs.get("j")
    assert isinstance(raised.value.__cause__, httpx2.ConnectError)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
def test_a_refusal_is_final(status: int) -> None:
    scripted = Scripted(httpx2.Response(status, json={"detail": "no"}))
    with pytest.raises(Exception, match="no"):
        scripted.client().jobs.get("j")
    assert len(scripted.requests) == 1


def test_a_pause_of_an_hour_is_not_waited_for(pauses: list[float]) -> None:
    scripted = Scripted(httpx2.Response(429, headers={"retry-after": "3600"}, json={"detail": "50 keys an hour"}))
    with pytest.raises(RateLimitError, match="50 keys an hour"):
        scripted.client().jobs.get("j")
    assert pauses == []


def test_a_long_pause_is_told(caplog: pytest.LogCaptureFixture) -> None:
    Scripted(httpx2.Response(429, headers={"retry-after": "17"}), ok(STOPPED)).client().jobs.stop("j")
    assert caplog.messages == ["POST /felix/training-jobs/j/stop was answered 429; again in 17.0 s"]


def test_events_go_on_where_a_stream_broke_off() -> None:
    def event(number: int, data: dict[str, Any]) -> bytes:
        return f"id: {number}\nevent: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()

    epochs = [event(number, {"type": "epoch", "epoch": number}) for number in (1, 2, 3)]
    scripted = Scripted(
        httpx2.Response(200, stream=Broken(b": listening\n\n", epochs[0], epochs[1][:12])),
        httpx2.Response(200, content=epochs[1]),
        httpx2.ConnectError("refused"),
        httpx2.Response(200, content=epochs[2] + b'data: {"type": "end"}\n\n'),
    )
    events = [(event.type, event.epoch) for event in scripted.client().jobs.events("j")]
    assert events == [("epoch", 1), ("epoch", 2), ("epoch", 3), ("end", None)]
    assert [request.headers.get("last-event-id") for request in scripted.requests] == [None, "1", "2", "2"]


def test_an_upload_begins_anew_and_gets_no_key() -> None:
    url = {
        **{"presigned_url": "http://objects/1?signature=s", "upload_url": "", "dataset_id": "d", "dataset_name": "t"},
        **{"version_number": "1", "expires_in": 3600},
    }
    scripted = Scripted(ok(url), httpx2.WriteError("reset"), httpx2.Response(403, text="<Error>expired</Error>"))
    with pytest.raises(Exception, match="403 from PUT /1: <Error>expired</Error>"):
        scripted.client().datasets.upload([{"text": "a", "label": "b"}], "t")
    _, *puts = scripted.requests
    assert [put.content for put in puts] == [b'{"text": "a", "label": "b"}\n'] * 2
    assert ["x-api-key" in put.headers for put in puts] == [False, False]
    assert puts[0].headers["content-length"] == "28"
