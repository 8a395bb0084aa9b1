from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Unpack

from .._frames import calls_frame, need_pandas
from ..params import CallFilters, FeedbackSettings
from ..records import FeedbackAccepted, InferencePage, InferenceRecord
from .session import Session, url_path

if TYPE_CHECKING:
    import pandas

PAGE = 500


class Inferences:
    """Recorded calls, and the feedback on them."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, inference_id: str) -> InferenceRecord:
        """Return a call."""
        return self._session.get(InferenceRecord, url_path("inferences", inference_id))

    def list(self, **filters: Unpack[CallFilters]) -> Iterator[InferenceRecord]:
        """Yield the calls that meet every filter, the newest first."""
        cursor = None
        while True:
            page = self._session.get(InferencePage, "/inferences", {**filters, "limit": PAGE, "cursor": cursor})
            for call in page.inferences:
                yield call
            cursor = page.next_cursor
            if cursor is None:
                return

    def to_pandas(self, **filters: Unpack[CallFilters]) -> pandas.DataFrame:
        """Return the calls that meet every filter, the newest first. Needs pandas and pyarrow.

        `input`, `output` and `human_corrected_output` are Python objects. `truncated_fields` names those that are too large for an
        export (more than 64 KiB), of which there is the beginning; `get` returns them whole.
        """
        need_pandas()
        with tempfile.TemporaryFile() as file:
            self._session.download("/inferences/export", {**filters, "format": "parquet"}, file)
            file.seek(0)
            return calls_frame(file)

    def feedback(
        self,
        inference_id: str,
        verdict: Literal["correct", "incorrect", "unsure"] | None,
        corrected_output: Any = None,
        **settings: Unpack[FeedbackSettings],
    ) -> FeedbackAccepted:
        """Judge a call. `incorrect` needs the corrected output; a verdict of None takes the reviewer's back."""
        correction = {} if corrected_output is None else {"corrected_output": corrected_output}
        body = {"verdict": verdict, **correction, **settings}
        return self._session.post(FeedbackAccepted, url_path("inferences", inference_id, "feedback"), body)
