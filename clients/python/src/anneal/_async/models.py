from __future__ import annotations

import builtins
import uuid
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, overload

from typing_extensions import Unpack

from .._concurrency import async_map
from .._frames import Answer, frame_of
from .._progress import Progress
from ..errors import AnnealWarning, NotFoundError
from ..params import CallSettings, EntityDefinition, SchemaDefinition
from ..records import EncoderInferenceResponse, NamedModelRecord, TrainingJobRecord
from .session import AsyncSession, url_path

CONCURRENCY = 8
WORTH_A_BAR = 50


class AsyncModel:
    """A model to call: a trained one, a model of the catalog, or a name that stands for a version of one."""

    def __init__(self, session: AsyncSession, model_id: str, job: TrainingJobRecord | None = None) -> None:
        self._session = session
        self.id = model_id
        """As calls name it: `tickets`, `tickets@7`, the id of a training job, `anneal/encoder-base-v1`."""
        self.job = job
        """The job that trained it, if `train` returned it."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    @overload
    async def __call__(
        self,
        texts: str,
        *,
        schema: Sequence[str | EntityDefinition] | SchemaDefinition | None = None,
        concurrency: int = CONCURRENCY,
        batch_size: int = 1,
        **settings: Unpack[CallSettings],
    ) -> dict[str, Any]: ...

    @overload
    async def __call__(
        self,
        texts: Iterable[str],
        *,
        schema: Sequence[str | EntityDefinition] | SchemaDefinition | None = None,
        concurrency: int = CONCURRENCY,
        batch_size: int = 1,
        **settings: Unpack[CallSettings],
    ) -> Any: ...

    async def __call__(
        self,
        texts: str | Iterable[str],
        *,
        schema: Sequence[str | EntityDefinition] | SchemaDefinition | None = None,
        concurrency: int = CONCURRENCY,
        batch_size: int = 1,
        **settings: Unpack[CallSettings],
    ) -> Any:
        """Return the result for one text, or a DataFrame with a row for each of several (without pandas, a list of dicts).

        `schema` says what to look for; without one, a trained model looks for its own labels. At most `concurrency` calls run at
        once. Each text is a call of its own, which people can correct; with `batch_size`, so many texts are one call.
        """
        if isinstance(texts, str):
            [answer] = await self.predict([texts], schema=schema, **settings)
            return answer.result
        answers = await self.predict(texts, schema=schema, concurrency=concurrency, batch_size=batch_size, **settings)
        return frame_of(answers, texts)

    async def predict(
        self,
        texts: Iterable[str],
        *,
        schema: Sequence[str | EntityDefinition] | SchemaDefinition | None = None,
        concurrency: int = CONCURRENCY,
        batch_size: int = 1,
        **settings: Unpack[CallSettings],
    ) -> list[Answer]:
        """Return an answer for each text, in their order, whether or not pandas is installed."""
        all_texts = _checked(texts, concurrency, batch_size)
        batches = [all_texts[start : start + batch_size] for start in range(0, len(all_texts), batch_size)]
        body = {"model_id": self.id, **({} if schema is None else {"schema": schema}), **settings}
        progress = self._session.progress if len(all_texts) >= WORTH_A_BAR else Progress(False)
        bar = progress.bar(f"calling {self.id}", len(all_texts))

        async def call(batch: list[str]) -> list[Answer]:
            # A text by itself, so that its correction is one answer, not a list.
            text = batch if batch_size > 1 else batch[0]
            response = await self._session.post(EncoderInferenceResponse, "/inference", {**body, "text": text})
            bar.advance(len(batch))
            _warn(response)
            return _answers(batch, response)

        with bar:
            answered = await async_map(call, batches, concurrency)
        return [answer for batch in answered for answer in batch]


async def promote(session: AsyncSession, name: str, version: AsyncModel | int, reason: str) -> NamedModelRecord:
    """Put a version of a name in use; a model becomes a version of it first."""
    path = url_path("models", name)
    number = version if isinstance(version, int) else await _version_of(session, name, version)
    return await session.put(NamedModelRecord, f"{path}/versions/{number}/promote", {"reason": reason})


async def _version_of(session: AsyncSession, name: str, model: AsyncModel) -> int:
    path = url_path("models", name)
    try:
        named = await session.get(NamedModelRecord, path)
    except NotFoundError:
        named = await session.post(NamedModelRecord, "/models", {"name": name})
    if (number := _number_in(named, model)) is None:
        of = "training_job_id" if _is_job(model.id) else "model_id"
        named = await session.post(NamedModelRecord, f"{path}/versions", {of: model.id})
        number = _number_in(named, model)
    assert number is not None
    return number


def _number_in(named: NamedModelRecord, model: AsyncModel) -> int | None:
    return next((each.version for each in named.versions or [] if each.model_id == model.id), None)


def _is_job(model_id: str) -> bool:
    try:
        uuid.UUID(model_id)
    except ValueError:
        return False
    return True


def _checked(texts: Iterable[str], concurrency: int, batch_size: int) -> builtins.list[str]:
    for name, value in (("concurrency", concurrency), ("batch_size", batch_size)):
        if value < 1:
            raise ValueError(f"`{name}` must be at least 1 (got {value})")
    all_texts = list(texts)
    for index, text in enumerate(all_texts):
        if not isinstance(text, str):
            raise TypeError(f"`texts[{index}]` must be a string (got {text!r})")
    return all_texts


def _answers(batch: list[str], response: EncoderInferenceResponse) -> list[Answer]:
    results = response.result if isinstance(response.result, list) else [response.result]
    explained = response.explanation
    explanations = explained if isinstance(explained, list) else [explained] * len(batch)
    return [
        Answer(text, result, response.inference_id, explanation)
        for text, result, explanation in zip(batch, results, explanations, strict=True)
    ]


def _warn(response: EncoderInferenceResponse) -> None:
    for each in response.warnings or []:
        warnings.warn(each.message, AnnealWarning, stacklevel=2)
    if response.truncated:
        warnings.warn("a text is longer than the model reads; its end was left out", AnnealWarning, stacklevel=2)
