import { ConflictError, InvalidError, WrongModelError, type InvalidField, type Mend } from '#domain/errors.js';
import type { EmbedderFacts } from '#gpu-runner/contract/engines.js';
import type { GenerateRequest } from '#gpu-runner/contract/generation.js';
import { MAX_TEXT_CHARACTERS } from '#gpu-runner/contract/inference.js';
import { CONTEXT_LENGTH_EXCEEDED, contextLengthIn } from './hosted/context-length.js';
import { isHint } from './hosted/dropped.js';
import type { GenerationRequest, HostedModel, HostedModels } from './hosted/port.js';
import type { EmbedderRequest } from './embeddings.js';
import { REQUEST_HEADS, type EncoderRequest, type NativeRequest } from './encoder-request.js';
import type { Model } from './models.js';

// Each function here refuses, before anything runs, a request that its model cannot serve. Errors name the fields of
// the native request; each dialect translates them to the fields of its body.

/** Texts of a call whose answers are explained: rows of the datasets are read for each. */
const MAX_EXPLAINED_TEXTS = 100;

/** The parts of a chat-shaped request that not every model accepts. */
interface ChatRequest {
  readonly generation: GenerationRequest;
  /** The encoder fields that are present in the body. */
  readonly encoder: { readonly asked: readonly string[] };
}

/** @throws ConflictError the model is in the catalog, and no provider here serves it */
export function requireUpstream({ modelId, entry }: Model, hosted: HostedModels): HostedModel {
  const { provider, supports_inference: serves } = entry;
  if (provider && hosted.has(provider.name) && serves) return provider;
  throw new ConflictError(`model ${modelId} is in the catalog, and not served here for inference`);
}

/**
 * Checks a native request.
 * @throws InvalidError a text for a decoder, messages for an encoder
 * @throws ConflictError an embedder
 */
export function requireKind(request: NativeRequest, model: Model): void {
  const { modelId, entry } = model;
  requireNoEmbedder(model);
  if (request.kind === 'encoder') {
    if (entry.task_type === 'decoder')
      throw new InvalidError(notAllowed(['texts'], `is for encoder models; send \`messages\` to ${modelId}`));
    requireExplainable(request, model);
    return requireSchema(request, model);
  }
  if (entry.task_type === 'encoder')
    throw new InvalidError(
      notAllowed(['messages'], `is for decoder models; send \`text\` and \`schema\` to ${modelId}, an encoder`),
    );
  if (!entry.instruct)
    throw new InvalidError(
      notAllowed(['messages'], `is for models that follow instructions; ${modelId} continues a text`, 'complete'),
    );
  const beyond = beyondWindow(request.generation, model);
  if (beyond) throw new InvalidError(notAllowed(['maxTokens'], beyond));
}

/** @throws InvalidError an explanation is asked of a model without training rows, or of many texts */
function requireExplainable({ explain, texts }: EncoderRequest, { modelId, trainingJobId }: Model): void {
  if (!explain) return;
  if (trainingJobId === null)
    throw new InvalidError(
      notAllowed(['explain'], `is for trained models: ${modelId} has no training rows here; name a training job`),
    );
  if (texts.length > MAX_EXPLAINED_TEXTS)
    throw new InvalidError(
      outOfRange(
        ['explain'],
        `is for at most ${MAX_EXPLAINED_TEXTS} texts (got ${texts.length}); send them in several calls`,
      ),
    );
}

/** Checks a labelling of texts. @throws InvalidError */
export function requireEncoder({ modelId, entry }: Model): void {
  if (entry.task_type === 'encoder') return;
  throw new InvalidError(
    notAllowed(['modelId'], `${modelId} is not an encoder; name an encoder of the catalog or a training job of one`),
  );
}

/** Checks a generation of examples. @throws InvalidError */
export function requireGenerator({ modelId, entry }: Model): void {
  if (entry.task_type !== 'decoder')
    throw new InvalidError(notAllowed(['modelId'], `${modelId} is an ${entry.task_type} model; name a decoder`));
  if (!entry.instruct)
    throw new InvalidError(
      notAllowed(['modelId'], `${modelId} continues a text and follows no instructions; name its instruct variant`),
    );
}

/**
 * Checks a chat with a decoder.
 * @throws ConflictError, WrongModelError the model cannot answer such a request
 * @throws InvalidError naming fields that are for encoders
 */
