import { eventsOf } from '../answer-reading.js';
import type { GenerationEvent, GenerationRequest } from '../port.js';
import type { HostedCall } from '../asked.js';
import { namingUntold } from '../untold.js';
import { CompletionReading } from './reading.js';
import { requestFor } from './request.js';

/**
 * Generates by the `openai` style. A provider that streams although the whole was requested, or the other way round, is
 * understood as well.
 * @throws HostedModelError
 */
export function generateOpenAi(
  { provider, upstream, model, signal, stream, dropped, identity }: HostedCall,
  request: GenerationRequest,
): AsyncGenerator<readonly GenerationEvent[], undefined> {
  const ask = async () => {
    const { path, body } = requestFor(provider, model, request, { stream, dropped });
    return upstream.post(path, await body, signal, { isWhole: !stream });
  };
  const reading = new CompletionReading(provider, dropped, identity, request.prompts?.length);
  return eventsOf(ask, reading, stream, namingUntold(request, dropped));
}
