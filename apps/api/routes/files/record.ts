import type { DatasetVersion } from '#domain/dataset/index.js';
import type { FileObject } from './dto.js';
import { fileNameOf, leftOutOf } from '#use-cases/files/as-file.js';
import { FILE_ID } from '#use-cases/files/ids.js';
import { unixSeconds } from './unix-seconds.js';

/** A dataset version as the OpenAI API shows a file. */
export function fileRecord(version: DatasetVersion): FileObject {
  const details = version.status === 'failed' ? version.reason : leftOutOf(version);
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
