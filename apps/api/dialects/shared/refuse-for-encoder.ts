import { InvalidError, type InvalidField } from '#domain/errors.js';
import type { GenerationRequest } from '#hosted-models/port.js';
import { nameIn } from './field-names.js';
import type { CompatibleRequest } from './request.js';

/**
 * What an encoder cannot honour is refused by name. It answers the same every time, and briefly: so it takes the fields of
 * sampling (temperature, top_p, seed, penalties) and limits of length, none of which changes its answer.
 * @throws InvalidError naming all of them
 */
export function refuseForEncoder({ generation, names }: CompatibleRequest, modelId: string): void {
  const { verbatim, messages } = generation;
  const problems = NOT_FOR_ENCODERS.flatMap(({ field, isAsked }) =>
    isAsked(generation) ? [refused([nameIn(names, field)], modelId)] : [],
  );
  for (const path of verbatim?.only ?? []) problems.push(refused(path.split('.'), modelId));
  // Messages are not numbered here as they are in the body: it may have a system prompt apart, or results of tools in between.
  const last = messages.findLast(({ role }) => role === 'user');
  const types = new Set(last?.content.map(({ type }) => type).filter((type) => type !== 'text'));
  for (const type of types)
    problems.push(refused([nameIn(names, 'messages')], modelId, `has ${type} parts, which are`));
  if (problems.length > 0) throw new InvalidError(problems);
}

const NOT_FOR_ENCODERS: readonly {
  readonly field: keyof GenerationRequest;
  readonly isAsked: (request: GenerationRequest) => boolean;
}[] = [
  { field: 'prompts', isAsked: ({ prompts }) => prompts !== undefined },
  { field: 'tools', isAsked: ({ tools = [] }) => tools.length > 0 },
  { field: 'toolChoice', isAsked: ({ toolChoice = 'none' }) => toolChoice !== 'none' && toolChoice !== 'auto' },
  { field: 'responseFormat', isAsked: ({ responseFormat }) => responseFormat !== undefined },
  { field: 'choices', isAsked: ({ choices = 1 }) => choices > 1 },
  { field: 'logprobs', isAsked: ({ logprobs }) => logprobs !== undefined },
  { field: 'logitBias', isAsked: ({ logitBias = {} }) => Object.keys(logitBias).length > 0 },
  { field: 'stop', isAsked: ({ stop = [] }) => stop.length > 0 },
  {
    field: 'thinking',
    isAsked: ({ thinking }) =>
      thinking !== undefined && thinking.mode !== 'disabled' && (thinking.effort ?? 'medium') !== 'none',
  },
];

const refused = (path: readonly (string | number)[], modelId: string, what = 'is'): InvalidField => ({
  path: ['body', ...path],
  message: `${what} for decoders: ${modelId} is an encoder, which reads a text and answers by \`schema\``,
  type: 'not_allowed',
});
