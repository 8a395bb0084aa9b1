from __future__ import annotations

import logging
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import IO, Any, TypeVar
from urllib.parse import quote

import httpx2

from .._concurrency import async_sleep
from .._events import ServerSentEvents
from .._progress import Bar, Progress
from .._record import Record
from .._retries import Retries
from .._rows import size_of
from .._version import __version__
from ..errors import AnnealError, APIConnectionError, status_error

R = TypeVar("R", bound=Record)

BASE_URL = "http://127.0.0.1:8080"
TIMEOUT = httpx2.Timeout(120, connect=5)
"""Longer than the API works on any call (60 s)."""
CHUNK_BYTES = 256 * 1024
BETWEEN_STREAMS_S = 1.0
WORTH_TELLING_S = 5.0

log = logging.getLogger("anneal")


def url_path(*parts: str) -> str:
    """Join parts to a path; names may hold any characters."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


class AsyncSession:
    """Requests to the API: with the key, with retries, and with answers read into records."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        timeout: float | httpx2.Timeout | None,
        max_retries: int,
        progress: bool,
        http_client: httpx2.AsyncClient | None,
    ) -> None:
        self.base_url = (base_url or os.environ.get("ANNEAL_BASE_URL") or BASE_URL).rstrip("/")
        if not self.base_url.startswith(("http://", "https://")):
            raise AnnealError(f"`base_url` must begin with http:// or https:// (got {self.base_url!r})")
        key = api_key or os.environ.get("ANNEAL_API_KEY")
        if not key:
            raise AnnealError("`api_key` or ANNEAL_API_KEY must be set; make a key with: npx anneal key create NAME")
        self._headers = {"x-api-key": key, "user-agent": f"anneal-python/{__version__}"}
        self._timeout = TIMEOUT if timeout is None else timeout
        self._retries = Retries(max_retries)
        self._client = http_client or httpx2.AsyncClient()
        self.progress = Progress(progress)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def get(self, record: type[R], path: str, params: Any = None) -> R:
        """GET a record."""
        return await self._record(record, "GET", path, params=params)

    async def post(self, record: type[R], path: str, json: Any = None) -> R:
        """POST, with a key under which the request takes effect once, however often it is sent."""
        return await self._record(record, "POST", path, json=json, headers={"idempotency-key": str(uuid.uuid4())})

    async def put(self, record: type[R], path: str, json: Any = None) -> R:
        """PUT."""
        return await self._record(record, "PUT", path, json=json)

    async def _record(self, record: type[R], method: str, path: str, **options: Any) -> R:
        async with self._answer(method, path, **options) as response:
            return record.model_validate_json(response.content)

    async def upload(self, url: str, file: IO[bytes], bar: Bar) -> None:
        """PUT a file to a presigned address, which gets no API key."""
        size = size_of(file)

        async def chunks() -> AsyncIterator[bytes]:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
                bar.advance(len(chunk))

        def content() -> AsyncIterator[bytes]:
            # From the beginning, in each attempt.
            file.seek(0)
            bar.set(0)
            return chunks()

        async with self._sent("PUT", url, content=content, headers={"content-length": str(size)}):
            pass

    async def download(self, path: str, params: Any, file: IO[bytes]) -> None:
        """GET a file. One that breaks off is an error: an export cannot be resumed."""
        async with self._answer("GET", path, params=params, stream=True) as response:
            try:
                async for chunk in response.aiter_bytes():
                    file.write(chunk)
            except httpx2.TransportError as error:
                raise _connection_error(f"the download of {path} broke off", error) from error

    async def events(self, record: type[R], path: str) -> AsyncIterator[R]:
        """Yield server-sent events. A stream that ends is asked for again, from the last event on, until the caller has enough."""
        events = ServerSentEvents()
        faults = 0
        while True:
            # What a broken stream left of a message does not count.
            events = ServerSentEvents(events.last_id)
            headers = {"last-event-id": events.last_id} if events.last_id else {}
            try:
                async with self._answer("GET", path, headers=headers, stream=True, timeout=TIMEOUT) as response:
                    async for line in response.aiter_lines():
                        data = events.feed(line)
                        if data is not None:
                            faults = 0
                            yield record.model_validate_json(data)
                await async_sleep(BETWEEN_STREAMS_S)
            except httpx2.TransportError as error:
                pause = self._retries.after_fault(error, faults)
                if pause is None:
                    raise _connection_error(f"{path} broke off", error) from error
                faults += 1
                await self._pause(pause, f"{path} broke off ({error!r})")

    @asynccontextmanager
    async def _answer(self, method: str, path: str, *, headers: Any = None, **options: Any) -> AsyncIterator[httpx2.Response]:
        async with self._sent(method, self.base_url + path, headers={**self._headers, **(headers or {})}, **options) as response:
            yield response

    @asynccontextmanager
    async def _sent(
        self,
        method: str,
        url: str,
        *,
        headers: Any,
        params: Any = None,
        json: Any = None,
        content: Any = None,
        stream: bool = False,
        timeout: httpx2.Timeout | None = None,
    ) -> AsyncIterator[httpx2.Response]:
        """Send a request until it succeeds, a refusal is final, or the retries are used up. With `stream`, the body is unread."""
        attempt = 0
        while True:
            request = self._client.build_request(
                method,
                url,
                params=_query(params),
                json=json,
                content=content() if content else None,
                headers=headers,
                timeout=timeout or self._timeout,
            )
            where = f"{method} {request.url.path}"
            try:
                response = await self._client.send(request, stream=stream)
            except httpx2.TransportError as error:
                pause = self._retries.after_fault(error, attempt)
                if pause is None:
                    raise _connection_error(f"{where} had no answer from {_origin(request)}", error) from error
                await self._pause(pause, f"{where} had no answer ({error!r})")
            else:
                try:
                    if response.is_success:
                        yield response
                        return
                    pause = self._retries.after_refusal(response, attempt)
                    if pause is None:
                        await response.aread()
                        raise status_error(response)
                finally:
                    await response.aclose()
                await self._pause(pause, f"{where} was answered {response.status_code}")
            attempt += 1

    async def _pause(self, seconds: float, why: str) -> None:
        # Otherwise a long pause looks like a program that hangs.
        log.log(logging.WARNING if seconds >= WORTH_TELLING_S else logging.INFO, "%s; again in %.1f s", why, seconds)
        await async_sleep(seconds)


def _connection_error(what: str, error: httpx2.TransportError) -> APIConnectionError:
    kind = type(error).__name__
    return APIConnectionError(f"{what} ({kind}: {error}); is the API running there? `base_url` or ANNEAL_BASE_URL is its address")


def _origin(request: httpx2.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode()}"


def _query(params: Any) -> dict[str, Any] | None:
    if params is None:
        return None
    return {name: _query_value(value) for name, value in params.items() if value is not None}


def _query_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
