import type { GenerationRequest } from '#hosted-models/port.js';
import { bodyOf } from '../native/decode.js';
import { kindOf } from '../../validation/reader.js';
import { readStreamOptions } from '../openai-chat/decode.js';
import { MOST_CHOICES, MOST_TOKENS, readSampling } from '../openai-chat/decode-sampling.js';
import { unknownFields, verbatim } from '../shared/caller-body.js';
import { DialectReader, isPresent } from '../shared/dialect-reader.js';
import { EXTENSIONS, readCommon } from '../shared/read-extensions.js';
import type { CompatibleRequest } from '../shared/request.js';

export interface CompletionRequest extends CompatibleRequest {
  readonly includeUsage: boolean;
}

type Body = Readonly<Record<string, unknown>>;

export const MOST_PROMPTS = 2_048;
export const MOST_LOGPROBS = 20;

/** Fields that nothing but a provider of this style can honour. */
const ONLY_COMPLETIONS = ['echo', 'suffix'] as const;

const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'stream', 'stream_options', 'max_tokens', 'temperature', 'top_p', 'stop', 'seed', 'n'],
  ...['best_of', 'logprobs', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'user'],
  ...ONLY_COMPLETIONS,
  ...EXTENSIONS,
]);

/** Checks the body of `POST /v1/completions`. @throws InvalidError naming every field that is wrong */
export function decodeCompletion(body: unknown): CompletionRequest {
  const reader = new DialectReader();
  const fields = bodyOf(reader, body);
  const common = readCommon(reader, fields);
  const generation = readGeneration(reader, fields);
  if (reader.boolean(fields['echo'], ['echo'], false)) reader.only.push('echo');
  reader.carry(isPresent(fields['suffix']) ? reader.text(fields['suffix'], ['suffix']) : null, ['suffix']);
  const includeUsage = readStreamOptions(reader, fields['stream_options']);
  reader.done();
  const carried = verbatim('openai-completions', fields, reader.only);
  return { ...common, generation: { ...generation, verbatim: carried }, includeUsage };
}

function readGeneration(reader: DialectReader, fields: Body): GenerationRequest {
  const maxTokens = reader.integer(fields['max_tokens'], ['max_tokens'], [1, MOST_TOKENS]);
  // What must be paid is known by `max_tokens` alone: a provider that takes the newer name of chat completions would exceed it.
  if (isPresent(fields['max_completion_tokens']))
    reader.refuse(['max_completion_tokens'], 'is for chat completions: name max_tokens', 'not_allowed');
  const top = reader.integer(fields['logprobs'], ['logprobs'], [0, MOST_LOGPROBS]);
  const endUser = reader.optionalString(fields['user'], ['user']);
  const sampling = readSampling(reader, fields);
  return {
    messages: [],
    prompts: readPrompts(reader, fields['prompt']),
    ...(maxTokens !== undefined && { maxTokens }),
    ...sampling,
    ...readCandidates(reader, fields['best_of'], sampling.choices ?? 1),
    ...(top !== undefined && { logprobs: { top } }),
    ...(endUser !== undefined && { endUser }),
    ...unknownFields(fields, KNOWN),
  };
}

function readCandidates(reader: DialectReader, value: unknown, choices: number): Pick<GenerationRequest, 'candidates'> {
  const candidates = reader.integer(value, ['best_of'], [1, MOST_CHOICES]);
  if (candidates === undefined || candidates === choices) return {};
  if (candidates < choices) reader.refuse(['best_of'], `must be at least n, ${choices}`, 'out_of_range');
  return { candidates };
}

function readPrompts(reader: DialectReader, value: unknown): readonly string[] {
  const path = ['prompt'];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) {
    if (isPresent(value)) reader.refuse(path, `must be a text or a list of texts, not ${kindOf(value)}`, 'wrong_type');
    else reader.refuse(path, 'is required: a text or a list of texts', 'missing');
    return [];
  }
  if (value.length === 0) reader.refuse(path, 'must hold at least one text', 'out_of_range');
  if (value.length > MOST_PROMPTS)
    reader.refuse(path, `must hold at most ${MOST_PROMPTS} texts, not ${value.length}`, 'out_of_range');
  return value.slice(0, MOST_PROMPTS).map((prompt: unknown, index) => {
    if (typeof prompt === 'string') return prompt;
    const isTokens = typeof prompt === 'number' || Array.isArray(prompt);
    const problem = isTokens
      ? 'must be a text: tokens by number are not taken'
      : `must be a text, not ${kindOf(prompt)}`;
    reader.refuse([...path, index], problem, 'wrong_type');
    return '';
  });
}
