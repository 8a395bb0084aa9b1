import type { GenerationEvent, GenerationRequest } from '../port.js';
import type { Asked } from '../styles.js';
import { Reading } from './reading.js';
import { requestFor } from './request.js';

/**
 * Generates by the `openai` style. A provider that streams what was asked for whole, or answers whole what was asked for as a
 * stream, is understood as well.
 * @throws HostedModelError
 */
export async function* generateOpenAi(
  { provider, upstream, model, signal, stream }: Asked,
  request: GenerationRequest,
): AsyncGenerator<readonly GenerationEvent[]> {
  const { path, body } = requestFor(provider, model, request, stream);
  const answer = await upstream.post(path, await body, signal, { isWhole: !stream });
  const reading = new Reading(provider, request.prompts !== undefined);
  if (!answer.contentType.startsWith('text/event-stream')) {
    const chunks = await Array.fromAsync(answer.body);
    yield reading.whole(Buffer.concat(chunks).toString('utf8'));
    return;
  }
  const held: GenerationEvent[] = [];
  try {
    while (!reading.isDone) {
      const next = await answer.body.next();
      const events = next.done ? reading.end() : reading.chunk(next.value);
      // The rest is of no interest, but the connection is.
      if (reading.isDone) answer.drain();
      if (!stream) for (const event of events) held.push(event);
      else if (events.length > 0) yield events;
      if (reading.failure !== null) throw reading.failure;
    }
    if (!stream) yield held;
  } finally {
    await answer.body.return?.();
  }
}
