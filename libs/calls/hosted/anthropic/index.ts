import type { JsonObject } from '#domain/json.js';
import { eventsOf, textOf } from '../answer-reading.js';
import { refuseSteering } from '../passed-on.js';
import { HostedModelError, type GenerationEvent, type GenerationRequest } from '../port.js';
import type { Provider } from '../providers.js';
import type { HostedCall } from '../asked.js';
import { senseless } from '../upstream-errors.js';
import { namingUntold } from '../untold.js';
import { upstreamBody, type UpstreamBody } from '../upstream.js';
import { withOwnContainer } from './container.js';
import { MessageReading } from './reading.js';
import { countTokensBody, messagesBody } from './request.js';

/**
 * Generates by the `anthropic` style. A provider that streams although the whole was requested, or the other way round,
 * is understood as well.
 * @throws HostedModelError
 */
export function generateAnthropic(
  { provider, upstream, model, signal, stream, dropped, identity }: HostedCall,
  request: GenerationRequest,
): AsyncGenerator<readonly GenerationEvent[], undefined> {
  const ask = async () => {
    const body = withOwnContainer(messagesBody(model, request, stream, dropped), provider, dropped);
    const options = { headers: headersOf(provider, request), isWhole: !stream };
    return upstream.post('/messages', await bodyFor(provider, body), signal, options);
  };
  return eventsOf(ask, new MessageReading(provider, dropped, identity), stream, namingUntold(request, dropped));
}

/** null: this provider cannot count. @throws HostedModelError */
export async function countTokensAnthropic(
  { provider, upstream, model, signal, dropped, identity }: HostedCall,
  request: GenerationRequest,
): Promise<number | null> {
  const body = await bodyFor(provider, withOwnContainer(countTokensBody(model, request, dropped), provider, dropped));
  const options = { headers: headersOf(provider, request), isWhole: true };
  try {
    const answer = await upstream.post('/messages/count_tokens', body, signal, options);
    const { input_tokens: tokens } = new MessageReading(provider, dropped, identity).value(await textOf(answer));
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
    throw senseless(provider, 'answered with something that is no number of tokens');
  } catch (error) {
    if (error instanceof HostedModelError && [404, 405, 501].includes(error.details.upstreamStatus ?? 0)) return null;
    throw error;
  }
}

/** @throws HostedModelError */
function bodyFor({ allowed }: Provider, body: JsonObject): UpstreamBody | Promise<UpstreamBody> {
  refuseSteering(body, allowed);
  return upstreamBody(body);
}

const VERSION = '2023-06-01';

/** The version and the betas requested by a caller of this style, in addition to the operator's own. */
function headersOf({ headers }: Provider, { verbatim }: GenerationRequest): Readonly<Record<string, string>> {
  const own = verbatim?.style === 'anthropic' ? (verbatim.headers ?? {}) : {};
  const version = own['anthropic-version'] ?? headers['anthropic-version'] ?? VERSION;
  const betas = [headers['anthropic-beta'], own['anthropic-beta']].filter((beta) => beta !== undefined);
  return { 'anthropic-version': version, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) };
}
