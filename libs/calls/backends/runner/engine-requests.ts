import { InvalidError, type InvalidField } from '#domain/errors.js';
import type {
  ChatMessage,
  GenerateRequest,
  GenerationFacts,
  GenerationFeature,
  GenerationTool,
  ToolCall,
} from '#gpu-runner/contract/generation.js';
import { isWellFormed } from '#primitives/values.js';
import { resultWithoutCall } from '../../hosted/call-ids.js';
import { CONTEXT_LENGTH_EXCEEDED } from '../../hosted/context-length.js';
import { Dropped, hintsOf, isHint } from '../../hosted/dropped.js';
import type { ContentPart, FunctionTool, GenerationRequest, Message, Style, Tool } from '../../hosted/port.js';
import { DEFAULT_MAX_TOKENS } from '../../output-limit.js';
import { asksToThink } from '../../fit.js';
import type { Model } from '../../models.js';

/** The requests of a call, one for each answer. */
interface EngineRequests {
  readonly requests: readonly GenerateRequest[];
  /** Hints that the model is not given. */
  readonly dropped: readonly string[];
}

/** Maximum answers of one call: prompts times choices. Providers allow as many choices. */
const MAX_ANSWERS = 128;
/**
 * Characters of one token: the longest in common vocabularies are runs of 128 spaces. Longer input than that cannot fit, and is
 * refused before a runner, which reads one at a time, has to count its tokens.
 */
const MAX_TOKEN_CHARACTERS = 128;

/**
 * A request as an engine here takes it: one for each answer. A speaker's thoughts of earlier turns are left out, which chat templates
 * do too; markers for a provider's cache have no effect. Hints that the model cannot honour are dropped.
 * @throws InvalidError naming every other field that the model cannot honour
 */
