import { setImmediate as turn } from 'node:timers/promises';
import { InvalidError, type InvalidField } from '#domain/errors.js';
import type { EmbedderRequest } from '../embeddings.js';
import { CL100K_TOKENS, Cl100k } from './cl100k.js';

/**
 * The request with texts in place of token ids, which are read as cl100k_base: the encoding of every client that sends them.
 * @throws InvalidError naming each input with an id that this encoding does not have
 */
export async function withTexts(request: EmbedderRequest): Promise<EmbedderRequest<string>> {
  const { inputs } = request;
  if (isOfTexts(request)) return request;
  const problems = inputs.flatMap((input, index) => {
    const unknown = typeof input === 'string' ? undefined : input.find((id) => id >= CL100K_TOKENS);
    return unknown === undefined ? [] : [unknownToken(request, index, unknown)];
  });
  if (problems.length > 0) throw new InvalidError(problems);
  const encoding = await Cl100k.load();
  const texts: string[] = [];
  let decoded = 0;
  for (const input of inputs) {
    texts.push(typeof input === 'string' ? input : encoding.decode(input));
    decoded += input.length;
    if (decoded < IDS_A_TURN) continue;
    decoded = 0;
    await turn();
  }
  return { ...request, inputs: texts };
}

/** Ids decoded in one turn of the event loop, in a few milliseconds. */
const IDS_A_TURN = 20_000;

const isOfTexts = (request: EmbedderRequest): request is EmbedderRequest<string> =>
  request.inputs.every((input) => typeof input === 'string');

const unknownToken = ({ isBatch, modelId }: EmbedderRequest, index: number, id: number): InvalidField => ({
  path: ['inputs', ...(isBatch ? [index] : [])],
  message: `has the token id ${id}, which is none of cl100k_base, the encoding in which ${modelId} reads token ids; send the text`,
  type: 'not_allowed',
});