export function requireDecoder({ generation, encoder }: ChatRequest, model: Model): void {
  const { modelId, entry } = model;
  requireNoEmbedder(model);
  if (!entry.instruct && generation.prompts === undefined)
    throw new WrongModelError(`model ${modelId} continues a text and follows no instructions`, 'complete');
  if (encoder.asked.length > 0)
    throw new InvalidError(
      encoder.asked.map((name) => notAllowed([name], `is for encoders, and ${modelId} is a decoder`)),
    );
}

/** @throws InvalidError the model has too little room for the tokens of the answer */
export function requireRoom({ generation }: ChatRequest, model: Model): void {
  const beyond = beyondWindow(generation, model);
  if (beyond) throw new InvalidError(outOfRange(['maxTokens'], beyond));
}

/**
 * Checks a chat with an encoder. Sampling fields (temperature, top_p, seed, penalties) and length limits are accepted,
 * since an encoder is deterministic and brief; hints are dropped; other unsupported fields are refused by name.
 * @returns the encoder's input: the text parts of the last user message, joined by newlines
 * @throws InvalidError naming every unsupported field, or the missing text
 */
export function requireEncoderText({ generation }: ChatRequest, { modelId }: Model): string {
  const { verbatim, messages, prompts, unknownFields } = generation;
  const isFor = (what: string) =>
    `${what} for decoders: ${modelId} is an encoder, which reads a text and answers by \`schema\``;
  const problems = NOT_FOR_ENCODERS.flatMap(({ field, isAsked }) =>
    isAsked(generation) ? [notAllowed([field], isFor('is'))] : [],
  );
  if (unknownFields?.['explain'] === true)
    problems.push(notAllowed(['verbatim', 'explain'], 'has no place in the answer to a chat', 'label'));
  for (const path of verbatim?.only ?? [])
    if (!isHint(path)) problems.push(notAllowed(['verbatim', ...path.split('.')], isFor('is')));
  // Messages are numbered differently in the body: it may have a separate system prompt, or tool results in between.
  const last = messages.findLast(({ role }) => role === 'user');
  const types = new Set(last?.content.map(({ type }) => type).filter((type) => type !== 'text'));
  for (const type of types) problems.push(notAllowed(['messages'], isFor(`has ${type} parts, which are`)));
  if (problems.length > 0) throw new InvalidError(problems);
  const texts = prompts ?? last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts && texts.length > 0) return texts.join('\n');
  throw new InvalidError({
    path: ['messages'],
    message: `must hold a user message with text: ${modelId} is an encoder, and reads the last one`,
    type: 'missing',
  });
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
  { field: 'thinking', isAsked: asksToThink },
];

export function asksToThink({ thinking }: GenerationRequest): boolean {
  return thinking !== undefined && thinking.mode !== 'disabled' && (thinking.effort ?? 'medium') !== 'none';
}

/**
 * @throws InvalidError if the schema is missing for a model without its own labels, and naming heads that the model
 * lacks
 */
export function requireSchema({ schema, isWarmup }: EncoderRequest, model: Model): void {
  const { modelId, trainingJobId, heads: known } = model;
  if (schema === null && trainingJobId === null && !isWarmup) throw schemaRequired(model);
  if (!known || !schema) return;
  const lacking = REQUEST_HEADS.filter((head) => schema[head] && !known.includes(head));
  if (lacking.length === 0) return;
  const does =
    known.length > 0
      ? `it does ${known.join(' and ')}`
      : 'training gives it its heads; name a training job that used it';
  throw new InvalidError(lacking.map((head) => lacksHead(head, modelId, does)));
}

export const schemaRequired = ({ modelId }: Model): InvalidError =>
  new InvalidError({
    path: ['schema'],
    message: `is required: ${modelId} has no labels of its own. Send a list of entity labels, or {entities, classifications, structures, relations}`,
    type: 'missing',
  });

export const lacksHead = (
  head: (typeof REQUEST_HEADS)[number] | undefined,
  modelId: string,
  why: string,
): InvalidField =>
  notAllowed(['schema', ...(head ? [head] : [])], `model ${modelId} has no ${head ?? 'such'} head: ${why}`);

export const refusedSchema = (why: string): InvalidField => notAllowed(['schema'], why);

