from __future__ import annotations

from typing_extensions import Unpack

from .._concurrency import sleep
from .._report import report_text
from .._rows import Rows, opened, size_of
from ..errors import DatasetFailedError
from ..params import UploadSettings
from ..records import DatasetList, DatasetVersionRecord, ListedDataset, UploadUrl, VersionReportRecord
from .session import Session, url_path

POLL_S = 0.5
DATASETS = "/felix/datasets"


class Datasets:
    """Datasets and their versions."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def upload(self, rows: Rows, name: str, **settings: Unpack[UploadSettings]) -> DatasetVersionRecord:
        """Upload rows as the next version of a dataset, wait until it is ready, and print the report on it.

        `rows` is the path of a file, a DataFrame, or rows as dicts. Raises DatasetFailedError, with the errors of rows, if a row
        is wrong.
        """
        with opened(rows) as (file, filename):
            begun = self._session.post(
                UploadUrl, f"{DATASETS}/upload/url", {"dataset_name": name, "filename": filename, **settings}
            )
            with self._session.progress.bar(f"uploading {name}", size_of(file)) as bar:
                self._session.upload(begun.presigned_url, file, bar)
        self._session.post(DatasetVersionRecord, f"{DATASETS}/upload/process", {"dataset_id": begun.dataset_id})
        version = self._ready(name, begun.version_number)
        if self._session.progress.enabled:
            self._session.progress.line(report_text(self.report(name, version.version_number)))
        return version

    def get(self, name: str, version: str | int = "latest") -> DatasetVersionRecord:
        """Return a version of a dataset."""
        return self._session.get(DatasetVersionRecord, DATASETS + url_path(name, str(version)))

    def report(self, name: str, version: str | int = "latest", *, held_out: str | None = None) -> VersionReportRecord:
        """Return what a model would learn from a version, and what would mislead it.

        `held_out` is `name` or `name/version` of the dataset on which you mean to evaluate: rows that stand in both are named.
        """
        path = DATASETS + url_path(name, str(version), "report")
        return self._session.get(VersionReportRecord, path, {"held_out": held_out})

    def list(self) -> list[ListedDataset]:
        """Return the newest version of each dataset."""
        listed = self._session.get(DatasetList, DATASETS)
        return listed.datasets

    def _ready(self, name: str, number: str) -> DatasetVersionRecord:
        said = ""
        while True:
            version = self.get(name, number)
            if version.status == "failed":
                raise DatasetFailedError(version)
            if version.status == "ready":
                return version
            if version.status != said:
                said = version.status
                self._session.progress.line(f"{name}, version {number}: {said}")
            sleep(POLL_S)
