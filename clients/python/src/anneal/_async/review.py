from __future__ import annotations

import builtins
from typing import Any

from typing_extensions import Unpack

from ..params import FeedbackSettings, ReviewFilters
from ..records import FeedbackAccepted, ReviewItem, ReviewPage, ReviewState
from .inferences import AsyncInferences
from .session import AsyncSession, url_path


class AsyncReview:
    """Calls that are worth a person's look. An item is one of `list`, or the id of a call."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._inferences = AsyncInferences(session)

    async def list(self, **filters: Unpack[ReviewFilters]) -> builtins.list[ReviewItem]:
        """Return calls that await review, in the order of a `strategy`: `uncertain` (the default), `random`, `novel` and others."""
        page = await self._session.get(ReviewPage, "/review", filters)
        return page.items

    async def confirm(self, item: ReviewItem | str, **settings: Unpack[FeedbackSettings]) -> FeedbackAccepted:
        """Say that the answer is correct."""
        return await self._inferences.feedback(_id_of(item), "correct", **settings)

    async def correct(
        self, item: ReviewItem | str, corrected_output: Any, **settings: Unpack[FeedbackSettings]
    ) -> FeedbackAccepted:
        """Say what the answer should have been, in the shape of the recorded one; a head that is left out is not corrected."""
        return await self._inferences.feedback(_id_of(item), "incorrect", corrected_output, **settings)

    async def skip(self, item: ReviewItem | str, *, reason: str | None = None, reviewer: str | None = None) -> ReviewState:
        """Take a call out of the queue for everybody."""
        body = {"reason": reason, "reviewer": reviewer}
        return await self._session.post(ReviewState, url_path("review", _id_of(item), "skip"), body)


def _id_of(item: ReviewItem | str) -> str:
    return item if isinstance(item, str) else item.inference_id
