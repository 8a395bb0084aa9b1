from __future__ import annotations

from .._concurrency import async_sleep
from ..errors import ImprovementFailedError
from ..records import ImprovementRecord
from .session import AsyncSession, url_path

POLL_S = 1.0


class AsyncImprovements:
    """New versions of named models, learned from corrections."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, improvement_id: str) -> ImprovementRecord:
        """Return an improvement as it stands."""
        return await self._session.get(ImprovementRecord, url_path("improvements", improvement_id))

    async def cancel(self, improvement_id: str) -> ImprovementRecord:
        """Cancel an improvement, and stop its training job."""
        return await self._session.post(ImprovementRecord, url_path("improvements", improvement_id, "cancel"))

    async def follow(self, improvement_id: str) -> ImprovementRecord:
        """Print each stage until the improvement is done. Raises ImprovementFailedError if it failed or was cancelled."""
        said = ""
        while True:
            improvement = await self.get(improvement_id)
            if improvement.status != said:
                said = improvement.status
                self._session.progress.line(_stage_text(improvement))
            if improvement.status in ("failed", "cancelled"):
                raise ImprovementFailedError(improvement)
            if improvement.status == "done":
                return improvement
            await async_sleep(POLL_S)


def _stage_text(improvement: ImprovementRecord) -> str:
    text = f"improving {improvement.model}: {improvement.status}"
    if improvement.outcome:
        text += f", version {improvement.version} is {improvement.outcome}"
    return f"{text} ({improvement.reason})" if improvement.reason else text
