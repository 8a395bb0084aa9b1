import { HostedModelError, type GenerationEvent, type GenerationRequest } from '../port.js';
import { eventStreamReader } from '../server-sent-events.js';
import type { Asked } from '../styles.js';
import { senseless } from '../upstream-errors.js';
import type { UpstreamAnswer } from '../upstream.js';
import { AnswerReader } from './events.js';
import { failureOf } from './failure.js';
import { headersOf } from './headers.js';
import { countTokensBody, messagesBody } from './request.js';

/**
 * Generates by the `anthropic` style. One batch holds all events of a piece that came together. A provider that answers a request
 * for a stream with one whole JSON is understood as well.
 * @throws HostedModelError
 */
export async function* generateAnthropic(
  asked: Asked,
  request: GenerationRequest,
): AsyncGenerator<readonly GenerationEvent[], undefined> {
  const { upstream, model, signal, stream } = asked;
  const body = JSON.stringify(messagesBody(model, request, stream));
  const options = { headers: headersOf(asked.provider, request), isWhole: !stream };
  const answer = await upstream.post('/messages', body, signal, options);
  if (answer.contentType.startsWith('text/event-stream')) {
    const events = streamed(asked, answer);
    if (stream) return yield* events;
    yield (await Array.fromAsync(events)).flat();
    return;
  }
  const value = await json(asked, answer);
  const batch: GenerationEvent[] = [];
  understood(asked, value, (message) => new AnswerReader().readWhole(message, batch));
  if (batch.at(-1)?.type !== 'finish') throw senseless(asked.provider, 'answered with a message that has no end');
  yield batch;
}

/** null: this provider cannot count. @throws HostedModelError */
export async function countTokensAnthropic(asked: Asked, request: GenerationRequest): Promise<number | null> {
  const { provider, upstream, model, signal } = asked;
  const body = JSON.stringify(countTokensBody(model, request));
  const options = { headers: headersOf(provider, request), isWhole: true };
  try {
    const value = await json(asked, await upstream.post('/messages/count_tokens', body, signal, options));
    return understood(asked, value, ({ input_tokens: tokens }) => {
      if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
      throw new TypeError('no number of tokens');
    });
  } catch (error) {
    if (error instanceof HostedModelError && [404, 405, 501].includes(error.details.upstreamStatus ?? 0)) return null;
    throw error;
  }
}

async function* streamed(asked: Asked, answer: UpstreamAnswer): AsyncGenerator<readonly GenerationEvent[], undefined> {
  const reader = new AnswerReader();
  const read = eventStreamReader();
  for await (const chunk of answer.body) {
    const batch: GenerationEvent[] = [];
    try {
      for (const data of read(chunk)) understood(asked, parsed(asked, data), (event) => reader.read(event, batch));
    } catch (error) {
      if (batch.some(isContent)) yield batch;
      throw error;
    }
    if (reader.isEnded) answer.drain();
    if (batch.length > 0) yield batch;
    if (reader.isEnded) return;
  }
  const batch: GenerationEvent[] = [];
  reader.end(batch);
  if (!reader.isEnded) throw senseless(asked.provider, 'broke off in the middle of its answer; try again');
  yield batch;
}

const isContent = ({ type }: GenerationEvent): boolean => type !== 'usage' && type !== 'details';

async function json(asked: Asked, { body }: UpstreamAnswer): Promise<unknown> {
  const chunks = await Array.fromAsync(body);
  return parsed(asked, Buffer.concat(chunks).toString('utf8'));
}

function parsed({ provider }: Asked, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // The text is the model's, or nobody's: it is not repeated.
    throw senseless(provider, 'answered with something that is not JSON');
  }
}

/** @throws HostedModelError it is an error, or not what is read */
function understood<T>({ provider }: Asked, value: unknown, read: (fields: Readonly<Record<string, unknown>>) => T): T {
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
    const fields = value as Readonly<Record<string, unknown>>;
    if (fields['type'] === 'error') throw failureOf(provider, fields['error']);
    return read(fields);
  } catch (error) {
    if (error instanceof HostedModelError) throw error;
    throw senseless(provider, 'answered with something that is no message', error);
  }
}
