import type { JsonObject } from '#domain/json.js';
import { bodyOf } from '../native/decode.js';
import { kindOf, Reader } from '../../validation/reader.js';
import { ENCODING_FORMATS, type EmbeddingsRequest } from './request.js';

/** As OpenAI has it. */
export const MOST_INPUTS = 2_048;
/** More than any embedder has. */
export const MOST_DIMENSIONS = 65_536;

/** What is not passed on as unknown. */
const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'input',
  'encoding_format',
  'dimensions',
  'user',
  'store',
  'project_id',
]);

/** Checks the body of `POST /v1/embeddings`. @throws InvalidError naming every field that is wrong */
export function decodeEmbeddings(body: unknown): EmbeddingsRequest {
  const reader = new Reader();
  const fields = bodyOf(reader, body);
  const request = {
    modelId: reader.string(fields['model'], ['model'], 'the id of an embedder, from /base-models?task_type=embedding'),
    inputs: readInputs(reader, fields['input']),
    isBatch: Array.isArray(fields['input']),
    encodingFormat: reader.oneOf(fields['encoding_format'], ['encoding_format'], ENCODING_FORMATS) ?? 'float',
    dimensions: reader.integer(fields['dimensions'], ['dimensions'], [1, MOST_DIMENSIONS]) ?? null,
    endUser: reader.optionalString(fields['user'], ['user']) ?? null,
    store: reader.boolean(fields['store'], ['store'], true),
    projectId: reader.optionalString(fields['project_id'], ['project_id']) ?? null,
    unknownFields: Object.fromEntries(Object.entries(fields as JsonObject).filter(([name]) => !KNOWN.has(name))),
  };
  reader.done();
  return request;
}

function readInputs(reader: Reader, value: unknown): readonly string[] {
  if (typeof value === 'string') return [reader.string(value, ['input'], 'a text')];
  if (value === undefined || value === null) {
    reader.refuse(['input'], 'is required: a text, or a list of texts', 'missing');
    return [];
  }
  if (!Array.isArray(value)) {
    reader.refuse(['input'], `must be a text or a list of texts, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  if (isTokens(value) || (value.length > 0 && value.every(isTokens))) {
    reader.refuse(['input'], 'must be texts: token ids are not taken here, since they say nothing to other models', 'not_allowed'); // prettier-ignore
    return [];
  }
  if (value.length === 0) reader.refuse(['input'], 'must hold at least one text', 'out_of_range');
  if (value.length > MOST_INPUTS)
    reader.refuse(['input'], `must hold at most ${MOST_INPUTS} texts, not ${value.length}`, 'out_of_range');
  return value.slice(0, MOST_INPUTS).map((text, index) => reader.string(text, ['input', index], 'a text'));
}

const isTokens = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((token) => typeof token === 'number');