/** @param field of the request to the engine */
export const refusedGeneration = (field: keyof GenerateRequest, why: string): InvalidField =>
  refused([OF_ENGINE_REQUESTS[field] ?? field], why, contextLengthIn(why) ? CONTEXT_LENGTH_EXCEEDED : 'not_allowed');

/** Fields of requests to engines whose names differ here. */
const OF_ENGINE_REQUESTS: Readonly<Partial<Record<keyof GenerateRequest, keyof GenerationRequest>>> = {
  input: 'messages',
  format: 'responseFormat',
};

/** @throws InvalidError naming each text beyond the model's limit */
export function requireReadable({ texts, batch }: EncoderRequest): void {
  const tooLong = texts.flatMap((text, index) => {
    // A code point is two units at most.
    const characters = text.length > MAX_TEXT_CHARACTERS ? codePointsIn(text) : 0;
    if (characters <= MAX_TEXT_CHARACTERS) return [];
    const message = `must be at most ${MAX_TEXT_CHARACTERS} characters (got ${characters}); cut it into several texts`;
    return [outOfRange(['texts', ...(batch ? [index] : [])], message)];
  });
  if (tooLong.length > 0) throw new InvalidError(tooLong);
}

/** Counts without building an array, which takes 0.1 s for a few million characters. */
function codePointsIn(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1)
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      pairs += 1;
      at += 1;
    }
  return text.length - pairs;
}

/** @throws ConflictError whose advice names the model's purpose */
export function requireEmbedder({ modelId, entry: { task_type: kind, instruct } }: Model): void {
  if (kind === 'embedding') return;
  throw new ConflictError(
    `model ${modelId} is ${kind === 'encoder' ? 'an encoder' : 'a decoder'} and makes no embeddings`,
    {
      mend: kind === 'encoder' || instruct ? 'chat-or-embedder' : 'complete-or-embedder',
    },
  );
}

/**
 * Checks a call of an embedder of an engine here: the dimensions of its vectors, and the characters of all texts.
 * @throws ConflictError the catalog calls a different kind of model an embedder
 * @throws InvalidError too many dimensions or characters
 */
export function requireEmbeddable(
  { inputs, dimensions }: EmbedderRequest<string>,
  { modelId, embedder: facts }: Model,
) {
  if (!facts)
    throw new ConflictError(
      `model ${modelId} is in the catalog as an embedder, and no engine here has such an embedder`,
    );
  if (dimensions !== null && dimensions > facts.dimensions)
    throw new InvalidError(
      outOfRange(['dimensions'], `must be at most ${facts.dimensions}, the dimensions of ${modelId}`),
    );
  const characters = inputs.reduce((sum, { length }) => sum + length, 0);
  if (characters > facts.maxCharacters)
    throw new InvalidError(
      outOfRange(
        ['inputs'],
        `must hold at most ${facts.maxCharacters} characters in all, not ${characters}: send them in several requests`,
      ),
    );
  return { facts, characters, dimensions: dimensions ?? facts.dimensions };
}

/** @param index of the text that has more tokens than the embedder reads */
export const textTooLong = ({ isBatch, modelId }: EmbedderRequest, index: number, { maxTokens }: EmbedderFacts) =>
  new InvalidError(
    outOfRange(
      ['inputs', ...(isBatch ? [index] : [])],
      `must be at most ${maxTokens} tokens, the context window of ${modelId}; cut it into several texts`,
    ),
  );

function requireNoEmbedder({ modelId, entry }: Model): void {
  if (entry.task_type === 'embedding') throw new ConflictError(`model ${modelId} makes embeddings`, { mend: 'embed' });
}

function beyondWindow({ maxTokens = 0 }: GenerationRequest, { modelId, entry }: Model): string | null {
  if (maxTokens <= entry.context_window) return null;
  return `must be at most ${entry.context_window}, the context window of ${modelId}`;
}

type Path = InvalidField['path'];

const notAllowed = (path: Path, message: string, mend?: Mend): InvalidField => ({
  ...refused(path, message, 'not_allowed'),
  ...(mend && { mend }),
});
const outOfRange = (path: Path, message: string): InvalidField => refused(path, message, 'out_of_range');
const refused = (path: Path, message: string, type: string): InvalidField => ({ path, message, type });
