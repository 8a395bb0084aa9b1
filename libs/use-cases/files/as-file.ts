import type { DatasetVersion } from '#domain/dataset/index.js';
import { readAs } from '#rows/formats/index.js';

/** The name of the file that a version is. */
export const fileNameOf = ({ fileName, name, versionNumber }: DatasetVersion): string =>
  fileName ?? `${name}-v${versionNumber}.jsonl`;

/** How many rows of a file were left out; null: none. */
export const leftOutOf = (version: DatasetVersion): string | null =>
  version.status === 'ready' && version.leftOut ? readAs({}, version.leftOut) : null;
