import type { ErasedVersion } from '#use-cases/datasets/commands/erase.js';
import { cite } from '#use-cases/events/log-reader.js';
import type { DatasetErasure } from './erasure-dto.js';

export const certificateOf = ({ version, rows, sha256, event, learned, remains }: ErasedVersion): DatasetErasure => ({
  object: 'dataset_erasure_certificate',
  ...{ name: version.name, version: version.versionNumber, version_id: version.versionId },
  ...{ rows, sha256 },
  erased_at: event.metadata.occurredAt,
  erased_by: event.metadata.actor,
  keys: 'keys' in event.data ? event.data.keys : [],
  event: cite(event),
  ...{ learned, remains },
});
