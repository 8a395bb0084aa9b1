import { HostedModelError, type FinishReason, type GenerationEvent, type GenerationRequest } from '../port.js';
import type { Provider } from '../providers.js';
import { serverSentEvents } from '../server-sent-events.js';
import { senseless } from '../upstream-errors.js';
import type { Upstream, UpstreamAnswer } from '../upstream.js';
import { eventsOf } from './events.js';
import { chatCompletionBody } from './request.js';

/**
 * Generates by the `openai` style. The answer is asked for as a stream; a provider that answers with one whole JSON is
 * understood as well.
 * @throws HostedModelError
 */
export async function* generateOpenAi(
  provider: Provider,
  upstream: Upstream,
  model: string,
  request: GenerationRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly GenerationEvent[]> {
  const body = chatCompletionBody(model, request, provider);
  const answer = await upstream.post('/chat/completions', body, signal);
  let finish: FinishReason | null = null;
  for await (const value of values(provider, answer)) {
    const said = understood(provider, value);
    finish = said.finish ?? finish;
    if (said.events.length > 0) yield said.events;
  }
  if (finish === null) throw senseless(provider, 'broke off in the middle of its answer; try again');
  yield [{ type: 'finish', reason: finish }];
}

async function* values(provider: Provider, { contentType, body }: UpstreamAnswer): AsyncGenerator<unknown> {
  if (!contentType.startsWith('text/event-stream')) {
    const chunks = await Array.fromAsync(body);
    yield json(provider, Buffer.concat(chunks).toString('utf8'));
    return;
  }
  const events = serverSentEvents(body);
  let isDone = false;
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      isDone = next.value === '[DONE]';
      if (isDone) return;
      yield json(provider, next.value);
    }
  } finally {
    if (isDone) void readToEnd(events);
    else await events.return(undefined);
  }
}

/** So that the connection can be used again. Nobody waits for it; the deadlines of the request still hold. */
async function readToEnd(events: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of events);
  } catch {
    // The answer is complete: what happens to its connection is nobody's concern.
  }
}

function json(provider: Provider, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // The text is the model's, or nobody's: it is not repeated.
    throw senseless(provider, 'answered with something that is not JSON');
  }
}

function understood(provider: Provider, value: unknown) {
  if (typeof value === 'object' && value !== null && 'error' in value && value.error)
    throw new HostedModelError(
      'unavailable',
      `the provider ${provider.name} failed in the middle of its answer; try again`,
    );
  try {
    return eventsOf(value);
  } catch (error) {
    throw senseless(provider, 'answered with something that is no chat completion', error);
  }
}
