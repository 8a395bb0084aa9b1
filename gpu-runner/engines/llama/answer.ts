import type { DoneMessage, GenerateMessage } from '../torch/messages.js';
import { jsonGrammar, UnsupportedSchemaError } from './json-grammar.js';
import { BadRequestError, promptTokens } from './prompt.js';
import type { Llama, LlamaModel, Runtime, Token } from './runtime.js';
import { TextStream } from './text-stream.js';

export interface ServedModel {
  readonly model: LlamaModel;
  readonly contextTokens: number;
  /** Path of the adapter's GGUF file. */
  readonly adapter: string | null;
}

interface AnswerOptions {
  readonly runtime: Runtime;
  readonly llama: Llama;
  readonly served: ServedModel;
  readonly threads: number;
  readonly signal: AbortSignal;
  /** Resolves once generation may continue. */
  readonly say: (text: string) => Promise<void>;
}

/**
 * In 16 bits, keys and values lead to other answers than torch's: on processors with AVX512-FP16, SmolLM2-135M no
 * longer knew the capital of France.
 */
const PRECISE = {
  flashAttention: false,
  experimentalKvCacheKeyType: 'F32',
  experimentalKvCacheValueType: 'F32',
} as const;
/** Maximum number of tokens for the pieces of one character. */
const MAX_PIECES = 8;
const REPLACEMENT = '�';
/** Tokens before a text that decide how it begins. */
const LAST_TOKENS = 8;

/**
 * Generates one answer, in its own context, which is as large as the answer may become.
 * @throws BadRequestError; the signal's reason
 */
export async function answer(
  request: GenerateMessage,
  { runtime, llama, served, threads, signal, say }: AnswerOptions,
): Promise<Omit<DoneMessage, 'type' | 'id'>> {
  const { model, contextTokens, adapter } = served;
  const prompt = promptTokens(request, model, runtime.jinja);
  const room = contextTokens - prompt.length;
  if (prompt.length === 0) throw new BadRequestError('prompt', 'The prompt is empty, and this model needs a beginning');
  if (room < 1)
    throw new BadRequestError(
      request.prompt === undefined ? 'messages' : 'prompt',
      `The prompt has ${prompt.length} tokens, and the context window ${contextTokens}`,
    );
  const most = Math.min(room, request.maxTokens ?? room);
  const context = await model.createContext({
    ...{ contextSize: prompt.length + most, sequences: 1, threads: { ideal: threads }, createSignal: signal },
    ...PRECISE,
    ...(adapter !== null && { lora: { adapters: [{ filePath: adapter }] } }),
  });
  try {
    const text = new TextStream(request.stop);
    const generated: Token[] = [];
    let pending: Token[] = [];
    const usage = () => ({ inputTokens: prompt.length, outputTokens: generated.length });
    const done = (finishReason: DoneMessage['finishReason'], stopSequence: string | null) => ({
      ...{ finishReason, stopSequence, toolCalls: [], usage: usage() },
    });
    const grammar = request.jsonSchema === null ? null : await grammarOf(request.jsonSchema, llama);
    const tokens = context.getSequence().evaluate(prompt, {
      ...{ temperature: request.temperature, minP: 0, topK: request.topK, topP: request.topP, yieldEogToken: true },
      ...(request.seed !== null && { seed: seedOf(request.seed) }),
      ...(grammar !== null && {
        grammarEvaluationState: new runtime.llama.LlamaGrammarEvaluationState({ model, grammar }),
      }),
      ...((request.frequencyPenalty !== 0 || request.presencePenalty !== 0) && {
        repeatPenalty: {
          ...{ punishTokens: () => generated, penalty: 1 },
          ...{ frequencyPenalty: request.frequencyPenalty, presencePenalty: request.presencePenalty },
        },
      }),
    });
    for await (const token of tokens) {
      signal.throwIfAborted();
      generated.push(token);
      if (model.isEogToken(token)) {
        const { text: shown, stopped } = text.add(pieceOf(model, pending, generated.slice(0, -1), prompt));
        await say(shown + text.end());
        return done('stop', stopped);
      }
      pending.push(token);
      const piece = pieceOf(model, pending, generated, prompt);
      if (!piece.endsWith(REPLACEMENT) || pending.length >= MAX_PIECES) {
        pending = [];
        const { text: shown, stopped } = text.add(piece);
        if (shown !== '') await say(shown);
        if (stopped !== null) return done('stop', stopped);
      }
      if (generated.length === most) break;
    }
    signal.throwIfAborted();
    await say(text.end());
    return done('length', null);
  } finally {
    await context.dispose();
  }
}

/** @throws BadRequestError when there is none for the schema */
async function grammarOf(schema: NonNullable<GenerateMessage['jsonSchema']>, llama: Llama): Promise<unknown> {
  try {
    return await llama.createGrammar({ grammar: jsonGrammar(schema) });
  } catch (error) {
    const reason = error instanceof UnsupportedSchemaError ? error.message : 'is not supported by the llama engine';
    throw new BadRequestError('jsonSchema', reason);
  }
}

/** The text of the pending tokens, which depends on the tokens before them. */
function pieceOf(model: LlamaModel, pending: readonly Token[], generated: readonly Token[], prompt: readonly Token[]) {
  if (pending.length === 0) return '';
  const before = [...prompt.slice(-LAST_TOKENS), ...generated.slice(0, generated.length - pending.length)];
  return model.detokenize(pending, false, before.slice(-LAST_TOKENS));
}

/** llama.cpp takes 32 bits, with the highest value meaning a random one. */
const seedOf = (seed: number): number => Math.abs(seed) % 0xffff_ffff;
