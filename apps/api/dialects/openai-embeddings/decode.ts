import type { EmbedderRequest } from '#calls/embeddings.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import type { Reader } from '#primitives/reader.js';
import { without } from '../shared/caller-body.js';
import { EmbeddingsBody } from './dto.js';

const embeddingsBody = new BodySchema(EmbeddingsBody);

/** Checks the body of `POST /v1/embeddings`. @throws InvalidError naming every field that is wrong */
export function decodeEmbeddings(sent: unknown): EmbedderRequest {
  const body = embeddingsBody.checked(sent, refuseTokens);
  return {
    modelId: body.model,
    inputs: typeof body.input === 'string' ? [body.input] : body.input,
    isBatch: Array.isArray(body.input),
    encodingFormat: body.encoding_format ?? 'float',
    dimensions: body.dimensions ?? null,
    endUser: body.user ?? null,
    store: body.store ?? true,
    projectId: body.project_id ?? null,
    unknownFields: without(body, (name) => embeddingsBody.fields.has(name)),
  };
}

function refuseTokens(reader: Reader, { input }: Readonly<Record<string, unknown>>): void {
  if (isTokens(input) || (Array.isArray(input) && input.length > 0 && input.every(isTokens)))
    reader.refuse(['input'], 'must be a string or a list of strings; token ids are not supported, since they mean nothing to other models', 'not_allowed'); // prettier-ignore
}

const isTokens = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((token) => typeof token === 'number');
