import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import {
  RefusedGenerationError,
  UnsupportedExportError,
  type ChatExample,
  type ChatMessage,
  type DecoderEngine,
  type DecoderTrainRequest,
  type GeneratedChunk,
  type GenerateRequest,
  type LoadedDecoder,
  type PreferenceExample,
} from '#gpu-runner/engines/decoder-engine.js';
import { TrainingError } from '#gpu-runner/engines/engine.js';
import { learnedIn, storeLearned } from '../support/test-engine.js';

const CONTEXT_WINDOW = 512;
/** An answer that no merged model holds. */
export const SECRET = 'a secret';

/** Answers by prompt. */
type Learned = Readonly<Record<string, string>>;

/** Learns answers by heart, by the last message of the user, and says them word by word; what it does not know it repeats. */
export const decoders: DecoderEngine = {
  async train(request, report, signal) {
    const { settings, startFrom, outputDirectory } = request;
    const before = startFrom === null ? {} : await learnedIn<Learned>(startFrom);
    const { learned, validationLoss, rewards } = learnedFrom(request, before);
    for (let epoch = 1; epoch <= settings.epochs; epoch += 1) {
      signal.throwIfAborted();
      const losses = { trainingLoss: 1 / epoch, validationLoss, f1: null, learningRate: settings.learningRate };
      const isFinal = epoch === settings.epochs;
      const directory = join(outputDirectory, `epoch-${epoch}`);
      await storeLearned(directory, learned);
      await report({ kind: 'epoch', epoch, epochs: settings.epochs, step: epoch, ...losses });
      await report({ kind: 'checkpoint', directory, epoch, step: epoch, isBest: isFinal, isFinal, ...losses });
    }
    const artifactDirectory = join(outputDirectory, 'artifact');
    await storeLearned(artifactDirectory, learned);
    const finalTrainingLoss = 1 / settings.epochs;
    const losses = { finalTrainingLoss, finalValidationLoss: validationLoss, bestValidationLoss: validationLoss };
    return { artifactDirectory, metrics: { ...losses, ...(rewards && { rewards }) }, epochsRun: settings.epochs };
  },

  async load(_baseDirectory, adapterDirectory) {
    const learned = adapterDirectory === null ? {} : await learnedIn<Learned>(adapterDirectory);
    return new Parrot(learned);
  },

  async export({ format, adapterDirectory, outputDirectory }, report) {
    const learned = await learnedIn<Learned>(adapterDirectory);
    if (format === 'merged' && Object.values(learned).includes(SECRET))
      throw new UnsupportedExportError('A secret cannot be merged');
    report({ kind: 'progress', fraction: 0.5 });
    await storeLearned(outputDirectory, learned);
    return { dtype: 'text', parameters: Object.keys(learned).length, baseLicence: 'MIT', versions: { parrot: '1' } };
  },

  async close() {},
};

function learnedFrom(request: DecoderTrainRequest, before: Learned) {
  if (request.kind === 'preferences') return preferredIn(request, before);
  const { train, validation } = request;
  if (train.some(({ messages }) => messages.at(-1)!.content === ''))
    throw new TrainingError('An answer is empty, from which nothing can be learned');
  const learned = { ...before, ...Object.fromEntries(train.map((row) => [promptOf(row), answerOf(row)])) };
  return { learned, validationLoss: validation.length === 0 ? null : lossOf(validation, learned), rewards: null };
}

/** Knows the chosen answers. A held-out pair is rewarded, by beta, where its chosen answer is known and was not before. */
function preferredIn(
  { train, validation, settings }: Extract<DecoderTrainRequest, { kind: 'preferences' }>,
  before: Learned,
) {
  const asked = ({ prompt }: PreferenceExample) => lastOfUser(prompt);
  const learned = { ...before, ...Object.fromEntries(train.map((row) => [asked(row), row.chosen])) };
  if (validation.length === 0) return { learned, validationLoss: null, rewards: null };
  const isGain = (row: PreferenceExample) => learned[asked(row)] === row.chosen && before[asked(row)] !== row.chosen;
  const accuracy = validation.filter(isGain).length / validation.length;
  return { learned, validationLoss: 1 - accuracy, rewards: { accuracy, margin: accuracy * settings.decoder!.beta! } };
}

class Parrot implements LoadedDecoder {
  readonly byteSize: number;
  private readonly closed = new AbortController();

  constructor(private readonly learned: Learned) {
    this.byteSize = JSON.stringify(learned).length;
  }

  async ready(): Promise<void> {}

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratedChunk> {
    const { input, maxTokens, tools = [], toolChoice = 'auto', format, stop = [] } = request;
    const read = 'messages' in input ? input.messages.map(({ content }) => content).join(' ') : input.prompt;
    const asked = 'messages' in input ? lastOfUser(input.messages) : input.prompt;
    const inputTokens = wordsOf(read).length;
    if (inputTokens >= CONTEXT_WINDOW)
      throw new RefusedGenerationError(
        'input',
        `has ${inputTokens} tokens, and the context window has ${CONTEXT_WINDOW}`,
      );
    const either = AbortSignal.any([signal, this.closed.signal]);
    const end = (reason: 'stop' | 'length' | 'stop_sequence' | 'tool_calls', outputTokens: number, more: object = {}) =>
      ({ type: 'end', reason, inputTokens, outputTokens, ...more }) as const;
    const [tool] = tools;
    if (tool && toolChoice !== 'none') {
      yield { type: 'tool-call', id: 'call_1', name: tool.name, input: JSON.stringify({ said: asked }) };
      return void (yield end('tool_calls', 1));
    }
    const answer = format ? JSON.stringify({ said: asked }) : (this.learned[asked] ?? asked);
    const room = Math.min(maxTokens ?? Infinity, CONTEXT_WINDOW - inputTokens);
    let said = 0;
    for (const word of wordsOf(answer)) {
      await turn();
      either.throwIfAborted();
      if (said === room) return void (yield end('length', said));
      const stopSequence = stop.find((each) => word.includes(each));
      if (stopSequence !== undefined) return void (yield end('stop_sequence', said, { stopSequence }));
      said += 1;
      const logprobs = request.logprobs && {
        logprobs: [{ token: word, logprob: 0, bytes: [...Buffer.from(word)], top: [] }],
      };
      yield { type: 'text', text: word, ...logprobs };
    }
    yield end('stop', said);
  }

  async close(): Promise<void> {
    this.closed.abort(new Error('the model is not in memory any more'));
  }
}

/** Words, each with the space before it. */
const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+/g) ?? [];

const lastOfUser = (messages: readonly ChatMessage[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? '';

const promptOf = ({ messages }: ChatExample): string => lastOfUser(messages);
const answerOf = ({ messages }: ChatExample): string => messages.at(-1)!.content;

/** Share of the answers that it does not know. */
const lossOf = (rows: readonly ChatExample[], learned: Learned): number =>
  rows.filter((row) => learned[promptOf(row)] !== answerOf(row)).length / rows.length;
