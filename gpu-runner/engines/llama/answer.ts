import type { DoneMessage, GenerateMessage } from '../torch/messages.js';
import { formOf } from './form.js';
import { logprobOf } from './logprobs.js';
import { BadRequestError, promptTokens } from './prompt.js';
import type { Llama, LlamaModel, Runtime, Token } from './runtime.js';
import { TokenText } from './token-text.js';
import { Writer, type Say } from './writer.js';

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
  readonly say: Say;
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
/**
 * Generates one answer, in its own context, which is as large as the answer may become.
 * @throws BadRequestError; the signal's reason
 */
export async function answer(
  request: GenerateMessage,
  { runtime, llama, served, threads, signal, say }: AnswerOptions,
): Promise<Omit<DoneMessage, 'type' | 'id'>> {
  const { model, contextTokens, adapter } = served;
  const form = formOf(request, model.fileInfo.metadata.tokenizer.chat_template ?? null);
  const prompt = promptTokens({ ...request, tools: form.reader ? request.tools : [] }, model, runtime.jinja);
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
    ...{ ...PRECISE, swaFullCache: request.logprobs },
    ...(adapter !== null && { lora: { adapters: [{ filePath: adapter }] } }),
  });
  try {
    const writer = new Writer(request.stop, form.reader, say);
    const text = new TokenText(model, prompt, form.marks);
    const generated: Token[] = [];
    const done = async (finishReason: 'stop' | 'length', stopSequence: string | null) => {
      const toolCalls = await writer.end();
      const isCall = finishReason === 'stop' && toolCalls.length > 0;
      const usage = { inputTokens: prompt.length, outputTokens: generated.length };
      return { finishReason: isCall ? 'tool_calls' : finishReason, stopSequence, toolCalls, usage } as const;
    };
    const grammar = form.grammar === null ? null : await grammarOf(form.grammar, request, llama);
    const sequence = context.getSequence();
    const tokens = sequence.evaluate(prompt, {
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
      const isEnd = model.isEogToken(token);
      if (request.logprobs && !isEnd) {
        const read = [...prompt, ...generated];
        writer.note(await logprobOf(token, read, { sequence, model, top: request.topLogprobs }));
      }
      generated.push(token);
      const stopped = await writer.add(isEnd ? text.end() : text.add(token));
      if (isEnd || stopped !== null) return await done('stop', stopped);
      if (generated.length === most) break;
    }
    signal.throwIfAborted();
    return await done('length', await writer.add(text.end()));
  } finally {
    await context.dispose();
  }
}

/** @throws BadRequestError when llama.cpp refuses it */
async function grammarOf(grammar: string, { jsonSchema }: GenerateMessage, llama: Llama): Promise<unknown> {
  try {
    return await llama.createGrammar({ grammar });
  } catch {
    throw new BadRequestError(jsonSchema === null ? 'tools' : 'jsonSchema', 'is not supported by the llama engine');
  }
}

/** llama.cpp takes 32 bits, with the highest value meaning a random one. */
const seedOf = (seed: number): number => Math.abs(seed) % 0xffff_ffff;
