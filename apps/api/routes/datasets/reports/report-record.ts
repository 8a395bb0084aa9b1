import { readAs } from '#rows/formats/index.js';
import {
  MIN_ROWS_OF_LABEL,
  type Examples,
  type Quantiles,
  type Repetition,
  type VersionReport,
} from '#rows/report/index.js';
import type { ReadyVersion } from '#domain/dataset/index.js';
import type { ReportedRows } from '#use-cases/datasets/queries/report.js';
import type { HeldOutReportRecord, LengthQuantiles, RepeatedRow, VersionReportRecord } from './report-dto.js';

/** A report as clients see it. */
export function reportRecord({ version, heldOut, report }: ReportedRows): VersionReportRecord {
  const { unalignedSpans } = report;
  return {
    dataset_name: version.name,
    version_number: String(version.versionNumber),
    read_as: readAs(version.contents, version.leftOut),
    rows: report.rows,
    rows_without_text: report.rowsWithoutText,
    compared_rows: report.comparedRows,
    heads: report.heads.map(({ head, rows, emptyRows, labels }) => ({
      head,
      rows,
      empty_rows: emptyRows,
      labels: { ...cut(labels), labels: labels.shown.map((each) => ({ ...each })) },
    })),
    unlabelled: { ...cut(report.unlabelled), rows: [...report.unlabelled.shown] },
    exact_duplicates: { ...cut(report.exactDuplicates), rows: report.exactDuplicates.shown.map(repeated) },
    normalised_duplicates: {
      ...cut(report.normalisedDuplicates),
      rows: report.normalisedDuplicates.shown.map(repeated),
    },
    conflicts: {
      ...cut(report.conflicts),
      rows: report.conflicts.shown.map((conflict) => ({ ...repeated(conflict), head: conflict.head })),
    },
    rare_labels: {
      min_rows: MIN_ROWS_OF_LABEL,
      ...cut(report.rareLabels),
      labels: report.rareLabels.shown.map((each) => ({ ...each })),
    },
    similar_labels: {
      ...cut(report.similarLabels),
      groups: report.similarLabels.shown.map(({ head, labels }) => ({ head, labels: [...labels] })),
    },
    one_class: report.hasOneClass,
    characters: quantiles(report.characters),
    tokens: quantiles(report.tokens),
    unaligned_spans: {
      ...cut(unalignedSpans),
      ...unalignedSpans.faults,
      spans: unalignedSpans.shown.map((each) => ({ ...each })),
    },
    repeated_annotations: {
      ...cut(report.repeatedAnnotations),
      annotations: report.repeatedAnnotations.shown.map((each) => ({ ...each })),
    },
    held_out: heldOut && heldOutRecord(heldOut, report.heldOut!),
  };
}

const cut = ({ total, shown }: Examples<unknown>) => ({ total, truncated: shown.length < total });

const repeated = ({ row, sameAs }: Repetition): RepeatedRow => ({ row, same_as: sameAs });

const quantiles = (lengths: Quantiles | null): LengthQuantiles | null => lengths && { ...lengths };

function heldOutRecord(
  { name, versionNumber }: ReadyVersion,
  { rows, comparedRows, leaks, exactLeaks, leakedRows }: NonNullable<VersionReport['heldOut']>,
): HeldOutReportRecord {
  return {
    dataset_name: name,
    version_number: String(versionNumber),
    rows,
    compared_rows: comparedRows,
    leaked_rows: leakedRows,
    ...cut(leaks),
    exact: exactLeaks,
    leaks: leaks.shown.map(({ row, heldOutRow, isExact }) => ({ row, held_out_row: heldOutRow, exact: isExact })),
  };
}
