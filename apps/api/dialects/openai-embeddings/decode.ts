import type { EmbedderRequest } from '#calls/embeddings.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import { without } from '../shared/caller-body.js';
import { EmbeddingsBody } from './dto.js';

const embeddingsBody = new BodySchema(EmbeddingsBody);

/** Checks the body of `POST /v1/embeddings`. @throws InvalidError naming every field that is wrong */
export function decodeEmbeddings(sent: unknown): EmbedderRequest {
  const body = embeddingsBody.checkedLoosely(sent);
  const { input } = body;
  return {
    modelId: body.model,
    inputs: isSeveral(input) ? input : [input],
    isBatch: isSeveral(input),
    encodingFormat: body.encoding_format ?? 'float',
    dimensions: body.dimensions ?? null,
    endUser: body.user ?? null,
    store: body.store ?? true,
    projectId: body.project_id ?? null,
    unknownFields: without(body, (name) => embeddingsBody.fields.has(name)),
  };
}

/** A list of numbers is the token ids of one text. */
const isSeveral = (input: EmbeddingsBody['input']): input is string[] | number[][] =>
  Array.isArray(input) && typeof input[0] !== 'number';
