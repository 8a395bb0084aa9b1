import { allTokens } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import type { GenerationEvent, TokenUsage } from '#calls/hosted/port.js';
import type { GeneratedChunk, GenerationEnd, TokenLogprob, ToolCall } from '../decoder-engine.js';

/** The server's answer contains something that no chunk can hold. The message is for the operator. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
}

/** The chunks of an answer; tool calls come whole, before its end. @throws UnreadableAnswerError */
export async function* chunksOf(answer: AsyncIterable<readonly GenerationEvent[]>): AsyncGenerator<GeneratedChunk> {
  const calls = new Map<number, ToolCall>();
  let usage: TokenUsage | null = null;
  let end: Extract<GenerationEvent, { type: 'finish' }> | null = null;
  for await (const events of answer)
    for (const event of events)
      if (event.type === 'text') yield textOf(event);
      else if (event.type === 'tool-call') calls.set(event.part, { id: event.id, name: event.name, input: '' });
      else if (event.type === 'tool-input') addInput(calls, event);
      else if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'finish') end = event;
      else if (event.type !== 'details')
        throw new UnreadableAnswerError(
          `answered with a part of type ${event.type}; start it without a parser of reasoning`,
        );
  if (usage === null) throw new UnreadableAnswerError('did not count the tokens of its answer');
  for (const call of calls.values()) yield { type: 'tool-call', ...call, input: call.input || '{}' };
  yield {
    ...{ type: 'end', ...reasonOf(end?.reason, end?.stopSequence) },
    ...{ inputTokens: allTokens(usage, 'input'), outputTokens: allTokens(usage, 'output') },
  };
}

function textOf({ text, logprobs }: Extract<GenerationEvent, { type: 'text' }>): GeneratedChunk {
  return { type: 'text', text, ...(Array.isArray(logprobs) && { logprobs: logprobs.map(tokenOf) }) };
}

function addInput(calls: Map<number, ToolCall>, { part, json }: Extract<GenerationEvent, { type: 'tool-input' }>) {
  const call = calls.get(part);
  if (call) calls.set(part, { ...call, input: call.input + json });
}

type Row = Omit<TokenLogprob, 'top'> & { readonly top_logprobs?: readonly Row[] };

function tokenOf(row: Json): TokenLogprob {
  const { top_logprobs: top = [], ...chosen } = row as unknown as Row;
  return { ...plain(chosen), top: top.map(plain) };
}

const plain = ({ token, logprob, bytes }: Row): Omit<TokenLogprob, 'top'> => ({ token, logprob, bytes });

function reasonOf(reason = 'stop', stopSequence?: string): Pick<GenerationEnd, 'reason' | 'stopSequence'> {
  if (reason === 'stop_sequence' && stopSequence !== undefined) return { reason, stopSequence };
  return { reason: reason === 'length' || reason === 'tool_calls' ? reason : 'stop' };
}
