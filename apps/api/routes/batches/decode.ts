import { BATCH_ENDPOINTS } from '#domain/batch/index.js';
import { Reader } from '#primitives/reader.js';
import { isPresent } from '#primitives/values.js';
import type { BatchOrder } from '#use-cases/batches/commands.js';
import { readMetadata } from '../files/metadata.js';

const FIELDS = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after']);

/** @throws InvalidError naming every field that was refused */
export function batchOrder(body: unknown): BatchOrder {
  const read = new Reader();
  const fields = read.fields(body, FIELDS);
  if (isPresent(fields.output_expires_after))
    read.refuse(
      ['output_expires_after'],
      'is not supported, since files stay until they are deleted; leave it out',
      'not_allowed',
    );
  const fileId = read.string(fields.input_file_id, ['input_file_id'], 'the id of a file');
  const endpoint = read.oneOf(fields.endpoint, ['endpoint'], BATCH_ENDPOINTS);
  if (!isPresent(fields.endpoint))
    read.refuse(['endpoint'], `is required and must be one of ${BATCH_ENDPOINTS.join(', ')}`, 'missing');
  if (fields.completion_window !== '24h') read.refuse(['completion_window'], 'must be "24h"', 'not_allowed');
  const metadata = readMetadata(read, fields.metadata);
  read.done();
  return { fileId, endpoint: endpoint!, metadata };
}
