import type { DatasetVersion } from '#domain/dataset/index.js';
import { readAs } from '#rows/formats/index.js';

/** The name of the file that a version is. */
export const fileNameOf = ({ fileName, name, versionNumber }: DatasetVersion): string =>
  fileName ?? `${name}-v${versionNumber}.jsonl`;

/** Why a file was refused, with its first row that is wrong. */
export function detailsOf({ reason, rowErrors }: Extract<DatasetVersion, { status: 'failed' }>): string {
  const [first] = rowErrors?.rows ?? [];
  if (!first) return reason;
  return `${reason}; row ${first.row}: ${[first.field, first.reason].filter((part) => part !== '').join(': ')}`;
}

/** How many rows of a file were left out; null: none. */
export const leftOutOf = (version: DatasetVersion): string | null =>
  version.status === 'ready' && version.leftOut ? readAs({}, version.leftOut) : null;
