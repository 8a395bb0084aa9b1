import type { GenerationRequest } from '#calls/hosted/port.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import { type Reader } from '#primitives/reader.js';
import { isPresent } from '#primitives/values.js';
import { streamsUsage } from '../openai-chat/decode.js';
import { samplingOf } from '../openai-chat/decode-sampling.js';
import { refuseSchemaOfNoHead } from '#calls/schema/decode.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import { DialectReader } from '../shared/dialect-reader.js';
import { commonOf } from '../shared/read-extensions.js';
import type { CompatibleRequest } from '../shared/request.js';
import { TextCompletionBody } from './dto.js';

interface CompletionRequest extends CompatibleRequest {
  readonly includeUsage: boolean;
}

const completionBody = new BodySchema(TextCompletionBody);

/** Checks the body of `POST /v1/completions`. @throws InvalidError naming every field that is wrong */
export function decodeCompletion(sent: unknown): CompletionRequest {
  const body = completionBody.checkedLoosely(sent, refuseContradictions);
  const reader = new DialectReader();
  refuseContradictions(reader, body);
  const common = commonOf(reader, body);
  const includeUsage = streamsUsage(reader, body.stream_options);
  if (body.echo) reader.only.push('echo');
  reader.carry(body.suffix, ['suffix']);
  reader.done();
  const carried = verbatim('openai-completions', body, reader.only);
  return { ...common, generation: { ...generationOf(body), verbatim: carried }, includeUsage };
}

/** @param given a body of any kind */
function refuseContradictions(reader: Reader, given: object): void {
  const body = given as Readonly<Record<string, unknown>>;
  refuseSchemaOfNoHead(reader, body['schema']);
  // Reservations rely on `max_tokens`: a provider that accepts the newer name from chat completions would exceed it.
  if (isPresent(body['max_completion_tokens']))
    reader.refuse(['max_completion_tokens'], 'belongs to chat completions; send max_tokens', 'not_allowed');
  const { n, best_of: candidates } = body;
  const choices = typeof n === 'number' ? n : 1;
  if (typeof candidates === 'number' && candidates < choices)
    reader.refuse(['best_of'], `must be at least n, ${choices}`, 'out_of_range');
}

function generationOf(body: TextCompletionBody): GenerationRequest {
  const { prompt, max_tokens: maxTokens, best_of: candidates, logprobs: top, user } = body;
  return {
    messages: [],
    prompts: typeof prompt === 'string' ? [prompt] : prompt,
    ...(isPresent(maxTokens) && { maxTokens }),
    ...samplingOf(body),
    ...(isPresent(candidates) && candidates !== (body.n ?? 1) && { candidates }),
    ...(isPresent(top) && { logprobs: { top } }),
    ...(isPresent(user) && { endUser: user }),
    ...unknownFields(body, completionBody.fields),
  };
}