export function engineRequests(
  generation: GenerationRequest,
  { modelId, entry }: Model,
  facts: GenerationFacts,
): EngineRequests {
  const dropped = new Dropped(false);
  const problems = problemsOf(generation, facts, modelId, dropped);
  const messages = new ReadMessages(problems, modelId, dropped).of(generation.messages);
  const orphan = resultWithoutCall(generation.messages);
  if (orphan !== null) problems.push(refused(['messages'], orphan));
  const inputs = generation.prompts?.map((prompt) => ({ prompt })) ?? [{ messages }];
  const { choices = 1, maxTokens = DEFAULT_MAX_TOKENS, temperature, topP, topK, stop, tools } = generation;
  const { frequencyPenalty, presencePenalty, logprobs, responseFormat, toolChoice } = generation;
  if (inputs.length * choices > MAX_ANSWERS)
    problems.push(
      refused(['choices'], `asks for ${inputs.length * choices} answers, of at most ${MAX_ANSWERS} a call`),
    );
  const known = toolsOf(tools ?? [], problems, modelId, dropped);
  const most = entry.context_window * MAX_TOKEN_CHARACTERS;
  for (const input of inputs) {
    const characters = charactersOf(input);
    const field = 'prompt' in input ? 'prompts' : 'messages';
    const message = `has ${characters} characters, and the context window of ${modelId} at most ${most}`;
    if (characters > most) problems.push({ path: [field], message, type: CONTEXT_LENGTH_EXCEEDED });
  }
  for (const [field, value] of Object.entries({
    prompts: generation.prompts,
    messages,
    stop,
    tools: known,
    responseFormat,
  }))
    if (!isWellFormed(value)) problems.push(refused([field], 'has half of a surrogate pair; send valid Unicode'));
  if (problems.length > 0) throw new InvalidError(problems);
  const common: Omit<GenerateRequest, 'input' | 'seed'> = {
    maxTokens: Math.min(maxTokens, entry.context_window),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(stop !== undefined && { stop }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(logprobs !== undefined && { logprobs }),
    ...(known.length > 0 && { tools: known }),
    ...(known.length > 0 && toolChoice !== undefined && { toolChoice }),
    ...(responseFormat && {
      format:
        responseFormat.type === 'json_schema'
          ? { type: responseFormat.type, schema: responseFormat.schema }
          : { type: responseFormat.type },
    }),
  };
  const seed = facts.features.includes('seed') ? generation.seed : undefined;
  const requests = inputs.flatMap((input) =>
    Array.from({ length: choices }, (_, nth) => ({
      ...{ input, ...common },
      // Each answer to the same messages is another one.
      ...(seed !== undefined && { seed: seed + nth }),
    })),
  );
  return { requests, dropped: dropped.names };
}

const charactersOf = (input: GenerateRequest['input']): number =>
  'prompt' in input
    ? input.prompt.length
    : input.messages
        .flatMap(({ content, toolCalls = [] }) => [content, ...toolCalls.map((call) => call.input)])
        .reduce((sum, { length }) => sum + length, 0);

/** Fields that need a feature of the model. */
const FEATURES: readonly {
  readonly field: keyof GenerationRequest;
  readonly featureOf: (request: GenerationRequest) => GenerationFeature | null;
}[] = [
  { field: 'topK', featureOf: ({ topK }) => (topK === undefined ? null : 'topK') },
  { field: 'logprobs', featureOf: ({ logprobs }) => (logprobs === undefined ? null : 'logprobs') },
  { field: 'frequencyPenalty', featureOf: ({ frequencyPenalty: by = 0 }) => (by === 0 ? null : 'frequencyPenalty') },
  { field: 'presencePenalty', featureOf: ({ presencePenalty: by = 0 }) => (by === 0 ? null : 'presencePenalty') },
  {
    field: 'tools',
    featureOf: ({ tools = [], toolChoice }) => (tools.length === 0 || toolChoice === 'none' ? null : 'tools'),
  },
  { field: 'responseFormat', featureOf: ({ responseFormat }) => responseFormat?.type ?? null },
];

/** Fields that no engine here honours. */
const NOT_HERE: readonly {
  readonly field: keyof GenerationRequest;
  readonly isAsked: (request: GenerationRequest) => boolean;
}[] = [
  { field: 'candidates', isAsked: ({ candidates }) => candidates !== undefined },
  { field: 'logitBias', isAsked: ({ logitBias = {} }) => Object.keys(logitBias).length > 0 },
  {
    field: 'parallelToolCalls',
    isAsked: ({ parallelToolCalls: many, tools = [] }) => many === false && tools.length > 0,
  },
];

/** Local engines support none of them but the seed, and think as much as their models do by default. */
function dropHints(request: GenerationRequest, { features }: GenerationFacts, dropped: Dropped): void {
  for (const name of hintsOf(request)) if (name !== 'seed' || !features.includes('seed')) dropped.drop(name);
  for (const name of thinkingOf(request)) dropped.drop(name);
  dropped.dropHints(request.verbatim?.only ?? []);
}

/** Fields of a request that say how much a model thinks, by the names of its dialect. */
function thinkingOf(request: GenerationRequest): readonly string[] {
  const { thinking, verbatim } = request;
  if (!thinking || !asksToThink(request)) return [];
  const { mode, budgetTokens, effort } = thinking;
  return [
    ...(mode === 'adaptive' ? ['thinking'] : []),
    ...(budgetTokens === undefined ? [] : ['thinking.budget_tokens']),
    ...(effort === undefined ? [] : [EFFORT[verbatim?.style ?? 'openai']]),
  ];
}

const EFFORT: Readonly<Record<Style, string>> = {
  ...{ openai: 'reasoning_effort', 'openai-completions': 'reasoning_effort' },
  ...{ 'openai-responses': 'reasoning.effort', anthropic: 'output_config.effort' },
};

function problemsOf(
  request: GenerationRequest,
  facts: GenerationFacts,
  modelId: string,
  dropped: Dropped,
): InvalidField[] {
  const { features } = facts;
  dropHints(request, facts, dropped);
  const problems = FEATURES.flatMap(({ field, featureOf }) => {
    const feature = featureOf(request);
    if (feature === null || features.includes(feature)) return [];
    const what = field === 'responseFormat' ? `of type ${feature} is` : 'is';
    return [refused([field], `${what} not supported by ${modelId}`)];
  });
  for (const { field, isAsked } of NOT_HERE)
    if (isAsked(request)) problems.push(refused([field], `is not supported by ${modelId}`));
  // A field unknown here may change the answer elsewhere (`min_p`, `guided_json`): ignoring it would look as if it had
  // an effect.
  for (const [name, value] of Object.entries(request.unknownFields ?? {}))
    if (value !== null) problems.push(refused(['verbatim', name], `is not supported by ${modelId}`));
  for (const path of request.verbatim?.only ?? [])
    if (!isHint(path)) problems.push(refused(['verbatim', ...path.split('.')], `is not supported by ${modelId}`));
  return problems;
}

/** Provider tools are dropped beside functions, as at other providers. */
function toolsOf(
  tools: readonly Tool[],
  problems: InvalidField[],
  modelId: string,
  dropped: Dropped,
): readonly GenerationTool[] {
  const functions = tools.filter((tool): tool is FunctionTool => !('foreign' in tool));
  for (const { name } of tools.filter((tool) => 'foreign' in tool)) {
    if (functions.length > 0) dropped.drop(`tools.${name}`);
    else problems.push(refused(['tools'], `has ${name}, a tool of a provider, which ${modelId} does not have`));
  }
  return functions.map(({ name, description, parameters }) => ({
    ...{ name, parameters },
    ...(description !== undefined && { description }),
  }));
}

/** Messages as chat templates take them: texts, calls of tools and their results. */
class ReadMessages {
  constructor(
    private readonly problems: InvalidField[],
    private readonly modelId: string,
    private readonly dropped: Dropped,
  ) {}

  of(messages: readonly Message[]): readonly ChatMessage[] {
    return messages.flatMap((message) => this.read(message));
  }

  /** Tool results are separate messages, before the rest of the message. */
  private read({ role, content, name }: Message): readonly ChatMessage[] {
    if (name !== undefined) this.dropped.drop('messages.name');
    const results = content.flatMap((part): readonly ChatMessage[] => {
      if (part.type !== 'tool-result') return [];
      const said = this.textOf(part.content);
      return [{ role: 'tool', content: part.isError ? `Error: ${said}` : said, toolCallId: part.id }];
    });
    const others = content.filter(({ type }) => type !== 'tool-result');
    if (results.length > 0 && others.length === 0) return results;
    const toolCalls = others.flatMap((part): readonly ToolCall[] =>
      part.type === 'tool-call' ? [{ id: part.id, name: part.name, input: part.input }] : [],
    );
    const said = this.textOf(others.filter(({ type }) => type !== 'tool-call'));
    const speaker = role === 'tool' ? 'user' : role;
    return [...results, { role: speaker, content: said, ...(toolCalls.length > 0 && { toolCalls }) }];
  }

  private textOf(parts: readonly ContentPart[]): string {
    return parts
      .flatMap((part): readonly string[] => {
        if (part.type === 'text' || part.type === 'refusal') return [part.text];
        if (part.type === 'thinking') return [];
        if (part.type === 'document' && part.source.kind === 'text')
          return [part.title === undefined ? part.source.text : `${part.title}\n\n${part.source.text}`];
        const what = part.type === 'foreign' ? part.name : part.type;
        this.refuse(`has ${what} parts, which ${this.modelId} does not read: it reads text`);
        return [];
      })
      .join('\n');
  }

  private refuse(message: string): void {
    const isKnown = this.problems.some(({ path, message: known }) => path[0] === 'messages' && known === message);
    if (!isKnown) this.problems.push(refused(['messages'], message));
  }
}

const refused = (path: InvalidField['path'], message: string): InvalidField => ({ path, message, type: 'not_allowed' });
