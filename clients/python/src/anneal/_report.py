from __future__ import annotations

from .records import HeadReportRecord, VersionReportRecord

SHOWN_LABELS = 8


def report_text(report: VersionReportRecord) -> str:
    """Return a report on a dataset version for people: what a model would learn from it, and what would mislead it."""
    lines = [f"{report.dataset_name}, version {report.version_number}: {_counted(report.rows, 'row')}"]
    if report.read_as:
        lines.append(f"  read as {report.read_as}")
    lines += [_head(head) for head in report.heads]
    if report.characters:
        characters = report.characters
        lines.append(f"  texts of {characters.min} to {characters.max} characters, median {characters.p50}")
    faults = [
        (report.rows_without_text, "row", "without a text"),
        (report.unlabelled.total, "row", "without labels"),
        (report.exact_duplicates.total, "row", "with the text of an earlier row"),
        (report.normalised_duplicates.total, "row", "with almost the text of an earlier row"),
        (report.conflicts.total, "row", "with other labels than an earlier row of the same text"),
        (report.unaligned_spans.total, "span", "that no answer can match exactly"),
        (report.repeated_annotations.total, "annotation", "found twice in its row"),
        (report.rare_labels.total, "label", f"with fewer than {report.rare_labels.min_rows} rows"),
    ]
    lines += [f"  look at: {_counted(count, noun)} {what}" for count, noun, what in faults if count]
    return "\n".join(lines)


def _head(head: HeadReportRecord) -> str:
    labels = [f"{label.label} {label.count}" for label in head.labels.labels[:SHOWN_LABELS]]
    if head.labels.total > len(labels):
        labels.append(f"and {head.labels.total - len(labels)} more")
    return f"  {head.head} in {_counted(head.rows, 'row')}: " + ", ".join(labels)


def _counted(count: float, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
