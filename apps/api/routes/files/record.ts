import type { DatasetVersion } from '#domain/dataset/index.js';
import type { FileObject } from './dto.js';
import { FILE_ID, unixSeconds } from './ids.js';

/** A dataset version as the OpenAI API shows a file. */
export function fileRecord(version: DatasetVersion): FileObject {
  const details = version.status === 'failed' ? detailsOf(version) : null;
  return {
    id: FILE_ID.write(version.versionId),
    object: 'file',
    bytes: 'source' in version ? (version.source?.size ?? 0) : 0,
    created_at: unixSeconds(version.createdAt),
    filename: fileNameOf(version),
    purpose: version.purpose ?? 'fine-tune',
    status: version.status === 'ready' ? 'processed' : version.status === 'failed' ? 'error' : 'uploaded',
    ...(details !== null && { status_details: details }),
  };
}

export const fileNameOf = ({ fileName, name, versionNumber }: DatasetVersion): string =>
  fileName ?? `${name}-v${versionNumber}.jsonl`;

/** Why a file was refused, with its first row that is wrong. */
export function detailsOf({ reason, rowErrors }: Extract<DatasetVersion, { status: 'failed' }>): string {
  const [first] = rowErrors?.rows ?? [];
  if (!first) return reason;
  return `${reason}; row ${first.row}: ${[first.field, first.reason].filter((part) => part !== '').join(': ')}`;
}
